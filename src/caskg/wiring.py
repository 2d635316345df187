"""Configuration to objects: the only place that picks providers.

Heavy parts are imported where they are used: a query needs neither parser nor graph half.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from caskg import __version__
from caskg.config import BuildConfig, Profile, RetrieveConfig, build_config, retrieve_config
from caskg.errors import DamagedError, EncoderError, LibraryError, UsageError
from caskg.inspection import SwitchedRetriever, current_version, diagnostics_of
from caskg.protocols import Encoder, Retriever
from caskg.schema import EDGE_STATES, EDGE_TYPES, Diagnostic, LabelSource, Skill, SkillLibrary
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace

if TYPE_CHECKING:
    from caskg.library.lsa import LsaEncoder
    from caskg.protocols import ChatModel
    from caskg.providers.metered import Meter
    from caskg.published import Build
    from caskg.retrieval.seeds import SearchIndex

WORKSPACE_NAME = ".caskg"
WORKSPACE_VARIABLE = "CASKG_WORKSPACE"
CONFIG_VARIABLE = "CASKG_CONFIG"
SKILL_FOLDERS = (
    ".claude/skills",
    ".agents/skills",
    ".codex/skills",
    ".cursor/skills",
)
"""Where hosts keep skills, below the current folder and below the home folder."""

Progress = Callable[[str, int, int], None]


class EncoderChoice(StrEnum):
    """Which encoder a build uses."""

    AUTO = "auto"  # the one of the workspace, else local if it is installed, else built-in
    LOCAL = "local"
    BUILTIN = "builtin"
    REMOTE = "remote"  # an OpenAI-compatible server


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


def default_workspace() -> Path:
    """Return ``$CASKG_WORKSPACE``, else the nearest ``.caskg`` upwards, else ``.caskg`` here."""
    if named := os.environ.get(WORKSPACE_VARIABLE):
        return Path(named)
    here = Path.cwd()
    near = (folder / WORKSPACE_NAME for folder in (here, *here.parents))
    return next((path for path in near if path.is_dir()), here / WORKSPACE_NAME)


def default_roots(workspace: Workspace) -> list[Path]:
    """Return the folders of the last build, else those of hosts. Raises as `host_folders` does."""
    previous = _current_meta(workspace)
    return [Path(root) for root in previous["roots"]] if previous else host_folders()


def default_profile(workspace: Workspace) -> str:
    """Return the profile of the last build, else ``default``."""
    previous = _current_meta(workspace)
    return str(previous["profile"] if previous else Profile.DEFAULT)


def host_folders() -> list[Path]:
    """Return those of `SKILL_FOLDERS` that exist.

    Raises:
        LibraryError: There are none.
    """
    bases = dict.fromkeys([Path.cwd(), Path.home()])
    found = [base / folder for base in bases for folder in SKILL_FOLDERS if (base / folder).is_dir()]
    if not found:
        names = ", ".join(SKILL_FOLDERS)
        msg = f"No folder of skills was named, and there is none of {names} here or at home: name one."
        raise LibraryError(msg)
    return found


def example_skills() -> Path:
    """Return the folder of the example library, in a wheel or in a checkout.

    Raises:
        LibraryError: This installation has none.
    """
    package = Path(__file__).parent
    for folder in (package / "examples" / "skills", package.parents[1] / "examples" / "skills"):
        if folder.is_dir():
            return folder
    msg = "This installation holds no example skills: install the wheel, or use a checkout."
    raise LibraryError(msg)


# ---------------------------------------------------------------- build


def build_workspace(
    workspace: Workspace,
    roots: Sequence[Path],
    *,
    profile: str = Profile.DEFAULT,
    encoder: str = EncoderChoice.AUTO,
    progress: Progress = lambda _step, _done, _of: None,
) -> BuildReport:
    """Parse *roots*, build and publish; do nothing where nothing has changed.

    Raises:
        UsageError: There is no such profile or encoder.
        LibraryError: A root cannot be read, or holds no readable skill.
        EncoderError: The encoder is not installed, or is damaged.
        StoreError: The workspace cannot be written.
    """
    from caskg.graph.text_prober import TextProber
    from caskg.library.parse import parse_library
    from caskg.library.scan import scan
    from caskg.pipeline import build

    config, previous = build_config(profile), _sound_version(workspace)
    kind = _encoder_kind(encoder, _current_meta(workspace))
    progress("parse", 0, 0)
    found = scan(roots)
    # Before anything is read: what is said in the meantime is new to the next build.
    state = _state(found.digest, config, _encoder_name(kind), workspace)
    if previous and previous.meta["state"] == state:
        return _report(previous, unchanged=True)
    library = parse_library(found)
    followed = _follow_moves(workspace, library, previous)
    if any(followed.values()):
        state = _state(found.digest, config, _encoder_name(kind), workspace)
    made = _encoder_to_build(kind, library, previous)
    result = build(library, workspace=workspace, encoder=made, config=config, progress=progress)
    progress("publish", 0, 0)
    meta = {
        "caskg": __version__,
        "profile": str(config.profile),
        "encoder": kind,
        "encoder_fingerprint": made.fingerprint,
        "prober": TextProber().prober_id,
        "prompt_version": TextProber().prompt_version,
        "roots": [str(Path(root).absolute()) for root in roots],
        "state": state,
        **followed,
        **_counts(result),
    }
    workspace.publish(skills=library.skills, arrays=_arrays(library, result, made), meta=meta)
    return _report(workspace.current(), unchanged=False)


def _follow_moves(
    workspace: Workspace, library: SkillLibrary, previous: Snapshot | None
) -> dict[str, list[str]]:
    """Let labels and switches follow skills whose folder was moved or renamed, and say which did."""
    now = {skill.id: skill.content_hash for skill in library.skills}
    labels = [
        f"{old.source} -> {old.target}, now {new.source} -> {new.target}"
        for old, new in workspace.ledger.follow_moves(now)
    ]
    before = dict(zip(previous.ids, previous.content_hashes, strict=True)) if previous else {}
    gone = {before[skill_id]: skill_id for skill_id in workspace.switches.disabled() & before.keys() - now}
    moved = {new: gone[text] for new, text in now.items() if new not in before and text in gone}
    if moved:  # all of them: what was hidden must not come back by another name
        workspace.switches.disable(moved)
    return {
        "labels_followed": labels,
        "disabled_followed": [f"{old}, now {new}" for new, old in sorted(moved.items())],
    }


def _current_meta(workspace: Workspace) -> Mapping[str, Any] | None:
    """Return what the current version says of itself, which is known even where its files are damaged."""
    return next((version.meta for version in workspace.versions() if version.current), None)


def _sound_version(workspace: Workspace) -> Snapshot | None:
    """Return the current version; None where there is none, or it is damaged: then all is built anew."""
    try:
        version = current_version(workspace)
        if version:
            version.arrays.verify()
    except DamagedError:
        return None
    return version


def _encoder_kind(choice: str, previous: Mapping[str, Any] | None) -> str:
    """Return ``local``, ``builtin`` or ``remote``; the workspace remembers what ``auto`` chose."""
    from caskg.providers.local import local_available

    if choice not in list(EncoderChoice):
        msg = f"Unknown encoder {choice!r}: choose one of {', '.join(EncoderChoice)}."
        raise UsageError(msg)
    if choice != EncoderChoice.AUTO:
        return str(choice)
    if previous and previous["encoder"] in list(EncoderChoice):
        return str(previous["encoder"])
    return str(EncoderChoice.LOCAL if local_available() else EncoderChoice.BUILTIN)


def _encoder_to_build(kind: str, library: SkillLibrary, previous: Snapshot | None) -> Encoder:
    from caskg.library.lsa import reuse_or_fit
    from caskg.library.texts import skill_text

    if kind == EncoderChoice.LOCAL:
        return _local_encoder()
    if kind == EncoderChoice.REMOTE:
        return _remote_encoder()
    known = previous and previous.meta["encoder"] == EncoderChoice.BUILTIN
    basis = _stored_encoder(previous) if previous and known else None
    return reuse_or_fit(basis, [skill_text(skill) for skill in library.skills])


def _encoder_name(kind: str) -> str:
    """Return what must stay the same for an unchanged library to need no build."""
    if kind == EncoderChoice.REMOTE:
        return _remote_encoder().fingerprint
    return _local_encoder().fingerprint if kind == EncoderChoice.LOCAL else kind


def _local_encoder(*, few_texts: bool = False) -> Encoder:
    from caskg.providers.local import MiniLmEncoder

    return MiniLmEncoder(few_texts=few_texts)


def _remote_encoder() -> Encoder:
    from caskg.providers.openai_compatible import OpenAIEncoder
    from caskg.providers.settings import read_embedding_settings

    return OpenAIEncoder(*read_embedding_settings({}, environment=os.environ, file=config_file()))


def _stored_encoder(version: Snapshot) -> "LsaEncoder":
    from caskg.library.lsa import LsaEncoder
    from caskg.published import below

    return LsaEncoder.from_arrays(below("encoder", version.arrays))


def _arrays(library: SkillLibrary, result: "Build", encoder: Encoder) -> dict[str, NDArray[Any]]:
    from caskg.library.lsa import LsaEncoder
    from caskg.published import prefixed, to_arrays

    arrays = to_arrays(result, names=[skill.name for skill in library.skills])
    arrays["diagnostics"] = _as_json([asdict(finding) for finding in library.diagnostics])
    arrays["tags"] = _as_json([skill.fields.tags or () for skill in library.skills])
    arrays["duplicates"] = _as_json(result.duplicates)
    if isinstance(encoder, LsaEncoder):
        arrays |= prefixed("encoder", encoder.arrays())
    return arrays


def _as_json(value: object) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def _state(library_digest: str, config: BuildConfig, encoder: str, workspace: Workspace) -> str:
    """Hash everything that decides what a build would publish.

    The text prober's own answers follow from the rest; those of a paid one do not.
    """
    from caskg.graph.text_prober import TextProber

    paid = {name: total for name, total in workspace.ledger.spend().items() if name != TextProber().prober_id}
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


# ---------------------------------------------------------------- query


def open_retriever(version: Snapshot, *, few_queries: bool = False) -> Retriever:
    """Return the retriever of a published version, with the constants of its profile.

    Skills that are disabled in the workspace are hidden, as of the moment of each task.

    Args:
        version: The version.
        few_queries: It will answer a query or two: load less, and take longer over each.

    Raises:
        EncoderError: The version was built with an encoder that is not installed, or with another one.
        DamagedError: A file of the version is not what was written.
    """
    from caskg.published import graph_from
    from caskg.retrieval.retriever import GraphRetriever

    graph = graph_from(version.arrays, n_skills=len(version.ids))
    found = GraphRetriever(graph=graph, **_parts(version, few_texts=few_queries))
    return SwitchedRetriever(retriever=found, switches=version.switches)


def open_flat(version: Snapshot) -> Retriever:
    """Return the flat hybrid over the skills of a published version. Raises as `open_retriever` does."""
    from caskg.baselines.flat import FlatRetriever

    return SwitchedRetriever(retriever=FlatRetriever(**_parts(version)), switches=version.switches)


class _Parts(TypedDict):
    """What every retriever of a version is made of."""

    skills: Sequence[Skill]
    ids: Sequence[str]
    index: "SearchIndex"
    encoder: Encoder
    config: RetrieveConfig


def _parts(version: Snapshot, *, few_texts: bool = False) -> _Parts:
    from caskg.published import index_from

    return _Parts(
        skills=version.skills,
        ids=version.ids,
        index=index_from(version.arrays, knows_meanings=version.meta["encoder"] != EncoderChoice.BUILTIN),
        encoder=encoder_of(version, few_texts=few_texts),
        config=retrieve_config(str(version.meta["profile"])),
    )


def encoder_of(version: Snapshot, *, few_texts: bool = False) -> Encoder:
    """Return the encoder that made the vectors of *version*; those of another would compare nothing.

    Args:
        version: The version.
        few_texts: It will encode a text or two, see `MiniLmEncoder`.

    Raises:
        EncoderError: It is not installed, or not the one that this CaSKG has.
    """
    kind, fingerprint = version.meta["encoder"], version.meta["encoder_fingerprint"]
    if kind not in list(EncoderChoice):
        msg = (
            f"Version {version.number} was built with the encoder {kind!r}, unknown here: run `caskg build`."
        )
        raise EncoderError(msg)
    openers: Mapping[str, Callable[[], Encoder]] = {
        EncoderChoice.LOCAL: partial(_local_to_query, few_texts=few_texts),
        EncoderChoice.REMOTE: _remote_encoder,
    }
    encoder = openers[kind]() if kind in openers else _stored_encoder(version)
    if encoder.fingerprint != fingerprint:
        msg = (
            f"Version {version.number} was built with the encoder {fingerprint}, and this CaSKG has "
            f"{encoder.fingerprint}: run `caskg build`."
        )
        raise EncoderError(msg)
    return encoder


def _local_to_query(*, few_texts: bool) -> Encoder:
    try:
        return _local_encoder(few_texts=few_texts)
    except EncoderError as error:
        msg = f"This workspace was built with the local encoder. {error} Or build with --encoder builtin."
        raise EncoderError(msg) from error


# ---------------------------------------------------------------- language models


def config_file() -> Path:
    """Return ``$CASKG_CONFIG``, else ``caskg/config.toml`` where this user keeps configuration."""
    if named := os.environ.get(CONFIG_VARIABLE):
        return Path(named)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "caskg" / "config.toml"


def open_chat(settings: Mapping[str, Any], meter: "Meter") -> "ChatModel":
    """Return the chat model of *settings*, environment and config file, behind *meter*; nothing is sent.

    Raises:
        UsageError: A setting cannot be used, or no model is named.
        ProviderError: The extra ``llm`` is not installed.
    """
    from caskg.providers.metered import MeteredChat
    from caskg.providers.openai_compatible import OpenAIChat
    from caskg.providers.settings import read_chat_settings

    endpoint, options = read_chat_settings(settings, environment=os.environ, file=config_file())
    return MeteredChat(OpenAIChat(endpoint, options, may_retry=meter.may_retry), meter)
