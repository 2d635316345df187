"""The whole build as one function: parse -> embed -> candidates -> frontier -> probe -> calibrate -> publish.

Only here are steps joined. Each gets plain data and the ports it needs; what a
build must remember (vectors, answers, labels) lies in the workspace.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from caskg.config import BuildConfig, Reading
from caskg.errors import ProbeError
from caskg.graph.calibrate import assess, label_edges, mean_score
from caskg.graph.candidates import ask_judge, find_candidates, told_apart, with_judge
from caskg.graph.contrast import contrasted
from caskg.graph.frontier import frontier_budget, order_frontier, select_frontier
from caskg.graph.inputs import GraphInputs, graph_inputs, signal_parameters, signal_texts
from caskg.graph.judge import has_opinions, judge_signal
from caskg.graph.labels import author_labels, labelled_pairs
from caskg.graph.modelled import Rates, modelled_scores, never_measured
from caskg.graph.probes import choose_substitutes, collect_scores, keep_substitutes, plan_probes, probe_key
from caskg.graph.publish import Verified, publish
from caskg.graph.sources import Worth, never_checked, one_voice, standing, uses
from caskg.graph.text_prober import TEXT_SOURCE, TextProber
from caskg.graph.verifier import Verifier, verify
from caskg.library.duplicates import NearDuplicates, duplicate_pairs
from caskg.library.embed import embed_texts
from caskg.library.mentions import NamesFound
from caskg.library.references import library_names, resolve_references
from caskg.library.sequences import StatedOrder, stated_orders
from caskg.library.texts import skill_text, without_mentions
from caskg.protocols import Encoder, Prober
from caskg.published import Build
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import (
    BoolArray,
    Candidates,
    CodeArray,
    IntArray,
    ProbeAnswer,
    ProbeKey,
    ProbeRequest,
    Reliability,
    Skill,
    SkillGraph,
    SkillLibrary,
    VectorArray,
)
from caskg.store.ledger import Ledger
from caskg.store.workspace import Workspace

Progress = Callable[[str, int, int], None]
"""Told the name of a step, how much of it is done, and how much there is (0, 0 = it began)."""

PLAIN_ARM = "plain"
"""The arm of the single question; a substitute is recorded for each arm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Induced:
    """What is known before anything is asked.

    Attributes:
        skills: The skills of the library.
        compared: The same as signals and probers read them.
        inputs: Them as arrays.
        candidates: C.
        duplicates: The skills that share most of their text.
        orders: The skills that some document calls for one after the other.
        names: What each document mentions.
        labels: What labels say of C, as `label_edges` returns it, shape ``(n_edges,)``.
        vectors: Of whole texts, for queries, shape ``(n_skills, d)``.
    """

    skills: tuple[Skill, ...]
    compared: tuple[Skill, ...]
    inputs: GraphInputs
    candidates: Candidates
    duplicates: tuple[NearDuplicates, ...]
    orders: tuple[StatedOrder, ...]
    names: NamesFound
    labels: CodeArray
    vectors: VectorArray

    def ends(self, edges: IntArray) -> list[tuple[Skill, Skill]]:
        """Return source and target of each of *edges*, positions in C, as signals and probers read them."""
        source, target = self.candidates.source[edges].tolist(), self.candidates.target[edges].tolist()
        return [(self.compared[i], self.compared[j]) for i, j in zip(source, target, strict=True)]

    def texts(self, edges: IntArray) -> set[tuple[str, str]]:
        """Return the hashes of the texts at the ends of *edges*."""
        return {(source.content_hash, target.content_hash) for source, target in self.ends(edges)}


