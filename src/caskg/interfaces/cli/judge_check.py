"""`caskg judge-check`: whether a prober can judge, on labelled pairs, and what its answers are worth."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from caskg.errors import NoWorkspaceError, ProviderError
from caskg.graph.judge_check import FULL_UNITS, JudgeReport, Share
from caskg.graph.labelled_set import labelled_set
from caskg.graph.llm_prober import LlmProber
from caskg.graph.prompts import MAX_ANSWER_TOKENS, Wording, chat_request
from caskg.graph.text_prober import TextProber
from caskg.interfaces.cli.model_options import answer_option, limit_options, model_options, spending
from caskg.interfaces.cli.options import json_option, workspace_option
from caskg.interfaces.cli.output import columns, emit
from caskg.judging import (
    EVIDENCE_WORDINGS,
    Told,
    ask_check,
    best_wording,
    check_free,
    check_questions,
    known_reports,
    report_so_far,
    unasked,
)
from caskg.protocols import Prober
from caskg.providers.metered import Meter, Prices, most_expected
from caskg.schema import ProbeRequest
from caskg.store.reserve import reserved
from caskg.store.workspace import Workspace
from caskg.wiring import default_workspace, open_chat


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """A report, whose it is, the seconds that this run took for it, and why it could read nothing, if so."""

    prober: Prober
    wording: str
    seconds: float
    report: JudgeReport
    unread: str | None = None


@click.command(name="judge-check")
@click.option(
    "--wording",
    "wordings",
    multiple=True,
    type=click.Choice([wording.value for wording in EVIDENCE_WORDINGS]),
    help="How the model is asked. Repeatable.  [default: all]",
)
@click.option("--plan", is_flag=True, help="Print calls, tokens and cost; send and write nothing.")
@answer_option
@model_options
@limit_options
@workspace_option
@json_option
def judge_check(
    *,
    wordings: tuple[str, ...],
    plan: bool,
    answer_tokens: int | None,
    settings: Mapping[str, Any],
    meter: Meter,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Find out whether a language model can judge, before you pay for a library.

    It is asked about labelled pairs of skills. With no option of a model the free text prober is checked.

    A check that was stopped goes on where it was. A question that has a score is never asked again. One
    without is asked again by the next run, since a missing answer is no evidence, until the model
    has said twice that it cannot tell; `--plan` says how many calls that is.
    """
    if not (settings or wordings or plan or answer_tokens):
        _emit([_check_text()], known=None, stopped=None, as_json=as_json)
        return
    chat = open_chat(settings, meter)
    most = answer_tokens or MAX_ANSWER_TOKENS
    asked = [Wording(each) for each in wordings or EVIDENCE_WORDINGS]
    probers = [LlmProber(chat, wording=wording, max_tokens=most) for wording in asked]
    path = folder or default_workspace()
    if plan:
        _emit_plan(probers, path, meter.prices, as_json=as_json)
        return
    with (
        Workspace.open_or_create(path) as workspace,
        reserved(workspace.path),
        spending(meter, quiet=as_json) as told,
    ):
        checked = [_check_model(prober, workspace, told) for prober in probers]
        known = known_reports(chat, ledger=workspace.ledger)
    _emit(checked, known=known, stopped=meter.ended_by, as_json=as_json)
    if unread := [each.unread for each in checked if each.unread]:
        msg = " ".join([*unread, "The report is of what was answered before."])
        raise ProviderError(msg)


def _check_text() -> _Checked:
    began, prober = time.perf_counter(), TextProber()
    report = check_free(prober)
    seconds = time.perf_counter() - began
    return _Checked(prober=prober, wording="text", seconds=seconds, report=report)


def _check_model(prober: LlmProber, workspace: Workspace, told: Told) -> _Checked:
    began = time.perf_counter()
    unread = ask_check(prober, ledger=workspace.ledger, told=told)
    report = report_so_far(prober, ledger=workspace.ledger)
    if unread and not report.cost.answers:
        raise ProviderError(unread)
    seconds = time.perf_counter() - began
    return _Checked(prober=prober, wording=prober.wording, seconds=seconds, report=report, unread=unread)


def _emit_plan(probers: list[LlmProber], path: Path, prices: Prices | None, *, as_json: bool) -> None:
    with suppress(NoWorkspaceError), Workspace.open(path) as workspace:
        _emit_rows([_left(prober, workspace, prices) for prober in probers], as_json=as_json)
        return
    asked = [(prober, check_questions(prober.wording)) for prober in probers]
    _emit_rows([_planned(*each, prices, n_repeated=0) for each in asked], as_json=as_json)


def _planned(
    prober: LlmProber, requests: Sequence[ProbeRequest], prices: Prices | None, *, n_repeated: int
) -> dict[str, Any]:
    wording, most = prober.wording, prober.max_tokens
    chats = (chat_request(each, wording=wording, request_id="plan", max_tokens=most) for each in requests)
    spend = most_expected(chats, prices=prices)
    return {
        "wording": wording,
        "calls": spend.calls,
        "prompt_tokens": spend.prompt_tokens,
        "completion_tokens": spend.completion_tokens,
        "cost": spend.cost,
        "repeated": n_repeated,
    }


