"""What is asked about an edge, and of which skill the substitution speaks (method, Section 4).

Step five of the pipeline, between `frontier` and `calibrate`. It plans the
three probes of each edge, chooses the substitute, names the key under which an
answer is kept, and gathers answers into one array of scores for each source.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from caskg.errors import ProbeError
from caskg.protocols import Prober
from caskg.schema import (
    PROBE_KINDS,
    BoolArray,
    FloatArray,
    IntArray,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    ProbeRequest,
    Skill,
    VectorArray,
)

LARGEST_FULL_POOL = 4096
"""Libraries up to this size offer every skill as a substitute."""

POOL_SIZE = 2048
"""Skills that a larger library offers, evenly spaced in the order of ``tie_break``."""

_BLOCK = 1024
_DECIMALS = 9  # of a score: whether it is 1/2 must not hang on the rounding of a mean


def probe_key(request: ProbeRequest, prober: Prober) -> ProbeKey:
    """Return under what the answer of *prober* to *request* is kept."""
    return key_of(request, prober_id=prober.prober_id, prompt_version=prober.prompt_version)


def key_of(request: ProbeRequest, *, prober_id: str, prompt_version: str) -> ProbeKey:
    """Return under what the answer to *request* of a prober so named is kept.

    A probe without a substitute has an empty ``substitute_hash``.
    """
    return ProbeKey(
        source_hash=request.source.content_hash,
        target_hash=request.target.content_hash,
        substitute_hash=request.substitute.content_hash if request.substitute else "",
        kind=request.kind,
        arm=request.arm,
        prompt_version=prompt_version,
        prober_id=prober_id,
    )


def plan_probes(
    source: IntArray, target: IntArray, *, skills: Sequence[Skill], substitutes: IntArray
) -> list[ProbeRequest]:
    """Ask the three probes of each edge, edge by edge, in the order of ``PROBE_KINDS``.

    Args:
        source: Shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``.
        skills: The skills that the edges number.
        substitutes: As `choose_substitutes` returns them, shape ``(n_edges,)``; where it is
            -1 there is nothing to substitute, and that probe is left out.
    """
    requests = []
    for i, j, x in zip(source.tolist(), target.tolist(), substitutes.tolist(), strict=True):
        for kind in PROBE_KINDS:
            if kind is not ProbeKind.SUBSTITUTION:
                requests.append(ProbeRequest(source=skills[i], target=skills[j], kind=kind))
            elif x >= 0:
                requests.append(
                    ProbeRequest(source=skills[i], target=skills[j], kind=kind, substitute=skills[x])
                )
    return requests


def choose_substitutes(
    source: IntArray,
    target: IntArray,
    vectors: VectorArray,
    *,
    linked: tuple[IntArray, IntArray],
    tie_break: IntArray,
    unfit: BoolArray | None = None,
) -> IntArray:
    """Choose for each edge (i, j) a skill i~ to put in the place of i: a typical unrelated one.

    It is the skill whose cosine with i lies nearest to the lower quartile of
    i's cosines with the other skills; neither i nor j, nor linked to j in C in
    either direction. The least similar skill would be the same odd one for
    most i; the quartile spreads the choice. No name, id or position decides.

    Args:
        source: Shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``.
        vectors: Unit rows (or zeros), shape ``(n_skills, d)``.
        linked: Sources and targets of C.
        tie_break: Rank of each skill by its content, shape ``(n_skills,)``: of two
            equally fit skills the lower rank is chosen, of equal ranks the lower position.
        unfit: Skills that stand in for none, shape ``(n_skills,)``; None = all may.

    Returns:
        Shape ``(n_edges,)``: a position in the library, or -1 where no skill is left.

    >>> plane = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], dtype=np.float32)
    >>> edge = np.array([0]), np.array([1])
    >>> choose_substitutes(*edge, plane, linked=edge, tie_break=np.arange(4)).tolist()
    [3]
    """
    # All work is done in the order of tie_break: even rounding then does not depend on folders.
    order = np.argsort(tie_break, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    pool = _pool(len(order))
    ranked_vectors = vectors[order]
    barred = _barred(rank[linked[0]], rank[linked[1]], pool=pool, n_skills=len(order))
    ranked_source, ranked_target = rank[source], rank[target]
    by_source = np.lexsort((ranked_target, ranked_source))
    chosen = np.full(len(source), -1, dtype=np.int64)
    for start in range(0, len(source), _BLOCK):
        edges = by_source[start : start + _BLOCK]
        sources, row = np.unique(ranked_source[edges], return_inverse=True)
        distance = _from_lower_quartile(sources, ranked_vectors, pool=pool)[row]
        distance[barred[ranked_target[edges]].toarray()] = np.inf
        if unfit is not None:
            distance[:, unfit[order][pool]] = np.inf
        nearest = distance.argmin(axis=1)
        found = np.isfinite(distance[np.arange(len(edges)), nearest])
        chosen[edges[found]] = order[pool[nearest[found]]]
    return chosen


def keep_substitutes(
    recorded: Mapping[tuple[str, str], str],
    chosen: IntArray,
    *,
    source: IntArray,
    target: IntArray,
    hashes: Sequence[str],
) -> IntArray:
    """Keep the recorded substitute of an edge while its text is in the library, else take the chosen one.

    Answers are kept under the substitute's text: a new choice at every change
    of the library would make paid answers stale.

    Args:
        recorded: The substitute's hash for the hashes of (source, target).
        chosen: As `choose_substitutes` returns them, shape ``(n_edges,)``.
        source: Shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``.
        hashes: The content hash of each skill.

    Returns:
        Like *chosen*.
    """
    position = {content: k for k, content in reversed(list(enumerate(hashes)))}
    edges = zip(source.tolist(), target.tolist(), chosen.tolist(), strict=True)
    kept = [position.get(recorded.get((hashes[i], hashes[j]), ""), x) for i, j, x in edges]
    return np.array(kept, dtype=np.int64)


def collect_scores(
    answers: Mapping[ProbeKey, ProbeAnswer], *, source: IntArray, target: IntArray, hashes: Sequence[str]
) -> dict[str, FloatArray]:
    """Gather answers into scores, one array for each source of evidence.

    The scores that one source gave to one probe of an edge, over arms, substitutes
    and wordings, are averaged; a missing answer is not. Edges between equal texts
    share their answers.

    Args:
        answers: The answer to each question, whoever gave it.
        source: Shape ``(n_edges,)``.
        target: Shape ``(n_edges,)``.
        hashes: The content hash of each skill.

    Returns:
        For each source id an array of shape ``(n_edges, 3)``, columns in the order of
        ``PROBE_KINDS``, in ``[0, 1]``; NaN = missing.

    Raises:
        ProbeError: A score lies outside ``[0, 1]``.
        ValueError: An answer is about an edge that is not listed.
    """
    rows_of: dict[tuple[str, str], list[int]] = {}
    for row, (i, j) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        rows_of.setdefault((hashes[i], hashes[j]), []).append(row)
    by_source: dict[str, list[tuple[int, int, float]]] = {}
    for key, answer in answers.items():
        pair = key.source_hash, key.target_hash
        if pair not in rows_of:
            msg = (
                f"An answer is about the texts {pair[0]} -> {pair[1]}, none of the {len(source)} edges given."
            )
            raise ValueError(msg)
        cells = by_source.setdefault(answer.source_id, [])
        if answer.score is not None:
            score, kind = _checked(answer.score, answer.source_id), PROBE_KINDS.index(key.kind)
            cells += [(row, kind, score) for row in rows_of[pair]]
    return {source_id: _means(cells, n_edges=len(source)) for source_id, cells in by_source.items()}


def _means(cells: Sequence[tuple[int, int, float]], *, n_edges: int) -> FloatArray:
    total = np.zeros((n_edges, len(PROBE_KINDS)))
    count = np.zeros_like(total)
    for row, kind, score in cells:
        total[row, kind] += score
        count[row, kind] += 1.0
    means = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0.0)
    return means.round(_DECIMALS)


def _checked(score: float, source_id: str) -> float:
    if not 0.0 <= score <= 1.0:
        msg = f"{source_id!r} gave the score {score}: it must lie in [0, 1], or be missing with a reason."
        raise ProbeError(msg)
    return score


def _pool(n_skills: int) -> IntArray:
    """Return which skills, numbered in the order of ``tie_break``, may serve as substitutes."""
    if n_skills <= LARGEST_FULL_POOL:
        return np.arange(n_skills)
    return np.arange(POOL_SIZE) * n_skills // POOL_SIZE


def _barred(source: IntArray, target: IntArray, *, pool: IntArray, n_skills: int) -> sparse.csr_array:
    """Return for each skill j who of *pool* may not stand in for a source: j itself, its neighbours in C."""
    everyone = np.arange(n_skills)
    of = np.concatenate([target, source, everyone])
    who = np.concatenate([source, target, everyone])
    square = sparse.csr_array((np.ones(len(of), dtype=np.bool_), (of, who)), shape=(n_skills, n_skills))
    return square[:, pool]


def _from_lower_quartile(sources: IntArray, vectors: VectorArray, *, pool: IntArray) -> FloatArray:
    """Return how far each cosine lies from the lower quartile of its row; infinity for the skill itself."""
    cosine = (vectors[sources] @ vectors[pool].T).astype(np.float64)
    cosine[sources[:, None] == pool] = np.inf
    quarter = max(len(pool) - 2, 0) // 4  # of the len(pool) - 1 others, counted from 0
    lower_quartile = np.partition(cosine, quarter, axis=1)[:, [quarter]]
    return np.abs(cosine - lower_quartile)
