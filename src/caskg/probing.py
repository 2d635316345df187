"""Probe a library: which questions about its edges are open, and the asking (method, Sections 2 to 4).

Joins `pipeline`, which finds the candidates, and `paid`, which asks. What is answered lies in
the ledger; a build makes a graph of it. So a run that was killed goes on where it stopped.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from caskg.config import BuildConfig
from caskg.errors import ProviderError, UsageError
from caskg.graph.answer_model import AnswerRates, clues
from caskg.graph.candidates import ask_judge
from caskg.graph.frontier import frontier_budget, select_frontier
from caskg.graph.judge import plan_opinions
from caskg.graph.llm_plan import Arms
from caskg.graph.llm_prober import LlmProber
from caskg.graph.probes import probe_key
from caskg.graph.questionnaire import expected_calls, in_rounds, questionnaire
from caskg.graph.readings import UNTOLD
from caskg.graph.text_prober import TextProber
from caskg.paid import EVERY, ONCE, FirstAnswers, Question, ask_paid, plan_paid, to_ask
from caskg.pipeline import Induced, ask_edges, paid_frontier, refined
from caskg.schema import BoolArray, IntArray, ProbeAnswer, ProbeKey, ProbeRequest
from caskg.store.ledger import Ledger

Told = Callable[[int, int], None]
"""Told how many questions are answered, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """Who is asked about what.

    Attributes:
        induced: The candidates, as `pipeline.induce` finds them.
        config: What they were found with; its frontier says about which edges probes ask.
        ledger: Where answers are kept.
        prober: Answers the probes.
        judge: Asked for opinions first, which refine A; None = nobody.
        hidden: Ids of skills whose texts are not sent: those that are disabled.
        arms: Which probes are asked twice.
        rates: How *prober* answers, to ask no longer than that can change something; then *arms* are
            asked where that helps. None = all is asked.
    """

    induced: Induced
    config: BuildConfig
    ledger: Ledger
    prober: LlmProber
    judge: LlmProber | None = None
    hidden: frozenset[str] = frozenset()
    arms: Arms = ONCE
    rates: AnswerRates | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """What is to be asked.

    Attributes:
        opinions: For the judge.
        probes: About the edges of F, the first worth most.
        n_edges: |F|.
        most: How many of *probes* are asked at most.
        expected: How many are expected to be.
    """

    opinions: tuple[Question, ...]
    probes: tuple[Question, ...]
    n_edges: int
    most: int
    expected: int

    @property
    def n_repeated(self) -> int:
        """How many, at most, were asked before and have no score."""
        again = sum(each.repeated for each in self.probes)
        return sum(each.repeated for each in self.opinions) + min(again, self.most)

    def __len__(self) -> int:
        return len(self.opinions) + self.most