def _left(prober: LlmProber, workspace: Workspace, prices: Prices | None) -> dict[str, Any]:
    questions = unasked(prober, ledger=workspace.ledger)
    n_repeated = sum(each.repeated for each in questions)
    return _planned(prober, [each.request for each in questions], prices, n_repeated=n_repeated)


def _emit_rows(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    numbers = ("calls", "prompt_tokens", "completion_tokens")
    titles = ("wording", "calls", "tokens in, about", "tokens out, at most", "cost, at most", "asked again")
    table = [titles]
    for row in rows:
        cost = "-" if row["cost"] is None else f"{row['cost']:,.4f}"
        table.append((row["wording"], *(f"{row[name]:,}" for name in numbers), cost, f"{row['repeated']:,}"))
    emit({"plan": rows}, as_json=as_json, lines=columns(table))


# ---------------------------------------------------------------- for programs and people


def _emit(
    checked: list[_Checked],
    *,
    known: Mapping[Wording, JudgeReport] | None,
    stopped: str | None,
    as_json: bool,
) -> None:
    document: dict[str, Any] = {
        "pairs": len(labelled_set()),
        "stopped": stopped,
        "reports": [_document(each) for each in checked],
    }
    lines = [line for each in checked for line in _lines(each)]
    if known is not None:
        document["default_wording"] = best_wording(known)
        lines += _comparison(known)
    if stopped:
        lines.append(f"Not all was asked: {stopped}. The next run asks the rest.")
    emit(document, as_json=as_json, lines=lines)


def _document(checked: _Checked) -> dict[str, Any]:
    return {
        "prober": checked.prober.prober_id,
        "prompt_version": checked.prober.prompt_version,
        "wording": checked.wording,
        "seconds": round(checked.seconds, 1),
        "unread": checked.unread,
        "direction_accuracy": checked.report.direction.accuracy,
        **asdict(checked.report),
        "units": None if checked.report.unasked else checked.report.units,
    }


def _lines(checked: _Checked) -> Iterator[str]:
    report, cost, prober = checked.report, checked.report.cost, checked.prober
    named = f"{prober.prober_id}, prompts {prober.prompt_version}"
    if report.unasked:
        yield (
            f"{named}: incomplete, {report.unasked:,} questions have no answer yet. This is no result: what "
            "answers are worth is not known, and no build uses it. A pair without an answer counts as 1/2."
        )
    else:
        yield f"{named}: worth {report.units} of {FULL_UNITS} units."
    declared, other = report.auc_declared, report.auc_undeclared
    yield f"  AUC {report.auc:.3f}; {declared:.3f} with declared inputs and outputs, {other:.3f} without"
    way = report.direction
    yield f"  direction {way.accuracy:.3f}: {way.right} right, {way.wrong} wrong, {way.tied} tied"
    if report.ece is not None:
        yield f"  calibration: ECE {report.ece:.3f}, Brier {report.brier:.3f}"
    rows = [("pairs", "n", "answered", "mean", "confirmed", "rejected")]
    for each in report.kinds:
        mean = "-" if each.mean is None else f"{each.mean:.2f}"
        counts = f"{each.n_confirmed}", f"{each.n_rejected}"
        rows.append((each.kind, f"{each.n_pairs}", f"{each.n_answered}", mean, *counts))
    yield from columns(rows, indent="  ")
    for verdicts in report.verdicts:
        confirmed, rejected = _share(verdicts.confirmed), _share(verdicts.rejected)
        yield f"  with {verdicts.units} units: confirmed {confirmed}, rejected {rejected}"
    yield (
        f"  {cost.answers:,} questions answered, {cost.missing:,} missing; "
        f"{cost.calls:,} calls, {cost.tokens:,} tokens; {checked.seconds:.1f} s in this run"
    )


def _comparison(known: Mapping[Wording, JudgeReport]) -> Iterator[str]:
    """Yield a line for each wording that was checked, now or before, and which one `caskg probe` uses."""
    rows = [("wording", "units", "AUC", "direction", "confirmed", "ECE", "calls", "tokens")]
    for wording, report in known.items():
        right = report.verdicts[FULL_UNITS - 1].confirmed
        rows.append(
            (
                wording,
                f"{report.units}",
                f"{report.auc:.3f}",
                f"{report.direction.accuracy:.3f}",
                f"{right.right} of {right.of}",
                "-" if report.ece is None else f"{report.ece:.3f}",
                f"{report.cost.calls:,}",
                f"{report.cost.tokens:,}",
            )
        )
    if known:
        yield from columns(rows)
    best = best_wording(known)
    worth = known[best].units if best in known else None
    reasons = {None: "it was not checked", 0: "none is known to be of use, so nothing would be asked"}
    why = reasons.get(worth, "it is worth most")
    yield f"In `default`, `caskg probe` asks this model in the wording {best}: {why}."


def _share(share: Share) -> str:
    return "none" if share.value is None else f"{share.right} right of {share.of} ({share.value:.3f})"
