"""The built-in encoder: an exact law for few texts, a dense oracle for many, and what must not matter."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caskg.library.lexical import tokenize
from caskg.library.lsa import LsaEncoder, reuse_or_fit
from caskg.library.tfidf import character_ngrams
from caskg.protocols import Encoder
from caskg.schema import FloatArray

TEXTS = [
    "boil water: heat water in a kettle until it boils",
    "boil an egg: cook an egg in boiling water",
    "fry an egg: cook an egg in a pan with butter",
    "send an invoice: mail the invoice to the customer",
    "archive invoices: store paid invoices by customer",
    "measure temperature: read a thermometer in degrees",
]
WORDS = """
    boil egg water pan send mail invoice customer store read heat cool weigh sort merge split plot fold
    wash dry cut mix stir pour test count list print scan copy
"""


def sentences(n_texts: int) -> list[str]:
    """Return distinct texts of four words each."""
    random = np.random.default_rng(5)
    return [f"text{at} " + " ".join(random.choice(WORDS.split(), size=4)) for at in range(n_texts)]


def tfidf(encoder: LsaEncoder, texts: list[str]) -> FloatArray:
    """Return the dense feature rows from which the axes are made."""
    tokens = [tokenize(text) for text in texts]
    pieces = [character_ngrams(document) for document in tokens]
    return np.hstack([encoder.words.transform(tokens).toarray(), encoder.grams.transform(pieces).toarray()])


def unit(rows: FloatArray) -> FloatArray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def test_it_is_an_encoder() -> None:
    """`wiring` may hand it to whatever asks for an `Encoder`."""
    encoder: Encoder = LsaEncoder.fit(TEXTS)
    assert isinstance(encoder, Encoder)
    vectors = encoder.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (6, 6)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(6))
    assert encoder.encode([]).shape == (0, 6)


def test_all_axes_keep_the_cosines_of_tfidf() -> None:
    """With as many axes as texts nothing is lost, so the cosines are those of the feature rows."""
    encoder = LsaEncoder.fit(TEXTS)
    rows = unit(tfidf(encoder, TEXTS))
    vectors = encoder.encode(TEXTS)
    assert vectors @ vectors.T == pytest.approx(rows @ rows.T, abs=1e-5)


@pytest.mark.parametrize("n_texts", [12, 13])
def test_fewer_axes_are_the_leading_singular_vectors(n_texts: int) -> None:
    """Against a dense SVD, on both sides of the size (4 x 3) where the sparse method takes over."""
    texts = sentences(n_texts)
    encoder = LsaEncoder.fit(texts, dimension=3)
    rows = tfidf(encoder, sorted(texts))
    right = np.linalg.svd(rows, full_matrices=False)[2][:3].T
    assert encoder.basis.shape == right.shape
    assert np.abs(encoder.basis.T @ right) == pytest.approx(np.eye(3), abs=1e-5)
    largest = np.abs(encoder.basis).argmax(axis=0)
    assert (encoder.basis[largest, np.arange(3)] > 0).all()
    projected = unit(rows @ right)
    vectors = encoder.encode(sorted(texts))
    assert vectors @ vectors.T == pytest.approx(projected @ projected.T, abs=1e-5)


def test_more_texts_than_features_are_fitted_on_the_shorter_side() -> None:
    """Twenty texts of the same two words have three word and few character features, and rank 2 at most."""
    texts = ["aa", "bb"] + ["aa " * n + "bb " * (40 - n) for n in range(1, 20)]
    encoder = LsaEncoder.fit(texts, dimension=4)
    vectors = encoder.encode(["aa", "bb"])
    assert encoder.basis.shape[1] == 2
    assert vectors @ vectors.T == pytest.approx(np.eye(2), abs=1e-5)


def test_related_texts_are_closer_than_unrelated_ones() -> None:
    """A word form that no text has is reached through its pieces, and others through the axes."""
    encoder = LsaEncoder.fit(TEXTS, dimension=3)
    egg, paid = encoder.encode(["eggs", "invoicing"]) @ encoder.encode(TEXTS).T
    assert set(np.argsort(-egg)[:3]) == {0, 1, 2}
    assert set(np.argsort(-paid)[:2]) == {3, 4}


@settings(deadline=None, max_examples=10)
@given(st.permutations(TEXTS), st.sampled_from(TEXTS))
def test_order_and_repetition_of_the_texts_change_nothing(texts: list[str], again: str) -> None:
    """The order of skills in a folder must not reach a single bit."""
    encoder, other = LsaEncoder.fit(TEXTS), LsaEncoder.fit([*texts, again])
    assert other.fingerprint == encoder.fingerprint
    np.testing.assert_array_equal(other.encode(TEXTS), encoder.encode(TEXTS))


def test_many_texts_are_fitted_alike_in_every_run() -> None:
    """The sparse method starts from a fixed vector."""
    texts = sentences(60)
    first, second = (LsaEncoder.fit(order, dimension=8) for order in (texts, texts[::-1]))
    assert first.fingerprint == second.fingerprint
    np.testing.assert_array_equal(first.basis, second.basis)


def test_a_vector_is_a_function_of_its_text_alone() -> None:
    """Whatever stands beside it in a batch, bit for bit."""
    encoder = LsaEncoder.fit(TEXTS)
    together = encoder.encode([*TEXTS, "something new", ""])
    alone = np.vstack([encoder.encode([text]) for text in [*TEXTS, "something new", ""]])
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("text", ["", "!!!", "zzzz", "部署"])
def test_a_text_without_a_known_feature_is_zero(text: str) -> None:
    """It is like nothing, rather than like something at random."""
    assert not LsaEncoder.fit(TEXTS).encode([text]).any()


@pytest.mark.parametrize(
    ("texts", "dimension"), [([], 1), ([""], 1), (["", "!"], 1), (["boil"], 1), (["boil", "egg"], 2)]
)
def test_the_smallest_libraries_have_an_encoder(texts: list[str], dimension: int) -> None:
    """None, one or two texts, with or without a word."""
    encoder = LsaEncoder.fit(texts)
    vectors = encoder.encode([*texts, "boil"])
    assert vectors.shape == (len(texts) + 1, dimension)
    assert np.linalg.norm(vectors[-1]) == pytest.approx(1.0 if "boil" in texts else 0.0)


def test_equal_directions_are_counted_once() -> None:
    """Texts that differ in nothing the encoder reads have one axis, not rounding noise for a second."""
    assert LsaEncoder.fit(["boil egg", "boil egg!", "BOIL EGG"]).basis.shape[1] == 1


def test_there_are_at_most_256_axes_unless_asked() -> None:
    """A library of 300 texts is told apart by 256."""
    assert LsaEncoder.fit(sentences(300)).basis.shape[1] == 256
    assert reuse_or_fit(None, sentences(300)).basis.shape[1] == 256


def test_no_axes_are_refused() -> None:
    """Every vector would be empty; one axis is the fewest."""
    assert LsaEncoder.fit(TEXTS, dimension=1).basis.shape[1] == 1
    with pytest.raises(ValueError, match="dimension must be at least 1; got 0"):
        LsaEncoder.fit(TEXTS, dimension=0)


def test_the_fingerprint_tells_encoders_apart() -> None:
    """Equal fingerprints must mean equal vectors, so another text or dimension gives another."""
    prints = {
        LsaEncoder.fit(TEXTS).fingerprint,
        LsaEncoder.fit(TEXTS[1:]).fingerprint,
        LsaEncoder.fit(TEXTS, dimension=3).fingerprint,
        LsaEncoder.fit(["boil"]).fingerprint,
        LsaEncoder.fit(["poil"]).fingerprint,
    }
    assert len(prints) == 5
    assert all(name.startswith("lsa-1-") and len(name) == len("lsa-1-") + 16 for name in prints)


def test_an_encoder_survives_being_written_and_mapped_read_only(tmp_path: Path) -> None:
    """A query opens the arrays of a workspace without reading or copying them."""
    encoder = LsaEncoder.fit(TEXTS)
    for name, array in encoder.arrays().items():
        np.save(tmp_path / name, array, allow_pickle=False)
    again = LsaEncoder.from_arrays({path.stem: np.load(path, mmap_mode="r") for path in tmp_path.iterdir()})
    assert again.fingerprint == encoder.fingerprint
    np.testing.assert_array_equal(again.encode(["boil eggs"]), encoder.encode(["boil eggs"]))
    assert again.share_new([*TEXTS, "new"]) == pytest.approx(1 / 7)


def test_a_query_needs_no_scipy(tmp_path: Path) -> None:
    """Importing it would be a good part of a cold query."""
    for name, array in LsaEncoder.fit(TEXTS).arrays().items():
        np.save(tmp_path / name, array, allow_pickle=False)
    script = (
        "import pathlib, sys, numpy\n"
        "from caskg.library.lsa import LsaEncoder\n"
        f"files = pathlib.Path({str(tmp_path)!r}).iterdir()\n"
        "encoder = LsaEncoder.from_arrays({path.stem: numpy.load(path) for path in files})\n"
        "print(encoder.encode(['boil']).any(), 'scipy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


# ---------------------------------------------------------------- kept or fitted anew


def test_the_share_of_new_texts_counts_each_text_once() -> None:
    """A repeated text is one text, new or old."""
    encoder = LsaEncoder.fit(TEXTS)
    assert encoder.share_new(TEXTS[:2]) == 0
    assert encoder.share_new(["new", "new", TEXTS[0], TEXTS[1], TEXTS[1], "newer"]) == 0.5
    assert encoder.share_new([]) == 0


def test_an_encoder_is_kept_until_more_than_a_tenth_is_new() -> None:
    """At a tenth exactly it is kept: of ten texts one may change."""
    texts = sentences(10)
    encoder = LsaEncoder.fit(texts)
    assert reuse_or_fit(encoder, texts) is encoder
    assert reuse_or_fit(encoder, [*texts[1:], "changed"]) is encoder
    changed = [*texts[2:], "changed", "changed too"]
    refitted = reuse_or_fit(encoder, changed)
    assert refitted.fingerprint == LsaEncoder.fit(changed).fingerprint
    assert reuse_or_fit(encoder, changed, max_new=0.2) is encoder
    assert reuse_or_fit(encoder, [*texts[1:], "changed"], max_new=0.0) is not encoder


def test_changes_add_up_over_kept_encoders() -> None:
    """Texts count as new until a refit, so that slow change is not missed."""
    texts = sentences(10)
    encoder = LsaEncoder.fit(texts)
    once = reuse_or_fit(encoder, [*texts[1:], "changed"])
    assert reuse_or_fit(once, [*texts[2:], "changed", "changed too"]) is not encoder


def test_without_a_previous_encoder_one_is_fitted() -> None:
    """The first build of a workspace."""
    assert reuse_or_fit(None, TEXTS, dimension=2).basis.shape[1] == 2


@pytest.mark.parametrize("max_new", [-0.1, 1.1, float("nan")])
def test_a_share_out_of_range_is_refused(max_new: float) -> None:
    """Before anything is fitted."""
    with pytest.raises(ValueError, match="max_new must lie within"):
        reuse_or_fit(None, TEXTS, max_new=max_new)