def build(  # noqa: PLR0913 - the library, two ports of the outside, two probers; progress is for people
    library: SkillLibrary,
    *,
    workspace: Workspace,
    encoder: Encoder,
    config: BuildConfig,
    prober: Prober | None = None,
    paid: Prober | None = None,
    worth: Worth = never_checked,
    rates: Rates = never_measured,
    progress: Progress = lambda _step, _done, _of: None,
) -> Build:
    """Induce, probe and calibrate the graph of a library (paper, Sections 3.2 to 3.5).

    Whatever the ledger holds of language models counts too, as far as it stands.

    Args:
        library: The skills.
        workspace: Holds the cache of vectors and the ledger; nothing is published here.
        encoder: Makes the vectors of texts and queries.
        config: Every constant.
        prober: Answers what the ledger does not hold yet; None = the free one, from the texts alone.
        paid: Asked about the frontier F afterwards; where only F is asked at all, as in ``paper``,
            in place of *prober*.
        worth: What the judge check of a language model found.
        rates: How that model answers, likewise.
        progress: Told where the build is.

    Raises:
        EncoderError: The encoder broke its contract.
        ProbeError: A prober broke its contract.
        StoreError: The workspace cannot be written.
    """
    ledger = workspace.ledger
    induced = induce(library, workspace=workspace, encoder=encoder, config=config, progress=progress)
    asked = asked_edges(induced.candidates, induced.inputs, config=config)
    progress("probe", 0, 0)
    first = paid if paid and not config.frontier.probe_all else prober or TextProber(names=induced.names)
    said, n_frontier = ask_edges(induced, asked, prober=first, ledger=ledger), len(asked)
    if paid and first is not paid:
        progress("probe the frontier", 0, 0)
        frontier = paid_frontier(induced, said, config=config)
        ask_edges(induced, frontier, prober=paid, ledger=ledger)
        n_frontier = len(frontier)
    progress("calibrate", 0, 0)
    answers = heard(induced, asked, probers=[first, paid or first], ledger=ledger)
    if not config.evidence.by_source:
        answers = one_voice(answers)
    sources = uses(answers, worth=worth)
    units = {name: use.units for name, use in sources.items()} if config.evidence.by_source else {}
    found = calibrate(induced, answers, asked=asked, config=config, units=units, rates=rates)
    return Build(
        candidates=induced.candidates,
        reliability=found.reliability,
        graph=found.graph,
        index=SearchIndex.fit(induced.skills, induced.vectors, tie_break=induced.inputs.tie_break),
        duplicates=induced.duplicates,
        orders=induced.orders,
        n_frontier=n_frontier,
        verifier=found.verifier,
        sources=sources,
    )


def induce(
    library: SkillLibrary,
    *,
    workspace: Workspace,
    encoder: Encoder,
    config: BuildConfig,
    progress: Progress = lambda _step, _done, _of: None,
) -> Induced:
    """Find the candidates of a library, refined by opinions in the ledger; arguments as those of `build`."""
    ledger = workspace.ledger
    progress("relations", 0, 0)
    names = library_names(library)
    references = resolve_references(library, names=names)
    ledger.replace_author_labels(author_labels(library.skills, references))
    labels = ledger.labels()
    compared = library if config.signals.names_in_text else without_mentions(library)
    texts = [*signal_texts(compared, config=config.signals), *map(skill_text, library.skills)]
    texts += signal_parameters(compared, config=config.signals)
    vectors = embed_texts(texts, encoder, workspace.vectors, on_progress=partial(progress, "embed"))
    compare, search, parameters = np.split(vectors, [len(library), 2 * len(library)])
    progress("candidates", 0, 0)
    duplicates = tuple(duplicate_pairs(library.skills))
    orders = stated_orders(library, names=names)
    inputs = graph_inputs(
        compared,
        compare,
        references,
        parameters=parameters,
        duplicates=duplicates,
        orders=orders,
        config=config.signals,
    )
    candidates = find_candidates(inputs, config=config, labelled=labelled_pairs(library.skills, labels))
    ends = {"source": candidates.source, "target": candidates.target}
    found = Induced(
        skills=library.skills,
        compared=compared.skills,
        inputs=inputs,
        candidates=candidates,
        duplicates=duplicates,
        orders=orders,
        names=names,
        labels=label_edges(labels, **ends, ids=[skill.id for skill in library.skills]),
        vectors=search,
    )
    return refined(found, ledger=ledger, config=config)


