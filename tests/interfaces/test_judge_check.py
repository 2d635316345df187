"""`caskg judge-check`: what it prints, plans and refuses."""

import json
import os
from pathlib import Path

import pytest

from interfaces.kitchen import Run
from providers.faulty_server import Answer, Call, FaultyServer, says

KEY = "sk-planted"


def test_without_a_model_the_text_prober_is_checked(run: Run) -> None:
    """For people: what it is worth, its measures, a row a kind, the cost."""
    result = run("judge-check")
    code, out, err = result.code, result.out, result.err
    assert (code, err) == (0, "")
    assert out.startswith("text, prompts text-3: worth 1 of 3 units.\n  AUC 0.")
    for word in ("direction", "ECE", "prerequisite", "interchangeable", "with 3 units", "0 calls, 0 tokens"):
        assert word in out


def test_a_program_gets_one_document(run: Run) -> None:
    """With everything that is in the report."""
    result = run("judge-check", "--json")
    code, out = result.code, result.out
    document = json.loads(out)
    (report,) = document["reports"]
    assert report["unasked"] == 0
    assert (code, document["pairs"], document["stopped"]) == (0, 168, None)
    assert (report["prober"], report["prompt_version"], report["wording"]) == ("text", "text-3", "text")
    assert report["units"] == 1
    assert report["direction_accuracy"] > 0.5
    assert report["kinds"][0]["kind"] == "prerequisite"


def test_whoever_asks_for_a_wording_must_name_a_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a user would think that one was asked."""
    monkeypatch.delenv("CASKG_LLM_MODEL", raising=False)
    monkeypatch.setenv("CASKG_CONFIG", os.devnull)
    for option in (["--plan"], ["--wording", "need"], ["--base-url", "http://x/v1"]):
        result = run("judge-check", *option)
        assert (result.code, result.out) == (2, "")
        assert "No model is named" in result.err


HERE = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"]


def test_a_plan_sends_nothing_and_makes_no_workspace(tmp_path: Path, run: Run) -> None:
    """Nobody listens at that address, and nobody is called."""
    folder = tmp_path / "ws"
    result = run("judge-check", *HERE, "--plan", "--json", "-w", str(folder))
    code, out = result.code, result.out
    rows = json.loads(out)["plan"]
    assert code == 0
    assert [(row["wording"], row["calls"]) for row in rows] == [
        ("paper", 504),
        ("control", 672),
        ("need", 168),
    ]
    assert all(300 < row["prompt_tokens"] / row["calls"] < 3000 for row in rows)
    assert all(row["completion_tokens"] == 64 * row["calls"] and row["cost"] is None for row in rows)
    assert not folder.exists()
    assert "control  672" in run("judge-check", *HERE, "--plan", "-w", str(folder)).out


def test_a_plan_tells_the_most_that_it_may_cost(tmp_path: Path, run: Run) -> None:
    """With prices; longer answers may cost more."""
    asked = [
        *HERE,
        "--plan",
        "--wording",
        "need",
        "-w",
        str(tmp_path / "ws"),
        "--price-in",
        "2",
        "--price-out",
        "8",
    ]
    (row,) = json.loads(run("judge-check", *asked, "--json").out)["plan"]
    assert row["cost"] == pytest.approx((2 * row["prompt_tokens"] + 8 * row["completion_tokens"]) / 1e6)
    (longer,) = json.loads(run("judge-check", *asked, "--json", "--answer-tokens", "500").out)["plan"]
    assert longer["completion_tokens"] == 500 * 168
    assert longer["cost"] > row["cost"]
    assert f"{row['cost']:,.4f}" in run("judge-check", *asked).out


def test_a_limit_of_no_calls_sends_none(tmp_path: Path, run: Run) -> None:
    """The report says that nothing is known, and why."""
    arguments = [*HERE, "--wording", "need", "--max-calls", "0", "-w", str(tmp_path / "ws")]
    result = run("judge-check", *arguments)
    code, out = result.code, result.out
    assert code == 0
    assert "/need, prompts need-1: incomplete, 168 questions have no answer yet. This is no result" in out
    assert "worth 0 of 3" not in out
    assert "0 questions answered, 0 missing; 0 calls, 0 tokens" in out
    assert "Not all was asked: the limit of 0 on calls is reached." in out


def test_a_dead_server_is_an_error(tmp_path: Path, run: Run) -> None:
    """One sentence, and no report that looks like one."""
    result = run("judge-check", *HERE, "--wording", "need", "-w", str(tmp_path / "ws"))
    code, out, err = result.code, result.out, result.err
    assert (code, out) == (7, "")
    assert "cannot be reached" in err


def test_what_cannot_be_read_ends_with_an_error_below_the_report_of_the_rest(
    tmp_path: Path, run: Run
) -> None:
    """Each run that asks and understands nothing; another wording is checked all the same."""

    def respond(call: Call) -> Answer:
        is_plan = "This is a plan" in call.prompt
        return says('{"score": "0.7"}' if is_plan or call.number < 160 else "no")

    with FaultyServer(respond) as server:
        arguments = ["--model", "m", "--base-url", server.url, "--concurrency", "1", "-w", tmp_path / "ws"]
        need = ["judge-check", *arguments, "--wording", "need"]
        first = run(*need)
        assert (first.code, first.err) == (0, "")
        again = run(*need, "--wording", "control")
        told = run(*need, "--json")
        (document,) = json.loads(told.out)["reports"]
        nothing = run(
            "judge-check", "--wording", "paper", "--schema-mode", "plain", *arguments, "--max-calls", "3"
        )
        none_asked = run(*need, "--max-calls", "0")
    assert (again.code, told.code) == (7, 7)
    assert "/need, prompts need-1: worth 0 of 3 units." in again.out
    assert "control-1: worth 0 of 3 units." in again.out
    said = "In the wording 'need' this run asked 8 questions, and no answer could be read; of 8 it is said: "
    assert again.err.startswith(f"caskg: {said}")
    assert again.err.endswith(" The report is of what was answered before.\n")
    assert document["unread"].startswith(said)
    assert (document["cost"]["answers"], document["cost"]["missing"]) == (160, 8)
    assert (nothing.code, nothing.out) == (7, "")
    assert "'paper' this run asked 3 questions" in nothing.err
    assert none_asked.code == 0


def test_a_server_is_asked_once_about_each_pair(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped by a limit, gone on with, and done: 168 calls in all. The key is in no file and no output."""
    monkeypatch.setenv("CASKG_LLM_API_KEY", KEY)
    with FaultyServer(lambda _call: says('{"score": "0.7"}')) as server:
        arguments = [
            "--model",
            "m",
            "--base-url",
            server.url,
            "--wording",
            "need",
            "-w",
            str(tmp_path / "ws"),
        ]
        results = [run("judge-check", *arguments, *more) for more in (["--max-calls", "40"], [], ["--json"])]
        assert len(server.calls) == 168
    assert "Not all was asked" in results[0].out
    assert "need-1: incomplete, 128 questions have no answer yet." in results[0].out
    assert "worth 0 of 3 units." in results[1].out
    assert "168 questions answered, 0 missing; 168 calls" in results[1].out
    (report,) = json.loads(results[2].out)["reports"]
    assert (report["units"], report["auc"], report["unasked"]) == (0, 0.5, 0)
    assert [result.code for result in results] == [0, 0, 0]
    assert all(KEY not in result.out + result.err for result in results)
    files = [path for path in (tmp_path / "ws").rglob("*") if path.is_file()]
    assert files
    assert all(KEY.encode() not in path.read_bytes() for path in files)
