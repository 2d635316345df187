"""The words behind an edge: what in the two texts made each signal speak.

Beside `signals`, which counts; here the sentences are found again for people, for
one pair at a time. A mention is found by `library.references`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

from caskg.graph.handover import shared_files
from caskg.graph.roles import Role, role_of
from caskg.graph.signals import Overlap, affinity, name_match
from caskg.graph.statements import token_set
from caskg.library.markdown import SENTENCE_END
from caskg.schema import Parameter, Skill

_MOST = 300  # characters

_Said = TypeVar("_Said", str, Parameter)
_Finder: TypeAlias = Callable[[Skill, Skill], Iterator[tuple[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What two documents say, of which one signal speaks.

    Attributes:
        signal: The signal, by its name in `SignalWeights`.
        source: What the source says, at most 300 characters; what a third document says of both.
        target: What the target says, at most 300 characters; empty where a third document speaks.
    """

    signal: str
    source: str
    target: str


def edge_evidence(source: Skill, target: Skill, signals: Mapping[str, float]) -> tuple[Evidence, ...]:
    """Return the words behind each signal that speaks for ``source -> target``; the same words once.

    Args:
        source: The skill that supports.
        target: The skill that is supported.
        signals: The active signals of the edge, by name; one of value 0 speaks of nothing.
    """
    speaking: dict[_Finder, str] = {}
    for name, find in _FINDERS.items():
        if signals.get(name, 0.0) > 0.0:
            speaking.setdefault(find, name)
    return tuple(
        Evidence(signal=name, source=given[:_MOST], target=needed[:_MOST])
        for find, name in speaking.items()
        for given, needed in find(source, target)
    )


def _io(source: Skill, target: Skill) -> Iterator[tuple[str, str]]:
    files = next(shared_files(source, target), None)
    if files is not None:
        yield files[0].evidence, files[1].evidence
        return
    given, needed = source.fields.outputs, target.fields.inputs
    if given and needed:
        yield from _best(given, needed, name_match, key=lambda one: one.name, shown=_shown)
    elif needed:
        by_name = (Parameter(name=source.name),)
        yield from _best(by_name, needed, name_match, key=lambda one: one.name, shown=_shown)


def _enabler(source: Skill, target: Skill) -> Iterator[tuple[str, str]]:
    outputs = [parameter.name for parameter in source.fields.outputs or ()]
    given = [*outputs, *(source.fields.effects or ())]
    yield from _best(given, target.fields.preconditions or (), affinity, key=str, shown=str)


def _flow(source: Skill, target: Skill) -> Iterator[tuple[str, str]]:
    """Yield what the source gives, by its description where it states nothing, and what the target takes."""
    given = "; ".join(map(_shown, source.fields.outputs or ())) or source.description
    taken = "; ".join(map(_shown, target.fields.inputs or ())) or "nothing stated"
    yield f"gives: {given}", f"takes: {taken}"


def _structural(source: Skill, target: Skill) -> Iterator[tuple[str, str]]:
    yield _role_sentence(source), _role_sentence(target)


def _role_sentence(skill: Skill) -> str:
    """Return the role, and the words that give it: the name, or the first sentence of the description."""
    role = role_of(skill.name, skill.description)
    sentences = [skill.name, *SENTENCE_END.split(skill.description)]
    said = next((sentence for sentence in sentences if _has_role(sentence, role)), skill.name)
    return f"{role}: {said}"


def _has_role(text: str, role: Role | None) -> bool:
    return role is not None and role_of(text) is role


def _shown(parameter: Parameter) -> str:
    return ": ".join(part for part in (parameter.name, parameter.description) if part)


def _best(
    given: Sequence[_Said],
    needed: Sequence[_Said],
    overlap: Overlap,
    *,
    key: Callable[[_Said], str],
    shown: Callable[[_Said], str],
) -> Iterator[tuple[str, str]]:
    """Yield the two that match best, if any do; the first of equal ones."""
    best, found = 0.0, None
    for gift in given:
        for need in needed:
            left, right = set(token_set(key(gift))), set(token_set(key(need)))
            if not left & right:
                continue
            counts = np.array([float(len(left & right))]), np.array([len(left)]), np.array([len(right)])
            score = float(overlap(*counts)[0])
            if score > best:
                best, found = score, (shown(gift), shown(need))
    if found is not None:
        yield found


_FINDERS: Mapping[str, _Finder] = {
    "io": _io,
    "enabler": _enabler,
    "provider": _flow,
    "meaning": _flow,
    "structural": _structural,
}
