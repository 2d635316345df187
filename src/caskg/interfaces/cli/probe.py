"""`caskg probe`: put the probes to a language model within limits, and publish what it said."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from caskg.config import FrontierPolicy, Reading
from caskg.errors import CaskgError
from caskg.graph.prompts import Wording, chat_request
from caskg.interfaces.cli.model_options import answer_option, limit_options, model_options, spending
from caskg.interfaces.cli.options import json_option, open_workspace, progress_bar, workspace_option
from caskg.interfaces.cli.output import columns, emit
from caskg.interfaces.cli.versions import summary, version_facts
from caskg.judging import EVIDENCE_WORDINGS
from caskg.paid import Question
from caskg.probing import NOTHING_OPEN, Tally, ask_all, open_questions
from caskg.providers.metered import Meter, Prices, Spend, most_expected
from caskg.store.reserve import reserved
from caskg.wiring import ProbeOptions, Probing, open_chat, open_probing, publish

_REASONS = 5


@click.command()
@click.option(
    "--wording",
    type=click.Choice([wording.value for wording in EVIDENCE_WORDINGS]),
    help="How the model is asked.  [default: paper in that profile; else by the judge check, or control]",
)
@click.option("--judge", is_flag=True, help="Ask first for opinions that refine the association.")
@click.option("--budget", type=click.IntRange(0), help="Ask about at most so many edges.  [default: B]")
@click.option(
    "--frontier",
    "policy",
    type=click.Choice([policy.value for policy in FrontierPolicy]),
    help="Which edges are asked about first.  [default: coverage; in paper association]",
)
@click.option("--near", is_flag=True, help="Ask the substitution again, with a near alternative.")
@click.option("--both-orders", is_flag=True, help="Ask the reordering again, documents in the other order.")
@click.option("--adaptive", is_flag=True, help="Ask no longer than an answer can change something.")
@answer_option
@click.option("--plan", is_flag=True, help="Print calls, tokens and cost; send and write nothing.")
@model_options
@limit_options
@workspace_option
@json_option
def probe(
    *,
    wording: str | None,
    judge: bool,
    budget: int | None,
    policy: str | None,
    near: bool,
    both_orders: bool,
    adaptive: bool,
    answer_tokens: int | None,
    plan: bool,
    settings: Mapping[str, Any],
    meter: Meter,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Ask a language model about the edges of the library, and publish what it said.

    A run that was stopped goes on where it was. A question that has a score is never asked again. One
    without is asked again by the next run, since a missing answer is no evidence, until the model
    has said twice that it cannot tell; `--plan` says how many calls that is.
    """
    chat = open_chat(settings, meter)
    options = ProbeOptions(
        wording=wording,
        judge=judge,
        budget=budget,
        policy=policy,
        near=near,
        both_orders=both_orders,
        adaptive=adaptive,
        answer_tokens=answer_tokens,
    )
    with open_workspace(folder) as workspace:
        with ExitStack() as opened:
            if not plan:
                opened.enter_context(reserved(workspace.path))
            with progress_bar(quiet=as_json) as progress:
                found = open_probing(workspace, chat, options, plan_only=plan, progress=progress)
                probing = opened.enter_context(found)
            if plan:
                document = _planned(probing, meter.prices)
                emit(document, as_json=as_json, lines=_plan_lines(document))
                return
            probing.require_worth()
            with spending(meter, quiet=as_json) as told:
                tally = ask_all(probing.poll, told=told)
        with progress_bar(quiet=as_json) as progress, _kept(tally, meter):
            reading = Reading.MODELLED if adaptive else Reading.COUNTED
            report = publish(workspace, reading=reading, progress=progress)
        facts = version_facts(report.number, len(workspace.current().ids), report.meta)
    document = _asked(probing, tally, meter) | facts | {"unchanged": report.unchanged}
    lines = [*_asked_lines(document), *summary(facts, unchanged=report.unchanged), _states_line(facts)]
    emit(document, as_json=as_json, lines=lines)


@contextmanager
def _kept(tally: Tally, meter: Meter) -> Iterator[None]:
    """Where nothing can be published, say what was paid for, and what becomes of it."""
    try:
        yield
    except CaskgError as error:
        msg = (
            f"{error} Nothing was published. {tally.n_answered:,} questions came back ({meter.spend}); "
            "that is kept, and `caskg build` publishes it."
        )
        raise type(error)(msg) from error


# ---------------------------------------------------------------- the plan


