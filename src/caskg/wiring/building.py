"""Builds a workspace: files -> a published version, where anything has changed."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caskg import __version__
from caskg.config import BuildConfig, Profile, Reading, build_config
from caskg.errors import DamagedError
from caskg.inspection import current_version, diagnostics_of
from caskg.protocols import Encoder
from caskg.schema import EDGE_STATES, EDGE_TYPES, Diagnostic, LabelSource, Skill, SkillLibrary
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring.encoders import EncoderChoice, encoder_kind, encoder_name, encoder_to_build, remote_stands
from caskg.wiring.places import current_meta

if TYPE_CHECKING:
    from caskg.published import Build

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What `build_workspace` did.

    Attributes:
        number: The version that is current now.
        unchanged: Nothing had changed since that version, so nothing was built.
        meta: What the version says of itself: counts, encoder, profile, roots.
        diagnostics: What was found in the files when the version was built.
    """

    number: int
    unchanged: bool
    meta: Mapping[str, Any]
    diagnostics: tuple[Diagnostic, ...]


def _makers(config: BuildConfig, kind: str, encoder: Encoder) -> dict[str, str]:
    """Return what a version says of how it was made."""
    from caskg.graph.text_prober import TextProber

    return {
        "caskg": __version__,
        "profile": str(config.profile),
        "reading": str(config.evidence.reading),
        "encoder": kind,
        "encoder_fingerprint": encoder.fingerprint,
        "prober": TextProber().prober_id,
        "prompt_version": TextProber().prompt_version,
    }


def build_workspace(
    workspace: Workspace,
    roots: Sequence[Path],
    *,
    profile: str = Profile.DEFAULT,
    encoder: str = EncoderChoice.AUTO,
    reading: Reading | None = None,
    progress: Progress = lambda _step, _done, _of: None,
) -> BuildReport:
    """Parse *roots*, build and publish; do nothing where nothing has changed.

    How answers of language models are read is *reading*, by default as in the version before.

    Raises:
        UsageError: There is no such profile or encoder.
        LibraryError: A root cannot be read, or holds no readable skill.
        EncoderError: The encoder is not installed, or is damaged.
        StoreError: The workspace cannot be written.
    """
    from caskg.judging import known_rates, known_worth
    from caskg.library.parse import parse_library
    from caskg.library.scan import scan
    from caskg.pipeline import build

    config, previous = _config(profile, reading, workspace), sound_version(workspace)
    kind = encoder_kind(encoder, current_meta(workspace))
    progress("parse", 0, 0)
    found = scan(roots)
    # Before anything is read: what is said in the meantime is new to the next build.
    state = _state(found.digest, config, encoder_name(kind), workspace)
    same = previous and previous.meta["state"] == state
    # A server is asked whether it has changed only where it is named.
    if previous and same and (encoder != EncoderChoice.REMOTE or remote_stands(previous, workspace.vectors)):
        return _report(previous, unchanged=True)
    library = parse_library(found)
    followed = follow_moves(workspace, library, previous)
    if any(followed.values()):
        state = _state(found.digest, config, encoder_name(kind), workspace)
    made = encoder_to_build(kind, library, previous, vectors=workspace.vectors)
    result = build(
        library,
        workspace=workspace,
        encoder=made,
        config=config,
        worth=known_worth(workspace.ledger),
        rates=known_rates(workspace.ledger),
        progress=progress,
    )
    progress("publish", 0, 0)
    places = {"roots": [str(Path(root).absolute()) for root in roots], "library": found.digest}
    published = workspace.publish(
        skills=library.skills,
        arrays=_arrays(library, result, made),
        meta={**_makers(config, kind, made), **places, "state": state, **followed, **_counts(result)},
        unless=lambda: _is_published(workspace, state, since=previous),
    )
    return _report(workspace.current(), unchanged=published is None)


def _is_published(workspace: Workspace, state: str, *, since: Snapshot | None) -> bool:
    """Return whether another process has published what this one was about to."""
    version = sound_version(workspace)
    if version is None or (since and version.number == since.number):
        return False
    return bool(version.meta["state"] == state)


def _config(profile: str, reading: Reading | None, workspace: Workspace) -> BuildConfig:
    """Return the constants; ``paper`` counts each answer, whatever the version before did."""
    config = build_config(profile)
    if not config.evidence.by_source:
        return config
    before = (current_meta(workspace) or {}).get("reading", Reading.COUNTED)
    return replace(config, evidence=replace(config.evidence, reading=reading or Reading(before)))