NOTHING_OPEN = Open(opinions=(), probes=(), n_edges=0, most=0, expected=0)
"""What is to be asked of whom nothing may be asked."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """What came of a run so far.

    Attributes:
        n_open: Questions that were open.
        n_edges: |F|.
        n_known: Probes that had a score before.
        scored: Answers with a score.
        missing: How many have none, by the reason.
    """

    n_open: int = 0
    n_edges: int = 0
    n_known: int = 0
    scored: int = 0
    missing: Counter[str] = field(default_factory=Counter)

    @property
    def n_answered(self) -> int:
        """Questions that were asked and came back, with a score or without."""
        return self.scored + self.missing.total()


def open_questions(poll: Poll) -> Open:
    """Return what `ask_all` would ask. While opinions are open, F is that of the A they will refine.

    Raises:
        UsageError: The budget cannot be used.
    """
    edges = frontier(poll)
    requests = _planned(poll, edges)
    probes = to_ask(requests, prober=poll.prober, ledger=poll.ledger)
    opinions = to_ask(_opinions(poll), prober=poll.judge, ledger=poll.ledger) if poll.judge else []
    most = expected = len(probes)
    if poll.rates and requests:
        asking = questionnaire(requests, poll.rates)
        most = min(most, asking.most)
        expected = min(most, expected_calls(asking, poll.rates, config=poll.config.verifier))
    return Open(
        opinions=tuple(opinions), probes=tuple(probes), n_edges=len(edges), most=most, expected=expected
    )


def ask_all(poll: Poll, *, told: Told = lambda _done, _of: None) -> Tally:
    """Ask the judge, then the probes on F, until all is answered or a limit is reached.

    Raises:
        UsageError: The budget cannot be used.
        ProviderError: No call can succeed, or not one answer has a score; but where most was answered
            before, a model may say of the rest that it cannot tell.
        StoreError: The ledger cannot be written.
    """
    tally = Tally()
    try:
        for _ in _ask(poll, tally):
            told(tally.n_answered, tally.n_open)
    except ProviderError as error:
        msg = f"{error} {_kept(tally)}"
        raise ProviderError(msg) from error
    if tally.missing and not tally.scored and not (tally.n_known and tally.missing.keys() == {UNTOLD}):
        ((reason, count),) = tally.missing.most_common(1)
        msg = f"No answer has a score; of {count:,} it is said: {reason} {_kept(tally)}"
        raise ProviderError(msg)
    return tally


def frontier(poll: Poll) -> IntArray:
    """Return F as positions in C, the first worth most.

    Raises:
        UsageError: The budget is negative.
    """
    induced, config = poll.induced, poll.config
    hidden = _hidden_edges(poll)
    if not config.frontier.probe_all:
        budget = frontier_budget(induced.candidates.n_skills, config=config.frontier)
        best = select_frontier(induced.candidates, budget=budget, tie_break=induced.inputs.tie_break)
        return best[~hidden[best]]
    everything, free = np.arange(len(induced.candidates)), TextProber(names=induced.names)
    said = ask_edges(induced, everything, prober=free, ledger=poll.ledger)
    return paid_frontier(induced, said, config=config, passed_over=hidden)


def with_budget(config: BuildConfig, *, n_skills: int, budget: int | None, policy: str | None) -> BuildConfig:
    """Return *config* with another budget, in edges, or another policy of the frontier; None = as it is.

    Raises:
        UsageError: The profile is ``paper``, and it is more than its B, or a policy.
    """
    wanted = replace(
        config.frontier,
        budget=config.frontier.budget if budget is None else budget,
        policy=config.frontier.policy if policy is None else type(config.frontier.policy)(policy),
    )
    most = frontier_budget(n_skills, config=config.frontier)
    if not config.frontier.probe_all and (policy is not None or (budget or 0) > most):
        msg = f"The profile paper asks about the {most:,} edges of highest A: choose no policy, and no more."
        raise UsageError(msg)
    return replace(config, frontier=wanted)


def _ask(poll: Poll, tally: Tally) -> Iterator[None]:
    edges, opinions, first = frontier(poll), _opinions(poll), FirstAnswers()
    tally.n_edges = len(edges)
    if poll.judge and (n_opinions := len(to_ask(opinions, prober=poll.judge, ledger=poll.ledger))):
        probes = to_ask(_planned(poll, edges), prober=poll.prober, ledger=poll.ledger)
        tally.n_open = n_opinions + len(probes)
        yield from _count(ask_paid(opinions, prober=poll.judge, ledger=poll.ledger, first=first), tally)
        first = FirstAnswers() if first.is_read else first  # other questions may be another matter
        poll = replace(poll, induced=refined(poll.induced, ledger=poll.ledger, config=poll.config))
        edges = frontier(poll)
        tally.n_edges = len(edges)
    planned = _planned(poll, edges)
    known = poll.ledger.answers(probe_key(request, poll.prober) for request in planned)
    tally.n_known = sum(answer.score is not None for answer in known.values())
    tally.n_open = tally.n_answered
    for batch in _batches(poll, edges, planned):
        tally.n_open += len(to_ask(batch, prober=poll.prober, ledger=poll.ledger, among=planned))
        said = ask_paid(batch, prober=poll.prober, ledger=poll.ledger, among=planned, first=first)
        yield from _count(said, tally)


def _batches(poll: Poll, edges: IntArray, requests: list[ProbeRequest]) -> Iterator[list[ProbeRequest]]:
    """Yield what to ask about *edges*: all *requests* at once, or round by round."""
    if poll.rates is None or not requests:
        yield requests
        return
    yield from in_rounds(
        questionnaire(requests, poll.rates),
        poll.rates,
        key_of=lambda request: probe_key(request, poll.prober),
        answers_to=poll.ledger.answers,
        known=clues(poll.induced.candidates, poll.induced.inputs, edges, config=poll.config),
        config=poll.config.verifier,
    )


def _count(answers: Iterator[tuple[ProbeKey, ProbeAnswer]], tally: Tally) -> Iterator[None]:
    for _, answer in answers:
        if answer.missing_reason is None:
            tally.scored += 1
        else:
            tally.missing[answer.missing_reason] += 1
        yield


def _opinions(poll: Poll) -> list[ProbeRequest]:
    if poll.judge is None:
        return []
    candidates = poll.induced.candidates
    asked = ask_judge(candidates, config=poll.config)
    asked = asked[~_hidden_edges(poll)[asked]]
    best_first = asked[np.argsort(-candidates.association[asked], kind="stable")]
    return plan_opinions(candidates, best_first, skills=poll.induced.compared)


def _hidden_skills(poll: Poll) -> BoolArray:
    return np.array([skill.id in poll.hidden for skill in poll.induced.skills], dtype=np.bool_)


def _hidden_edges(poll: Poll) -> BoolArray:
    off, candidates = _hidden_skills(poll), poll.induced.candidates
    return off[candidates.source] | off[candidates.target]


def _planned(poll: Poll, edges: IntArray) -> list[ProbeRequest]:
    candidates = poll.induced.candidates
    return plan_paid(
        (candidates.source[edges], candidates.target[edges]),
        inputs=poll.induced.inputs,
        candidates=candidates,
        skills=poll.induced.compared,
        ledger=poll.ledger,
        wording=poll.prober.wording,
        arms=poll.arms if poll.rates is None else EVERY,
        hidden=_hidden_skills(poll),
    )


def _kept(tally: Tally) -> str:
    return (
        f"{tally.n_answered:,} of {tally.n_open:,} questions came back, {tally.scored:,} with a score; "
        "that is kept, and no graph was made of it."
    )