def _planned(probing: Probing, prices: Prices | None) -> dict[str, Any]:
    todo = NOTHING_OPEN if probing.refusal else open_questions(probing.poll)
    prober = probing.poll.prober
    judge = _expected(todo.opinions, Wording.JUDGE, prober.max_tokens, prices=prices)
    probes = _expected(todo.probes, prober.wording, prober.max_tokens, most=todo.most, prices=prices)
    cost = None if prices is None else judge["cost"] + probes["cost"]
    total = {name: judge[name] + probes[name] for name in ("calls", "prompt_tokens", "completion_tokens")}
    return {
        **_asker(probing),
        "refused": probing.refusal,
        "frontier": todo.n_edges,
        "judge": judge,
        "probes": probes,
        "expected_calls": judge["calls"] + todo.expected,
        "repeated": todo.n_repeated,
        "total": total | {"cost": cost},
    }


def _expected(
    questions: Sequence[Question],
    wording: Wording,
    max_tokens: int,
    *,
    prices: Prices | None,
    most: int | None = None,
) -> dict[str, Any]:
    """Return what at most *most* of the questions take: those with the longest prompts."""
    chats = [
        chat_request(each.request, wording=wording, request_id="plan", max_tokens=max_tokens)
        for each in questions
    ]
    chats.sort(key=lambda chat: -chat.estimated_prompt_tokens)
    return _spent(most_expected(chats[:most], prices=prices))


def _plan_lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"{_named(document)}; {document['frontier']:,} edges to be asked about."
    if document["refused"]:
        yield f"`caskg probe` would ask nothing. {document['refused']}"
        return
    titles = ["", "calls", "tokens in, about", "tokens out, at most", "cost, at most"]
    yield from columns([titles, *(_plan_row(name, document[name]) for name in ("judge", "probes", "total"))])
    if document["repeated"]:
        yield f"Of these calls {document['repeated']:,} ask again what was asked before and has no score."
    if document["expected_calls"] < document["total"]["calls"]:
        yield f"These are most; by the judge check about {document['expected_calls']:,} calls are expected."
    if document["judge"]["calls"]:
        yield "The opinions decide which edges are asked about, so the tokens of the probes may change."


def _plan_row(name: str, row: Mapping[str, Any]) -> list[str]:
    numbers = [f"{row[key]:,}" for key in ("calls", "prompt_tokens", "completion_tokens")]
    return [name, *numbers, "-" if row["cost"] is None else f"{row['cost']:,.4f}"]


# ---------------------------------------------------------------- what came of it


def _asked(probing: Probing, tally: Tally, meter: Meter) -> dict[str, Any]:
    unasked = tally.n_open - tally.n_answered
    return {
        **_asker(probing),
        "frontier": tally.n_edges,
        "open": tally.n_open,
        "scored": tally.scored,
        "missing": tally.missing.total(),
        "reasons": dict(tally.missing.most_common(_REASONS)),
        "unasked": unasked,
        "stopped": meter.ended_by if unasked else None,
        "spent": _spent(meter.spend),
    }


def _asker(probing: Probing) -> dict[str, Any]:
    prober = probing.poll.prober
    return {
        "asked": prober.prober_id,
        "wording": prober.wording.value,
        "asked_prompt": prober.prompt_version,
        "units": probing.report.units if probing.report else None,
    }


def _spent(spend: Spend) -> dict[str, Any]:
    names = ("calls", "prompt_tokens", "completion_tokens", "cost")
    return {name: getattr(spend, name) for name in names}


def _asked_lines(document: dict[str, Any]) -> Iterator[str]:
    counts = {name: f"{document[name]:,}" for name in ("open", "frontier", "scored", "missing", "unasked")}
    yield f"{_named(document)}."
    yield (
        f"{counts['open']} questions about {counts['frontier']} edges were open: {counts['scored']} have a "
        f"score now, {counts['missing']} came back without one, {counts['unasked']} were not asked."
    )
    for reason, count in document["reasons"].items():
        yield f"  {count:,} without a score: {reason}"
    spent = document["spent"]
    tokens = spent["prompt_tokens"] + spent["completion_tokens"]
    cost = "" if spent["cost"] is None else f", cost {spent['cost']:,.4f}"
    yield f"Spent: {spent['calls']:,} calls, {tokens:,} tokens{cost}."
    if document["stopped"]:
        yield f"Not all was asked: {document['stopped']}. The next run asks the rest."


def _states_line(facts: Mapping[str, Any]) -> str:
    states = ", ".join(f"{count:,} {state}" for state, count in facts["candidate_states"].items())
    return f"Candidates: {states}."


def _named(document: dict[str, Any]) -> str:
    checked = "never checked" if document["units"] is None else f"worth {document['units']} of 3 units"
    return f"{document['asked']}, prompts {document['asked_prompt']}, {checked}"
