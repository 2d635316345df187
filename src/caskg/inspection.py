"""Questions about a published version: its findings, its edges, why one is there, what a caller may see."""

import difflib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from caskg.config import retrieve_config
from caskg.errors import DamagedError, NoVersionError, UsageError
from caskg.protocols import Retriever
from caskg.published import candidates_from, graph_from, names_from, reliability_from
from caskg.retrieval.explain import EdgeExplanation, edge_step, explain_edge
from caskg.schema import (
    EDGE_TYPES,
    BoolArray,
    Candidates,
    Diagnostic,
    EdgeStep,
    EdgeType,
    IntArray,
    Label,
    Ranking,
    ResolvedReference,
    Severity,
    SkillGraph,
    SkillLibrary,
)
from caskg.store.snapshot import Snapshot
from caskg.store.switches import Switches
from caskg.store.workspace import Workspace

if TYPE_CHECKING:
    from caskg.graph.evidence import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class PairExplanation:
    """What is known about an ordered pair of skills.

    Attributes:
        edge: The candidate edge; None where the pair is no candidate.
        reference: The sentence in which one of the two documents speaks of the other, if any.
        evidence: What the two documents say that made other signals speak.
        labels: What people and authors said of it.
        disabled: Those of the two that are disabled.
        walked: Whether relevance walks along edges of this type; false where there is no edge.
    """

    edge: EdgeExplanation | None
    reference: ResolvedReference | None
    evidence: "tuple[Evidence, ...]"
    labels: tuple[Label, ...]
    disabled: tuple[str, ...]
    walked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Relatives:
    """Skills that stand beside one, and neither before nor after it; the nearest first.

    Attributes:
        alternatives: Id and cosine of skills that do the same thing in other words.
        duplicates: Id and share of the text in common, 1 for a copy.
    """

    alternatives: tuple[tuple[str, float], ...]
    duplicates: tuple[tuple[str, float], ...]


HIDDEN = "from a document that is disabled"
"""Stands for what a disabled document says of two others."""

_ALTERNATIVE = EDGE_TYPES.index(EdgeType.ALTERNATIVE)
_COLUMNS = [each.name for each in fields(SkillGraph) if each.name != "n_skills"]


def current_version(workspace: Workspace) -> Snapshot | None:
    """Return the current version, None where nothing has been published."""
    try:
        return workspace.current()
    except NoVersionError:
        return None


def diagnostics_of(version: Snapshot) -> tuple[Diagnostic, ...]:
    """Return what was found in the files when *version* was built."""
    rows = _from_json(version, "diagnostics")
    return tuple(Diagnostic(**row | {"severity": Severity(row["severity"])}) for row in rows)


def hidden_ids(
    workspace: Workspace, version: Snapshot, *, tags: Collection[str] = (), folders: Collection[str] = ()
) -> frozenset[str]:
    """Return the skills that a caller must not see, as the ``exclude`` of any retriever.

    Visible is what is enabled, has one of *tags*, and lies in one of *folders*; without tags or
    folders, these do not matter.

    Args:
        workspace: Its switches say what is disabled.
        version: Its skills are told apart.
        tags: As `tagged` takes them.
        folders: As `lying_in` takes them.

    Raises:
        DamagedError: The switches or the tags are not what was written.
    """
    visible = set(version.ids)
    if tags:
        visible &= tagged(version, tags)
    if folders:
        visible &= lying_in(version.ids, folders)
    return workspace.switches.disabled() | (set(version.ids) - visible)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchedRetriever:
    """A retriever from which disabled skills are hidden, whatever its caller forgets.

    Attributes:
        retriever: The one that is asked.
        switches: Read for every task, so that a switch holds at once.
    """

    retriever: Retriever
    switches: Switches

    def retrieve(
        self, query: str, *, k: int = 8, have: Collection[str] = (), exclude: Collection[str] = ()
    ) -> Ranking:
        """Rank skills for *query*, none that is disabled or in *exclude*. Arguments as in `Retriever`.

        Raises:
            UsageError: An argument cannot be used.
            DamagedError: The switches are not what was written: nobody knows what must be hidden.
        """
        if not isinstance(exclude, str):  # a text is refused by the retriever
            exclude = self.switches.disabled().union(exclude)
        return self.retriever.retrieve(query, k=k, have=have, exclude=exclude)


