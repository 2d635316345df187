"""The free prober: answers the three probes from the texts alone (method, Section 4).

Stands beside a prober that asks a language model, and answers the same
requests. It reads what the documents state and weighs one thing, the support
s(i, j) that i gives j, in [0, 1], or nothing where the two texts state nothing
that one could give and the other need:

    removal       e = (1 + 3 s(i, j)) / 4
    substitution  e = 1/2 + (s(i, j) - s(i~, j)) / 2
    reordering    e = 1/2 + (s(i, j) - s(j, i)) / 2

A need that i states nothing for (s = 0) speaks against the edge at removal,
half as loudly as a full support speaks for it. Names count only where a
document mentions them.
"""

import posixpath
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from types import MappingProxyType

import numpy as np

from caskg.config import MENTIONED, SignalConfig
from caskg.graph.handover import is_same_file
from caskg.graph.signals import Overlap, affinity, name_match
from caskg.library.lexical import tokenize
from caskg.library.mentions import NamesFound, name_key, names_in
from caskg.schema import (
    Artifact,
    BoolArray,
    ProbeAnswer,
    ProbeKind,
    ProbeRequest,
    Reference,
    ReferenceKind,
    ReferenceRole,
    Skill,
)

TEXT_SOURCE = "text"
"""The source id of this prober's answers."""

REPAIRS = 0.5
"""Support of a skill that gives what a recovery of the other speaks of."""

SILENT = "The texts state nothing that one skill could give and the other need."

NO_SUBSTITUTE = "The request names no skill to substitute."

