"""The whole build as one function: parse -> embed -> candidates -> frontier -> probe -> calibrate -> publish.

Only here are steps joined. Each gets plain data and the ports it needs; what a
build must remember (vectors, answers, labels) lies in the workspace.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from caskg.config import BuildConfig
from caskg.errors import ProbeError
from caskg.graph.calibrate import assess, label_edges
from caskg.graph.candidates import find_candidates
from caskg.graph.frontier import frontier_budget, select_frontier
from caskg.graph.inputs import GraphInputs, graph_inputs, signal_parameters, signal_texts
from caskg.graph.probes import choose_substitutes, collect_scores, keep_substitutes, plan_probes, probe_key
from caskg.graph.publish import publish
from caskg.graph.text_prober import TextProber
from caskg.library.duplicates import duplicate_pairs
from caskg.library.embed import embed_texts
from caskg.library.references import library_names, resolve_references
from caskg.library.sequences import stated_orders
from caskg.library.texts import skill_text, without_mentions
from caskg.protocols import Encoder, Prober
from caskg.published import Build
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import (
    Candidates,
    IntArray,
    Label,
    LabelSource,
    ProbeAnswer,
    ProbeKey,
    ProbeRequest,
    ReferenceKind,
    ResolvedReference,
    Skill,
    SkillLibrary,
    Verdict,
)
from caskg.store.ledger import Ledger
from caskg.store.workspace import Workspace

Progress = Callable[[str, int, int], None]
"""Told the name of a step, how much of it is done, and how much there is (0, 0 = it began)."""

PLAIN_ARM = "plain"
"""The arm of the single question; a substitute is recorded for each arm."""


def build(
    library: SkillLibrary,
    *,
    workspace: Workspace,
    encoder: Encoder,
    config: BuildConfig,
    prober: Prober | None = None,
    progress: Progress = lambda _step, _done, _of: None,
) -> Build:
    """Induce, probe and calibrate the graph of a library (paper, Sections 3.2 to 3.5).

    Args:
        library: The skills.
        workspace: Holds the cache of vectors and the ledger; nothing is published here.
        encoder: Makes the vectors of texts and queries.
        config: Every constant.
        prober: Answers what the ledger does not hold yet; None = the free one, from the texts alone.
        progress: Told where the build is.

    Raises:
        EncoderError: The encoder broke its contract.
        ProbeError: The prober broke its contract.
        StoreError: The workspace cannot be written.
    """
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
    asked = asked_edges(candidates, inputs, config=config)
    progress("probe", 0, 0)
    requests = plan(candidates, asked, inputs, skills=compared.skills, ledger=ledger)
    answers = ask(requests, prober=prober or TextProber(names=names), ledger=ledger)
    progress("calibrate", 0, 0)
    ends = {"source": candidates.source, "target": candidates.target}
    hashes = [skill.content_hash for skill in compared.skills]
    reliability = assess(
        collect_scores(answers, **ends, hashes=hashes),
        labels=label_edges(labels, **ends, ids=[skill.id for skill in library.skills]),
        config=config.evidence,
        frontier=np.isin(np.arange(len(candidates)), asked),
    )
    return Build(
        candidates=candidates,
        reliability=reliability,
        graph=publish(candidates, reliability, config=config.publication, tie_break=inputs.tie_break),
        index=SearchIndex.fit(library.skills, search, tie_break=inputs.tie_break),
        duplicates=duplicates,
        orders=orders,
        n_frontier=len(asked),
    )


def asked_edges(candidates: Candidates, inputs: GraphInputs, *, config: BuildConfig) -> IntArray:
    """Return which edges the prober is asked about, in the order of C: all of them, or the frontier F."""
    if config.frontier.probe_all:
        return np.arange(len(candidates))
    budget = frontier_budget(candidates.n_skills, config=config.frontier)
    return np.sort(select_frontier(candidates, budget=budget, tie_break=inputs.tie_break))


def author_labels(skills: Sequence[Skill], references: Sequence[ResolvedReference]) -> tuple[Label, ...]:
    """Return what authors declare (``metadata: caskg-requires``) as confirming labels."""
    return tuple(
        Label(
            source=skills[each.source].id,
            target=skills[each.target].id,
            verdict=Verdict.CONFIRM,
            given_by=LabelSource.AUTHOR,
            source_hash=skills[each.source].content_hash,
            target_hash=skills[each.target].content_hash,
            note=each.evidence,
        )
        for each in references
        if each.kind is ReferenceKind.DECLARED
    )


def labelled_pairs(skills: Sequence[Skill], labels: Sequence[Label]) -> IntArray:
    """Return source and target of each label whose skills are there, shape ``(n_labels, 2)``."""
    position = {skill.id: at for at, skill in enumerate(skills)}
    pairs = [
        (position[label.source], position[label.target])
        for label in labels
        if label.source in position and label.target in position
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def plan(
    candidates: Candidates,
    asked: IntArray,
    inputs: GraphInputs,
    *,
    skills: Sequence[Skill],
    ledger: Ledger,
) -> list[ProbeRequest]:
    """Return the probes of the edges *asked*, with substitutes that are chosen once and kept from then on."""
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


def ask(requests: Sequence[ProbeRequest], *, prober: Prober, ledger: Ledger) -> dict[ProbeKey, ProbeAnswer]:
    """Ask what has no score in the ledger yet, record it, and return every answer on these edges.

    An answer that is missing and took no call is not recorded: nothing was learnt and nothing spent.
    What the same prober once answered to other prompts, or with other substitutes, is left out.

    Raises:
        ProbeError: The prober did not answer each request.
    """
    keys = [probe_key(request, prober) for request in requests]
    answers = ledger.answers_for_pairs({(key.source_hash, key.target_hash) for key in keys})
    open_requests = {
        key: request
        for key, request in zip(keys, requests, strict=True)
        if key not in answers or answers[key].score is None
    }
    fresh = prober.answer(list(open_requests.values()))
    if len(fresh) != len(open_requests):
        msg = f"Prober {prober.prober_id!r} gave {len(fresh)} answers to {len(open_requests)} probes."
        raise ProbeError(msg)
    said = dict(zip(open_requests, fresh, strict=True))
    ledger.record(entry for entry in said.items() if entry[1].score is not None or entry[1].calls)
    answers |= said
    now = set(keys)
    return {key: answer for key, answer in answers.items() if key in now or key.prober_id != prober.prober_id}
