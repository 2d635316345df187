"""The built-in encoder: latent semantic analysis of the library itself.

Needs no model file and no network. The directions in which the library's own
texts differ most become the axes; a new text is folded in by its words and
pieces of words. Where the extra ``local`` is installed, its encoder is better.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from caskg.library.embed import text_hash
from caskg.library.lexical import ArrayMap, tokenize
from caskg.library.tfidf import TfidfModel, character_ngrams
from caskg.schema import FloatArray, IntArray, VectorArray

if TYPE_CHECKING:
    from caskg.library.lexical import SparseRows

_VERSION = "lsa-1"
# A singular value this much smaller than the largest is rounding error; likewise
# the part of a text that lies within the axes, when it is this short.
_NEGLIGIBLE = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class LsaEncoder:
    """An `Encoder` fitted on texts: TF-IDF of words and character n-grams, truncated SVD.

    A vector is a function of its text and this encoder alone, whatever else is
    encoded with it.

    Attributes:
        words: Weighs the tokens.
        grams: Weighs their character n-grams.
        basis: The axes, shape ``(n_words + n_grams, dimension)``, orthonormal columns.
        fitted_on: Hashes of the texts it was fitted on, ascending.
        fingerprint: Names everything above.
    """

    words: TfidfModel
    grams: TfidfModel
    basis: VectorArray
    fitted_on: NDArray[np.uint64]
    fingerprint: str

    @classmethod
    def fit(cls, texts: Sequence[str], *, dimension: int = 256) -> Self:
        """Fit on *texts*; neither their order nor their repetition matters.

        Args:
            texts: The texts of a library.
            dimension: Most axes, at least 1. A small library has no more than it has texts.

        Raises:
            ValueError: *dimension* is less than 1.

        >>> encoder = LsaEncoder.fit(["boil water", "boil an egg", "send an invoice"])
        >>> cosines = encoder.encode(["boiling"]) @ encoder.encode(["an egg", "the invoice"]).T
        >>> cosines.astype(float).round(1).tolist()
        [[0.6, 0.0]]
        """
        if dimension < 1:
            msg = f"dimension must be at least 1; got {dimension}."
            raise ValueError(msg)
        from scipy.sparse import hstack

        distinct = sorted(set(texts))
        tokens = [tokenize(text) for text in distinct]
        pieces = [character_ngrams(document) for document in tokens]
        words, grams = TfidfModel.fit(tokens), TfidfModel.fit(pieces)
        rows = hstack([words.transform(tokens), grams.transform(pieces)], format="csr")
        basis = _axes(rows, dimension).astype(np.float32)
        fitted_on = np.unique(_hash_numbers(distinct))
        return cls(
            words=words,
            grams=grams,
            basis=basis,
            fitted_on=fitted_on,
            fingerprint=_fingerprint(words.vocabulary, words.idf, grams.vocabulary, grams.idf, basis),
        )

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return shape ``(len(texts), dimension)``: unit rows, zeros for a text without a known feature."""
        vectors = np.zeros((len(texts), self.basis.shape[1]), dtype=np.float32)
        for row, text in enumerate(texts):
            features, weights = self._features(text)
            vector = weights @ self.basis[features]
            length = float(np.linalg.norm(vector))
            if length > _NEGLIGIBLE:
                vectors[row] = vector / length
        return vectors

    def share_new(self, texts: Sequence[str]) -> float:
        """Return which share of the distinct *texts* it was not fitted on, in ``[0, 1]``."""
        numbers = np.unique(_hash_numbers(texts))
        return float(np.mean(~np.isin(numbers, self.fitted_on))) if len(numbers) else 0.0

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the encoder as plain arrays, for a workspace to store."""
        return {
            **{f"words_{name}": array for name, array in self.words.arrays().items()},
            **{f"grams_{name}": array for name, array in self.grams.arrays().items()},
            "basis": self.basis,
            "fitted_on": self.fitted_on,
            "fingerprint": np.array(self.fingerprint),
        }

    @classmethod
    def from_arrays(cls, arrays: ArrayMap) -> Self:
        """Return the encoder that `arrays` described; the arrays may be read-only and mapped from a file."""
        return cls(
            words=TfidfModel.from_arrays(_with_prefix(arrays, "words_")),
            grams=TfidfModel.from_arrays(_with_prefix(arrays, "grams_")),
            basis=arrays["basis"],
            fitted_on=arrays["fitted_on"],
            fingerprint=str(arrays["fingerprint"]),
        )

    def _features(self, text: str) -> tuple[IntArray, FloatArray]:
        """Return the rows of the basis that *text* has, and their weights: words, then grams."""
        tokens = tokenize(text)
        words, word_weights = self.words.row(tokens)
        grams, gram_weights = self.grams.row(character_ngrams(tokens))
        features = np.concatenate([words, grams + len(self.words.vocabulary)])
        return features, np.concatenate([word_weights, gram_weights])


def reuse_or_fit(
    previous: LsaEncoder | None, texts: Sequence[str], *, max_new: float = 0.1, dimension: int = 256
) -> LsaEncoder:
    """Keep an encoder while it knows the library, else fit a new one.

    A kept encoder keeps every vector of an unchanged text, so that a changed
    skill re-embeds only itself. Changes add up: texts count as new until a refit.

    Args:
        previous: The encoder of the last build, if any.
        texts: The texts of the library now.
        max_new: Largest share of *texts* that *previous* may not have been fitted on, in ``[0, 1]``.
        dimension: Most axes of a new encoder.

    Raises:
        ValueError: *max_new* is out of range.
    """
    if not 0 <= max_new <= 1:
        msg = f"max_new must lie within [0, 1]; got {max_new}."
        raise ValueError(msg)
    if previous is not None and previous.share_new(texts) <= max_new:
        return previous
    return LsaEncoder.fit(texts, dimension=dimension)


def _axes(rows: "SparseRows", dimension: int) -> FloatArray:
    """Return the leading right singular vectors of *rows* as columns, each with its largest entry positive.

    At least one column: all zeros where there is nothing to tell texts apart by.
    """
    if not rows.nnz:
        return np.zeros((rows.shape[1], 1))
    small = min(rows.shape) <= 4 * dimension
    axes = _axes_of_few(rows, dimension) if small else _axes_of_many(rows, dimension)
    largest = np.argmax(np.abs(axes), axis=0)
    return np.asarray(axes * np.sign(axes[largest, np.arange(axes.shape[1])]))


def _axes_of_few(rows: "SparseRows", dimension: int) -> FloatArray:
    """Dense: from the eigenvectors of the inner products of the shorter side."""
    wide = rows.shape[0] <= rows.shape[1]
    products = rows @ rows.T if wide else rows.T @ rows
    squares, vectors = np.linalg.eigh(products.toarray())
    squares, vectors = squares[::-1][:dimension], vectors[:, ::-1][:, :dimension]
    kept = squares > squares[0] * _NEGLIGIBLE**2
    squares, vectors = squares[kept], vectors[:, kept]
    return np.asarray(rows.T @ vectors / np.sqrt(squares)) if wide else vectors


def _axes_of_many(rows: "SparseRows", dimension: int) -> FloatArray:
    """Sparse: by Lanczos iteration from a fixed start, so that equal texts give equal axes."""
    from scipy.sparse.linalg import svds

    start = np.random.default_rng(0).standard_normal(min(rows.shape))
    _, values, right = svds(rows, k=dimension, v0=start)
    order = np.argsort(-values, kind="stable")
    return np.asarray(right[order[values[order] > values.max() * _NEGLIGIBLE]].T)


def _hash_numbers(texts: Sequence[str]) -> NDArray[np.uint64]:
    return np.array([int(text_hash(text)[:16], 16) for text in texts], dtype=np.uint64)


def _fingerprint(*arrays: NDArray[Any]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return f"{_VERSION}-{digest.hexdigest()}"


def _with_prefix(arrays: ArrayMap, prefix: str) -> Mapping[str, NDArray[Any]]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