def unborne_switches(workspace: Workspace, version: Snapshot) -> frozenset[str]:
    """Return the disabled ids that no skill of *version* has: it was removed, or moved and edited at once."""
    return workspace.switches.disabled() - set(version.ids)


def tagged(version: Snapshot, tags: Collection[str]) -> set[str]:
    """Return the ids of the skills that have at least one of *tags*, whatever the case."""
    wanted = {tag.strip().casefold() for tag in tags}
    return {
        skill_id
        for skill_id, stated in zip(version.ids, _tags(version), strict=True)
        if wanted & {tag.casefold() for tag in stated}
    }


def _tags(version: Snapshot) -> Sequence[Collection[str]]:
    """Return the tags of each skill by position; a version of an older CaSKG has them in its skills only."""
    if "tags" in version.arrays:
        return _from_json(version, "tags")
    return [skill.fields.tags or () for skill in version.skills]


def _from_json(version: Snapshot, name: str) -> list[Any]:
    try:
        rows: list[Any] = json.loads(version.arrays[name].tobytes())
    except ValueError as error:
        msg = f"The {name} of version {version.number} are not what was written ({error}): run `caskg build`."
        raise DamagedError(msg) from error
    return rows


def lying_in(ids: Collection[str], folders: Collection[str]) -> set[str]:
    """Return those of *ids* that lie in one of *folders*, at any depth.

    A folder is the beginning of an id, whole parts; ``*``, ``?`` and ``[abc]`` stand for
    characters within one part.

    >>> sorted(lying_in(["tea", "office/mail", "office/old/fax", "shop/old/till"], ["office/", "*/old"]))
    ['office/mail', 'office/old/fax', 'shop/old/till']
    """
    patterns = [folder.strip("/").split("/") for folder in folders]
    return {
        skill_id for skill_id in ids if any(_begins(skill_id.split("/"), pattern) for pattern in patterns)
    }


