"""Which answers of the ledger stand, and what those who gave them are worth (method, Section 5).

Between the ledger, which forgets nothing, and `calibrate`, which weighs what is given to it.
An answer stands as long as everything it was given on does: the texts, the substitute, the
prompt. What a language model's answers are worth follows from its judge check.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from caskg.graph.contrast import NEAR, PLAIN_NEAR
from caskg.graph.llm_prober import is_llm
from caskg.graph.prompts import Wording, prompt_version
from caskg.schema import PROBE_KINDS, ProbeAnswer, ProbeKey, ProbeKind

UNCHECKED_UNITS = 1
"""U of a language model that was never checked: its answers on an edge are one opinion."""

Worth: TypeAlias = Callable[[str, str], int | None]
"""The units of a prober's answers to a version of the prompts, by their names; None = never checked."""

_PROMPTS = frozenset(map(prompt_version, Wording))


def never_checked(prober_id: str, prompt_version: str) -> None:
    """Know of no judge check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceUse:
    """What a language model said of the edges of a graph.

    Attributes:
        units: U, what its answers on an edge are worth at most: 0 (not used), 1, 2 or 3.
        checked: Whether a judge check says so; otherwise they are one opinion.
        prompts: The versions of the prompts that it answered.
        n_edges: Edges with at least one score.
        n_answers: Scores, those of controls left out.
    """

    units: int
    checked: bool
    prompts: tuple[str, ...]
    n_edges: int
    n_answers: int


def standing(
    answers: Mapping[ProbeKey, ProbeAnswer],
    substitutes: Mapping[tuple[str, str], str],
    *,
    versions: Mapping[str, str] = MappingProxyType({}),
) -> dict[ProbeKey, ProbeAnswer]:
    """Return the answers that stand: those to prompts still in use, and to the substitute of today.

    Args:
        answers: What the ledger holds on the edges.
        substitutes: The hash of the substitute for the hashes of (source, target), whoever is asked.
        versions: The prompts of other probers than language models, by the prober's id; those
            of one that is not named are not ours to judge.
    """
    return {key: each for key, each in answers.items() if _stands(key, substitutes, versions)}


def _stands(key: ProbeKey, substitutes: Mapping[tuple[str, str], str], versions: Mapping[str, str]) -> bool:
    in_use = _PROMPTS if is_llm(key.prober_id) else {versions.get(key.prober_id, key.prompt_version)}
    is_far = key.kind is ProbeKind.SUBSTITUTION and key.arm not in (NEAR, PLAIN_NEAR)
    return key.prompt_version in in_use and (
        not is_far or substitutes.get(key[:2], "") == key.substitute_hash
    )


def one_voice(answers: Mapping[ProbeKey, ProbeAnswer]) -> dict[ProbeKey, ProbeAnswer]:
    """Return *answers* without what others said of an edge to which a language model gave a score.

    For ``paper``, which counts each answer as 1, and asks one prober.
    """
    judged = {
        key[:2]
        for key, answer in answers.items()
        if is_llm(key.prober_id) and key.kind in PROBE_KINDS and answer.score is not None
    }
    return {key: answer for key, answer in answers.items() if is_llm(key.prober_id) or key[:2] not in judged}


def is_outdated(key: ProbeKey, hashes: frozenset[str]) -> bool:
    """Return whether an answer can count in no graph of the texts *hashes*, nor of these prompts."""
    texts = {key.source_hash, key.target_hash, key.substitute_hash} - {""}
    return not texts <= hashes or (is_llm(key.prober_id) and key.prompt_version not in _PROMPTS)


def uses(answers: Mapping[ProbeKey, ProbeAnswer], *, worth: Worth) -> dict[str, SourceUse]:
    """Return what each language model among *answers* said, and what that is worth, by source id.

    Where it answered several wordings, the worst of them counts.
    """
    said: dict[str, list[ProbeKey]] = {}
    for key, answer in answers.items():
        if is_llm(key.prober_id) and key.kind in PROBE_KINDS and answer.score is not None:
            said.setdefault(answer.source_id, []).append(key)
    return {source_id: _use(keys, worth) for source_id, keys in sorted(said.items())}


def _use(keys: Sequence[ProbeKey], worth: Worth) -> SourceUse:
    asked = sorted({(key.prober_id, key.prompt_version) for key in keys})
    known = [worth(*each) for each in asked]
    return SourceUse(
        units=min(UNCHECKED_UNITS if units is None else units for units in known),
        checked=None not in known,
        prompts=tuple(sorted({version for _, version in asked})),
        n_edges=len({key[:2] for key in keys}),
        n_answers=len(keys),
    )
