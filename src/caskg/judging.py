"""The judge check as one function: ask a prober about the labelled pairs, and measure what it says.

Joins `caskg.graph.labelled_set`, a prober, the ledger and `caskg.graph.judge_check`.
What a paid prober says is kept in the ledger like any answer: a check that was
interrupted goes on where it stopped, and a later build reads its result from there.
"""

from collections.abc import Callable, Mapping

from caskg.graph.judge_check import FULL_UNITS, JudgeReport, judge_report
from caskg.graph.labelled_set import labelled_set
from caskg.graph.llm_plan import plan_wording
from caskg.graph.llm_prober import LlmProber
from caskg.graph.probes import plan_probes, probe_key
from caskg.graph.prompts import Wording
from caskg.paid import ask_paid, open_requests
from caskg.protocols import Prober
from caskg.schema import ProbeAnswer, ProbeKey, ProbeRequest
from caskg.store.ledger import Ledger

Told = Callable[[int, int], None]
"""Told how many questions are answered, and how many there are."""


def check_questions(wording: Wording) -> list[ProbeRequest]:
    """Return what a wording asks about the labelled pairs."""
    pairs = labelled_set()
    return plan_wording(
        (pairs.source, pairs.target), skills=pairs.skills, substitutes=pairs.substitutes, wording=wording
    )


def unasked(prober: LlmProber, *, ledger: Ledger) -> list[ProbeRequest]:
    """Return the questions of a check that have no score yet."""
    return list(open_requests(check_questions(prober.wording), prober=prober, ledger=ledger).values())


def check_free(prober: Prober) -> JudgeReport:
    """Check a prober that costs nothing, with the three plain probes; nothing is kept.

    All its answers on an edge are one opinion.
    """
    pairs = labelled_set()
    requests = plan_probes(pairs.source, pairs.target, skills=pairs.skills, substitutes=pairs.substitutes)
    keys = (probe_key(request, prober) for request in requests)
    answers = dict(zip(keys, prober.answer(requests), strict=True))
    return judge_report(answers, pairs, opinions=1)


def check_paid(prober: LlmProber, *, ledger: Ledger, told: Told = lambda _done, _of: None) -> JudgeReport:
    """Check a language model with the questions of its wording.

    Raises:
        ProviderError: No call to the model can succeed.
        StoreError: The ledger cannot be written.
    """
    requests = check_questions(prober.wording)
    keys = [probe_key(request, prober) for request in requests]
    done = sum(answer.score is not None for answer in ledger.answers(keys).values())
    for count, _ in enumerate(ask_paid(requests, prober=prober, ledger=ledger), start=done + 1):
        told(count, len(requests))
    return _report(ledger.answers(keys), prober)


def known_report(prober: LlmProber, *, ledger: Ledger) -> JudgeReport | None:
    """Return the report of a check that was made before; None where questions were never asked."""
    keys = {probe_key(request, prober) for request in check_questions(prober.wording)}
    known = ledger.answers(keys)
    return _report(known, prober) if len(known) == len(keys) else None


def _report(answers: Mapping[ProbeKey, ProbeAnswer], prober: LlmProber) -> JudgeReport:
    opinions = 1 if prober.wording is Wording.NEED else FULL_UNITS
    return judge_report(answers, labelled_set(), opinions=opinions)