def follow_moves(
    workspace: Workspace, library: SkillLibrary, previous: Snapshot | None
) -> dict[str, list[str]]:
    """Let labels and switches follow skills whose folder was moved or renamed, and say which did."""
    now = {skill.id: skill.content_hash for skill in library.skills}
    before = dict(zip(previous.ids, previous.content_hashes, strict=True)) if previous else {}
    renamed = _renamed(library, previous, before.keys()) if previous else {}
    labels = [
        f"{old.source} -> {old.target}, now {new.source} -> {new.target}"
        for old, new in workspace.ledger.follow_moves(now, renamed=renamed)
    ]
    disabled = workspace.switches.disabled() & before.keys() - now
    gone = {renamed.get(before[skill_id], before[skill_id]): skill_id for skill_id in disabled}
    moved = {new: gone[text] for new, text in now.items() if new not in before and text in gone}
    if moved:  # all of them: what was hidden must not come back by another name
        workspace.switches.disable(moved)
    return {
        "labels_followed": labels,
        "disabled_followed": [f"{old}, now {new}" for new, old in sorted(moved.items())],
    }


def _renamed(library: SkillLibrary, previous: Snapshot, before: Collection[str]) -> dict[str, str]:
    """Return the content hashes that changed because nothing but the name of a skill did, old to new."""

    def told_apart(skills: Iterable[Skill]) -> dict[str, str]:
        texts = [
            (f"{skill.description}\n{skill.body}".replace(skill.name, ""), skill.content_hash)
            for skill in skills
        ]
        often = Counter(text for text, _ in texts)
        return {text: content for text, content in texts if often[text] == 1}

    now = {skill.id for skill in library.skills}
    gone = [previous.skills[at] for at, skill_id in enumerate(previous.ids) if skill_id not in now]
    new = told_apart(skill for skill in library.skills if skill.id not in before)
    return {content: new[text] for text, content in told_apart(gone).items() if text in new}


def sound_version(workspace: Workspace) -> Snapshot | None:
    """Return the current version; None where there is none, or it is damaged: then all is built anew."""
    try:
        version = current_version(workspace)
        if version:
            version.arrays.verify()
    except DamagedError:
        return None
    return version


def _arrays(library: SkillLibrary, result: "Build", encoder: Encoder) -> dict[str, NDArray[Any]]:
    from caskg.library.lsa import LsaEncoder
    from caskg.published import prefixed, to_arrays

    arrays = to_arrays(result, names=[skill.name for skill in library.skills])
    arrays["diagnostics"] = _as_json([asdict(finding) for finding in library.diagnostics])
    arrays["tags"] = _as_json([skill.fields.tags or () for skill in library.skills])
    arrays["duplicates"] = _as_json(result.duplicates)
    arrays["orders"] = _as_json(result.orders)
    if isinstance(encoder, LsaEncoder):
        arrays |= prefixed("encoder", encoder.arrays())
    return arrays


def _as_json(value: object) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _state(library_digest: str, config: BuildConfig, encoder: str, workspace: Workspace) -> str:
    """Hash everything that decides what a build would publish.

    The text prober's own answers follow from the rest; those of a paid one do not. What was asked again
    and has no score again changes nothing.
    """
    from caskg.graph.text_prober import TextProber

    paid = {
        name: (total.answers, total.questions)
        for name, total in workspace.ledger.spend().items()
        if name != TextProber().prober_id
    }
    said = [label for label in workspace.ledger.labels() if label.given_by is LabelSource.PERSON]
    everything = repr((__version__, library_digest, config, encoder, paid, said))
    return hashlib.blake2b(everything.encode(), digest_size=16).hexdigest()


def _counts(result: "Build") -> dict[str, Any]:
    graph = result.graph
    types = np.bincount(graph.types, minlength=len(EDGE_TYPES)).tolist()
    states = np.bincount(result.reliability.states, minlength=len(EDGE_STATES)).tolist()
    return {
        "n_candidates": len(result.candidates),
        "n_frontier": result.n_frontier,
        "n_edges": len(graph),
        "types": dict(zip(EDGE_TYPES, types, strict=True)),
        "candidate_states": dict(zip(EDGE_STATES, states, strict=True)),
        "verifier": _learnt(result),
        "sources": {name: asdict(use) for name, use in result.sources.items()},
    }


def _learnt(result: "Build") -> dict[str, Any] | None:
    """Say what was learnt from assessed edges, and whether it was used; None where learning is off."""
    verifier = result.verifier
    if verifier is None:
        return None
    return {
        "used": verifier.used,
        "reason": verifier.reason,
        "confirmed": verifier.n_confirmed,
        "rejected": verifier.n_rejected,
        "error": verifier.error,
        "skill": verifier.skill,
    }


def _report(version: Snapshot, *, unchanged: bool) -> BuildReport:
    return BuildReport(
        number=version.number, unchanged=unchanged, meta=version.meta, diagnostics=diagnostics_of(version)
    )
