"""Coherences -> effects: what an intervention costs, against the intact context (method, Section 4).

Stands between `probes`, which asks, and the scores that `calibrate` weighs. In an
arm with a control the model is not asked how much an intervention hurts, but how
coherent a context is: the intact one (k_0) and the changed one (k_m). The ledger
keeps these coherences as they were said. Here they become effects:

    e_m = 1/2 + (k_0 - k_m) / 2

A model that finds every context coherent, or none, then says nothing: e = 1/2.
"""

from collections.abc import Mapping
from dataclasses import replace

from caskg.schema import PROBE_KINDS, ProbeAnswer, ProbeKey, ProbeKind

COHERENCE = "coherence"
"""The arm of a context whose coherence is asked for; the control of an edge stands under it."""

NEAR = "coherence-near"
"""The same with a near alternative of the source as the substitute."""

SWAPPED = "coherence-swapped"
"""The same with the two documents shown in the other order."""

ARMS = frozenset({COHERENCE, NEAR, SWAPPED})

PLAIN_NEAR = "near"
"""The arm of a question without a control that has a near alternative as the substitute."""

PLAIN_SWAPPED = "swapped"
"""The arm of such a question that shows the documents in the other order."""

REPEATS = frozenset({NEAR, SWAPPED, PLAIN_NEAR, PLAIN_SWAPPED})
"""The arms that ask a probe again."""

NO_CONTROL = "The intact context has no score to compare with."


def contrasted(answers: Mapping[ProbeKey, ProbeAnswer]) -> dict[ProbeKey, ProbeAnswer]:
    """Return what the answers say of the three probes, coherences compared with their control.

    Controls are used up, and opinions, which are no evidence, left out. An answer
    whose control is missing is missing.

    >>> key = ProbeKey("i", "j", "", ProbeKind.REMOVAL, COHERENCE, "control-1", "llm")
    >>> intact = ProbeAnswer(score=0.9, source_id="llm")
    >>> alone = ProbeAnswer(score=0.1, source_id="llm")
    >>> found = contrasted({key._replace(kind=ProbeKind.INTACT): intact, key: alone})
    >>> [(each.kind.value, answer.score) for each, answer in found.items()]
    [('removal', 0.9)]
    """
    return {
        key: _effect(answer, answers.get(control_key(key))) if key.arm in ARMS else answer
        for key, answer in answers.items()
        if key.kind in PROBE_KINDS
    }


def control_key(key: ProbeKey) -> ProbeKey:
    """Return under what the control of an answer is kept: one for all probes and arms of its edge."""
    return key._replace(kind=ProbeKind.INTACT, substitute_hash="", arm=COHERENCE)


def _effect(answer: ProbeAnswer, control: ProbeAnswer | None) -> ProbeAnswer:
    if answer.score is None:
        return answer
    if control is None or control.score is None:
        return replace(answer, score=None, missing_reason=NO_CONTROL)
    return replace(answer, score=0.5 + (control.score - answer.score) / 2.0)
