"""Texts to vectors, each text once: the cache is an argument.

A vector is kept under the hash of its text and the fingerprint of its encoder.
A changed skill therefore re-embeds only itself, and going back to an earlier
text or encoder costs nothing.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from caskg.errors import EncoderError
from caskg.protocols import Encoder
from caskg.schema import VectorArray

_UNIT_TOLERANCE = 1e-3  # how far from 1 the length of a float32 row may be
_BATCH = 256  # texts encoded between two writes to the cache: what an interrupted build loses


class VectorCache(Protocol):
    """Where vectors are kept between builds. `MemoryVectorCache` keeps them in memory."""

    def get(self, fingerprint: str, hashes: Sequence[str]) -> dict[str, VectorArray]:
        """Return the vectors, each of shape ``(d,)``, of those *hashes* it holds for this encoder."""
        ...

    def put(self, fingerprint: str, vectors: Mapping[str, VectorArray]) -> None:
        """Keep *vectors*, by the hash of their text."""
        ...


class MemoryVectorCache:
    """A `VectorCache` that lives as long as the process."""

    def __init__(self) -> None:
        self._vectors: dict[tuple[str, str], VectorArray] = {}

    def get(self, fingerprint: str, hashes: Sequence[str]) -> dict[str, VectorArray]:
        """Return the vectors of those *hashes* it holds for this encoder."""
        held = {text: self._vectors.get((fingerprint, text)) for text in hashes}
        return {text: vector for text, vector in held.items() if vector is not None}

    def put(self, fingerprint: str, vectors: Mapping[str, VectorArray]) -> None:
        """Keep *vectors*, by the hash of their text."""
        self._vectors.update({(fingerprint, text): vector for text, vector in vectors.items()})


def text_hash(text: str) -> str:
    """Return the 128-bit hash under which a text's vector is kept, as 32 hexadecimal digits.

    >>> text_hash("boil water")
    'ed58c813252eded4e2578ec5a8eec671'
    """
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def embed_texts(
    texts: Sequence[str],
    encoder: Encoder,
    cache: VectorCache,
    *,
    on_progress: Callable[[int, int], None] | None = None,
) -> VectorArray:
    """Return the vectors of *texts*, encoding only what the cache does not hold, equal texts once.

    Args:
        texts: Any number of texts.
        encoder: Makes the missing vectors.
        cache: Where vectors are looked up, and put as soon as they are made.
        on_progress: Told after each batch how many of the missing texts are done, and how many there are.

    Returns:
        Shape ``(len(texts), d)``, float32, unit rows or zeros.

    Raises:
        EncoderError: The encoder broke its contract, or changed its dimension.
    """
    hashes = [text_hash(text) for text in texts]
    by_hash = dict(zip(hashes, texts, strict=True))
    vectors = dict(cache.get(encoder.fingerprint, list(by_hash)))
    # In the order of the hashes: what is encoded together must not depend on the order of skills.
    missing = sorted(by_hash.keys() - vectors.keys())
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        rows = encode_checked([by_hash[text] for text in batch], encoder)
        fresh = dict(zip(batch, rows, strict=True))
        cache.put(encoder.fingerprint, fresh)
        vectors |= fresh
        if on_progress is not None:
            on_progress(start + len(batch), len(missing))
    if not hashes:
        return encode_checked([], encoder)
    return _stacked([vectors[text] for text in hashes], encoder)


def encode_checked(texts: Sequence[str], encoder: Encoder) -> VectorArray:
    """Encode *texts* and hold the encoder to its contract.

    Returns:
        Shape ``(len(texts), d)``, float32, unit rows or zeros.

    Raises:
        EncoderError: The shape, the type or the length of a row is not what the contract says.
    """
    vectors = encoder.encode(texts)
    problem = _broken_contract(vectors, len(texts))
    if problem:
        msg = f"Encoder {encoder.fingerprint!r} returned {problem}: use another encoder or report this."
        raise EncoderError(msg)
    return vectors


def _broken_contract(vectors: VectorArray, n_texts: int) -> str:
    """Return what is wrong with *vectors*, empty if nothing is."""
    if vectors.shape[:1] != (n_texts,) or len(vectors.shape[1:]) != 1:
        return f"shape {vectors.shape} for {n_texts} texts"
    if vectors.dtype != np.float32:
        return f"{vectors.dtype} instead of float32"
    lengths = np.linalg.norm(vectors, axis=1)
    unit = np.abs(lengths - 1) <= _UNIT_TOLERANCE
    bad = np.flatnonzero(~(unit | (lengths == 0)))  # a NaN is neither
    return f"a vector of length {lengths[bad[0]]:.4g} instead of 1" if len(bad) else ""


def _stacked(vectors: Sequence[VectorArray], encoder: Encoder) -> VectorArray:
    dimensions = sorted({len(vector) for vector in vectors})
    if len(dimensions) > 1:
        msg = (
            f"Encoder {encoder.fingerprint!r} has vectors of {dimensions} dimensions under one fingerprint: "
            "build into a new workspace."
        )
        raise EncoderError(msg)
    return np.stack(vectors)
