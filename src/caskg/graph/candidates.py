"""The candidate graph C with its association A and edge types (method, Sections 2 and 8).

Fourth step of the graph half: the union of the recall channels, cut down to a
bounded number per skill, each pair with its signals. A `judge` may then refine
what stands in C; the next step, `frontier`, spends the budget on it.
"""

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np

from caskg.config import Bound, BuildConfig, EdgeTypeConfig, SignalConfig, SignalWeights
from caskg.graph.inputs import GraphInputs
from caskg.graph.recall import channel_bit, recall
from caskg.graph.signals import information_signal, is_in, pair_affinity, pair_signals, ratio, repair_signal
from caskg.schema import (
    EDGE_TYPES,
    BoolArray,
    Candidates,
    Channel,
    CodeArray,
    EdgeType,
    FloatArray,
    IntArray,
    Signal,
)

_HALF = 0.5
_REFINING = ("judge", "repair")  # what only edges of C have
_NEVER_CUT = sum(
    map(channel_bit, (Channel.REFERENCE, Channel.LABEL, Channel.ARTIFACT, Channel.ORDER, Channel.READY))
)
_DEPENDENCY, _WORKFLOW, _SEMANTIC, _ALTERNATIVE = (
    EDGE_TYPES.index(kind)
    for kind in (EdgeType.DEPENDENCY, EdgeType.WORKFLOW, EdgeType.SEMANTIC, EdgeType.ALTERNATIVE)
)


def find_candidates(
    inputs: GraphInputs, *, config: BuildConfig, labelled: IntArray | None = None
) -> Candidates:
    """Return the candidate graph.

    Args:
        inputs: The library as arrays.
        config: Signals, bounds and types.
        labelled: Shape ``(n_labels, 2)``: source and target of edges that someone labelled;
            they are candidates whatever the signals say.

    Raises:
        ValueError: A label is about no skill.
    """
    labels = _label_codes(labelled, n_skills=inputs.n_skills)
    codes, channels = recall(inputs, labelled=labels, config=config)
    source, target = np.divmod(codes, inputs.n_skills)
    signals = pair_signals(inputs, source, target, config=config.signals)
    keep = _kept(inputs, source, target, channels, signals, config=config)
    source, target = source[keep], target[keep]
    signals = {name: _take(signal, keep) for name, signal in signals.items()}
    if config.signals.weights.repair > 0:
        signals["repair"] = repair_signal(inputs, source, target, config=config.signals)
    return Candidates(
        n_skills=inputs.n_skills,
        source=source,
        target=target,
        association=association(signals, n_pairs=len(source), config=config.signals),
        types=edge_types(inputs, source, target, signals, config=config),
        channels=channels[keep],
        signals=signals,
    )


def association(signals: Mapping[str, Signal], *, n_pairs: int, config: SignalConfig) -> FloatArray:
    """Add the signals of each pair up to its association A (paper, Section 3.1).

    ::

        A~ = sum lambda_k phi_k / sum lambda_k              over the active signals
        g  = max(phi_prov, phi_ready [phi_meaning > 1/2] sqrt(phi_meaning phi_sem))
        A  = max(A~, [phi_str > tau_str] eta_str phi_str, eta_ref phi_ref, eta_prov g)

    The last two terms are ours: what a document says outright, and what one skill alone can give, must
    not drown among weak likenesses. All terms lie in [0, 1], so the paper's clip has nothing left to do.

    Args:
        signals: By their names in `SignalWeights`, each of shape ``(n_pairs,)``; one that is
            left out is active nowhere.
        n_pairs: Number of pairs.
        config: lambda, tau_str, eta_str, eta_ref, eta_prov.

    Returns:
        Shape ``(n_pairs,)``, in ``[0, 1]``; 0 where no signal of positive weight is active.
    """
    mean = _weighted_mean(signals, n_pairs=n_pairs, config=config)
    weights = config.weights
    structural, reference = signals.get("structural"), signals.get("reference")
    if structural is not None and weights.structural > 0:
        strong = structural.active & (structural.value > config.structural_threshold)
        mean = np.maximum(mean, config.structural_boost * structural.value * strong)
    if reference is not None and weights.reference > 0:
        mean = np.maximum(mean, config.reference_boost * reference.value * reference.active)
    if weights.provider > 0:
        mean = np.maximum(mean, config.provider_boost * _giving(signals, n_pairs=n_pairs))
    return mean


