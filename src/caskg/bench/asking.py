"""How a simulated judge is asked: all questions, one an edge, or as long as answers matter.

Part of `judged`, which builds from the answers. What adaptive probing needs to know of a judge, how it
answers, is learnt as it is for a language model: from its answers to the labelled pairs.
"""

from enum import StrEnum
from functools import cache

import numpy as np

from caskg.bench.scores import average_precision
from caskg.bench.simulated_judge import Errors, Knowledge, SimulatedJudge
from caskg.config import build_config
from caskg.graph.answer_model import AnswerRates, Clues, clues, fit_rates
from caskg.graph.calibrate import assess
from caskg.graph.judge_check import pair_effects
from caskg.graph.labelled_set import labelled_set
from caskg.graph.llm_plan import plan_wording
from caskg.graph.modelled import Rates, answers_by_source, scores_of
from caskg.graph.probes import collect_scores, probe_key
from caskg.graph.prompts import Wording
from caskg.graph.questionnaire import in_rounds, questionnaire
from caskg.graph.verifier import deal
from caskg.judging import check_questions
from caskg.paid import EVERY, ONCE, plan_paid
from caskg.pipeline import Induced, ask
from caskg.schema import (
    EDGE_STATES,
    CodeArray,
    EdgeState,
    IntArray,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    Reliability,
)
from caskg.store.ledger import Ledger

_CONFIRMED, _REJECTED = EDGE_STATES.index(EdgeState.CONFIRMED), EDGE_STATES.index(EdgeState.REJECTED)
_APART = 1_000_000  # between the seeds of the errors that a judge check saw and of those that it did not


class Asking(StrEnum):
    """How much is asked about an edge of F, and how the answers are read."""

    FIXED = "fixed"  # three probes, counted
    MODELLED = "modelled"  # three probes, read through the answer model
    ONE = "one"  # the removal alone, counted
    ADAPTIVE = "adaptive"  # as long as answers matter, read through the answer model

    @property
    def is_modelled(self) -> bool:
        """Whether answers are read through the answer model."""
        return self in (Asking.MODELLED, Asking.ADAPTIVE)


def judge_rates(judge: SimulatedJudge) -> Rates:
    """Return how *judge* answers, as a build asks for it."""
    return lambda _prober_id, _prompt_version: measured_rates(judge.errors, judge.seed)


@cache
def measured_rates(errors: Errors, seed: int) -> AnswerRates:
    """Return what a judge check finds of how a judge answers that errs so."""
    pairs = labelled_set()
    requests = check_questions(Wording.PAPER)
    judge = _on_labelled_pairs(errors, seed)
    keys = (probe_key(request, judge) for request in requests)
    answers = dict(zip(keys, judge.answer(requests), strict=True))
    return fit_rates(pair_effects(answers, pairs), pairs.is_edge)


def asked_of(
    judge: SimulatedJudge, found: Induced, frontier: IntArray, *, asking: Asking, ledger: Ledger
) -> dict[ProbeKey, ProbeAnswer]:
    """Ask a judge about F as a language model is asked, and return what it said."""
    candidates, adaptive = found.candidates, asking is Asking.ADAPTIVE
    requests = plan_paid(
        (candidates.source[frontier], candidates.target[frontier]),
        inputs=found.inputs,
        candidates=candidates,
        skills=found.compared,
        ledger=ledger,
        wording=Wording.PAPER,
        arms=EVERY if adaptive else ONCE,
    )
    if asking is Asking.ONE:
        requests = [request for request in requests if request.kind is ProbeKind.REMOVAL]
    if not (adaptive and requests):
        return ask(requests, prober=judge, ledger=ledger)
    config, rates = build_config(), measured_rates(judge.errors, judge.seed)
    for batch in in_rounds(
        questionnaire(requests, rates),
        rates,
        key_of=lambda request: probe_key(request, judge),
        answers_to=ledger.answers,
        known=clues(candidates, found.inputs, frontier, config=config),
        config=config.verifier,
    ):
        ask(batch, prober=judge, ledger=ledger)
    return ledger.answers(probe_key(request, judge) for request in requests)


