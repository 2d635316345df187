"""The judge check as one function: ask a prober about the labelled pairs, and measure what it says.

Joins `caskg.graph.labelled_set`, a prober, the ledger and `caskg.graph.judge_check`.
What a paid prober says is kept in the ledger like any answer: a check that was
interrupted goes on where it stopped, and a later build reads its result from there.
"""

from collections.abc import Callable

from caskg.graph.judge_check import JudgeReport, judge_report
from caskg.graph.labelled_set import labelled_set
from caskg.graph.llm_plan import plan_wording
from caskg.graph.llm_prober import LlmProber
from caskg.graph.probes import plan_probes, probe_key
from caskg.graph.prompts import Wording
from caskg.paid import ask_paid
from caskg.protocols import Prober
from caskg.schema import ProbeRequest
from caskg.store.ledger import Ledger

Told = Callable[[int, int], None]
"""Told how many questions are answered, and how many there are."""


def check_questions(wording: Wording) -> list[ProbeRequest]:
    """Return what a wording asks about the labelled pairs."""
    pairs = labelled_set()
    return plan_wording(
        (pairs.source, pairs.target), skills=pairs.skills, substitutes=pairs.substitutes, wording=wording
    )


def check_free(prober: Prober) -> JudgeReport:
    """Check a prober that costs nothing, with the three plain probes; nothing is kept."""
    pairs = labelled_set()
    requests = plan_probes(pairs.source, pairs.target, skills=pairs.skills, substitutes=pairs.substitutes)
    keys = (probe_key(request, prober) for request in requests)
    return judge_report(dict(zip(keys, prober.answer(requests), strict=True)), pairs)


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
    return judge_report(ledger.answers(keys), labelled_set())


def known_report(prober: LlmProber, *, ledger: Ledger) -> JudgeReport | None:
    """Return the report of a check that was made before; None where questions were never asked."""
    keys = {probe_key(request, prober) for request in check_questions(prober.wording)}
    known = ledger.answers(keys)
    return judge_report(known, labelled_set()) if len(known) == len(keys) else None
