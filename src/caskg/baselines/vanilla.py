"""No retrieval: every skill is shown, whatever the task."""

from collections.abc import Collection, Sequence

from caskg.retrieval.seeds import check_query
from caskg.schema import RankedSkill, Ranking, Skill


class VanillaRetriever:
    """Returns the whole library, by id; a `Retriever` that does not know *k*."""

    method = "vanilla"

    def __init__(self, skills: Sequence[Skill]) -> None:
        """Take the skills, in the order in which they are shown."""
        self._skills = [RankedSkill(skill=skill, score=0.0) for skill in skills]

    def retrieve(
        self,
        query: str,
        *,
        k: int = 8,  # noqa: ARG002 - all are shown
        have: Collection[str] = (),
        exclude: Collection[str] = (),
    ) -> Ranking:
        """Return all skills but those that the caller has or must not see.

        Raises:
            UsageError: *query* is blank or too long.
        """
        check_query(query)
        hidden = {*have, *exclude}
        skills = tuple(each for each in self._skills if each.skill.id not in hidden)
        return Ranking(query=query, skills=skills, sufficiency=1.0, abstained=False, method=self.method)