def _giving(signals: Mapping[str, Signal], *, n_pairs: int) -> FloatArray:
    """Return how surely the source gives what the target takes.

    Its share of an input; where it is ready and meaning speaks for it, at least what meaning and
    likeness say together: alone, either joins the same few to half of a library.
    """
    share, meaning, likeness, ready = (
        _value(signals, name, n_pairs) for name in ("provider", "meaning", "semantic", "ready")
    )
    return np.maximum(share, ready * (meaning > _HALF) * np.sqrt(meaning * likeness))


def ask_judge(candidates: Candidates, *, config: BuildConfig) -> IntArray:
    """Return the positions of the edges that a judge is asked about: preliminary A~ > ``judge_threshold``."""
    if config.signals.weights.judge <= 0:
        return np.empty(0, dtype=np.int64)
    first = {name: signal for name, signal in candidates.signals.items() if name not in _REFINING}
    preliminary = _weighted_mean(first, n_pairs=len(candidates), config=config.signals)
    return np.flatnonzero(preliminary > config.signals.judge_threshold)


def with_judge(
    candidates: Candidates, judge: Signal, *, inputs: GraphInputs, config: BuildConfig
) -> Candidates:
    """Return the candidates with a judge's opinion in their association and types.

    Args:
        candidates: C.
        judge: Over all edges of C; not active where it was not asked or gave no answer. An
            opinion on an edge outside `ask_judge` is not used.
        inputs: What *candidates* were found in.
        config: What they were found with.
    """
    asked = np.zeros(len(candidates), dtype=np.bool_)
    asked[ask_judge(candidates, config=config)] = True
    signals = {**candidates.signals, "judge": replace(judge, active=judge.active & asked)}
    return replace(
        candidates,
        signals=signals,
        association=association(signals, n_pairs=len(candidates), config=config.signals),
        types=edge_types(inputs, candidates.source, candidates.target, signals, config=config),
    )


def edge_types(
    inputs: GraphInputs,
    source: IntArray,
    target: IntArray,
    signals: Mapping[str, Signal],
    *,
    config: BuildConfig,
) -> CodeArray:
    """Return the type of each pair, first match first.

    Paper: I/O or judge -> dependency, structural -> workflow, near duplicates ->
    alternative, else semantic. With ``alternative_first``: copies -> alternative; a contrast ->
    semantic; skills that share most of their text, and near duplicates of which the target does not
    say that it needs the source -> alternative; then reference, enabler, provider, I/O or judge ->
    dependency, structural -> workflow, else semantic.

    Returns:
        Positions in `EDGE_TYPES`, shape ``(n_pairs,)``.
    """

    def above(name: str, threshold: float) -> BoolArray:
        signal = signals.get(name)
        return (
            np.zeros(len(source), np.bool_) if signal is None else signal.active & (signal.value > threshold)
        )

    limits = config.types
    # What a name promises helps to find a pair; a dependency needs what the document states.
    stated = ~inputs.stated.by_name[source]
    telling = _telling(inputs, source, target, signals, limits=limits)
    handed = is_in(inputs, inputs.handed, source, target) & above("io", limits.io)
    dependency = (above("io", limits.io) & stated & telling) | handed | above("judge", limits.judge)
    workflow = above("structural", limits.structural)
    alternative = above("semantic", limits.alternative)
    if not limits.alternative_first:
        cases = [(dependency, _DEPENDENCY), (workflow, _WORKFLOW), (alternative, _ALTERNATIVE)]
    else:
        copies = inputs.same_text[source] == inputs.same_text[target]
        duplicate = is_in(inputs, inputs.duplicates, source, target)
        contrasts = inputs.mentions.contrasts
        needed = is_in(inputs, inputs.mentions.ordered, source, target)
        dependency |= above("reference", limits.reference) | (above("enabler", limits.enabler) & telling)
        dependency |= above("provider", limits.provider)
        cases = [
            (copies, _ALTERNATIVE),
            (is_in(inputs, contrasts, source, target), _SEMANTIC),
            (duplicate | (alternative & ~needed), _ALTERNATIVE),
            (dependency, _DEPENDENCY),
            (workflow, _WORKFLOW),
        ]
    conditions, types = zip(*cases, strict=True)
    chosen: CodeArray = np.select(conditions, types, default=_SEMANTIC).astype(np.int8)
    return chosen


