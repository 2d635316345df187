"""The judge check as one function: ask a prober about the labelled pairs, and measure what it says.

Joins `caskg.graph.labelled_set`, a prober, the ledger and `caskg.graph.judge_check`.
What a paid prober says is kept in the ledger like any answer: a check that was
interrupted goes on where it stopped, and a later build reads its result from there.
"""

from collections import Counter
from collections.abc import Callable, Mapping

from caskg.errors import ProviderError
from caskg.graph.answer_model import AnswerRates, fit_rates
from caskg.graph.judge_check import FULL_UNITS, JudgeReport, judge_report, pair_effects
from caskg.graph.labelled_set import labelled_set
from caskg.graph.llm_plan import plan_wording
from caskg.graph.llm_prober import LlmProber
from caskg.graph.modelled import Rates
from caskg.graph.probes import key_of, plan_probes, probe_key
from caskg.graph.prompts import Wording, prompt_version
from caskg.graph.readings import UNTOLD
from caskg.graph.sources import Worth
from caskg.paid import Question, ask_paid, to_ask
from caskg.protocols import ChatModel, Prober
from caskg.schema import ProbeAnswer, ProbeKey, ProbeRequest
from caskg.store.ledger import Ledger

EVIDENCE_WORDINGS = (Wording.PAPER, Wording.CONTROL, Wording.NEED)
"""Those whose answers are evidence."""

SEVERAL_QUESTIONS = (Wording.PAPER, Wording.CONTROL)
"""Those that ask several questions an edge, so that an answer model can be learnt."""

Told = Callable[[int, int], None]
"""Told how many questions are answered, and how many there are."""


def check_questions(wording: Wording) -> list[ProbeRequest]:
    """Return what a wording asks about the labelled pairs."""
    pairs = labelled_set()
    return plan_wording(
        (pairs.source, pairs.target), skills=pairs.skills, substitutes=pairs.substitutes, wording=wording
    )


def unasked(prober: LlmProber, *, ledger: Ledger) -> list[Question]:
    """Return the questions of a check that would be asked now."""
    return to_ask(check_questions(prober.wording), prober=prober, ledger=ledger)


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
        ProviderError: No call to the model can succeed, or questions were asked and not one answer to
            them could be read, whatever was answered before.
        StoreError: The ledger cannot be written.
    """
    unread = ask_check(prober, ledger=ledger, told=told)
    if unread:
        raise ProviderError(unread)
    return report_so_far(prober, ledger=ledger)


def ask_check(prober: LlmProber, *, ledger: Ledger, told: Told = lambda _done, _of: None) -> str | None:
    """Ask what is open of a check; say so if questions were asked, and not one answer could be read.

    Raises:
        ProviderError: No call to the model can succeed, or none of the first answers could be read.
        StoreError: The ledger cannot be written.
    """
    requests = check_questions(prober.wording)
    done = len(requests) - len(unasked(prober, ledger=ledger))
    reasons = Counter[str | None]()
    for count, (_, answer) in enumerate(ask_paid(requests, prober=prober, ledger=ledger), start=done + 1):
        reasons[answer.missing_reason] += 1
        told(count, len(requests))
    if not reasons or {None, UNTOLD} & reasons.keys():
        return None
    ((reason, n_times),) = reasons.most_common(1)
    return (
        f"In the wording {prober.wording.value!r} this run asked {reasons.total():,} questions, and no "
        f"answer could be read; of {n_times:,} it is said: {reason}"
    )


def report_so_far(prober: LlmProber, *, ledger: Ledger) -> JudgeReport:
    """Return the report of what is answered, also while questions were never asked."""
    keys = [probe_key(request, prober) for request in check_questions(prober.wording)]
    return _report(ledger.answers(keys), prober.wording)


def known_report(prober: LlmProber, *, ledger: Ledger) -> JudgeReport | None:
    """Return the report of a check that was made before; None where questions were never asked."""
    return _known(prober.prober_id, prober.wording, ledger=ledger)


def known_reports(model: ChatModel, *, ledger: Ledger) -> dict[Wording, JudgeReport]:
    """Return what is known of a model, by wording."""
    reports = {
        each: known_report(LlmProber(model, wording=each), ledger=ledger) for each in EVIDENCE_WORDINGS
    }
    return {wording: report for wording, report in reports.items() if report}


def best_wording(known: Mapping[Wording, JudgeReport]) -> Wording:
    """Return the wording that is worth most, by units, then AUC: the one a build asks in.

    Where none is known to be worth anything it is ``control``, which a model that likes everything
    does not pass.
    """
    of_use = {wording: (report.units, report.auc) for wording, report in known.items() if report.units}
    return max(of_use, key=of_use.__getitem__, default=Wording.CONTROL)


def known_worth(ledger: Ledger) -> Worth:
    """Return what the checks in *ledger* found of any language model and wording."""
    wordings = {prompt_version(wording): wording for wording in EVIDENCE_WORDINGS}

    def worth(prober_id: str, version: str) -> int | None:
        report = _known(prober_id, wordings[version], ledger=ledger) if version in wordings else None
        return report.units if report else None

    return worth


def known_rates(ledger: Ledger) -> Rates:
    """Return how any language model and wording answers, by the checks in *ledger*."""
    wordings = {prompt_version(wording): wording for wording in SEVERAL_QUESTIONS}

    def rates(prober_id: str, version: str) -> AnswerRates | None:
        answers = _answers(prober_id, wordings[version], ledger=ledger) if version in wordings else None
        return fit_rates(pair_effects(answers, labelled_set()), labelled_set().is_edge) if answers else None

    return rates


def _known(prober_id: str, wording: Wording, *, ledger: Ledger) -> JudgeReport | None:
    answers = _answers(prober_id, wording, ledger=ledger)
    return _report(answers, wording) if answers else None


def _answers(prober_id: str, wording: Wording, *, ledger: Ledger) -> dict[ProbeKey, ProbeAnswer] | None:
    """Return the answers of a check; None where questions were never asked."""
    asked = {"prober_id": prober_id, "prompt_version": prompt_version(wording)}
    keys = {key_of(request, **asked) for request in check_questions(wording)}
    known = ledger.answers(keys)
    return known if len(known) == len(keys) else None


def _report(answers: Mapping[ProbeKey, ProbeAnswer], wording: Wording) -> JudgeReport:
    opinions = 1 if wording is Wording.NEED else FULL_UNITS
    n_questions = len(check_questions(wording))
    return judge_report(answers, labelled_set(), opinions=opinions, n_questions=n_questions)
