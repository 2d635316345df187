"""A text is embedded once, in this run and in the next."""

from builds import CountingEncoder
from caskg.bench.vectors import RememberingEncoder
from caskg.library.embed import MemoryVectorCache
from retrieval.worlds import ConceptEncoder


def test_a_text_is_embedded_once() -> None:
    """Memory first, then the cache, which outlives the encoder."""
    behind, cache = CountingEncoder(ConceptEncoder("egg", "pan")), MemoryVectorCache()
    encoder = RememberingEncoder(behind, cache)
    vectors = encoder.encode(["egg", "pan egg", "egg"])
    assert vectors.tolist() == ConceptEncoder("egg", "pan").encode(["egg", "pan egg", "egg"]).tolist()
    assert sorted(behind.texts) == ["egg", "pan egg"]
    encoder.encode(["egg"])
    RememberingEncoder(behind, cache).encode(["pan egg"])
    assert len(behind.texts) == 2
    assert encoder.fingerprint == behind.fingerprint


def test_what_it_was_asked_is_counted() -> None:
    """Remembered or not: a cost must not depend on the cache."""
    encoder = RememberingEncoder(ConceptEncoder("egg"), MemoryVectorCache())
    encoder.encode(["egg", "eggs"])
    encoder.encode(["egg"])
    assert encoder.n_characters == 10
    assert encoder.encode([]).shape == (0, 1)