def _begins(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    return len(parts) >= len(pattern) and all(map(fnmatchcase, parts, pattern))


def labels_to_check(labels: Sequence[Label], version: Snapshot) -> tuple[Label, ...]:
    """Return the labels that were given on texts other than those of *version*, or on skills it lacks."""
    hashes = dict(zip(version.ids, version.content_hashes, strict=True))
    return tuple(
        label
        for label in labels
        if (hashes.get(label.source), hashes.get(label.target)) != (label.source_hash, label.target_hash)
    )


def edges_of(version: Snapshot, position: int) -> tuple[EdgeStep, ...]:
    """Return the published edges between a skill and others that are enabled, the heaviest first."""
    graph = graph_from(version.arrays, n_skills=len(version.ids))
    rows = _rows_of(graph, version, position)
    rows = rows[np.argsort(-graph.weight[rows], kind="stable")]
    return tuple(edge_step(graph, row, version.ids) for row in rows.tolist())


def _rows_of(edges: SkillGraph | Candidates, version: Snapshot, position: int) -> IntArray:
    """Return the rows of the edges between a skill and others that are enabled."""
    joined = (edges.source == position) | (edges.target == position)
    other = np.where(edges.source == position, edges.target, edges.source)
    return np.flatnonzero(joined & _enabled(version)[other])


def _enabled(version: Snapshot) -> BoolArray:
    """Return which skills are not disabled, by position."""
    off = version.switches.disabled()
    return np.array([skill_id not in off for skill_id in version.ids], dtype=np.bool_)


def relatives_of(version: Snapshot, position: int) -> Relatives:
    """Return the enabled skills that say nearly the same as a skill, or do the same thing."""
    ids, own_hash = version.ids, version.content_hashes[position]
    duplicates = {at: 1.0 for at, text in enumerate(version.content_hashes) if text == own_hash}
    for first, second, share in _duplicates(version):
        if position in (first, second):
            duplicates[first + second - position] = share
    candidates = candidates_from(version.arrays, n_skills=len(ids))
    rows = _rows_of(candidates, version, position)
    rows = rows[candidates.types[rows] == _ALTERNATIVE]
    ends = (candidates.source[rows] + candidates.target[rows] - position).tolist()
    likeness = candidates.signals["semantic"].value[rows].tolist()
    alternatives = {at: like for at, like in zip(ends, likeness, strict=True) if at not in duplicates}
    enabled = _enabled(version)
    del duplicates[position]
    return Relatives(
        alternatives=_nearest(alternatives, ids),
        duplicates=_nearest({at: share for at, share in duplicates.items() if enabled[at]}, ids),
    )


def _duplicates(version: Snapshot) -> Iterable[tuple[int, int, float]]:
    """Return the near duplicates of a version; one of an older CaSKG has them in its skills only."""
    if "duplicates" in version.arrays:
        return _from_json(version, "duplicates")
    from caskg.library.duplicates import duplicate_pairs

    return duplicate_pairs(version.skills)


def _nearest(found: Mapping[int, float], ids: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Return ids with their likeness, the nearest first."""
    return tuple((ids[at], like) for at, like in sorted(found.items(), key=lambda each: (-each[1], each[0])))


def visible_graph(version: Snapshot) -> tuple[SkillGraph, list[str], list[str]]:
    """Return the published graph of the skills that are enabled, with their ids and names."""
    graph, enabled = graph_from(version.arrays, n_skills=len(version.ids)), _enabled(version)
    kept = enabled[graph.source] & enabled[graph.target]
    number = np.cumsum(enabled) - 1
    columns = {name: getattr(graph, name)[kept] for name in _COLUMNS}
    columns |= {name: number[columns[name]] for name in ("source", "target")}
    names = names_from(version.arrays)
    return (
        SkillGraph(n_skills=int(enabled.sum()), **columns),
        list(compress(version.ids, enabled)),
        list(compress(names, enabled)),
    )


def explain_pair(workspace: Workspace, version: Snapshot, ends: tuple[int, int]) -> PairExplanation:
    """Return the candidate edge from one position to another, with all that speaks for or against it.

    Answers that count no more are left out, and so are the words of a third document that is disabled.
    """
    from caskg.graph.sources import is_outdated

    ids, hashes = version.ids, version.content_hashes
    answers = workspace.ledger.answers_for_pairs([(hashes[ends[0]], hashes[ends[1]])])
    asked, known = (version.meta["prober"], version.meta["prompt_version"]), frozenset(hashes)
    off, unseen = version.switches.disabled(), hidden_texts(version)
    edge = explain_edge(
        ends,
        candidates=candidates_from(version.arrays, n_skills=len(ids)),
        reliability=reliability_from(version.arrays),
        graph=graph_from(version.arrays, n_skills=len(ids)),
        ids=ids,
        answers=[
            (key, replace(answer, transcript=HIDDEN) if key.substitute_hash in unseen else answer)
            for key, answer in sorted(answers.items(), key=lambda entry: entry[0])
            if (key.prober_id != asked[0] or key.prompt_version == asked[1]) and not is_outdated(key, known)
        ],
    )
    pair = ids[ends[0]], ids[ends[1]]
    labels = (label for label in workspace.ledger.labels() if (label.source, label.target) == pair)
    return PairExplanation(
        edge=edge,
        reference=_reference(version, ends),
        evidence=_evidence(version, ends, edge),
        labels=tuple(labels),
        disabled=tuple(skill_id for skill_id in pair if skill_id in off),
        walked=edge is not None and _is_walked(version, edge.type),
    )


def _is_walked(version: Snapshot, kind: EdgeType) -> bool:
    """Return whether relevance walks along edges of a type, in the profile of *version*."""
    walk = retrieve_config(str(version.meta["profile"])).diffusion
    return kind is not EdgeType.ALTERNATIVE or walk.alternative_weight > 0.0


def hidden_texts(version: Snapshot) -> frozenset[str]:
    """Return the content hashes that only disabled skills have."""
    pairs = list(zip(version.content_hashes, _enabled(version).tolist(), strict=True))
    return frozenset(text for text, _ in pairs) - {text for text, enabled in pairs if enabled}


def _evidence(
    version: Snapshot, ends: tuple[int, int], edge: EdgeExplanation | None
) -> "tuple[Evidence, ...]":
    from caskg.graph.evidence import Evidence, edge_evidence
    from caskg.library.sequences import order_begins

    hidden = tuple(order_begins(name) for name in compress(names_from(version.arrays), ~_enabled(version)))
    told = [
        Evidence(signal="structural", source=HIDDEN if said.startswith(hidden) else said, target="")
        for source, target, said in (_from_json(version, "orders") if "orders" in version.arrays else ())
        if (source, target) == ends
    ]
    found = edge_evidence(version.skills[ends[0]], version.skills[ends[1]], edge.signals) if edge else ()
    return (*told, *(each for each in found if not (told and each.signal == "structural")))


def _reference(version: Snapshot, ends: tuple[int, int]) -> ResolvedReference | None:
    """Return the mention that speaks for or against an edge.

    The two are read as a library of their own. A bare name that the whole library could not
    resolve, because several skills bear it, is resolved here: the signal of the edge tells.
    """
    from caskg.library.references import resolve_references

    pair = SkillLibrary(skills=(version.skills[ends[0]], version.skills[ends[1]]))
    found = (each for each in resolve_references(pair) if (each.source, each.target) == (0, 1))
    return next(found, None)


def position_of(version: Snapshot, name: str) -> int:
    """Return the position of the skill that a person means by *name*.

    A disabled skill is meant only where no other can be, and is never proposed.

    Raises:
        UsageError: There is no such skill, or there are several.
    """
    named = positions_of(version, name)
    off = version.switches.disabled()
    found = [at for at in named if version.ids[at] not in off] or named
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(version.ids[at] for at in found[:5])
        msg = f"{name!r} may be any of {several}: give the whole id."
        raise UsageError(msg)
    near = _near(version, name)
    hint = f" Did you mean {', '.join(near)}?" if near else " `caskg query` finds skills by what they do."
    msg = f"There is no skill {name!r} in version {version.number}.{hint}"
    raise UsageError(msg)


def positions_of(version: Snapshot, name: str) -> list[int]:
    """Return the position of the skill whose id is *name*, else all whose name or last part of the id is."""
    if name in version.ids:
        return [version.ids.index(name)]
    return [at for at, called in enumerate(_called(version)) if name in called]


def _called(version: Snapshot) -> Iterator[tuple[str, str]]:
    """Yield for each skill the name and the last part of the id."""
    for skill_id, name in zip(version.ids, names_from(version.arrays), strict=True):
        yield name, skill_id.rsplit("/", 1)[-1]


def _near(version: Snapshot, name: str) -> list[str]:
    """Return the ids of at most three skills that are called almost so, the nearest first."""
    ids = {
        word: skill_id
        for skill_id, called in zip(version.ids, _called(version), strict=True)
        for word in called
    }
    ids |= {skill_id: skill_id for skill_id in version.ids}
    off = version.switches.disabled()
    visible = {word: skill_id for word, skill_id in ids.items() if skill_id not in off}
    return list(dict.fromkeys(visible[word] for word in difflib.get_close_matches(name, visible, n=3)))
