"""`caskg query`: order, reasons, abstention, the bundle, and where the task comes from."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from caskg.interfaces.cli import cli
from interfaces.kitchen import NO_TASK, TASK, Run, loaded


def test_query_gives_order_id_description_and_reason(run: Run, built: Path) -> None:
    """What must come first comes first, and each says why it is there."""
    document = loaded(run, "query", *TASK.split(), "-w", built, "-k", "2")
    assert (document["version"], document["query"], document["abstained"]) == (1, TASK, False)
    assert [skill["id"] for skill in document["skills"]] == ["boil-water", "brew-tea"]
    assert document["bundle"] is None
    first, second = document["skills"]
    assert second["lexical_rank"] == 1
    assert run("query", TASK, "-w", built, "-k", "2").out.splitlines() == [
        "1. boil-water",
        "   Boils water in a kettle or a pot, safely and without waste.",
        f"   why: {first['reason']}",
        "2. brew-tea",
        "   Brews a pot of black or green tea from leaves. Use when somebody wants tea.",
        f"   why: {second['reason']}",
    ]


def test_query_abstains_with_a_hint_and_exit_code_0(run: Run, built: Path) -> None:
    """That nothing fits is an answer."""
    document = loaded(run, "query", NO_TASK, "-w", built)
    assert (document["abstained"], document["skills"]) == (True, [])
    assert run("query", NO_TASK, "-w", built).out == document["hint"] + "\n"


def test_query_leaves_out_what_is_loaded_and_what_is_forbidden(run: Run, built: Path) -> None:
    """Named by id or by the last part of it, as people do; a name that means nothing is said."""
    for option in ("--have", "--exclude"):
        document = loaded(
            run, "query", "send an invoice to a customer by mail", "-w", built, option, "send-invoice"
        )
        assert "office/send-invoice" not in [skill["id"] for skill in document["skills"]]
    result = run("query", TASK, "-w", built, "--have", "nothing-like-it")
    assert result.err == "caskg: there is no skill 'nothing-like-it' in version 1; it was ignored.\n"
    assert result.code == 0


@pytest.mark.parametrize("name", ["SEND-INVOICE", "send-invoice ", "send-invoice,brew-tea"])
def test_a_name_to_exclude_that_means_nobody_is_refused(run: Run, built: Path, name: str) -> None:
    """To go on without it would show what must stay hidden."""
    result = run("query", TASK, "-w", built, "--exclude", name)
    assert (result.code, result.out) == (2, "")
    assert "There is no skill" in result.err


def test_query_sees_only_what_the_filters_let_through(run: Run, built: Path) -> None:
    """Any of the tags, and any of the folders; a filter that nothing passes is said, and hides all."""
    task = "brew tea, boil water, then send invoice"

    def found(*options: str) -> set[str]:
        return {skill["id"] for skill in loaded(run, "query", task, *options, "-w", built)["skills"]}

    everything = found()
    assert {"brew-tea", "boil-water", "office/send-invoice"} <= everything
    assert found("--tag", "HOT DRINKS") == found("--tag", "kitchen") == {"brew-tea"}
    assert found("--folder", "office") == {"office/send-invoice"}
    assert found("--folder", "office", "--folder", "boil-*") == {"office/send-invoice", "boil-water"}


NOTHING = "every skill of version 1 is disabled, excluded or outside of the filters."


@pytest.mark.parametrize(
    ("options", "warnings"),
    [
        (["--tag", "x"], ["no skill in version 1 has the tag 'x'.", NOTHING]),
        (["--folder", "x"], ["no skill in version 1 lies in 'x'.", NOTHING]),
        (["--folder", "office", "--tag", "kitchen"], [NOTHING]),
        (["--tag", "x", "--tag", "kitchen"], ["no skill in version 1 has the tag 'x'."]),
        (["--folder", "office", "--exclude", "send-invoice", "--exclude", "泡茶"], [NOTHING]),
        (["--have", "tee"], ["there is no skill 'tee' in version 1; it was ignored."]),
        (["--have", "brew-tea", "--tag", "kitchen", "--folder", "brew-*"], []),
    ],
)
def test_what_matches_no_skill_is_said(
    run: Run, built: Path, options: list[str], warnings: list[str]
) -> None:
    """A misspelt filter looks like a task that nothing fits: to people on standard error, and in JSON."""
    shown = run("query", TASK, *options, "-w", built, "--json")
    assert shown.code == 0
    assert json.loads(shown.out)["warnings"] == warnings
    assert shown.err == run("query", TASK, *options, "-w", built).err
    assert shown.err.splitlines() == [f"caskg: {warning}" for warning in warnings]
    if NOTHING in warnings:
        assert json.loads(shown.out)["skills"] == []


def test_query_prints_a_bundle_within_its_bound(run: Run, built: Path) -> None:
    """The text of the document is the text that is printed."""
    document = loaded(run, "query", TASK, "-w", built, "--bundle", "--max-chars", "600")
    assert len(document["bundle"]["text"]) <= 600
    assert document["bundle"]["included"][0] == document["skills"][0]["id"]
    assert set(document["bundle"]) == {"text", "included", "trimmed", "left_out"}
    text = run("query", TASK, "-w", built, "--bundle", "--max-chars", "600").out
    assert text == document["bundle"]["text"] + "\n"
    assert "Boils water in a kettle" in text


@pytest.mark.parametrize(
    ("data", "query"), [(TASK.encode(), TASK), (b"green tea \xff leaves\n", "green tea \ufffd leaves\n")]
)
def test_query_reads_a_task_from_standard_input(built: Path, data: bytes, query: str) -> None:
    """Long tasks come through a pipe, and not always as UTF-8."""
    result = CliRunner().invoke(cli, ["query", "-", "-w", str(built), "--json"], input=data)
    assert json.loads(result.stdout)["query"] == query


def test_an_argument_that_is_no_utf8_is_read_as_far_as_it_is(run: Run, built: Path) -> None:
    """Python hands such bytes over as surrogates, which no encoder and no JSON reader would take."""
    assert loaded(run, "query", "green tea \udcff leaves", "-w", built)["query"] == "green tea \ufffd leaves"