def told_apart(candidates: Candidates, inputs: GraphInputs, *, limits: EdgeTypeConfig) -> BoolArray:
    """Mark near duplicates of which one says that it is not for the other's case, shape ``(n_edges,)``.

    They are no alternatives, and as likes they would hand each other relevance.
    """
    source, target = candidates.source, candidates.target
    if not limits.alternative_first:
        return np.zeros(len(source), dtype=np.bool_)
    near = _value(candidates.signals, "semantic", len(source)) > limits.alternative
    near |= is_in(inputs, inputs.duplicates, source, target)
    near &= candidates.types != _ALTERNATIVE
    return near & is_in(inputs, inputs.mentions.contrasts, source, target)


def _telling(
    inputs: GraphInputs,
    source: IntArray,
    target: IntArray,
    signals: Mapping[str, Signal],
    *,
    limits: EdgeTypeConfig,
) -> BoolArray:
    """Mark the pairs whose match of what is given and needed is no common word.

    Texts that are not alike need a match that tells as much as one can.
    """
    if limits.information <= 0.0:
        return np.ones(len(source), dtype=np.bool_)
    told = information_signal(inputs, source, target, covered=limits.covered)
    close: BoolArray = _value(signals, "semantic", len(source)) >= limits.likeness
    return np.where(close, told >= limits.information, told >= 1.0)


def _kept(
    inputs: GraphInputs,
    source: IntArray,
    target: IntArray,
    channels: IntArray,
    signals: Mapping[str, Signal],
    *,
    config: BuildConfig,
) -> BoolArray:
    """Mark the best ``total`` pairs of each skill, or as many of the library; `_NEVER_CUT` always stays."""
    bounded, other = (source, target) if config.recall.bound is Bound.SOURCE else (target, source)
    ties = (inputs.tie_break[other], inputs.tie_break[bounded])
    most = config.recall.total
    if config.recall.library_wide:
        bounded, most = np.zeros_like(bounded), most * inputs.n_skills
    cut: BoolArray = (channels & _NEVER_CUT) == 0
    if config.recall.by_association:
        keys = [association(signals, n_pairs=len(source), config=config.signals)]
    else:
        keys = [_value(signals, name, len(source)) for name in ("structural", "io", "semantic", "lexical")]
        keys.append(pair_affinity(inputs, source, target))
    best_first = (bounded, cut, *(-key for key in keys), *ties)
    order = np.lexsort(best_first[::-1])
    place = np.empty(len(order), dtype=np.int64)
    first = np.searchsorted(bounded[order], bounded[order])
    place[order] = np.arange(len(order)) - first
    return (place < most) | ~cut


def _weighted_mean(signals: Mapping[str, Signal], *, n_pairs: int, config: SignalConfig) -> FloatArray:
    """Return A~. The order of the sum is that of `SignalWeights`, whatever the order of *signals*."""
    total, weight = np.zeros(n_pairs), np.zeros(n_pairs)
    for name in (field.name for field in fields(SignalWeights) if field.name in signals):
        counted = getattr(config.weights, name) * signals[name].active
        total += counted * signals[name].value
        weight += counted
    return ratio(total, weight)


def _value(signals: Mapping[str, Signal], name: str, n_pairs: int) -> FloatArray:
    """Return a signal to sort by: 0 where it is not active."""
    return signals[name].value * signals[name].active if name in signals else np.zeros(n_pairs)


def _take(signal: Signal, keep: BoolArray) -> Signal:
    return Signal(value=signal.value[keep], active=signal.active[keep])


def _label_codes(labelled: IntArray | None, *, n_skills: int) -> IntArray:
    if labelled is None:
        return np.empty(0, dtype=np.int64)
    if ((labelled < 0) | (labelled >= n_skills)).any():
        msg = f"A label is about skill {labelled.max()} or {labelled.min()}, but there are {n_skills} skills."
        raise ValueError(msg)
    return labelled[:, 0] * n_skills + labelled[:, 1]
