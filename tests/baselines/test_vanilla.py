"""Everything is shown."""

import pytest

from caskg.baselines.vanilla import VanillaRetriever
from caskg.errors import UsageError
from caskg.protocols import Retriever
from factories import make_skill

SKILLS = [make_skill("a"), make_skill("b"), make_skill("c")]


def test_all_skills_are_returned_in_their_order_whatever_k() -> None:
    """But those that the caller has or must not see."""
    vanilla = VanillaRetriever(SKILLS)
    ranking = vanilla.retrieve("x", k=1)
    assert [ranked.skill.id for ranked in ranking.skills] == ["a", "b", "c"]
    assert (ranking.abstained, ranking.sufficiency, ranking.method) == (False, 1.0, "vanilla")
    assert [each.skill.id for each in vanilla.retrieve("x", have=["a"], exclude=["b"]).skills] == ["c"]
    assert isinstance(vanilla, Retriever)


def test_a_blank_task_is_refused_as_by_all() -> None:
    """One protocol for all."""
    with pytest.raises(UsageError, match="empty"):
        VanillaRetriever(SKILLS).retrieve(" ")