Tokens = frozenset[str]
OverlapOfCounts = Callable[[Overlap, int, int, int], float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """What one document states. Two readings are equal only when they are the same object.

    Attributes:
        names: What others may call the skill: the key of its name.
        before: Names of skills that come before it, or that it uses, by its own words.
        after: Names of skills that come after it by its own words.
        mentioned: Names that it mentions without an order.
        instead: Names of skills to use instead of it.
        inputs: Tokens of the name of each input.
        outputs: Tokens of the name of each output.
        writes: Files that it writes.
        reads: Files that it reads.
        gives: Tokens of each output's name and each effect.
        presupposes: Tokens of each precondition.
        recovery: Tokens of each recovery.
    """

    names: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]
    mentioned: frozenset[str]
    instead: frozenset[str]
    inputs: tuple[Tokens, ...]
    outputs: tuple[Tokens, ...]
    writes: tuple[Artifact, ...]
    reads: tuple[Artifact, ...]
    gives: tuple[Tokens, ...]
    presupposes: tuple[Tokens, ...]
    recovery: tuple[Tokens, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How much one skill gives another, and by which of its statements; None where nothing is stated."""

    value: float | None
    reason: str

    def __str__(self) -> str:
        return self.reason if self.value is None else f"{self.reason} {self.value:.2f}"


_REPAIR_TOKENS = SignalConfig().repair_tokens
_BEFORE = (ReferenceRole.NEED, ReferenceRole.USE)
_ORDERED = Support(value=1.0, reason="one says that this comes first, or is used")
_HANDED = Support(value=1.0, reason="writes a file that the other reads")
_INSTEAD = Support(value=0.0, reason="one says to use the other instead")
_MENTIONED = Support(value=MENTIONED, reason="mentioned")
_REPAIRS = Support(value=REPAIRS, reason="helps to recover")
_NOTHING = Support(value=None, reason="nothing stated")
_SILENT = ProbeAnswer(score=None, source_id=TEXT_SOURCE, missing_reason=SILENT)


class TextProber:
    """Implements `caskg.protocols.Prober`. Deterministic; no answer depends on the other requests."""

    def __init__(self, *, names: NamesFound = MappingProxyType({})) -> None:
        """Take what was found in some documents already; all others are looked through for names."""
        self._names = names
        self._read: dict[int, Skill] = {}  # whom `_between` was made for
        self._between: Callable[[Skill, Skill], Support] | None = None

    @property
    def prober_id(self) -> str:
        """Names this prober."""
        return "text"

    @property
    def prompt_version(self) -> str:
        """The version of its rules."""
        return "text-3"

    def answer(self, requests: Sequence[ProbeRequest]) -> list[ProbeAnswer]:
        """Answer each request, in order. A document is read once for all of *requests*."""
        skills = (skill for request in requests for skill in (request.source, request.target))
        between = self._reader(chain(skills, (each.substitute for each in requests if each.substitute)))
        return [_answer(request, between) for request in requests]

    def has_evidence(self, pairs: Sequence[tuple[Skill, Skill]]) -> BoolArray:
        """Return whether any probe of an edge from the first to the second has an answer, for each pair."""
        between = self._reader(chain.from_iterable(pairs))
        found = [between(i, j).value is not None or between(j, i).value is not None for i, j in pairs]
        return np.array(found, dtype=np.bool_)

    def _reader(self, skills: Iterable[Skill]) -> Callable[[Skill, Skill], Support]:
        by_id = {id(skill): skill for skill in skills}  # requests share the objects
        if self._between and by_id.keys() <= self._read.keys():
            return self._between
        known = frozenset(name for skill in by_id.values() for name in _names(skill))
        readings = {
            key: read(skill, known=known, found=self._names.get(skill.content_hash))
            for key, skill in by_id.items()
        }
        supports = cache(partial(support, overlap=cache(overlap_of_counts)))
        self._read = by_id
        self._between = lambda giver, taker: supports(readings[id(giver)], readings[id(taker)])
        return self._between


def _answer(request: ProbeRequest, between: Callable[[Skill, Skill], Support]) -> ProbeAnswer:
    forward = between(request.source, request.target)
    if request.kind is ProbeKind.REMOVAL:
        return _said(_removal(forward.value), forward)
    if request.kind is ProbeKind.REORDERING:
        backward = between(request.target, request.source)
        return _said(_reordering(forward.value, backward.value), forward, "; reversed: ", backward)
    if request.substitute is None:
        return ProbeAnswer(score=None, source_id=TEXT_SOURCE, missing_reason=NO_SUBSTITUTE)
    instead = between(request.substitute, request.target)
    return _said(_substitution(forward.value, instead.value), forward, "; substitute: ", instead)


def _said(score: float | None, *transcript: str | Support) -> ProbeAnswer:
    if score is None:  # nine times out of ten
        return _SILENT
    return ProbeAnswer(score=score, source_id=TEXT_SOURCE, transcript="".join(map(str, transcript)))


def _removal(forward: float | None) -> float | None:
    return None if forward is None else (1.0 + 3.0 * forward) / 4.0


def _substitution(forward: float | None, instead: float | None) -> float | None:
    """What the substitute does not state it does not give; what i does not state nobody can compare."""
    return None if forward is None else 0.5 + (forward - (instead or 0.0)) / 2.0


def _reordering(forward: float | None, backward: float | None) -> float | None:
    if forward is None and backward is None:
        return None
    return 0.5 + ((forward or 0.0) - (backward or 0.0)) / 2.0


# ---------------------------------------------------------------- support


def overlap_of_counts(formula: Overlap, shared: int, left: int, right: int) -> float:
    """Apply a formula of `signals` to one pair of token sets. Few distinct counts occur: worth a cache.

    >>> overlap_of_counts(name_match, 1, 1, 2)
    0.85
    """
    return float(formula(np.array([float(shared)]), np.array([left]), np.array([right]))[0])


def support(giver: Reading, taker: Reading, *, overlap: OverlapOfCounts = overlap_of_counts) -> Support:
    """Return s, how much the giver supports the taker by what both state.

    Words about the order or a use decide: 1. Next, "use the other instead": 0, in both
    directions. Else the best of what is stated:

    * a file that the giver writes and the taker reads: 1
    * a mention without an order: .5
    * outputs against inputs: `name_match`
    * outputs and effects against preconditions: `affinity`
    * a recovery that repeats all tokens, at least two, of an output or effect: .5

    >>> both = dict.fromkeys(("names", "before", "after", "mentioned", "instead"), frozenset())
    >>> stated = ("inputs", "outputs", "writes", "reads", "gives", "presupposes", "recovery")
    >>> nothing = dict.fromkeys(stated, ())
    >>> cook = Reading(**both, **nothing | {"outputs": (frozenset({"boil", "egg"}),)})
    >>> peel = Reading(**both, **nothing | {"inputs": (frozenset({"egg"}),)})
    >>> str(support(cook, peel)), str(support(peel, cook))
    ('outputs against inputs 0.85', 'nothing stated')
    """
    if giver.names & taker.before or giver.after & taker.names:
        return _ORDERED
    if giver.names & taker.instead or giver.instead & taker.names:
        return _INSTEAD
    if giver.writes and taker.reads and _is_handed(giver, taker):
        return _HANDED
    found = [_MENTIONED] if giver.names & taker.mentioned else []
    if giver.outputs and taker.inputs:
        matches = (
            overlap(name_match, len(a & b), len(a), len(b)) for a in giver.outputs for b in taker.inputs
        )
        found.append(Support(value=max(matches), reason="outputs against inputs"))
    if giver.gives and taker.presupposes:
        likeness = (
            overlap(affinity, len(a & b), len(a), len(b)) for a in giver.gives for b in taker.presupposes
        )
        found.append(Support(value=max(likeness), reason="effects against preconditions"))
    if giver.gives and taker.recovery and _is_repaired(giver, taker):
        found.append(_REPAIRS)
    return max(found, key=lambda one: one.value or 0.0) if found else _NOTHING


def _is_handed(giver: Reading, taker: Reading) -> bool:
    return any(is_same_file(written, read) for written in giver.writes for read in taker.reads)


def _is_repaired(giver: Reading, taker: Reading) -> bool:
    long = [given for given in giver.gives if len(given) >= _REPAIR_TOKENS]
    return any(given <= told for given in long for told in taker.recovery)


# ---------------------------------------------------------------- reading


def read(
    skill: Skill, *, known: Container[str], found: Iterable[tuple[str, Reference]] | None = None
) -> Reading:
    """Read what the document of *skill* states.

    Args:
        skill: The skill.
        known: Names that the prose is searched for, see `Reading.names`.
        found: What a search for these, and perhaps for other names, found; None = search.
    """
    senses: dict[str, set[str]] = {"before": set(), "after": set(), "mentioned": set(), "instead": set()}
    found = names_in(skill, known=known) if found is None else found
    named = (reference for key, reference in found if key in known)
    for reference in chain(skill.fields.references or (), named):
        senses[_sense(reference)].add(_meant(reference))
    fields = skill.fields
    outputs = [parameter.name for parameter in fields.outputs or ()]
    return Reading(
        names=_names(skill),
        **{sense: frozenset(names) for sense, names in senses.items()},
        inputs=_token_sets(parameter.name for parameter in fields.inputs or ()),
        outputs=_token_sets(outputs),
        writes=fields.writes or (),
        reads=fields.reads or (),
        gives=_token_sets([*outputs, *(fields.effects or ())]),
        presupposes=_token_sets(fields.preconditions or ()),
        recovery=_token_sets(fields.recovery or ()),
    )


def _sense(reference: Reference) -> str:
    """Return which attribute of `Reading` a mention belongs to."""
    if reference.kind is ReferenceKind.CONTRAST:
        return "instead"
    if reference.kind is ReferenceKind.DECLARED or reference.role in _BEFORE:
        return "before"
    return "after" if reference.role is ReferenceRole.NEXT else "mentioned"


def _meant(reference: Reference) -> str:
    """Return the name that a mention gives: of a path its last folder, empty where that has no name."""
    if "/" not in reference.target:
        return name_key(reference.target)
    path = posixpath.normpath(reference.target)
    folder = posixpath.dirname(path) if "." in posixpath.basename(path).strip(".") else path
    return name_key(posixpath.basename(folder).strip("."))


def _names(skill: Skill) -> frozenset[str]:
    """Return what others may call the skill. Not its folder: answers are kept under texts alone."""
    return frozenset({name_key(skill.name)} - {""})


def _token_sets(texts: Iterable[str]) -> tuple[Tokens, ...]:
    """Return the distinct token sets of *texts*; a text without a token states nothing."""
    sets = dict.fromkeys(frozenset(tokenize(text)) for text in texts)
    return tuple(tokens for tokens in sets if tokens)
