"""From a task text to seeds: where relevance starts (method, Section 7).

query -> **lexical and semantic rankings, fusion, K seeds, sufficiency** -> diffusion
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from caskg.config import Fusion, SeedConfig
from caskg.errors import EncoderError, UsageError
from caskg.library.lexical import Bm25Index, tokenize
from caskg.library.texts import skill_text, whole_text
from caskg.schema import BoolArray, FloatArray, IntArray, Skill, VectorArray

MAX_QUERY_CHARS = 100_000
"""Longest task text that is read; nobody asks for skills with a book."""

RRF_OFFSET = 60
"""Reciprocal rank fusion adds 1 / (offset + rank)."""

DECIMALS = 12
"""Scores equal to this many decimals are equal: the order of additions must not decide a tie."""

LEAST_SHARE = 0.01
"""Of the best seed's score, in the mass of any other: standard scores may be 0 or below."""

_FLAT = 1e-9
_WORD = re.compile(r"[^\W_]+")
_MARKED = re.compile(r"`([^`\n]+)`|\$([\w-]+)|\bthe\s+([\w-]+)\s+skill\b", re.IGNORECASE)


# ---------------------------------------------------------------- exact names


@dataclass(frozen=True, slots=True, kw_only=True)
class NameIndex:
    """Finds the skills that a text calls by name, whatever the case, hyphens or underscores.

    Attributes:
        positions: The skills of each name, by its words.
        lengths: How many words names have, each number once, ascending from 2.
    """

    positions: Mapping[tuple[str, ...], Sequence[int]]
    lengths: tuple[int, ...]

    @classmethod
    def fit(cls, names: Sequence[str]) -> Self:
        """Index *names* by position; a name without letters or digits can never be called."""
        positions: dict[tuple[str, ...], list[int]] = {}
        for position, name in enumerate(names):
            positions.setdefault(_words(name), []).append(position)
        positions.pop((), None)
        return cls(positions=positions, lengths=tuple(sorted({len(words) for words in positions} - {1})))

    def find(self, text: str) -> IntArray:
        """Return the positions of the skills that *text* names, ascending.

        A name of several words counts wherever these words stand in a row. A name of one
        word may be an ordinary word ("test"), so it counts only as the whole text, in
        backticks, as ``$name``, or as "the name skill".

        >>> names = NameIndex.fit(["pdf-form_filler", "test", "docx"])
        >>> names.find("Test the PDF form filler and `docx`").tolist()
        [0, 2]
        """
        words = _words(text)
        called = {words} | {_words("".join(groups)) for groups in _MARKED.findall(text)}
        for length in self.lengths:
            called.update(words[at : at + length] for at in range(len(words) - length + 1))
        found = {position for name in called for position in self.positions.get(name, ())}
        return np.array(sorted(found), dtype=np.int64)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


