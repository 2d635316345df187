"""The one tokenizer of CaSKG, and BM25 on its tokens.

Stands right after parsing. Signals, seeds and the built-in encoder all read
texts through `tokenize`, so two texts share a token everywhere or nowhere.
Nothing here needs scipy at query time: an index is a few plain arrays, which a
workspace can store and map into memory.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import Stemmer
from numpy.typing import NDArray

from caskg.schema import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    SparseRows = csr_array[np.float64, tuple[int, int]]

ArrayMap = Mapping[str, NDArray[Any]]
Vocabulary = NDArray[np.bytes_]

TOKEN_BYTES = 40
"""Longest token, in UTF-8 bytes. Every vocabulary has this width, so a look-up converts nothing."""

# ---------------------------------------------------------------- tokens

# Scripts written without spaces: Thai and Lao, Burmese, Khmer, kana, Han, Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
# Marks inside a word, which `\w` leaves out: accents, Hebrew and Arabic points, Indic vowel signs, joiners.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff\u200c\u200d"
)
_LETTERS = rf"[^\W_{_UNSPACED}]"
# The first form is a short cut: a plain word, without looking for each letter in all these ranges.
_RUN = re.compile(
    r"[0-9A-Za-z]{1,256}+(?![^\x00-\x7f])(?:\+\+|#)?"
    rf"|[{_UNSPACED}]{{1,256}}|{_LETTERS}{{1,256}}(?:[{_MARKS}]+{_LETTERS}{{0,256}}){{0,64}}(?:\+\+|#)?"
)
# What no match of `_RUN` goes across becomes a blank: the fastest of all splits comes first.
_IN_A_RUN = {*f"{ascii_letters}{digits}+#".encode(), *range(0x80, 0x100)}
_SEPARATORS = bytes(at if at in _IN_A_RUN else ord(" ") for at in range(0x100))
_LONGEST_KEY = 256  # characters: a hostile text without a single space shall not become a key of the cache
_MOST_KEYS = 1 << 17
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_NO_VOWEL = re.compile(r"[^\Waeiouy_]{3,}s")

# Function words, what an apostrophe cuts off ("don't", "it's", "we'll"), and the small talk of a request.
_FUNCTION_WORDS = """
    a about am an and any are as at be been being but by can could did do does for from had has have he
    her here his how i if in into is it its just may me might must my no nor not of on only or our shall
    she should so some such than that the their them then there these they this those to too us very was
    we were what when where which while who whom whose why will with would you your
    ain aren couldn didn doesn don hadn hasn haven isn ll m mustn re s shouldn t ve wasn weren won wouldn
    like please want
"""
_STOP_WORDS = frozenset(_FUNCTION_WORDS.split())

_stemmer = Stemmer.Stemmer("english", 0)  # no cache of its own: `_tokens` keeps whole runs


def tokenize(text: str) -> list[str]:
    """Return the tokens of *text*, in order, with repetitions.

    Case and compatibility forms are folded, English stop words dropped, words
    of any script stemmed by the English Snowball rules (which leave other
    scripts alone) and cut after 40 UTF-8 bytes. Hyphens, underscores, dots and slashes
    separate; a camelCase word gives its parts and the whole. A run of a script
    written without spaces gives its character pairs, and its Han characters, each
    of which is a word: a pair that one text has may be parted in another.

    >>> tokenize("Parses PDFs via getURL, C++ and the CI/CD pipe_line")
    ['pars', 'pdf', 'via', 'get', 'url', 'geturl', 'c++', 'ci', 'cd', 'pipe', 'line']
    >>> tokenize("部署应用 to 猫")
    ['部署', '署应', '应用', '部', '署', '应', '用', '猫']
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    chunks = text.encode(errors="replace").translate(_SEPARATORS).decode().split()
    return list(chain.from_iterable(map(_tokens_of_chunk.__getitem__, chunks)))


