"""Ask a paid prober, and keep every answer before anything else happens.

Beside `pipeline`, which asks the free one. What the ledger holds is never asked
again, so a run that was killed goes on where it stopped and pays only for what
was out at that moment.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from caskg.errors import ProbeError, ProviderError
from caskg.graph.contrast import NEAR
from caskg.graph.inputs import GraphInputs
from caskg.graph.llm_plan import PLAIN, Arms, near_alternatives, plan_wording, unfit_to_stand_in
from caskg.graph.probes import choose_substitutes, keep_substitutes, probe_key
from caskg.graph.prompts import Wording
from caskg.graph.readings import UNTOLD
from caskg.protocols import StreamingProber
from caskg.schema import BoolArray, Candidates, IntArray, ProbeAnswer, ProbeKey, ProbeRequest, Skill
from caskg.store.ledger import Ledger

SYNC_EVERY_S = 1.0
"""Answers of how many seconds a power cut may cost: to wait for the disk after each would hold up calls."""

ENOUGH = 2
"""So often does a model say that it cannot tell before it is asked no more."""

HOPELESS = 24
"""After so many first answers, of which none can be read, a run is broken off: all would be paid."""


class FirstAnswers:
    """Whether a model can be read at all, by the first answers of a run."""

    def __init__(self) -> None:
        """Begin a run."""
        self.is_read = False
        self._reasons = Counter[str | None]()

    def note(self, answer: ProbeAnswer) -> None:
        """Take notice of one answer.

        Raises:
            ProviderError: It is the last of `HOPELESS`, and none could be read.
        """
        self.is_read = self.is_read or answer.missing_reason in (None, UNTOLD)
        if self.is_read:
            return
        self._reasons[answer.missing_reason] += 1
        if self._reasons.total() == HOPELESS:
            ((reason, count),) = self._reasons.most_common(1)
            msg = f"Of the first {HOPELESS} answers none could be read; of {count} it is said: {reason}"
            raise ProviderError(msg)


ONCE = Arms()
"""One question a probe."""

EVERY = Arms(near=True, both_orders=True)
"""All that can be asked of a probe."""


def plan_paid(  # noqa: PLR0913 - what is asked about, the library it is part of, and how
    edges: tuple[IntArray, IntArray],
    *,
    inputs: GraphInputs,
    candidates: Candidates,
    skills: Sequence[Skill],
    ledger: Ledger,
    wording: Wording,
    arms: Arms = ONCE,
    hidden: BoolArray | None = None,
) -> list[ProbeRequest]:
    """Return what *wording* asks of each edge, with substitutes that are chosen once and kept from then on.

    The far ones are those of the free prober, but that a text which speaks to its reader, and a
    skill that is hidden, stand in for none: one that was chosen before is chosen anew.

    Args:
        edges: Sources and targets, each of shape ``(n_edges,)``.
        inputs: The library as arrays.
        candidates: C: a neighbour of the target is no far substitute.
        skills: The skills that the edges number.
        ledger: Where choices are kept.
        wording: Which questions.
        arms: Which of them twice.
        hidden: Skills whose text is not sent, shape ``(n_skills,)``; None = none.
    """
    unfit = unfit_to_stand_in(skills)
    if hidden is not None:
        unfit = unfit | hidden
    vectors, ranks = inputs.vectors, inputs.tie_break
    everywhere = candidates.source, candidates.target
    chosen = {PLAIN: choose_substitutes(*edges, vectors, linked=everywhere, tie_break=ranks, unfit=unfit)}
    if arms.near:
        chosen[NEAR] = near_alternatives(edges, vectors, tie_break=ranks, unfit=unfit)
    hashes = [skill.content_hash for skill in skills]
    kept = _kept_substitutes(edges, chosen, hashes=hashes, unfit=unfit, ledger=ledger)
    return plan_wording(
        edges,
        skills=skills,
        substitutes=kept[PLAIN],
        wording=wording,
        near=kept.get(NEAR),
        both_orders=arms.both_orders,
    )


def _kept_substitutes(
    edges: tuple[IntArray, IntArray],
    chosen: Mapping[str, IntArray],
    *,
    hashes: Sequence[str],
    unfit: BoolArray,
    ledger: Ledger,
) -> dict[str, IntArray]:
    """Return the substitutes by arm: as recorded where these are fit, else as *chosen*, which is recorded."""
    barred = {content for content, out in zip(hashes, unfit, strict=True) if out}
    known, new = ledger.substitutes(), dict[tuple[str, str, str], str]()
    kept = {}
    for arm, choice in chosen.items():
        before = {(i, j): x for (i, j, of), x in known.items() if of == arm and x not in barred}
        kept[arm] = keep_substitutes(before, choice, source=edges[0], target=edges[1], hashes=hashes)
        rows = zip(edges[0].tolist(), edges[1].tolist(), kept[arm].tolist(), strict=True)
        new |= {(hashes[i], hashes[j], arm): hashes[x] for i, j, x in rows if x >= 0}
    ledger.record_substitutes({key: x for key, x in new.items() if known.get(key) != x})
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked in one call, of one edge or of several whose questions are the same word for word.

    Attributes:
        key: Of the first of them.
        request: Likewise.
        keys: Of all that have no score, *key* among them.
        repeated: It was asked before, and has no score.
    """

    key: ProbeKey
    request: ProbeRequest
    keys: tuple[ProbeKey, ...]
    repeated: bool


