"""Which encoder a build uses, and which made the vectors of a version."""

import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from caskg.errors import EncoderError, UsageError
from caskg.protocols import Encoder
from caskg.schema import SkillLibrary
from caskg.store.snapshot import Snapshot
from caskg.store.vectors import StoredVectors
from caskg.wiring.places import config_file

if TYPE_CHECKING:
    from caskg.library.lsa import LsaEncoder


SAME_VECTOR = 0.4
"""Unit vectors of a text that are no farther apart, cosine .92, are of one model: servers round."""


class EncoderChoice(StrEnum):
    """Which encoder a build uses."""

    AUTO = "auto"  # the one of the workspace, else local if it is installed, else built-in
    LOCAL = "local"
    BUILTIN = "builtin"
    REMOTE = "remote"  # an OpenAI-compatible server


def encoder_kind(choice: str, previous: Mapping[str, Any] | None) -> str:
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


def encoder_to_build(
    kind: str, library: SkillLibrary, previous: Snapshot | None, *, vectors: StoredVectors | None = None
) -> Encoder:
    """Return the encoder of a build; a built-in one keeps the basis of *previous* where it can.

    Args:
        kind: As `encoder_kind` returns it.
        library: What will be encoded.
        previous: The version before.
        vectors: Those that are kept; those of a server that makes others by now are removed.
    """
    from caskg.library.lsa import reuse_or_fit
    from caskg.library.texts import skill_text

    if kind == EncoderChoice.LOCAL:
        return _local_encoder()
    if kind == EncoderChoice.REMOTE:
        if previous and vectors:
            remote_stands(previous, vectors)
        return _remote_encoder()
    known = previous and previous.meta["encoder"] == EncoderChoice.BUILTIN
    basis = _stored_encoder(previous) if previous and known else None
    return reuse_or_fit(basis, [skill_text(skill) for skill in library.skills])


def remote_stands(previous: Snapshot, vectors: StoredVectors) -> bool:
    """Return whether a server still makes the vectors that are kept of it; if it does not, remove them.

    A name may come to stand for another model, even for one of another dimension. One text of
    *previous* whose vector is kept is sent once more; where none is, nobody can tell.
    """
    from caskg.library.embed import encode_checked, text_hash
    from caskg.library.texts import skill_text

    encoder, text = _remote_encoder(), skill_text(previous.skills[0])
    before = vectors.get(encoder.fingerprint, [text_hash(text)]).get(text_hash(text))
    if before is None:
        return False
    (now,) = encode_checked([text], encoder)
    if before.shape == now.shape and np.linalg.norm(before - now) <= SAME_VECTOR:
        return True
    vectors.forget(encoder.fingerprint)
    return False


def encoder_for(choice: str, library: SkillLibrary) -> tuple[str, Encoder]:
    """Return the kind and the encoder that a first build of *library* would use.

    Raises:
        UsageError: There is no such encoder.
        EncoderError: It is not installed.
    """
    kind = encoder_kind(choice, None)
    return kind, encoder_to_build(kind, library, None)


def encoder_name(kind: str) -> str:
    """Return what must stay the same for an unchanged library to need no build."""
    if kind == EncoderChoice.REMOTE:
        return _remote_encoder().fingerprint
    return _local_encoder().fingerprint if kind == EncoderChoice.LOCAL else kind


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