class _TokensOfChunk(dict[str, tuple[str, ...]]):
    """The tokens of what stands between separators: a library has far fewer words than places."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        is_short = len(chunk) <= _LONGEST_KEY
        runs = [chunk] if is_short and chunk.isascii() and chunk.isalnum() else _RUN.findall(chunk)
        tokens = tuple(chain.from_iterable(map(_tokens, runs)))
        if is_short:
            if len(self) >= _MOST_KEYS:
                self.clear()
            self[chunk] = tokens
        return tokens


_tokens_of_chunk = _TokensOfChunk()


def _tokens(run: str) -> tuple[str, ...]:
    """Return the tokens of one match of ``_RUN``."""
    if _UNSPACED_RUN.match(run):
        if len(run) == 1:
            return (run,)
        return (*(run[at : at + 2] for at in range(len(run) - 1)), *_HAN.findall(run))
    word = run.rstrip("+#")
    if len(word) == 1 and word != run:
        return (run.casefold(),)
    parts = [word] if word.islower() else _CAMEL.split(word)
    if len(parts) > 1:  # the whole too: "GitHub" must match "github"
        parts = [part for part in parts if len(part) > 1] + [word]
    return tuple(token for part in parts if (token := _normal(part)))


def _normal(word: str) -> str:
    """Return the token of a word, empty for a stop word."""
    word = unicodedata.normalize("NFKC", word.casefold())
    # Snowball keeps the s of a word without a vowel, but "PDFs" are PDFs.
    stem = word[:-1] if _NO_VOWEL.fullmatch(word) else str(_stemmer.stemWord(word))
    if word in _STOP_WORDS or stem in _STOP_WORDS:
        return ""
    return stem.encode()[:TOKEN_BYTES].decode(errors="ignore")


# ---------------------------------------------------------------- vocabularies and matrices


def count_matrix(documents: Sequence[Sequence[str]]) -> "tuple[Vocabulary, SparseRows]":
    """Count the tokens of each document.

    Args:
        documents: Tokens of each document; each token at most ``TOKEN_BYTES`` long in UTF-8.

    Returns:
        The distinct tokens in byte order, and how often each document (row) has each (column).

    Raises:
        ValueError: A token is longer than ``TOKEN_BYTES``.

    >>> vocabulary, counts = count_matrix([["b", "a", "b"], []])
    >>> vocabulary.tolist(), counts.toarray().tolist()
    ([b'a', b'b'], [[1.0, 2.0], [0.0, 0.0]])
    """
    from scipy.sparse import coo_array

    ids: dict[str, int] = {}
    counted = [Counter(document) for document in documents]  # most places hold a word seen before
    flat = [ids.setdefault(token, len(ids)) for count in counted for token in count]
    times = np.fromiter(chain.from_iterable(count.values() for count in counted), dtype=np.float64)
    rows = np.repeat(np.arange(len(documents)), [len(count) for count in counted])
    tokens = sorted(ids)  # by code point, which is the order of the UTF-8 bytes
    column = np.empty(len(ids), dtype=np.int64)
    column[[ids[token] for token in tokens]] = np.arange(len(ids))
    triplets = (times, (rows, column[flat]))
    counts = coo_array(triplets, shape=(len(documents), len(ids))).tocsr()
    counts.sort_indices()
    return _encoded(tokens), counts


def token_matrix(documents: Sequence[Sequence[str]]) -> "SparseRows":
    """Return which document (row) has which token (column), as ones and absent zeros.

    ``M @ M.T`` counts the tokens that two documents share. Columns are in the byte order of the tokens.

    >>> token_matrix([["a", "b", "b"], ["b"]]).toarray().tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    _, counts = count_matrix(documents)
    counts.data[:] = 1.0
    return counts


def lookup(vocabulary: Vocabulary, tokens: Sequence[str]) -> IntArray:
    """Return the position of each token in a sorted vocabulary, -1 for a token it does not hold.

    Raises:
        ValueError: A token is longer than ``TOKEN_BYTES``.

    >>> lookup(np.array([b"a", b"c"], dtype="S40"), ["c", "b"]).tolist()
    [1, -1]
    """
    wanted = _encoded(tokens)
    if not len(vocabulary):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(vocabulary, wanted), len(vocabulary) - 1)
    return np.where(vocabulary[at] == wanted, at, -1)


def _encoded(tokens: Sequence[str]) -> Vocabulary:
    encoded = [token.encode() for token in tokens]
    longest = max(encoded, key=len, default=b"")
    if len(longest) > TOKEN_BYTES:
        msg = f"Token {longest.decode()!r} is {len(longest)} bytes long: cut tokens to {TOKEN_BYTES} bytes."
        raise ValueError(msg)
    return np.array(encoded, dtype=f"S{TOKEN_BYTES}")