def refined(induced: Induced, *, ledger: Ledger, config: BuildConfig) -> Induced:
    """Return the candidates with what judges in the ledger say in their association and types."""
    if not has_opinions(ledger.probers()):
        return induced
    candidates, hashes = induced.candidates, [skill.content_hash for skill in induced.compared]
    asked = ask_judge(candidates, config=config)
    answers = ledger.answers_for_pairs(induced.texts(asked))
    opinions = judge_signal(answers, candidates=candidates, hashes=hashes)
    changed = with_judge(candidates, opinions, inputs=induced.inputs, config=config)
    return replace(induced, candidates=changed)


class Calibrated(NamedTuple):
    """What answers make of the candidates.

    Attributes:
        reliability: What the evidence says of C, row for row.
        graph: The graph to publish.
        verifier: What was learnt from assessed edges; None where learning is off.
    """

    reliability: Reliability
    graph: SkillGraph
    verifier: Verifier | None


def calibrate(
    induced: Induced,
    answers: Mapping[ProbeKey, ProbeAnswer],
    *,
    asked: IntArray,
    config: BuildConfig,
    units: Mapping[str, float] | None = None,
    rates: Rates = never_measured,
) -> Calibrated:
    """Turn answers into reliabilities and states, and these into the graph to publish.

    Args:
        induced: The candidates.
        answers: What is known of them.
        asked: The edges whose answers count; a label counts on any.
        config: The constants.
        units: As `assess` takes them.
        rates: How those who answered do, for a config that reads by the answer model.
    """
    candidates, inputs = induced.candidates, induced.inputs
    hashes = [skill.content_hash for skill in induced.compared]
    ends = {"source": candidates.source, "target": candidates.target}
    effects = contrasted(answers)
    scores = collect_scores(effects, **ends, hashes=hashes)
    if config.evidence.reading is Reading.MODELLED:
        scores |= modelled_scores(
            effects, rates=rates, candidates=candidates, inputs=inputs, hashes=hashes, config=config
        )
    reliability = assess(
        scores,
        labels=induced.labels,
        config=config.evidence,
        frontier=np.isin(np.arange(len(candidates)), asked),
        units=units,
    )
    verifier, verified = None, None
    if config.verifier.enabled:
        text = mean_score(scores.get(TEXT_SOURCE), n_edges=len(candidates))
        verifier, bounds = verify(candidates, reliability, inputs, text_score=text, config=config)
        verified = None if bounds is None else Verified(bounds, verifier.trust)
    graph = publish(
        candidates,
        reliability,
        config=config.publication,
        tie_break=inputs.tie_break,
        verified=verified,
        apart=told_apart(candidates, inputs, limits=config.types),
    )
    return Calibrated(reliability, graph, verifier)


def paid_frontier(
    induced: Induced,
    free: Mapping[ProbeKey, ProbeAnswer],
    *,
    config: BuildConfig,
    passed_over: BoolArray | None = None,
) -> IntArray:
    """Return F, the edges that a paid prober is asked about, the first worth most.

    An edge with a label is left out: an answer would change nothing there. Only what the free prober
    and labels say decides: what was paid for must not move the frontier, or a build that is resumed
    would spend its budget anew.

    Args:
        induced: The candidates.
        free: What the free prober answered about them.
        config: The constants.
        passed_over: Edges of C that are not asked about either, shape ``(n_edges,)``; None = none.
    """
    everything = np.arange(len(induced.candidates))
    found = calibrate(induced, free, asked=everything, config=config)
    order = order_frontier(
        induced.candidates,
        found.reliability,
        found.graph,
        config=config,
        tie_break=induced.inputs.tie_break,
    )
    left = induced.labels == 0
    if passed_over is not None:
        left &= ~passed_over
    budget = frontier_budget(induced.candidates.n_skills, config=config.frontier)
    return order[np.flatnonzero(left[order])[:budget]]