def to_ask(
    requests: Sequence[ProbeRequest],
    *,
    prober: StreamingProber,
    ledger: Ledger,
    among: Sequence[ProbeRequest] = (),
) -> list[Question]:
    """Return what `ask_paid` would send: each question that has no score, once.

    One that the model said twice it cannot tell is open no more: that is its answer. Failures are
    asked again by each run.
    """
    return _open(_in_same_words(requests, among, prober=prober), ledger)


def ask_paid(
    requests: Sequence[ProbeRequest],
    *,
    prober: StreamingProber,
    ledger: Ledger,
    among: Sequence[ProbeRequest] = (),
    first: FirstAnswers | None = None,
) -> Iterator[tuple[ProbeKey, ProbeAnswer]]:
    """Ask what is open; yield each answer once it is recorded, as they come.

    What a limit kept from being sent has no answer, and is asked by the next run. What was answered
    under another edge in the same words is taken over, at no cost.

    Args:
        requests: What is to have an answer.
        prober: Asked.
        ledger: Where answers are kept.
        among: What else has been asked about: an answer to it in the same words is taken over.
        first: Of the run that this is a part of; None = it is all of one.

    Raises:
        ProbeError: The prober answered something that was not asked, or twice.
        ProviderError: No call to the model can succeed, or none of the first answers could be read.
    """
    groups = _in_same_words(requests, among, prober=prober)
    _take_over(groups, ledger)
    questions = _open(groups, ledger)
    waiting, first = {question.key: question for question in questions}, first or FirstAnswers()
    for request, answer in prober.stream([question.request for question in questions]):
        question = waiting.pop(probe_key(request, prober), None)
        if question is None:
            msg = f"Prober {prober.prober_id!r} answered a probe that was not asked, or twice."
            raise ProbeError(msg)
        answers = [answer, *[_taken_over(answer)] * (len(question.keys) - 1)]
        ledger.record(zip(question.keys, answers, strict=True), sync_every_s=SYNC_EVERY_S)
        yield question.key, answer
        first.note(answer)


def _in_same_words(
    requests: Sequence[ProbeRequest], among: Sequence[ProbeRequest], *, prober: StreamingProber
) -> list[dict[ProbeKey, ProbeRequest]]:
    """Return *requests*, and those of *among* that are asked in the same words, by these words."""
    groups: dict[Hashable, dict[ProbeKey, ProbeRequest]] = {}
    for request in requests:
        groups.setdefault(prober.words_of(request), {})[probe_key(request, prober)] = request
    for request in among:
        if group := groups.get(prober.words_of(request)):
            group.setdefault(probe_key(request, prober), request)
    return list(groups.values())


def _open(groups: Sequence[Mapping[ProbeKey, ProbeRequest]], ledger: Ledger) -> list[Question]:
    attempts = ledger.attempts(key for group in groups for key in group)
    questions = [
        Question(
            key=next(iter(group)),
            request=next(iter(group.values())),
            keys=tuple(group),
            repeated=any(key in attempts for key in group),
        )
        for group in groups
        if not any(_is_settled(attempts.get(key, ())) for key in group)
    ]
    return sorted(questions, key=lambda question: question.repeated)  # what failed before holds up nothing


def _take_over(groups: Sequence[Mapping[ProbeKey, ProbeRequest]], ledger: Ledger) -> None:
    """Record what has a score in the same words under another edge."""
    known = ledger.answers(key for group in groups for key in group)
    taken = list[tuple[ProbeKey, ProbeAnswer]]()
    for group in groups:
        scored = [known[key] for key in group if key in known and known[key].score is not None]
        if 0 < len(scored) < len(group):
            taken += [(key, _taken_over(scored[0])) for key in group]  # the first score of each stands
    ledger.record(taken)  # even none: where nothing can be kept, nothing is to be asked


def _taken_over(answer: ProbeAnswer) -> ProbeAnswer:
    return replace(answer, calls=0, tokens=0)


def _is_settled(attempts: Sequence[ProbeAnswer]) -> bool:
    if any(answer.score is not None for answer in attempts):
        return True
    return sum(answer.missing_reason == UNTOLD for answer in attempts) >= ENOUGH
