"""`caskg judge-check`: what it prints, plans and refuses."""

import json
from pathlib import Path

import pytest

from caskg.interfaces.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run a command line; return exit code, output and what went to standard error."""
    with pytest.raises(SystemExit) as ended:
        main(["judge-check", *arguments])
    said = capsys.readouterr()
    return int(str(ended.value.code or 0)), said.out, said.err


def test_without_a_model_the_text_prober_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    """For people: what it is worth, its measures, a row a kind, the cost."""
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert out.startswith("text, prompts text-1: worth 1 of 3 units.\n  AUC 0.")
    for word in ("direction", "ECE", "prerequisite", "interchangeable", "with 3 units", "0 calls, 0 tokens"):
        assert word in out


def test_a_program_gets_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """With everything that is in the report."""
    code, out, _ = run(capsys, "--json")
    document = json.loads(out)
    (report,) = document["reports"]
    assert (code, document["pairs"], document["stopped"]) == (0, 168, None)
    assert (report["prober"], report["prompt_version"], report["wording"]) == ("text", "text-1", "text")
    assert report["units"] == 1
    assert report["direction_accuracy"] > 0.5
    assert report["kinds"][0]["kind"] == "prerequisite"


@pytest.mark.parametrize(
    "option", [["--plan"], ["--wording", "need"], ["--max-calls", "3"], ["--base-url", "http://x/v1"]]
)
def test_options_of_a_model_need_a_model(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Or a user would think that one was asked."""
    code, out, err = run(capsys, *option)
    assert (code, out) == (2, "")
    assert "Name a --model" in err


HERE = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"]


def test_a_plan_sends_nothing_and_makes_no_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody listens at that address, and nobody is called."""
    folder = tmp_path / "ws"
    code, out, _ = run(capsys, *HERE, "--plan", "--json", "-w", str(folder))
    rows = json.loads(out)["plan"]
    assert code == 0
    assert [(row["wording"], row["calls"]) for row in rows] == [
        ("paper", 504),
        ("control", 672),
        ("need", 168),
    ]
    assert all(300 < row["prompt_tokens"] / row["calls"] < 3000 for row in rows)
    assert not folder.exists()
    assert "control  672" in run(capsys, *HERE, "--plan", "-w", str(folder))[1]


def test_a_limit_of_no_calls_sends_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report says that nothing is known, and why."""
    arguments = [*HERE, "--wording", "need", "--max-calls", "0", "-w", str(tmp_path / "ws")]
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "/need, prompts need-1: worth 0 of 3 units." in out
    assert "0 questions answered, 0 missing; 0 calls, 0 tokens" in out
    assert "Not all was asked: the limit of 0 on calls is reached." in out


def test_a_dead_server_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence, and no report that looks like one."""
    code, out, err = run(capsys, *HERE, "--wording", "need", "-w", str(tmp_path / "ws"))
    assert (code, out) == (7, "")
    assert "cannot be reached" in err