def asked_edges(candidates: Candidates, inputs: GraphInputs, *, config: BuildConfig) -> IntArray:
    """Return which edges the first prober is asked about, in the order of C: all of them, or F."""
    if config.frontier.probe_all:
        return np.arange(len(candidates))
    budget = frontier_budget(candidates.n_skills, config=config.frontier)
    return np.sort(select_frontier(candidates, budget=budget, tie_break=inputs.tie_break))


def plan(induced: Induced, asked: IntArray, *, ledger: Ledger) -> list[ProbeRequest]:
    """Return the probes of the edges *asked*, with substitutes that are chosen once and kept from then on."""
    candidates, inputs, skills = induced.candidates, induced.inputs, induced.compared
    source, target = candidates.source[asked], candidates.target[asked]
    everywhere = candidates.source, candidates.target
    chosen = choose_substitutes(source, target, inputs.vectors, linked=everywhere, tie_break=inputs.tie_break)
    hashes = [skill.content_hash for skill in skills]
    recorded = {(i, j): x for (i, j, arm), x in ledger.substitutes().items() if arm == PLAIN_ARM}
    kept = keep_substitutes(recorded, chosen, source=source, target=target, hashes=hashes)
    edges = zip(source.tolist(), target.tolist(), kept.tolist(), strict=True)
    new = {(hashes[i], hashes[j], PLAIN_ARM): hashes[x] for i, j, x in edges if x >= 0}
    ledger.record_substitutes({key: x for key, x in new.items() if recorded.get(key[:2]) != x})
    return plan_probes(source, target, skills=skills, substitutes=kept)


def ask_edges(
    induced: Induced, asked: IntArray, *, prober: Prober, ledger: Ledger
) -> dict[ProbeKey, ProbeAnswer]:
    """Ask the probes of the edges *asked* that have no score yet, and return what *prober* says of them.

    The free prober is asked only where the texts state something: nine edges in ten are silent.
    """
    if isinstance(prober, TextProber):
        asked = asked[prober.has_evidence(induced.ends(asked))]
    return ask(plan(induced, asked, ledger=ledger), prober=prober, ledger=ledger)


def ask(requests: Sequence[ProbeRequest], *, prober: Prober, ledger: Ledger) -> dict[ProbeKey, ProbeAnswer]:
    """Ask what has no score in the ledger yet, record it, and return the answers to *requests*.

    An answer that is missing and took no call is not recorded: nothing was learnt and nothing spent.

    Raises:
        ProbeError: The prober did not answer each request.
    """
    keyed = {probe_key(request, prober): request for request in requests}
    answers = ledger.answers(keyed)
    waiting = [key for key in keyed if key not in answers or answers[key].score is None]
    fresh = prober.answer([keyed[key] for key in waiting])
    if len(fresh) != len(waiting):
        msg = f"Prober {prober.prober_id!r} gave {len(fresh)} answers to {len(waiting)} probes."
        raise ProbeError(msg)
    said = dict(zip(waiting, fresh, strict=True))
    ledger.record(entry for entry in said.items() if entry[1].score is not None or entry[1].calls)
    return answers | said


def heard(
    induced: Induced, asked: IntArray, *, probers: Sequence[Prober], ledger: Ledger
) -> dict[ProbeKey, ProbeAnswer]:
    """Return what the ledger holds on the edges *asked*, whoever said it, as far as it stands."""
    there = {skill.content_hash for skill in induced.compared}
    recorded = ledger.substitutes().items()
    return standing(
        ledger.answers_for_pairs(induced.texts(asked)),
        {(i, j): x for (i, j, arm), x in recorded if arm == PLAIN_ARM and x in there},
        versions={prober.prober_id: prober.prompt_version for prober in probers},
    )
