"""Questions about a published version: its findings, its edges, why one is there, what a caller may see."""

import difflib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from caskg.errors import DamagedError, NoVersionError, UsageError
from caskg.published import candidates_from, graph_from, names_from, reliability_from
from caskg.retrieval.explain import EdgeExplanation, edge_step, explain_edge
from caskg.schema import (
    Diagnostic,
    EdgeStep,
    Label,
    ResolvedReference,
    Severity,
    SkillLibrary,
)
from caskg.store.snapshot import Snapshot
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
    """

    edge: EdgeExplanation | None
    reference: ResolvedReference | None
    evidence: "tuple[Evidence, ...]"
    labels: tuple[Label, ...]


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
    """Return the published edges into and out of a skill, the heaviest first."""
    graph = graph_from(version.arrays, n_skills=len(version.ids))
    rows = np.flatnonzero((graph.source == position) | (graph.target == position))
    rows = rows[np.argsort(-graph.weight[rows], kind="stable")]
    return tuple(edge_step(graph, row, version.ids) for row in rows.tolist())


def explain_pair(workspace: Workspace, version: Snapshot, ends: tuple[int, int]) -> PairExplanation:
    """Return the candidate edge from one position to another, with all that speaks for or against it."""
    ids, hashes = version.ids, version.content_hashes
    answers = workspace.ledger.answers_for_pairs([(hashes[ends[0]], hashes[ends[1]])])
    asked = version.meta["prober"], version.meta["prompt_version"]
    edge = explain_edge(
        ends,
        candidates=candidates_from(version.arrays, n_skills=len(ids)),
        reliability=reliability_from(version.arrays),
        graph=graph_from(version.arrays, n_skills=len(ids)),
        ids=ids,
        answers=[
            (key.kind, answer)
            for key, answer in sorted(answers.items(), key=lambda entry: entry[0])
            if key.prober_id != asked[0] or key.prompt_version == asked[1]
        ],
    )
    pair = ids[ends[0]], ids[ends[1]]
    labels = (label for label in workspace.ledger.labels() if (label.source, label.target) == pair)
    return PairExplanation(
        edge=edge,
        reference=_reference(version, ends),
        evidence=_evidence(version, ends, edge),
        labels=tuple(labels),
    )


def _evidence(
    version: Snapshot, ends: tuple[int, int], edge: EdgeExplanation | None
) -> "tuple[Evidence, ...]":
    from caskg.graph.evidence import edge_evidence

    return edge_evidence(version.skills[ends[0]], version.skills[ends[1]], edge.signals) if edge else ()


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

    Raises:
        UsageError: There is no such skill, or there are several.
    """
    found = positions_of(version, name)
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
    return list(dict.fromkeys(ids[word] for word in difflib.get_close_matches(name, ids, n=3)))