# ---------------------------------------------------------------- rankings and seeds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchIndex:
    """What a query is compared with, one row for each skill.

    Attributes:
        names: The skills by name.
        short: BM25 over name and description.
        full: BM25 over whole files; None = that ranking is left out.
        vectors: Shape ``(n_skills, d)``, unit rows or zeros, of the encoder that reads queries.
        tie_break: Shape ``(n_skills,)``, a rank by content: of equals, the lower goes first.
        knows_meanings: Whether a high cosine means that texts are related. False for an encoder
            fitted on the library, which does not see the words that the library lacks.
    """

    names: NameIndex
    short: Bm25Index
    full: Bm25Index | None
    vectors: VectorArray
    tie_break: IntArray
    knows_meanings: bool = True

    @classmethod
    def fit(
        cls,
        skills: Sequence[Skill],
        vectors: VectorArray,
        *,
        tie_break: IntArray,
        knows_meanings: bool = True,
    ) -> Self:
        """Index *skills* by position, beside the vectors of their `skill_text`."""
        return cls(
            names=NameIndex.fit([skill.name for skill in skills]),
            short=Bm25Index.fit([tokenize(skill_text(skill)) for skill in skills]),
            full=Bm25Index.fit([tokenize(whole_text(skill)) for skill in skills]),
            vectors=vectors,
            tie_break=tie_break,
            knows_meanings=knows_meanings,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """How well the best skill answers each way of asking; the ground of the sufficiency score.

    Attributes:
        cosine: The best cosine, in ``[-1, 1]``; 0 where the encoder does not know meanings.
        coverage: The largest idf-weighted share of the query's words in one skill, in ``[0, 1]``.
        rare_words: The best BM25 score, in units of the idf of a word that no skill has; >= 0.
    """

    cosine: float
    coverage: float
    rare_words: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seeds:
    """Where relevance starts.

    Attributes:
        positions: Shape ``(n_seeds,)``, best first; those that the query names before all others.
        mass: Shape ``(n_seeds,)``, in ``(0, 1]``, sum 1.
        exact: The skills that the query names.
        lexical_rank: Rank, from 1, of each lexical candidate, by its best place in a lexical ranking.
        semantic_rank: Rank, from 1, of each semantic candidate.
        evidence: How well the best skill answers.
    """

    positions: IntArray
    mass: FloatArray
    exact: IntArray
    lexical_rank: Mapping[int, int]
    semantic_rank: Mapping[int, int]
    evidence: Evidence


def check_query(query: str) -> None:
    """Refuse a task text that cannot be searched for.

    Raises:
        UsageError: It is blank, or longer than ``MAX_QUERY_CHARS``.
    """
    if not query.strip():
        msg = "The task text is empty: say in a sentence what is to be done."
        raise UsageError(msg)
    if len(query) > MAX_QUERY_CHARS:
        msg = (
            f"The task text has {len(query):,} characters, more than {MAX_QUERY_CHARS:,}: "
            "give the task itself, without the files it is about."
        )
        raise UsageError(msg)


def find_seeds(
    query: str, vector: VectorArray, index: SearchIndex, *, config: SeedConfig, visible: BoolArray
) -> Seeds:
    """Rank the visible skills in up to three ways, fuse, and give mass to the best.

    Args:
        query: The task text.
        vector: Its vector, shape ``(d,)``, unit norm or zeros.
        index: What it is compared with.
        config: How many of which, and how they are fused.
        visible: Shape ``(n_skills,)``; the others are in no ranking and no statistic but the idf.

    Raises:
        EncoderError: The vector has another length than those of the index.
    """
    tokens = list(dict.fromkeys(tokenize(query)))  # a word said twice is not twice as wanted
    asked = (index.short, index.full if config.whole_file else None)
    lexical = [np.where(visible, bm25.scores(tokens), 0.0) for bm25 in asked if bm25 is not None]
    cosine = np.where(visible, _cosine(index.vectors, vector), 0.0)
    lexical_lists = [top(scores, config.lexical, index.tie_break) for scores in lexical]
    semantic_list = top(cosine, config.semantic, index.tie_break)

    exact = index.names.find(query)
    exact = exact[visible[exact]]
    pool = np.unique(np.concatenate([exact, *lexical_lists, semantic_list]))
    lexical_vote = 1.0 / len(lexical) if config.shared_vote else 1.0
    votes = [*[lexical_vote] * len(lexical), 1.0]
    fused = _fuse([*lexical_lists, semantic_list], [*lexical, cosine], votes, config.fusion, visible)
    order = np.lexsort((index.tie_break[pool], -fused[pool], ~np.isin(pool, exact)))
    positions = pool[order[: max(config.count, len(exact))]]
    mass = seed_mass(fused[positions], n_exact=len(exact), by_score=config.by_score)
    unseen_idf = math.log(2 * index.short.n_documents + 2)
    return Seeds(
        positions=positions,
        mass=mass,
        exact=exact,
        lexical_rank=_ranks(lexical_lists, index.tie_break),
        semantic_rank=_ranks([semantic_list], index.tie_break),
        evidence=Evidence(
            cosine=float(cosine.max(initial=0.0)) if index.knows_meanings else 0.0,
            coverage=float(index.short.coverage(tokens)[visible].max(initial=0.0)),
            rare_words=float(lexical[0].max(initial=0.0)) / unseen_idf,
        ),
    )


def seed_mass(fused: FloatArray, *, n_exact: int = 0, by_score: bool = True) -> FloatArray:
    """Return the restart mass of seeds, best first.

    1/rank times the fused score as a share of the best one: where one skill stands out, most
    relevance starts there and follows its edges; where many are as good, they all keep theirs.

    Args:
        fused: Their fused scores, shape ``(n_seeds,)``.
        n_exact: How many of them, from the first, the task names: they are worth the best score.
        by_score: Else the mass is 1/rank.

    Returns:
        Shape ``(n_seeds,)``, in ``(0, 1]``, sum 1.

    >>> seed_mass(np.array([6.0, 3.0])).tolist(), seed_mass(np.array([6.0, 3.0]), n_exact=2).round(2).tolist()
    ([0.8, 0.2], [0.67, 0.33])
    """
    mass = 1.0 / np.arange(1, len(fused) + 1)
    best = fused.max(initial=0.0)
    if by_score and best > 0:
        share = np.maximum(fused / best, LEAST_SHARE)
        share[:n_exact] = 1.0
        mass *= share
    return mass / mass.sum() if len(mass) else mass


def top(scores: FloatArray, limit: int, tie_break: IntArray) -> IntArray:
    """Return the positions of the *limit* largest positive scores, best first.

    >>> top(np.array([0.0, 0.5, 0.9, 0.5]), 2, np.array([0, 3, 2, 1])).tolist()
    [2, 3]
    """
    rounded = np.round(scores, DECIMALS)
    found = np.flatnonzero(rounded > 0)
    if len(found) > limit:
        found = found[rounded[found] >= np.partition(rounded[found], -limit)[-limit]]
    return found[np.lexsort((tie_break[found], -rounded[found]))[:limit]]


def sufficiency(evidence: Evidence, *, rare_words: float) -> float:
    """Say how well the library seems to cover the task: one kind of evidence is enough.

    ``1 - (1 - cosine) (1 - coverage^2) (1 - r^3 / (r^3 + h^3))``, with r the evidence's rare
    words and h *rare_words*. Powers, because a third of the words found is far less than a
    third of an answer.

    Args:
        evidence: How well the best skill answers.
        rare_words: h, > 0.

    Returns:
        In ``[0, 1]``.

    >>> found = Evidence(cosine=0.2, coverage=0.5, rare_words=2.0)
    >>> round(sufficiency(found, rare_words=2.0), 6)
    0.7
    """
    words = evidence.rare_words**3 / (evidence.rare_words**3 + rare_words**3)
    meaning = min(max(evidence.cosine, 0.0), 1.0)  # rounding may carry a cosine past 1
    return 1.0 - (1.0 - meaning) * (1.0 - evidence.coverage**2) * (1.0 - words)


def _cosine(vectors: VectorArray, vector: VectorArray) -> FloatArray:
    """Return the cosine of each row; not by BLAS, where a row's last bit depends on its place."""
    if vectors.shape[1:] != vector.shape:
        msg = (
            f"The encoder gives vectors of length {vector.size}, the index has {vectors.shape[-1]}: "
            "build again with this encoder (if a server changed its model, `caskg build --encoder remote`), "
            "or query with the one it was built with."
        )
        raise EncoderError(msg)
    return np.asarray(np.einsum("ij,j->i", vectors, vector), dtype=np.float64)


def _fuse(
    rankings: Sequence[IntArray],
    scores: Sequence[FloatArray],
    votes: Sequence[float],
    fusion: Fusion,
    visible: BoolArray,
) -> FloatArray:
    """Return the fused score of every skill; it means something only for those that a ranking holds."""
    total = np.zeros(len(visible))
    match fusion:
        case Fusion.RRF:
            for ranking, vote in zip(rankings, votes, strict=True):
                total[ranking] += vote / (RRF_OFFSET + 1 + np.arange(len(ranking)))
        case Fusion.ZSUM:
            for score, vote in zip(scores, votes, strict=True):
                total += vote * _standardised(score, visible)
    return np.round(total, DECIMALS)


def _standardised(scores: FloatArray, visible: BoolArray) -> FloatArray:
    """Return (score - mean) / standard deviation over the visible; 0 where all are equal."""
    seen = scores[visible]
    if not len(seen):
        return np.zeros_like(scores)
    mean, deviation = float(seen.mean()), float(seen.std())
    # Equal numbers may deviate from their own mean by a last bit.
    return (scores - mean) / deviation if deviation > _FLAT else np.zeros_like(scores)


def _ranks(rankings: Sequence[IntArray], tie_break: IntArray) -> dict[int, int]:
    """Rank, from 1, each position that a ranking holds: by its best rank, then by how many hold it."""
    places: dict[int, list[int]] = {}
    for ranking in rankings:
        for place, position in enumerate(ranking.tolist()):
            places.setdefault(position, []).append(place)

    def key(position: int) -> tuple[int, int, int]:
        return min(places[position]), -len(places[position]), int(tie_break[position])

    return {position: rank for rank, position in enumerate(sorted(places, key=key), start=1)}
