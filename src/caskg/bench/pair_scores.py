"""What the free half of the method says of any pairs, whether recall would find them or not."""

from dataclasses import dataclass, replace

import numpy as np

from caskg.config import BuildConfig, RecallConfig
from caskg.graph.calibrate import assess
from caskg.graph.candidates import find_candidates
from caskg.graph.inputs import graph_inputs, signal_parameters, signal_texts
from caskg.graph.probes import choose_substitutes, collect_scores, plan_probes, probe_key
from caskg.graph.publish import edge_strength
from caskg.graph.text_prober import TextProber
from caskg.library.references import resolve_references
from caskg.library.texts import without_mentions
from caskg.protocols import Encoder
from caskg.published import Build
from caskg.schema import Candidates, FloatArray, IntArray, Reliability, SkillLibrary

SCORES = ("association", "reliability", "strength")
"""A, c, and b: what the two together make of an edge before its state attenuates it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPairs:
    """Pairs with their association and their reliability, as a build would have them.

    Attributes:
        candidates: At least the pairs that were asked for.
        reliability: Of the same pairs, by the text prober alone.
    """

    candidates: Candidates
    reliability: Reliability


def score_pairs(
    library: SkillLibrary, pairs: IntArray, *, encoder: Encoder, config: BuildConfig
) -> ScoredPairs:
    """Return what signals and the text prober say of *pairs*, shape ``(n, 2)``."""
    compared = library if config.signals.names_in_text else without_mentions(library)
    vectors = encoder.encode(signal_texts(compared, config=config.signals))
    inputs = graph_inputs(
        compared,
        vectors,
        resolve_references(library),
        parameters=encoder.encode(signal_parameters(compared, config=config.signals)),
        config=config.signals,
    )
    candidates = find_candidates(inputs, config=_no_recall(config), labelled=pairs)
    source, target = candidates.source, candidates.target
    substitutes = choose_substitutes(
        source, target, inputs.vectors, linked=(source, target), tie_break=inputs.tie_break
    )
    prober, hashes = TextProber(), [skill.content_hash for skill in compared.skills]
    requests = plan_probes(source, target, skills=compared.skills, substitutes=substitutes)
    keys = [probe_key(request, prober) for request in requests]
    answers = dict(zip(keys, prober.answer(requests), strict=True))
    reliability = assess(
        collect_scores(answers, source=source, target=target, hashes=hashes),
        labels=np.zeros(len(candidates), dtype=np.int8),
        config=config.evidence,
    )
    return ScoredPairs(candidates=candidates, reliability=reliability)


def scores_of(
    pairs: IntArray, known: Build | ScoredPairs, otherwise: ScoredPairs, *, config: BuildConfig
) -> dict[str, FloatArray]:
    """Return each of `SCORES` for each pair: what *known* holds, else what *otherwise* does, else 0."""
    here, there = places(known.candidates, pairs), places(otherwise.candidates, pairs)
    mine, others = _columns(known, config), _columns(otherwise, config)
    return {name: np.where(here >= 0, _take(mine[name], here), _take(others[name], there)) for name in SCORES}


def places(candidates: Candidates, pairs: IntArray) -> IntArray:
    """Return where each pair stands in C, -1 where it does not; shape ``(n,)``."""
    codes = candidates.source * candidates.n_skills + candidates.target  # ascending
    wanted = pairs[:, 0] * candidates.n_skills + pairs[:, 1]
    if not len(codes):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
    return np.where(codes[at] == wanted, at, -1)


def _columns(scored: Build | ScoredPairs, config: BuildConfig) -> dict[str, FloatArray]:
    association, reliability = scored.candidates.association, scored.reliability
    strength = edge_strength(association, reliability, blend_mass=config.publication.blend_mass)
    return dict(zip(SCORES, (association, reliability.value, strength), strict=True))


def _no_recall(config: BuildConfig) -> BuildConfig:
    nothing = RecallConfig(
        lexical=0, io=0, structural=0, verification=0, semantic=0, enabler=0, meaning=0, provider=0, ready=0
    )
    return replace(config, recall=replace(nothing, bound=config.recall.bound))


def _take(values: FloatArray, at: IntArray) -> FloatArray:
    """Return the values at these places, 0 for a place of -1."""
    return np.where(at >= 0, values[at], 0.0) if len(values) else np.zeros(len(at))
