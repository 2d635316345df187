"""Answers read through the answer model: one score an edge for each judge (method, Section 5).

Before `calibrate`, in place of counting: where a judge was asked as long as its answers could change
something, two answers alike say more than their number. The score of an edge is the chance that the
judge takes it for an edge; it weighs as all of its answers together would at most.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from caskg.config import BuildConfig, VerifierConfig
from caskg.graph.answer_model import EDGE, NONE, AnswerRates, Answers, Clues, clues, minds
from caskg.graph.inputs import GraphInputs
from caskg.graph.probes import collect_scores
from caskg.schema import PROBE_KINDS, Candidates, FloatArray, IntArray, ProbeAnswer, ProbeKey, ProbeKind

Rates: TypeAlias = Callable[[str, str], AnswerRates | None]
"""How a prober answers a version of the prompts, by their names; None = that was never checked."""


_Question = tuple[ProbeKind, str, str, str]


def never_measured(prober_id: str, prompt_version: str) -> None:
    """Know of no judge check."""


def modelled_scores(
    effects: Mapping[ProbeKey, ProbeAnswer],
    *,
    rates: Rates,
    candidates: Candidates,
    inputs: GraphInputs,
    hashes: Sequence[str],
    config: BuildConfig,
) -> dict[str, FloatArray]:
    """Return the score of each candidate for each judge whose answers can be read so.

    Args:
        effects: Answers, as `contrasted` returns them.
        rates: How judges answer.
        candidates: C.
        inputs: The library, for what signals tell.
        hashes: The content hash of each skill.
        config: The constants.

    Returns:
        For each source id an array of shape ``(n_edges, 3)``, its columns alike, in ``[0, 1]``; NaN where
        the judge gave no score.
    """
    ends = {"source": candidates.source, "target": candidates.target}
    tell = partial(clues, candidates, inputs, config=config)
    return {
        source_id: scores_of(answers, tell, config=config.verifier)
        for source_id, answers in answers_by_source(effects, rates=rates, **ends, hashes=hashes).items()
    }


def scores_of(
    answers: Answers, tell: Callable[[IntArray], Clues | None], *, config: VerifierConfig
) -> FloatArray:
    """Return the score of each edge by the answers of one judge: as `modelled_scores` does.

    Args:
        answers: What it said.
        tell: Returns what tells of edges beside the answers, given which edges.
        config: How the prior is learnt.
    """
    rows = np.flatnonzero(answers.asked.any(axis=1))
    told = replace(answers, effects=answers.effects[rows], asked=answers.asked[rows])
    mind = minds(told, known=tell(rows), config=config)
    scores = np.full((len(answers.asked), len(PROBE_KINDS)), np.nan)
    scores[rows] = (mind[:, EDGE] / (mind[:, NONE] + mind[:, EDGE]))[:, None]
    return scores


def answers_by_source(
    effects: Mapping[ProbeKey, ProbeAnswer],
    *,
    rates: Rates,
    source: IntArray,
    target: IntArray,
    hashes: Sequence[str],
) -> dict[str, Answers]:
    """Return what each judge said of the edges, if it is known how it answers all that it was asked.

    What is missing tells nothing of an edge that has a score, and counts as not asked.
    """
    by_source: dict[str, dict[_Question, dict[ProbeKey, ProbeAnswer]]] = {}
    for key, answer in sorted(effects.items()):
        if answer.score is not None:
            question = key.kind, key.arm, key.prober_id, key.prompt_version
            by_source.setdefault(answer.source_id, {}).setdefault(question, {})[key] = answer
    found = {}
    for source_id, questions in by_source.items():
        known = [(rates(*asker), PROBE_KINDS.index(kind)) for kind, _, *asker in questions]
        measured = [(each, probe) for each, probe in known if each is not None]
        if len(measured) < len(known):
            continue
        columns = []
        for said, (_, probe) in zip(questions.values(), measured, strict=True):
            (scores,) = collect_scores(said, source=source, target=target, hashes=hashes).values()
            columns.append(scores[:, probe])
        gathered = np.stack(columns, axis=1)
        found[source_id] = Answers(
            effects=gathered,
            asked=~np.isnan(gathered),
            chances=np.stack([each.chances[:, probe] for each, probe in measured], axis=1),
            missing=measured[0][0].missing,
        )
    return found
