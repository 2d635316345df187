"""Coherences against their control, worked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.graph.contrast import ARMS, COHERENCE, NEAR, NO_CONTROL, SWAPPED, contrasted, control_key
from caskg.schema import PROBE_KINDS, ProbeAnswer, ProbeKind
from graph.llm_cases import PEEL, key

REMOVAL, SUBSTITUTION, REORDERING = PROBE_KINDS
INTACT = key(ProbeKind.INTACT, COHERENCE)


def coherence(score: float | None) -> ProbeAnswer:
    return ProbeAnswer(
        score=score,
        source_id="llm:m",
        missing_reason=None if score is not None else "gone",
        calls=1,
        tokens=7,
        transcript="t",
    )


def test_an_effect_is_half_the_loss_of_coherence_above_one_half() -> None:
    """E = 1/2 + (k_0 - k_m) / 2; whose it is, what it cost and what was said stay."""
    found = contrasted({INTACT: coherence(0.75), key(REMOVAL, COHERENCE): coherence(0.25)})
    assert found == {key(REMOVAL, COHERENCE): coherence(0.75)}


def test_one_control_serves_all_probes_and_arms_of_its_edge() -> None:
    """Also substitutions, whose keys name a substitute."""
    near = key(SUBSTITUTION, NEAR)._replace(substitute_hash=PEEL.content_hash)
    answers = {
        INTACT: coherence(1.0),
        key(REMOVAL, COHERENCE): coherence(0.0),
        near: coherence(1.0),
        key(REORDERING, COHERENCE): coherence(0.5),
        key(REORDERING, SWAPPED): coherence(0.5),
    }
    assert [answer.score for answer in contrasted(answers).values()] == [1.0, 0.5, 0.75, 0.75]
    assert control_key(near) == INTACT


@pytest.mark.parametrize(
    "other",
    [
        INTACT._replace(source_hash=PEEL.content_hash),
        INTACT._replace(target_hash="0" * 32),
        INTACT._replace(prompt_version="control-2"),
        INTACT._replace(prober_id="llm:other"),
    ],
)
def test_a_control_of_something_else_is_none(other: object) -> None:
    """Of another edge, another wording, another model."""
    assert isinstance(other, type(INTACT))
    found = contrasted({other: coherence(1.0), key(REMOVAL, COHERENCE): coherence(0.0)})
    (answer,) = found.values()
    assert (answer.score, answer.missing_reason, answer.calls) == (None, NO_CONTROL, 1)


def test_a_missing_control_makes_the_answer_missing() -> None:
    """Never 0.5."""
    found = contrasted({INTACT: coherence(None), key(REMOVAL, COHERENCE): coherence(0.0)})
    assert [answer.missing_reason for answer in found.values()] == [NO_CONTROL]


def test_a_missing_answer_keeps_its_reason() -> None:
    """Whatever the control says."""
    found = contrasted({INTACT: coherence(1.0), key(REMOVAL, COHERENCE): coherence(None)})
    assert list(found.values()) == [coherence(None)]


def test_other_arms_pass_unchanged_and_opinions_are_left_out() -> None:
    """A question without a control has its effect already; an opinion is no evidence."""
    plain = key(REMOVAL, "plain")
    answers = {
        plain: coherence(0.25),
        INTACT: coherence(0.5),
        key(ProbeKind.OPINION, "plain"): coherence(1.0),
    }
    assert contrasted(answers) == {plain: coherence(0.25)}


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(sorted(ARMS)))
def test_an_effect_is_a_score(intact: float, changed: float, arm: str) -> None:
    """In [0, 1], above 1/2 exactly where the change hurts."""
    answers = {INTACT: coherence(intact), key(REORDERING, arm): coherence(changed)}
    (answer,) = contrasted(answers).values()
    assert answer.score is not None
    assert 0.0 <= answer.score <= 1.0
    assert answer.score == 0.5 + (intact - changed) / 2