# ---------------------------------------------------------------- BM25


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25Index:
    """Okapi BM25 with Lucene's idf, every weight computed when the index is built.

    ::

        w_td   = idf_t * tf_td / (tf_td + k1 * (1 - b + b * len_d / mean len))
        idf_t  = log(1 + (N - df_t + 1/2) / (df_t + 1/2))

    Attributes:
        n_documents: N.
        vocabulary: The tokens, in byte order, shape ``(n_terms,)``.
        starts: Where each term's postings start, and the end of the last, shape ``(n_terms + 1,)``.
        rows: The document of each posting, shape ``(n_postings,)``.
        weights: w of each posting, shape ``(n_postings,)``, in ``(0, idf_t]``.
    """

    n_documents: int
    vocabulary: Vocabulary
    starts: IntArray
    rows: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def fit(cls, documents: Sequence[Sequence[str]], *, k1: float = 1.2, b: float = 0.75) -> Self:
        """Index the tokens of each document.

        Args:
            documents: Tokens of each document, as `tokenize` gives them.
            k1: How slowly repetitions saturate, >= 0, finite.
            b: How much long documents are discounted, in ``[0, 1]``.

        Raises:
            ValueError: *k1* or *b* is out of range.

        >>> Bm25Index.fit([["boil", "water"], ["boil", "egg"]]).scores(["egg"]).round(4)
        array([0.    , 0.3151])
        """
        if not (0 <= k1 < np.inf and 0 <= b <= 1):
            msg = f"k1 must be finite and >= 0, b within [0, 1]; got k1={k1}, b={b}."
            raise ValueError(msg)
        vocabulary, counts = count_matrix(documents)
        lengths: FloatArray = counts.sum(axis=1)
        columns = counts.tocsc()
        df = np.diff(columns.indptr)
        relative = lengths[columns.indices] * (len(documents) / max(1.0, lengths.sum()))
        weights = columns.data / (columns.data + k1 * (1 - b + b * relative))
        weights *= np.repeat(_idf(df, len(documents)), df)
        return cls(
            n_documents=len(documents),
            vocabulary=vocabulary,
            starts=columns.indptr.astype(np.int64),
            rows=columns.indices.astype(np.int32),
            weights=weights.astype(np.float32),
        )

    def scores(self, tokens: Sequence[str]) -> FloatArray:
        """Return the BM25 score of every document; a token asked twice counts twice.

        Returns:
            Shape ``(n_documents,)``, >= 0; 0 where no token matches.
        """
        asked = Counter(tokens)
        terms, repetitions = self._known(asked)
        postings, lengths = self._postings(terms)
        return self._per_document(postings, np.repeat(repetitions, lengths) * self.weights[postings])

    def coverage(self, tokens: Sequence[str]) -> FloatArray:
        """Return how much of the query each document contains.

        The idf-weighted share of the distinct tokens; a token that no document
        holds has the highest idf, that of df = 0.

        Returns:
            Shape ``(n_documents,)``, in ``[0, 1]``; 0 for a query without tokens.

        >>> index = Bm25Index.fit([["boil", "water"], ["boil", "egg"]])
        >>> index.coverage(["boil", "egg"]).round(4)
        array([0.2083, 1.    ])
        """
        asked = Counter(tokens)
        terms, _ = self._known(asked)
        postings, lengths = self._postings(terms)
        idf = _idf(lengths, self.n_documents)
        # Added one by one like the shares below, so that a full share is exactly 1.
        known = float(np.cumsum(idf)[-1]) if len(idf) else 0.0
        unknown = (len(asked) - len(terms)) * float(_idf(np.zeros(1), self.n_documents)[0])
        found = self._per_document(postings, np.repeat(idf, lengths))
        return found / (known + unknown) if asked else found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the index as plain arrays, for a workspace to store."""
        return {
            "n_documents": np.array(self.n_documents),
            "vocabulary": self.vocabulary,
            "starts": self.starts,
            "rows": self.rows,
            "weights": self.weights,
        }

    @classmethod
    def from_arrays(cls, arrays: ArrayMap) -> Self:
        """Return the index that `arrays` described; the arrays may be read-only and mapped from a file."""
        return cls(
            n_documents=int(arrays["n_documents"]),
            vocabulary=arrays["vocabulary"],
            starts=arrays["starts"],
            rows=arrays["rows"],
            weights=arrays["weights"],
        )

    def _known(self, asked: Counter[str]) -> tuple[IntArray, FloatArray]:
        """Return the terms that the index holds, ascending, and how often each is asked."""
        terms = lookup(self.vocabulary, list(asked))
        repetitions = np.fromiter(asked.values(), dtype=np.float64, count=len(asked))
        order = np.argsort(terms, kind="stable")  # sums must not depend on the order of the query
        order = order[terms[order] >= 0]
        return terms[order], repetitions[order]

    def _postings(self, terms: IntArray) -> tuple[IntArray, IntArray]:
        """Return the positions of all postings of *terms*, term by term, and how many each has."""
        starts = np.asarray(self.starts)[terms]
        lengths = np.asarray(self.starts)[terms + 1] - starts
        before = np.cumsum(lengths) - lengths
        return np.repeat(starts - before, lengths) + np.arange(lengths.sum()), lengths

    def _per_document(self, postings: IntArray, values: FloatArray) -> FloatArray:
        sums = np.bincount(self.rows[postings], values, minlength=self.n_documents)
        return sums.astype(np.float64, copy=False)


def _idf(document_frequency: NDArray[Any], n_documents: int) -> FloatArray:
    return np.log1p((n_documents - document_frequency + 0.5) / (document_frequency + 0.5))
