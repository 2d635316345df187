"""TF-IDF over a bounded vocabulary, of words or of pieces of words; what the built-in encoder reads.

A model takes tokens, so words and character n-grams are one class: feed it
`tokenize(text)` for the ones and `character_ngrams(tokenize(text))` for the others.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from caskg.library.lexical import ArrayMap, Vocabulary, count_matrix, lookup
from caskg.schema import FloatArray, IntArray

if TYPE_CHECKING:
    from caskg.library.lexical import SparseRows

GRAM_LENGTHS = (3, 4)
"""Lengths of the character n-grams; on our development tasks no worse than 3 to 5, with half the terms."""


def character_ngrams(tokens: Sequence[str]) -> list[str]:
    """Return the pieces of each token, which is first put between spaces so that its ends show.

    >>> character_ngrams(["map", "x"])
    [' ma', 'map', 'ap ', ' map', 'map ', ' x ']
    """
    return [gram for token in tokens for gram in _grams(token)]


@lru_cache(maxsize=1 << 16)
def _grams(token: str) -> tuple[str, ...]:
    padded = f" {token} "
    return tuple(padded[at : at + n] for n in GRAM_LENGTHS for at in range(len(padded) - n + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class TfidfModel:
    """Weighs the tokens of a document; a document is a unit row.

    ::

        w_td  ~ (1 + log tf_td) * idf_t
        idf_t = 1 + log((1 + N) / (1 + df_t))

    Attributes:
        vocabulary: The tokens, in byte order, shape ``(n_terms,)``.
        idf: Shape ``(n_terms,)``, >= 1.
    """

    vocabulary: Vocabulary
    idf: FloatArray

    @classmethod
    def fit(cls, documents: Sequence[Sequence[str]], *, max_terms: int = 20_000) -> Self:
        """Learn the vocabulary and idf of *documents*.

        Args:
            documents: Tokens of each document.
            max_terms: Most terms to keep, at least 1: those in most documents, ties in byte order.

        Raises:
            ValueError: *max_terms* is less than 1.

        >>> TfidfModel.fit([["a", "b"], ["b", "c"]], max_terms=2).vocabulary.tolist()
        [b'a', b'b']
        """
        if max_terms < 1:
            msg = f"max_terms must be at least 1; got {max_terms}."
            raise ValueError(msg)
        vocabulary, counts = count_matrix(documents)
        df = np.bincount(counts.indices, minlength=len(vocabulary))
        kept = np.sort(np.argsort(-df, kind="stable")[:max_terms])
        idf = 1 + np.log((1 + len(documents)) / (1 + df[kept]))
        return cls(vocabulary=vocabulary[kept], idf=idf)

    def row(self, document: Sequence[str]) -> tuple[IntArray, FloatArray]:
        """Return the terms of one document, ascending, and their weights.

        Returns:
            Two arrays of one length. The weights are positive with an L2 norm of 1;
            a document without a known term has none.

        >>> model = TfidfModel.fit([["a", "b"], ["b"]])
        >>> terms, weights = model.row(["b", "a", "x"])
        >>> terms.tolist(), weights.round(4).tolist()
        ([0, 1], [0.8148, 0.5797])
        """
        counted = Counter(document)
        terms = lookup(self.vocabulary, list(counted))
        frequency = np.fromiter(counted.values(), dtype=np.float64, count=len(counted))
        order = np.argsort(terms, kind="stable")
        order = order[terms[order] >= 0]
        weights = (1 + np.log(frequency[order])) * self.idf[terms[order]]
        return terms[order], weights / max(float(np.linalg.norm(weights)), np.finfo(float).tiny)

    def transform(self, documents: Sequence[Sequence[str]]) -> "SparseRows":
        """Return the rows of *documents*, shape ``(len(documents), n_terms)``.

        >>> TfidfModel.fit([["a"], ["b"]]).transform([["b", "b"], []]).toarray().tolist()
        [[0.0, 1.0], [0.0, 0.0]]
        """
        from scipy.sparse import csr_array

        rows = [self.row(document) for document in documents]
        starts = np.cumsum([0, *(len(terms) for terms, _ in rows)])
        terms = np.concatenate([np.empty(0, dtype=np.int64), *(terms for terms, _ in rows)])
        weights = np.concatenate([np.empty(0), *(weights for _, weights in rows)])
        return csr_array((weights, terms, starts), shape=(len(rows), len(self.vocabulary)))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the model as plain arrays, for a workspace to store."""
        return {"vocabulary": self.vocabulary, "idf": self.idf}

    @classmethod
    def from_arrays(cls, arrays: ArrayMap) -> Self:
        """Return the model that `arrays` described; the arrays may be read-only and mapped from a file."""
        return cls(vocabulary=arrays["vocabulary"], idf=arrays["idf"])