def labelled_pair_figures(asking: Asking, errors: Errors, *, seed: int) -> dict[str, float]:
    """Return what a judge makes of the labelled pairs: calls, AP, and states against the fixed plan."""
    judge = _on_labelled_pairs(errors, seed)
    said, found = _asked_of_pairs(judge, asking)
    fixed = found if asking is Asking.FIXED else _asked_of_pairs(judge, Asking.FIXED)[1]
    figures = {"calls": float(len(said)), "ap": average_precision(found.value, labelled_set().is_edge)}
    return figures | changed_states(found.states, fixed.states)


def changed_states(now: CodeArray, fixed: CodeArray) -> dict[str, float]:
    """Return which share of the edges has another state than by the fixed plan, or the opposite one.

    >>> changed_states(np.array([0, 1, 2]), np.array([0, 0, 0]))
    {'states_changed': 0.6666666666666666, 'states_reversed': 0.3333333333333333}
    """
    opposite = ((now == _CONFIRMED) & (fixed == _REJECTED)) | ((now == _REJECTED) & (fixed == _CONFIRMED))
    return {"states_changed": float(np.mean(now != fixed)), "states_reversed": float(np.mean(opposite))}


def _asked_of_pairs(judge: SimulatedJudge, asking: Asking) -> tuple[dict[ProbeKey, ProbeAnswer], Reliability]:
    """Ask about the labelled pairs; how the judge answers is known by another run of errors."""
    pairs, rates, config = labelled_set(), measured_rates(judge.errors, judge.seed + _APART), build_config()
    ends = {"source": pairs.source, "target": pairs.target}
    requests = plan_wording(
        (pairs.source, pairs.target),
        skills=pairs.skills,
        substitutes=pairs.substitutes,
        near=pairs.substitutes if asking is Asking.ADAPTIVE else None,
        both_orders=asking is Asking.ADAPTIVE,
        wording=Wording.PAPER,
    )
    if asking is Asking.ONE:
        requests = [request for request in requests if request.kind is ProbeKind.REMOVAL]
    said: dict[ProbeKey, ProbeAnswer] = {}
    batches = iter([requests])
    if asking is Asking.ADAPTIVE:
        batches = in_rounds(
            questionnaire(requests, rates),
            rates,
            key_of=lambda request: probe_key(request, judge),
            answers_to=lambda keys: {key: said[key] for key in keys if key in said},
            known=_ends_alone(np.arange(len(pairs))),
            config=config.verifier,
        )
    for batch in batches:
        said |= zip((probe_key(each, judge) for each in batch), judge.answer(batch), strict=True)
    hashes = [skill.content_hash for skill in pairs.skills]
    scores = collect_scores(said, **ends, hashes=hashes)
    if asking.is_modelled:
        by_source = answers_by_source(said, rates=lambda *_: rates, **ends, hashes=hashes)
        scores = {
            name: scores_of(each, _ends_alone, config=config.verifier) for name, each in by_source.items()
        }
    none = np.zeros(len(pairs), dtype=np.int8)
    return said, assess(scores, labels=none, config=config.evidence)


def _ends_alone(rows: IntArray) -> Clues:
    """Return what tells of labelled pairs: what was said of others with the same ends, and no signal."""
    pairs = labelled_set()
    return Clues(
        features=np.zeros((len(rows), 1)),
        source=pairs.source[rows],
        target=pairs.target[rows],
        vectors=np.zeros((len(pairs.skills), 1), dtype=np.float32),
        fold=deal(pairs.target[rows], n_folds=build_config().verifier.folds),
    )


def _on_labelled_pairs(errors: Errors, seed: int) -> SimulatedJudge:
    pairs = labelled_set()
    ids = [skill.id for skill in pairs.skills]
    ends = zip(pairs.source[pairs.is_edge].tolist(), pairs.target[pairs.is_edge].tolist(), strict=True)
    knowledge = Knowledge(edges=frozenset((ids[i], ids[j]) for i, j in ends), ends=frozenset(ids))
    return SimulatedJudge(knowledge, errors=errors, seed=seed)
