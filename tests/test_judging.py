"""The judge check from questions to report, through the ledger."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from caskg.errors import ProviderError
from caskg.graph.judge_check import JudgeReport
from caskg.graph.llm_prober import LlmProber
from caskg.graph.prompts import Wording
from caskg.graph.text_prober import TextProber
from caskg.judging import (
    best_wording,
    check_free,
    check_paid,
    check_questions,
    known_report,
    known_reports,
    unasked,
)
from caskg.providers.metered import Limits, Meter, MeteredChat
from caskg.providers.scripted import ScriptedChatModel
from caskg.store.workspace import Workspace
from graph.llm_cases import knowing, said

QUESTIONS = {Wording.PAPER: 504, Wording.CONTROL: 672, Wording.NEED: 168}


@pytest.mark.parametrize("wording", [Wording.CONTROL, Wording.NEED])
def test_a_model_that_knows_is_worth_what_its_wording_allows(wording: Wording, tmp_path: Path) -> None:
    """Three separate probes are three opinions, one question is one."""
    prober = LlmProber(ScriptedChatModel(knowing), wording=wording)
    told: list[tuple[int, int]] = []
    with Workspace.open_or_create(tmp_path) as workspace:
        report = check_paid(prober, ledger=workspace.ledger, told=lambda done, of: told.append((done, of)))
        assert known_report(prober, ledger=workspace.ledger) == report
    n = QUESTIONS[wording]
    assert told == [(done, n) for done in range(1, n + 1)]
    assert report.auc == 1.0
    assert report.direction.accuracy == 1.0
    assert report.units == (1 if wording is Wording.NEED else 3)
    assert (report.cost.answers, report.cost.calls) == (n, n)


def test_a_check_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """And a report exists only once every question was asked."""
    prober = LlmProber(ScriptedChatModel(knowing), wording=Wording.NEED)
    with Workspace.open_or_create(tmp_path) as workspace:
        ledger = workspace.ledger

        def stop(done: int, _of: int) -> None:
            if done == 5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            check_paid(prober, ledger=ledger, told=stop)
        assert known_report(prober, ledger=ledger) is None
        assert len(unasked(prober, ledger=ledger)) == 163
        again = ScriptedChatModel(knowing)
        told: list[int] = []
        check_paid(
            LlmProber(again, wording=Wording.NEED), ledger=ledger, told=lambda done, _: told.append(done)
        )
        assert len(again.asked) == 163
        assert told[0] == 6
        assert known_report(prober, ledger=ledger) is not None


@pytest.mark.parametrize(("n_unread", "told"), [(23, 168), (24, 24), (168, 24)])
def test_a_run_whose_first_answers_cannot_be_read_is_broken_off(
    n_unread: int, told: int, tmp_path: Path
) -> None:
    """A model cut off while it thinks would be paid to the end; what it said until then is kept."""
    texts = iter([*["<think>hm"] * n_unread, *[said("0.4")] * (168 - n_unread)])
    prober, counted = LlmProber(ScriptedChatModel(lambda _: next(texts)), wording=Wording.NEED), list[int]()
    with Workspace.open_or_create(tmp_path) as workspace, ExitStack() as stack:
        if told == 24:
            stack.enter_context(
                pytest.raises(ProviderError, match=r"24 answers none could be read; .*--answer-tokens")
            )
        check_paid(prober, ledger=workspace.ledger, told=lambda done, _: counted.append(done))
    assert counted == list(range(1, told + 1))


def test_a_model_that_first_cannot_tell_is_asked_to_the_end(tmp_path: Path) -> None:
    """That is an answer; what cannot be read after it is each counted as missing."""
    texts = iter([said("cannot tell"), *["no"] * 167])
    prober = LlmProber(ScriptedChatModel(lambda _: next(texts)), wording=Wording.NEED)
    with Workspace.open_or_create(tmp_path) as workspace:
        assert check_paid(prober, ledger=workspace.ledger).units == 0


def test_a_check_of_few_questions_without_an_answer_is_an_error(tmp_path: Path) -> None:
    """So few as a limit allows: nothing is known then, and it is said why."""
    model = ScriptedChatModel(lambda _: "no")
    meter = Meter(Limits(max_calls=5))
    prober = LlmProber(MeteredChat(model, meter), wording=Wording.NEED)
    with Workspace.open_or_create(tmp_path) as workspace:
        with pytest.raises(ProviderError, match="asked 5 questions, and no answer could be read; of 5 "):
            check_paid(prober, ledger=workspace.ledger)
        assert len(unasked(prober, ledger=workspace.ledger)) == 168


def test_a_run_without_a_readable_answer_is_an_error_whatever_was_answered_before(tmp_path: Path) -> None:
    """Of what it asked nothing is known; that the model cannot tell is known, and no question is none."""
    texts = iter([*[said("0.4")] * 160, *["no"] * 8])
    with Workspace.open_or_create(tmp_path) as workspace:

        def run(text: Callable[[], str]) -> JudgeReport:
            prober = LlmProber(ScriptedChatModel(lambda _: text()), wording=Wording.NEED)
            return check_paid(prober, ledger=workspace.ledger)

        assert run(lambda: next(texts)).cost.missing == 8
        with pytest.raises(ProviderError, match="asked 8 questions, and no answer could be read"):
            run(lambda: "no")
        assert run(lambda: said("cannot tell")).cost.answers == 160
        assert run(lambda: said("0.4")).cost.answers == 168
        assert run(lambda: "no").cost.answers == 168


@pytest.mark.parametrize("score", ["0.7", "cannot tell"])
def test_a_model_that_guesses_is_not_used(score: str, tmp_path: Path) -> None:
    """The same for all is chance; and so is "cannot tell", which is missing and known."""
    prober = LlmProber(ScriptedChatModel(lambda _: said(score)), wording=Wording.NEED)
    with Workspace.open_or_create(tmp_path) as workspace:
        report = check_paid(prober, ledger=workspace.ledger)
        assert report.units == 0
        assert known_report(prober, ledger=workspace.ledger) == report


def test_the_best_wording_is_the_one_of_most_units_then_of_highest_auc() -> None:
    """One that is worth nothing is none; where all are, it is the one with a control."""
    free = check_free(TextProber())
    one, more, none = (replace(free, units=units) for units in (1, 2, 0))
    sure = replace(one, auc=free.auc + 0.1)
    paper, control, need = Wording.PAPER, Wording.CONTROL, Wording.NEED
    assert best_wording({}) is control
    assert best_wording({need: none}) is control
    assert best_wording({need: one}) is need
    assert best_wording({control: none, need: one}) is need
    assert best_wording({control: one, need: sure}) is need
    assert best_wording({control: more, need: sure}) is control
    assert best_wording({control: none, paper: replace(none, auc=free.auc + 0.1)}) is control


def test_reports_are_known_by_wording(tmp_path: Path) -> None:
    """Those that are whole."""
    model = ScriptedChatModel(knowing)
    with Workspace.open_or_create(tmp_path) as workspace:
        assert known_reports(model, ledger=workspace.ledger) == {}
        report = check_paid(LlmProber(model, wording=Wording.NEED), ledger=workspace.ledger)
        assert known_reports(model, ledger=workspace.ledger) == {Wording.NEED: report}


def test_the_text_prober_is_right_where_it_speaks_and_mostly_silent() -> None:
    """It reads names; what a sentence implies it does not see. One opinion, whatever it says."""
    report = check_free(TextProber())
    assert report.units == 1
    assert 0.6 < report.auc < 0.75
    assert report.auc_declared > report.auc_undeclared + 0.1
    assert report.verdicts[2].confirmed.value == 1.0
    assert report.cost.missing > report.cost.answers > 100
    assert report.cost.calls == 0


def test_the_questions_of_a_check_are_those_of_a_build() -> None:
    """In the same wording and with a substitute each."""
    for wording, n in QUESTIONS.items():
        assert len(check_questions(wording)) == n
