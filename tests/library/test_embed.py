"""Each text is encoded once, and an encoder that breaks its contract is stopped at the door."""

from collections.abc import Sequence

import numpy as np
import pytest

from caskg.errors import EncoderError
from caskg.library.embed import MemoryVectorCache, embed_texts, encode_checked, text_hash
from caskg.schema import VectorArray


class CountingEncoder:
    """Encodes a text by its length and remembers what it was asked."""

    def __init__(self, fingerprint: str = "counting-1") -> None:
        self.fingerprint = fingerprint
        self.asked: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> VectorArray:
        self.asked.append(list(texts))
        angles = np.array([len(text) for text in texts], dtype=np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)


class FixedEncoder:
    """Returns the same array whatever it is asked."""

    fingerprint = "fixed-1"

    def __init__(self, vectors: VectorArray) -> None:
        self.vectors = vectors

    def encode(self, texts: Sequence[str]) -> VectorArray:
        del texts
        return self.vectors


def rows(*vectors: Sequence[float], dtype: type = np.float32) -> VectorArray:
    return np.array(vectors, dtype=dtype)


def test_vectors_come_in_the_order_of_the_texts() -> None:
    """Row i is text i, repetitions included, whatever was cached before."""
    encoder, cache = CountingEncoder(), MemoryVectorCache()
    embed_texts(["ccc"], encoder, cache)
    texts = ["bb", "a", "ccc", "bb", ""]
    vectors = embed_texts(texts, encoder, cache)
    np.testing.assert_array_equal(vectors, CountingEncoder().encode(texts))
    assert vectors.dtype == np.float32


def test_equal_texts_are_encoded_once_and_known_texts_never() -> None:
    """A changed skill re-embeds only itself."""
    encoder, cache = CountingEncoder(), MemoryVectorCache()
    embed_texts(["a", "bb", "a"], encoder, cache)
    embed_texts(["a", "bb", "ccc"], encoder, cache)
    embed_texts(["ccc", "a"], encoder, cache)
    assert [sorted(texts) for texts in encoder.asked] == [["a", "bb"], ["ccc"]]


def test_another_encoder_does_not_read_the_vectors_of_the_first() -> None:
    """The fingerprint is half of the key; going back to the first costs nothing."""
    first, second, cache = CountingEncoder("one"), CountingEncoder("two"), MemoryVectorCache()
    for encoder in (first, second, first):
        embed_texts(["a"], encoder, cache)
    assert (len(first.asked), len(second.asked)) == (1, 1)


def test_what_is_encoded_together_does_not_depend_on_the_order_of_texts() -> None:
    """An encoder whose rounding depends on the batch must still give equal libraries equal vectors."""
    texts = [f"text {at}" for at in range(20)]
    first, second = CountingEncoder(), CountingEncoder()
    embed_texts(texts, first, MemoryVectorCache())
    embed_texts(texts[::-1], second, MemoryVectorCache())
    assert first.asked == second.asked


def test_vectors_are_kept_batch_by_batch_and_progress_is_told() -> None:
    """An interrupted build of a large library goes on where it stopped."""
    texts = [f"text {at}" for at in range(600)]
    seen: list[tuple[int, int, int]] = []
    cache = MemoryVectorCache()
    hashes = [text_hash(text) for text in texts]

    def on_progress(done: int, total: int) -> None:
        seen.append((done, total, len(cache.get("counting-1", hashes))))

    encoder = CountingEncoder()
    embed_texts(texts, encoder, cache, on_progress=on_progress)
    assert seen == [(256, 600, 256), (512, 600, 512), (600, 600, 600)]
    assert sorted(text for batch in encoder.asked for text in batch) == sorted(texts)
    embed_texts(texts, encoder, cache, on_progress=on_progress)
    assert len(seen) == 3


def test_no_texts_have_the_dimension_of_the_encoder() -> None:
    """So that an empty result can be stacked with others."""
    assert embed_texts([], CountingEncoder(), MemoryVectorCache()).shape == (0, 2)


def test_zero_rows_are_allowed() -> None:
    """They say that the encoder cannot read the text."""
    vectors = rows([0, 0], [1, 0])
    assert encode_checked(["a", "b"], FixedEncoder(vectors)) is vectors


@pytest.mark.parametrize("length", [0.9991, 1.0009])
def test_a_length_within_rounding_of_one_is_allowed(length: float) -> None:
    """Rows of some hundred float32 numbers are not exact."""
    encode_checked(["a"], FixedEncoder(rows([length, 0])))


@pytest.mark.parametrize(
    ("vectors", "problem"),
    [
        (rows([1, 0], [0, 1]), r"shape \(2, 2\) for 1 texts"),
        (rows([1, 0])[:0], r"shape \(0, 2\) for 1 texts"),
        (rows([1, 0])[0, :1], r"shape \(1,\) for 1 texts"),
        (rows([1, 0])[:, :, None], r"shape \(1, 2, 1\) for 1 texts"),
        (rows([1, 0], dtype=np.float64), "float64 instead of float32"),
        (rows([2, 0]), "a vector of length 2 instead of 1"),
        (rows([0.998, 0]), "a vector of length 0.998 instead of 1"),
        (rows([1.002, 0]), "a vector of length 1.002 instead of 1"),
        (rows([1e-3, 0]), "a vector of length 0.001 instead of 1"),
        (rows([np.nan, 0]), "a vector of length nan instead of 1"),
        (rows([np.inf, 0]), "a vector of length inf instead of 1"),
    ],
)
def test_an_encoder_that_breaks_its_contract_is_refused(vectors: VectorArray, problem: str) -> None:
    """One bad vector would sit in the cache for good and poison every cosine."""
    cache = MemoryVectorCache()
    with pytest.raises(EncoderError, match=f"Encoder 'fixed-1' returned {problem}"):
        embed_texts(["a"], FixedEncoder(vectors), cache)
    assert cache.get("fixed-1", [text_hash("a")]) == {}


def test_an_encoder_that_changes_its_dimension_is_refused() -> None:
    """Its fingerprint then names two encoders."""
    cache = MemoryVectorCache()
    embed_texts(["a"], FixedEncoder(rows([1, 0])), cache)
    with pytest.raises(EncoderError, match=r"vectors of \[2, 3\] dimensions under one fingerprint"):
        embed_texts(["a", "b"], FixedEncoder(rows([1, 0, 0])), cache)


def test_a_hash_is_that_of_the_text_whatever_it_holds() -> None:
    """Lone surrogates come from file names and command lines."""
    hashes = {text_hash(text) for text in ["", "a", "A", "é", "\ud800", "a\x00"]}
    assert len(hashes) == 6
    assert {len(text) for text in hashes} == {32}


def test_the_memory_cache_returns_what_it_holds_and_nothing_else() -> None:
    """The contract that a stored cache is held to as well."""
    cache = MemoryVectorCache()
    vector, newer = rows([1, 0])[0], rows([0, 1])[0]
    cache.put("one", {"h": vector})
    assert cache.get("one", ["h", "missing"]) == {"h": vector}
    assert cache.get("two", ["h"]) == {}
    cache.put("one", {"h": newer})
    assert cache.get("one", ["h"])["h"] is newer
