"""`caskg probe`: what it plans, asks, spends, publishes, and what it does when things go wrong."""

import hashlib
import json
import math
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from caskg.graph.llm_prober import LlmProber
from caskg.graph.prompts import Wording
from caskg.judging import check_paid
from caskg.providers.scripted import ScriptedChatModel
from caskg.schema import PROBE_KINDS, ChatRequest, ProbeKey, ProbeKind
from caskg.store.reserve import reserved
from caskg.store.workspace import Workspace
from graph.llm_cases import knowing
from interfaces.kitchen import SKILLS, Run, loaded, write_skill
from providers.faulty_server import Answer, Call, FaultyServer, fails, says

KEY = "sk-planted-0123456789"
NAME = "llm:chat-m-temperature=0-seed=0-schema=auto-logprobs=0-extra=none"
Respond = Callable[[Call], Answer]


def opinion(call: Call) -> Answer:
    """Answer by what was asked, the same to the same."""
    asked = json.dumps(call.body["messages"]).encode()
    tenth = int.from_bytes(hashlib.sha256(asked).digest()[:4]) % 11
    return says(f'{{"score": "{tenth / 10:g}"}}')


def embeddings(call: Call) -> Answer:
    """Embed by the bytes of a hash."""
    rows = [[float(byte) for byte in hashlib.sha256(text.encode()).digest()] for text in call.body["input"]]
    return Answer(body={"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]})


@pytest.fixture(autouse=True)
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A planted key, and no waiting between attempts."""
    file = tmp_path / "config.toml"
    file.write_text("[llm]\nbackoff_s = 0.0\nmax_attempts = 2\n")
    monkeypatch.setenv("CASKG_CONFIG", str(file))
    monkeypatch.setenv("CASKG_LLM_API_KEY", KEY)
    monkeypatch.delenv("CASKG_LLM_MODEL", raising=False)


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with FaultyServer(opinion) as running:
        yield running


@pytest.fixture
def probe(workspace: Path, server: FaultyServer) -> list[str | Path]:
    """The command, but for its own options."""
    return command(workspace, server.url)


def command(workspace: Path, url: str) -> list[str | Path]:
    return ["probe", "-w", workspace, "--model", "m", "--base-url", url, "--wording", "control"]


def test_a_plan_names_calls_tokens_and_cost_and_sends_nothing(
    run: Run, probe: list[str | Path], server: FaultyServer
) -> None:
    """The calls are those that the run then sends, the judge's included; the cost is an upper bound."""
    prices = ["--price-in", "2", "--price-out", "8"]
    planned = loaded(run, *probe, "--budget", "5", "--judge", "--plan", *prices)
    assert (server.calls, planned["frontier"], planned["units"]) == ([], 5, None)
    judge, probes, total = planned["judge"], planned["probes"], planned["total"]
    assert judge["calls"] > 0
    assert 15 < probes["calls"] <= 4 * 5  # where no skill is left to be a substitute there are three
    for name in ("calls", "prompt_tokens", "completion_tokens", "cost"):
        assert total[name] == judge[name] + probes[name]
    assert total["completion_tokens"] == 64 * total["calls"]
    assert total["cost"] == pytest.approx((2 * total["prompt_tokens"] + 8 * total["completion_tokens"]) / 1e6)
    done = loaded(run, *probe, "--budget", "5", "--judge", *prices)
    assert (done["open"], done["scored"], len(server.calls)) == (total["calls"],) * 3
    assert done["spent"]["cost"] <= total["cost"]
    lines = run(*probe, "--budget", "5", "--judge", "--plan", *prices).out.splitlines()
    assert lines[0] == f"{NAME}, prompts control-1, never checked; 5 edges to be asked about."
    assert [line.split()[:2] for line in lines[2:]] == [["judge", "0"], ["probes", "0"], ["total", "0"]]


def test_more_arms_and_longer_answers_are_planned_and_asked(
    run: Run, probe: list[str | Path], server: FaultyServer
) -> None:
    """A call an edge for each arm, less what is asked in the same words, with so many tokens to answer in."""
    options = ["--budget", "5", "--near", "--both-orders", "--answer-tokens", "700"]
    fewer = loaded(run, *probe, "--budget", "5", "--plan")["probes"]["calls"]
    planned = loaded(run, *probe, *options, "--plan")
    assert fewer + 5 <= planned["probes"]["calls"] <= fewer + 10
    assert planned["total"]["completion_tokens"] == 700 * planned["total"]["calls"]
    done = loaded(run, *probe, *options)
    assert done["scored"] == len(server.calls) == planned["probes"]["calls"]
    assert {call.body["max_tokens"] for call in server.calls} == {700}


def test_a_disabled_skill_is_sent_in_no_place(
    run: Run, probe: list[str | Path], workspace: Path, server: FaultyServer
) -> None:
    """Nor as a substitute that the build has chosen."""
    texts = {"office/send-invoice": "sends it by mail", "wash-clothes": "load of laundry"}
    assert run("disable", *texts, "-w", workspace).code == 0
    loaded(run, *probe, "--near")
    sent = json.dumps([call.body for call in server.calls])
    assert "Boils water in a kettle" in sent
    assert [text for text in texts.values() if text in sent] == []


def kitchen(run: Run, tmp_path: Path) -> tuple[Path, Path]:
    """Return a library that may be edited, and a workspace of it."""
    library, folder = tmp_path / "library", tmp_path / "ws"
    for skill_id, text in SKILLS.items():
        write_skill(library, skill_id, text)
    run("build", library, "-w", folder, "--encoder", "builtin")
    return library, folder


def edit(library: Path) -> None:
    file = library / "brew-tea" / "SKILL.md"
    file.write_text(file.read_text() + "Let it stand.\n")


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_plan_writes_nothing_whatever_waits(run: Run, tmp_path: Path) -> None:
    """Neither kept answers, nor edited, renamed and disabled skills, nor labels on them, are moved by it."""
    library, folder = kitchen(run, tmp_path)
    with FaultyServer(lambda call: opinion(call) if call.number < 6 else fails(500)) as server:
        run("disable", "wash-clothes", "-w", folder)
        run("edge", "reject", "boil-water", "cook-pasta", "-w", folder)
        assert run(*command(folder, server.url), "--concurrency", "1").code == 7
        edit(library)
        (library / "wash-clothes").rename(library / "wash-laundry")
        (library / "cook-pasta").rename(library / "pasta")
        before, calls = (
            {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()},
            server.calls[:],
        )
        planned = loaded(run, *command(folder, server.url), "--plan", "--judge")
        loaded(run, "judge-check", *command(folder, server.url)[1:], "--plan")
        assert contents(folder) == before
        assert server.calls == calls
    with FaultyServer(opinion) as server:
        done = loaded(run, *command(folder, server.url), "--judge")
        assert (done["version"], done["unasked"]) == (2, 0)
        sent = json.dumps([call.body for call in server.calls])
    assert len(server.calls) == done["open"] == planned["total"]["calls"]
    assert "Let it stand." in sent
    assert "load of laundry" not in sent
    asked = {key[:2] for key in answered(folder)}
    assert (hash_of(folder, "boil-water"), hash_of(folder, "pasta")) not in asked
    assert (hash_of(folder, "pasta"), hash_of(folder, "boil-water")) in asked


def test_nothing_is_published_before_the_last_answer(run: Run, tmp_path: Path) -> None:
    """Neither what an earlier run kept, nor edited files: those who read see the old version until then."""
    library, folder = kitchen(run, tmp_path)
    with FaultyServer(lambda call: opinion(call) if call.number < 6 else fails(500)) as server:
        run(*command(folder, server.url), "--concurrency", "1")
    edit(library)
    seen = set[int]()

    def look(call: Call) -> Answer:
        with Workspace.open(folder) as workspace:
            seen.add(len(workspace.versions()))
        return opinion(call)

    with FaultyServer(look) as server:
        assert loaded(run, *command(folder, server.url))["version"] == 2
    assert seen == {1}


def test_what_was_paid_for_is_said_where_nothing_can_be_published(run: Run, tmp_path: Path) -> None:
    """The skills went away in the middle: their own error, what was spent, and the answers are there."""
    library, folder = kitchen(run, tmp_path)
    away = tmp_path / "away"

    def take_away(call: Call) -> Answer:
        if call.number == 3:
            library.rename(away)
        return opinion(call)

    with FaultyServer(take_away) as server:
        failed = run(*command(folder, server.url), "--budget", "4")
        assert (failed.code, failed.out) == (3, "")
        calls = f"Nothing was published. {len(server.calls)} questions came back ({len(server.calls)} calls, "
        assert calls in failed.err
        away.rename(library)
        assert loaded(run, *command(folder, server.url), "--budget", "4")["version"] == 2


def test_a_plan_asks_no_server_for_vectors(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is not embedded yet it says so; a run has them made."""

    def serve(call: Call) -> Answer:
        if not call.path.endswith("/embeddings"):
            return opinion(call)
        rows = [
            [float(byte) for byte in hashlib.sha256(text.encode()).digest()] for text in call.body["input"]
        ]
        return Answer(body={"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]})

    library, folder = kitchen(run, tmp_path)
    with FaultyServer(serve) as server:
        monkeypatch.setenv("CASKG_EMBEDDINGS_BASE_URL", server.url)
        monkeypatch.setenv("CASKG_EMBEDDINGS_MODEL", "e")
        run("build", "-w", folder, "--encoder", "remote")
        probe, calls = [*command(folder, server.url), "--budget", "2"], len(server.calls)
        assert loaded(run, *probe, "--plan")["frontier"] == 2
        edit(library)
        refused = run(*probe, "--plan")
        assert (refused.code, refused.out, len(server.calls)) == (2, "", calls)
        assert "texts have no vector yet, and a plan does not ask the server" in refused.err
        assert loaded(run, *probe)["scored"] > 0


def test_what_a_model_cannot_tell_is_asked_twice_in_all(run: Run, probe: list[str | Path]) -> None:
    """A plan says how many calls ask again; in vain they publish nothing, and then nothing is left to ask."""

    def unsure(call: Call) -> Answer:
        return says('{"score": "cannot tell"}') if "only B" in call.prompt else opinion(call)

    with FaultyServer(unsure) as server:
        here = [*probe[:5], "--base-url", server.url, *probe[7:], "--budget", "4"]
        planned = [loaded(run, *here, "--plan")]
        done = [loaded(run, *here)]
        said = run(*here, "--plan").out
        for _ in range(2):
            planned.append(loaded(run, *here, "--plan"))
            done.append(loaded(run, *here))
    assert [each["missing"] for each in done] == [4, 4, 0]
    assert [each["total"]["calls"] for each in planned] == [done[0]["open"], 4, 0]
    assert [each["repeated"] for each in planned] == [0, 4, 0]
    assert said.splitlines()[-1] == "Of these calls 4 ask again what was asked before and has no score."
    assert [(each["version"], each["unchanged"]) for each in done] == [(2, False), (2, True), (2, True)]


def checked(
    workspace: Path, wording: Wording = Wording.CONTROL, script: Callable[[ChatRequest], str] = knowing
) -> int:
    """Let the judge check be made: of a model that knows; return what its answers are worth."""
    model = ScriptedChatModel(script, fingerprint=NAME.removeprefix("llm:"))
    with Workspace.open(workspace) as opened:
        return check_paid(LlmProber(model, wording=wording), ledger=opened.ledger).units


def test_adaptive_probing_needs_to_know_how_the_model_answers(
    run: Run, probe: list[str | Path], workspace: Path, server: FaultyServer
) -> None:
    """By its judge check, where one error counts once; and the profile paper counts all."""
    refused = run(*probe, "--adaptive", "--wording", "paper")
    assert (refused.code, server.calls) == (2, [])
    assert "in the wording 'paper': run `caskg judge-check` first" in refused.err
    for wording in (Wording.CONTROL, Wording.NEED, Wording.PAPER):
        checked(workspace, wording)
    for shared in ("control", "need"):
        refused = run(*probe, "--adaptive", "--wording", shared)
        assert refused.code == 2
        assert f"for the wording 'paper', not '{shared}'" in refused.err
    assert run("build", "-w", workspace, "--profile", "paper").code == 0
    assert "for the profile default" in run(*probe, "--adaptive").err
    assert server.calls == []


def test_a_model_that_decides_nothing_is_not_asked_adaptively(
    run: Run, probe: list[str | Path], workspace: Path, server: FaultyServer
) -> None:
    """One that knows a pair in eight and cannot tell of the others: one opinion an edge at most."""

    def seldom(request: ChatRequest) -> str:
        pair = "".join(sorted(re.findall(r"^name: (.+)$", request.messages[-1][1], re.MULTILINE)[:2]))
        return knowing(request) if zlib.crc32(pair.encode()) % 8 == 0 else '{"score": "cannot tell"}'

    assert checked(workspace, Wording.PAPER, seldom) == 1
    refused = run(*probe, "--adaptive", "--wording", "paper")
    assert (refused.code, server.calls) == (2, [])
    assert "are one opinion, which decides nothing" in refused.err


def test_adaptive_probing_is_planned_asked_and_read(
    run: Run, probe: list[str | Path], workspace: Path, server: FaultyServer
) -> None:
    """No more calls than planned; builds afterwards read answers likewise, until all is asked."""
    checked(workspace, Wording.PAPER)
    probe += ["--wording", "paper"]
    planned = loaded(run, *probe, "--adaptive", "--plan")
    n_edges, most = planned["frontier"], planned["probes"]["calls"]
    assert n_edges <= planned["expected_calls"] <= most <= 1.5 * n_edges
    assert planned["total"]["completion_tokens"] == 64 * most
    done = loaded(run, *probe, "--adaptive")
    assert (done["scored"], done["unasked"], done["reading"]) == (len(server.calls), 0, "modelled")
    assert n_edges <= done["scored"] <= most
    assert loaded(run, "build", "-w", workspace)["unchanged"]
    said = "Answers are read as their judge check says the model answers.\n"
    assert said in run("build", "-w", workspace).out
    fixed = loaded(run, *probe)
    assert fixed["reading"] == "counted"
    assert len(server.calls) > done["scored"]
    assert said not in run("build", "-w", workspace).out
    assert loaded(run, "build", "-w", workspace)["unchanged"]


def test_a_plan_says_what_is_expected(run: Run, probe: list[str | Path], workspace: Path) -> None:
    """Where that is less than the most."""
    checked(workspace, Wording.PAPER)
    probe += ["--wording", "paper"]
    lines = run(*probe, "--adaptive", "--plan").out.splitlines()
    planned = loaded(run, *probe, "--adaptive", "--plan")
    less = planned["expected_calls"] < planned["total"]["calls"]
    words = f"These are most; by the judge check about {planned['expected_calls']:,} calls are expected."
    assert (lines[-1] == words) is less


def test_without_prices_a_plan_has_no_cost(run: Run, probe: list[str | Path]) -> None:
    """None, not 0: it is not free. What opinions may change is said."""
    planned = loaded(run, *probe, "--plan", "--budget", "2")
    assert (planned["total"]["cost"], planned["judge"]["calls"]) == (None, 0)
    said = run(*probe, "--plan", "--budget", "2", "--judge").out.splitlines()
    assert (
        said[-1] == "The opinions decide which edges are asked about, so the tokens of the probes may change."
    )
    assert said[-2].split()[-1] == "-"


def test_what_was_answered_is_published_with_what_it_is_worth(run: Run, probe: list[str | Path]) -> None:
    """One opinion an edge, as long as the model was never checked; and both say so."""
    done = loaded(run, *probe, "--budget", "5")
    assert (done["version"], done["unchanged"], done["stopped"], done["frontier"]) == (2, False, None, 5)
    ((name, use),) = done["models"].items()
    assert name == done["asked"] == NAME
    assert (use["units"], use["checked"], use["n_edges"], use["prompts"]) == (1, False, 5, ["control-1"])
    assert use["n_answers"] == done["scored"] - 5  # the controls are no evidence by themselves
    lines = run(*probe, "--budget", "5").out.splitlines()
    assert lines[1].startswith("0 questions about 5 edges were open: 0 have a score now")
    assert lines[2] == "Spent: 0 calls, 0 tokens."
    assert lines[3].startswith("Version 2 is up to date: ")
    assert lines[5].startswith(f"{NAME}: ")
    assert lines[5].endswith("worth 1 of 3 units: it was never checked; run `caskg judge-check`.")
    assert lines[-1].startswith("Candidates: 1 confirmed, 7 uncertain, 0 rejected, ")


def test_a_build_afterwards_has_the_same_graph(
    run: Run, probe: list[str | Path], workspace: Path, server: FaultyServer
) -> None:
    """It reads the ledger, and asks nobody."""
    loaded(run, *probe, "--budget", "5")
    before, calls = run("graph", "-w", workspace).out, len(server.calls)
    assert loaded(run, "build", "-w", workspace)["unchanged"]
    assert loaded(run, "build", "-w", workspace, "--profile", "paper")["models"] != {}
    assert loaded(run, "build", "-w", workspace, "--profile", "default")["version"] == 4
    assert (run("graph", "-w", workspace).out, len(server.calls)) == (before, calls)


def test_a_limit_stops_and_the_next_run_asks_the_rest(
    run: Run, probe: list[str | Path], server: FaultyServer
) -> None:
    """What came is published; in all, each question is asked once."""
    stopped = loaded(run, *probe, "--budget", "5", "--max-calls", "7", "--concurrency", "3")
    assert (len(server.calls), stopped["scored"], stopped["version"]) == (7, 7, 2)
    assert stopped["stopped"] == "the limit of 7 on calls is reached"
    assert stopped["unasked"] == stopped["open"] - 7
    rest = run(*probe, "--budget", "5")
    assert rest.out.splitlines()[1].startswith(f"{stopped['open'] - 7} questions about 5 edges were open")
    assert len(server.calls) == stopped["open"]
    asked = [json.dumps(call.body["messages"]) for call in server.calls]
    assert len(set(asked)) == len(asked)
    assert (
        "Not all was asked: the limit of 2 on calls" in run(*probe, "--budget", "9", "--max-calls", "2").out
    )


def test_a_limit_that_just_fits_stops_nothing(run: Run, probe: list[str | Path]) -> None:
    """All was asked, so nothing was kept back."""
    n_open = loaded(run, *probe, "--budget", "2", "--plan")["total"]["calls"]
    done = loaded(run, *probe, "--budget", "2", "--max-calls", str(n_open))
    assert (done["scored"], done["unasked"], done["stopped"]) == (n_open, 0, None)


@pytest.mark.parametrize(
    "limit",
    [
        ["--max-cost", "1"],
        ["--max-cost", "nan", "--price-in", "1", "--price-out", "1"],
        ["--max-calls", "-1"],
        ["--max-tokens", "-1"],
        ["--price-in", "1"],
        ["--price-in", "nan", "--price-out", "1"],
        ["--price-in", "-1", "--price-out", "1"],
        ["--price-in", "1e308", "--price-out", "1"],
        ["--requests-per-minute", "nan"],
        ["--requests-per-minute", "0"],
        ["--timeout", "inf"],
        ["--concurrency", "0"],
        ["--temperature", "nan"],
    ],
)
def test_a_limit_that_is_none_is_refused(
    run: Run, probe: list[str | Path], server: FaultyServer, limit: list[str]
) -> None:
    """No number, a negative one, money without prices: one sentence, and no call."""
    refused = run(*probe, *limit, "--json")
    assert (refused.code, refused.out, server.calls) == (2, "", [])
    assert refused.err.startswith("caskg: ")
    assert refused.err.count("\n") == 1


@pytest.mark.parametrize("limit", [["--max-calls", "0"], ["--max-tokens", "0"], ["--budget", "0"]])
def test_a_limit_of_zero_sends_nothing(
    run: Run, probe: list[str | Path], server: FaultyServer, limit: list[str]
) -> None:
    """And changes nothing."""
    done = loaded(run, *probe, "--budget", "5", *limit)
    assert (server.calls, done["version"], done["unchanged"]) == ([], 1, True)
    assert (done["scored"], done["spent"]["calls"]) == (0, 0)


@pytest.mark.parametrize(
    "limit", [["--max-tokens", "60"], ["--max-cost", "0.00006", "--price-in", "1", "--price-out", "1"]]
)
def test_what_is_known_only_afterwards_is_passed_by_no_more_than_what_is_out(
    run: Run, probe: list[str | Path], server: FaultyServer, limit: list[str]
) -> None:
    """Each call takes 12 tokens; five fit, and three are out at a time."""
    done = loaded(run, *probe, "--budget", "5", "--concurrency", "3", *limit)
    assert 5 <= len(server.calls) <= 5 + 3
    assert (done["spent"]["calls"], done["unasked"]) == (len(server.calls), done["open"] - len(server.calls))
    assert done["stopped"].startswith("the limit of ")


# ---------------------------------------------------------------- what goes wrong


FAILURES: dict[str, Respond] = {
    "an error of the server": lambda _: fails(500),
    "a wrong key": lambda call: fails(401, f"Incorrect API key {call.headers['authorization']}"),
    "no such model": lambda _: fails(404),
    "too long a prompt": lambda _: fails(400),
    "never an answer": lambda _: says(after_s=math.inf),
    "closed in the middle": lambda _: says(cut_at=20),
    "no JSON": lambda _: Answer(body=b"<html>"),
    "JSON of another shape": lambda _: says('{"grade": "0.5"}'),
    "a score outside the enum": lambda _: says('{"score": "0.55"}'),
    "no choices": lambda _: Answer(body={"choices": []}),
    "empty content": lambda _: says(""),
    "a slow trickle": lambda _: says(byte_every_s=0.1),
    "a redirect to another host": lambda _: fails(302, headers={"Location": "http://192.0.2.1/v1"}),
    "refused for its rate": lambda _: fails(429, headers={"Retry-After": "600"}),
    "cannot tell": lambda _: says('{"score": "cannot tell"}'),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_where_nothing_is_answered_nothing_is_published(run: Run, workspace: Path, failure: Respond) -> None:
    """A non-zero exit, a count, one sentence without the key; the graph is the one from before."""
    before = run("graph", "-w", workspace).out
    with FaultyServer(failure) as server:
        options = ["--budget", "2", "--timeout", "0.3", "--concurrency", "2"]
        result = run(*command(workspace, server.url), *options)
        assert 1 <= len(server.calls) <= 16
    assert (result.code, result.out) == (7, "")
    assert " with a score; that is kept, and no graph was made of it." in result.err
    assert len([line for line in result.err.splitlines() if line.startswith("caskg: ")]) == 1
    assert KEY not in result.err
    assert all(KEY.encode() not in path.read_bytes() for path in workspace.rglob("*") if path.is_file())
    assert run("graph", "-w", workspace).out == before
    assert loaded(run, "history", "-w", workspace)["versions"][-1]["version"] == 1


def test_nobody_there_is_said_at_once(run: Run, workspace: Path) -> None:
    """One call, and no graph that looks like one."""
    result = run(*command(workspace, "http://127.0.0.1:9/v1"), "--budget", "2")
    assert (result.code, result.out) == (7, "")
    assert "cannot be reached" in result.err
    assert "0 with a score" in result.err


def test_a_server_that_dies_on_the_way_leaves_what_it_said(run: Run, workspace: Path) -> None:
    """Exit 7 and a count; nothing is published, nothing is lost, and a build uses it."""
    with FaultyServer(lambda call: opinion(call) if call.number < 6 else fails(500)) as server:
        result = run(*command(workspace, server.url), "--budget", "9", "--concurrency", "1")
    assert (result.code, result.out) == (7, "")
    assert ", 6 with a score; that is kept, and no graph was made of it." in result.err
    assert loaded(run, "status", "-w", workspace)["version"] == 1
    built = loaded(run, "build", "-w", workspace)
    assert (built["version"], built["models"][NAME]["n_answers"]) == (2, 4)  # and two controls


def test_what_fails_now_and_then_is_counted_and_asked_again(run: Run, workspace: Path) -> None:
    """500 twice costs two attempts; a question that fails is missing, with its reason, and not 0.5."""

    def shaky(call: Call) -> Answer:
        return {1: fails(500), 4: says("no"), 6: fails(400, "too long")}.get(call.number, opinion(call))

    with FaultyServer(shaky) as server:
        arguments = [*command(workspace, server.url), "--budget", "2", "--concurrency", "1"]
        done = loaded(run, *arguments)
        assert (done["missing"], done["scored"]) == (2, done["open"] - 2)
        assert done["spent"]["calls"] == done["open"] + 1 - 1  # one attempt more, one that was refused
        assert len(server.calls) == done["open"] + 1
        assert sorted(done["reasons"].values()) == [1, 1]
        assert any("The answer is no JSON" in reason for reason in done["reasons"])
        again = loaded(run, *arguments)
    assert (again["open"], again["scored"], again["missing"]) == (2, 2, 0)


def test_a_key_is_in_no_file_and_no_output(run: Run, workspace: Path) -> None:
    """Not even where the server repeats it."""

    def parrot(call: Call) -> Answer:
        seen = call.headers["authorization"]
        return says(f"your key is {seen}") if call.number % 2 else opinion(call)

    with FaultyServer(parrot) as server:
        arguments = [*command(workspace, server.url), "--budget", "2", "--concurrency", "1"]
        results = [run(*arguments, *more) for more in ([], ["--json"], ["--plan"], ["--max-calls", "1"])]
        results += [run("ledger", what, "-w", workspace, "--json") for what in ("list", "totals", "export")]
        assert any(KEY in call.headers["authorization"] for call in server.calls)
    assert all(KEY not in result.out + result.err for result in results)
    assert "[key]" in results[4].out
    assert all(KEY.encode() not in path.read_bytes() for path in workspace.rglob("*") if path.is_file())


# ---------------------------------------------------------------- resume and stale answers


def test_an_edited_skill_makes_stale_only_what_used_it(
    run: Run, tmp_path: Path, server: FaultyServer
) -> None:
    """Its own edges, and the substitutions in which it stood in; all else stays paid for."""
    library, folder = kitchen(run, tmp_path)
    arguments = [*command(folder, server.url), "--budget", "100"]
    first = loaded(run, *arguments)
    before = answered(folder)
    old = next(key.substitute_hash for key in sorted(before) if key.substitute_hash)
    skill_id = id_of(folder, old)
    edited = library / skill_id / "SKILL.md"
    edited.write_text(edited.read_text() + "That is all.\n")
    stale = {key for key in before if old in key[:3]}
    evidence = [key for key in stale if key.kind in PROBE_KINDS]
    built = loaded(run, "build", "-w", folder)
    assert built["models"][NAME]["n_answers"] == first["models"][NAME]["n_answers"] - len(evidence)
    again = loaded(run, *arguments)
    new, asked = hash_of(folder, skill_id), answered(folder) - before
    assert again["open"] <= len(asked) == len(stale)  # some of it is asked in the same words
    stood_in = {key[:2] for key in stale if key.substitute_hash == old}
    assert stood_in
    for key in asked:
        assert new in key[:2] or (key.kind is ProbeKind.SUBSTITUTION and key[:2] in stood_in)
    assert again["models"] == first["models"]


def answered(folder: Path) -> set[ProbeKey]:
    with Workspace.open(folder) as workspace:
        return {key for key, _ in workspace.ledger.entries() if key.prober_id == NAME}


def id_of(folder: Path, content_hash: str) -> str:
    with Workspace.open(folder) as workspace:
        version = workspace.current()
        return version.ids[version.content_hashes.index(content_hash)]


def hash_of(folder: Path, skill_id: str) -> str:
    with Workspace.open(folder) as workspace:
        version = workspace.current()
        return version.content_hashes[version.ids.index(skill_id)]


def test_another_encoder_costs_no_call_for_edges_that_stay(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors are made anew; the substitutes that were chosen before stay, and so do the answers."""

    def serve(call: Call) -> Answer:
        if not call.path.endswith("/embeddings"):
            return opinion(call)
        return embeddings(call)

    library, folder = kitchen(run, tmp_path)
    with FaultyServer(serve) as server:
        monkeypatch.setenv("CASKG_EMBEDDINGS_BASE_URL", server.url)
        monkeypatch.setenv("CASKG_EMBEDDINGS_MODEL", "e")
        arguments = [*command(folder, server.url), "--budget", "100"]
        loaded(run, *arguments)
        before = answered(folder)
        assert loaded(run, "build", library, "-w", folder, "--encoder", "remote")["encoder"] == "remote"
        loaded(run, *arguments)
    edges = {key[:2] for key in before}
    asked = answered(folder) - before
    assert not {key[:2] for key in asked} & edges
    assert edges


def test_two_at_a_time_would_pay_twice(run: Run, probe: list[str | Path], workspace: Path) -> None:
    """The second one says so; it may plan."""
    check = ["judge-check", "-w", workspace, "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    with reserved(workspace):
        for arguments in (probe, check):
            refused = run(*arguments)
            assert (refused.code, refused.out) == (6, "")
            assert "Another process asks a model for this workspace" in refused.err
        assert loaded(run, *probe, "--plan", "--budget", "1")["frontier"] == 1
    assert loaded(run, *probe, "--budget", "1")["version"] == 2


# ---------------------------------------------------------------- wording, judge, worth


def test_the_paper_asks_the_edges_of_highest_association_in_its_own_wording(
    run: Run, workspace: Path, server: FaultyServer
) -> None:
    """Each answer counts as 1 there, and those of the free prober do not count beside it."""
    run("build", "-w", workspace, "--profile", "paper")
    arguments: list[str | Path] = ["probe", "-w", workspace, "--model", "m", "--base-url", server.url]
    done = loaded(run, *arguments, "--budget", "4")
    assert (done["wording"], done["profile"], done["models"][NAME]["n_edges"]) == ("paper", "paper", 4)
    for more in (["--budget", "501"], ["--frontier", "coverage"]):
        refused = run(*arguments, *more)
        assert (refused.code, refused.out) == (2, "")
        assert "asks about the 500 edges of highest A" in refused.err


def test_an_opinion_refines_the_association(run: Run, probe: list[str | Path], workspace: Path) -> None:
    """It is a signal of the edge, told by explain; the answers of the probes are evidence."""
    loaded(run, *probe, "--budget", "1", "--judge")
    with Workspace.open(workspace) as opened:
        version = opened.current()
        ids = dict(zip(version.content_hashes, version.ids, strict=True))
        said = {key: answer for key, answer in opened.ledger.entries() if key.prober_id == f"{NAME}/judge"}
    assert said
    for key, answer in said.items():
        told = loaded(run, "explain", ids[key.source_hash], ids[key.target_hash], "-w", workspace)
        assert told["edge"]["signals"]["judge"] == answer.score


def test_a_model_that_refuses_settings_and_thinks_aloud_is_asked_and_understood(
    run: Run, workspace: Path
) -> None:
    """As those that reason do; `explain` shows each answer with what was not sent, a resume asks nothing."""

    def reasons(call: Call) -> Answer:
        if named := [name for name in ("temperature", "seed", "response_format") if name in call.body]:
            return fails(400, f"Unsupported parameter: '{named[0]}' is not supported with this model.")
        answer = opinion(call).body["choices"][0]["message"]["content"]  # type: ignore[index] # a completion
        return says(f'<think>Is it {{"score": "1"}}?</think>\nSo:\n```json\n{answer}\n```')

    with FaultyServer(reasons) as server:
        done = loaded(run, *command(workspace, server.url), "--budget", "2", "--answer-tokens", "900")
        assert done["scored"] == done["open"] == len(server.calls) - 5  # two refusals, twice; one
        assert loaded(run, *command(workspace, server.url), "--budget", "2")["open"] == 0
    assert done["spent"]["calls"] == done["scored"]
    with Workspace.open(workspace) as opened:
        said = [answer.transcript or "" for key, answer in opened.ledger.entries() if key.prober_id == NAME]
    assert len(said) == done["scored"]
    assert all(each.endswith("[asked without seed, temperature, which the server refuses]") for each in said)


def test_explain_shows_what_the_model_said(run: Run, probe: list[str | Path], workspace: Path) -> None:
    """The raw answer, the coherence that it states, and the effect that follows from the control."""
    loaded(run, *probe, "--budget", "1")
    with Workspace.open(workspace) as opened:
        version = opened.current()
        ids = dict(zip(version.content_hashes, version.ids, strict=True))
        key = next(key for key, _ in opened.ledger.entries() if key.prober_id == NAME)
    pair = ids[key.source_hash], ids[key.target_hash]
    answers = loaded(run, "explain", *pair, "-w", workspace)["edge"]["answers"]
    told = {each["probe"]: each for each in answers if each["prompt"] == "control-1"}
    intact, removal = told["intact"], told["removal"]
    assert intact["effect"] is None
    assert removal["effect"] == pytest.approx(0.5 + (intact["score"] - removal["score"]) / 2)
    assert json.loads(removal["transcript"])["score"] == f"{removal['score']:g}"
    lines = run("explain", *pair, "-w", workspace).out.splitlines()
    effect, score = f"{removal['effect']:.3f}", f"{removal['score']:.3f}"
    assert any(
        line.split(maxsplit=1)
        == ["removal", f"{effect} from coherence {score}  {NAME}: {removal['transcript']}"]
        for line in lines
    )
    assert any(line.split()[:3] == ["intact", "coherence", f"{intact['score']:.3f}"] for line in lines)


def test_what_a_judge_check_finds_is_in_the_graph_and_wherever_it_is_shown(run: Run, workspace: Path) -> None:
    """Three units in place of one: another weight, and every command that shows the graph says why."""

    def knows(call: Call) -> Answer:
        """Tell the truth of labelled pairs, and of others that only intact plans are coherent."""
        if any(f"name: {skill_id.rsplit('/')[-1]}" in call.prompt for skill_id in SKILLS):
            return says(f'{{"score": "{"1" if "first A, then B" in call.prompt else "0"}"}}')
        return says(knowing(ChatRequest(id="", messages=(("user", call.prompt),))))

    with FaultyServer(knows) as server:
        probe = [*command(workspace, server.url), "--budget", "3"]
        before = loaded(run, *probe)
        run("judge-check", *command(workspace, server.url)[1:])
        after = loaded(run, *probe)
        assert (after["open"], after["version"]) == (0, 3)
    assert after["candidate_states"]["confirmed"] > before["candidate_states"]["confirmed"] > 0
    for shown in (after, loaded(run, "status", "-w", workspace), loaded(run, "build", "-w", workspace)):
        assert (shown["models"][NAME]["units"], shown["models"][NAME]["checked"]) == (3, True)
    with Workspace.open(workspace) as opened:
        version = opened.current()
        ids = dict(zip(version.content_hashes, version.ids, strict=True))
        pairs = {key[:2] for key, _ in opened.ledger.entries() if key.prober_id == NAME and key[0] in ids}
    for i, j in pairs:
        lines = run("explain", ids[i], ids[j], "-w", workspace).out.splitlines()
        assert f"worth {NAME}: 3 of 3 units, by its judge check" in [" ".join(line.split()) for line in lines]
    run("rollback", "2", "-w", workspace)
    worth = loaded(run, "explain", ids[i], ids[j], "-w", workspace)["worth"]
    assert worth == {NAME: {"units": 1, "checked": False}}
    assert loaded(run, "status", "-w", workspace)["models"][NAME]["units"] == 1


def test_in_the_profile_paper_each_answer_counts_as_one(run: Run, workspace: Path) -> None:
    """Whatever a judge check says, so none of it is shown."""
    run("build", "-w", workspace, "--profile", "paper")
    with FaultyServer(opinion) as server:
        loaded(run, "probe", "-w", workspace, "--model", "m", "--base-url", server.url, "--budget", "1")
    with Workspace.open(workspace) as opened:
        version = opened.current()
        ids = dict(zip(version.content_hashes, version.ids, strict=True))
        key = next(key for key, _ in opened.ledger.entries() if key.prober_id == NAME)
    told = loaded(run, "explain", ids[key.source_hash], ids[key.target_hash], "-w", workspace)
    assert NAME in {answer["source_id"] for answer in told["edge"]["answers"]}
    assert told["worth"] == {}


def test_a_model_that_cannot_judge_is_not_paid(run: Run, workspace: Path) -> None:
    """Its judge check says that it is worth nothing; the plan says so, and that nothing would be asked."""
    with FaultyServer(lambda _call: says('{"score": "0.7"}')) as server:
        model: list[str | Path] = [
            "-w",
            workspace,
            "--model",
            "m",
            "--base-url",
            server.url,
            "--wording",
            "need",
        ]
        run("judge-check", *model)
        calls = len(server.calls)
        refused = run("probe", *model, "--budget", "3")
        assert (refused.code, refused.out, len(server.calls)) == (2, "", calls)
        assert "are worth nothing, so nothing is asked" in refused.err
        plan = ["probe", *model, "--budget", "3", "--plan", "--judge"]
        planned = loaded(run, *plan)
        assert (planned["units"], planned["frontier"], planned["expected_calls"]) == (0, 0, 0)
        assert planned["total"]["calls"] == planned["probes"]["calls"] == planned["judge"]["calls"] == 0
        assert refused.err == f"caskg: {planned['refused']}\n"
        assert run(*plan).out.splitlines()[1:] == [f"`caskg probe` would ask nothing. {planned['refused']}"]
        run("build", "-w", workspace, "--profile", "paper")
        planned = loaded(run, *plan[:-1])
        assert (planned["refused"], planned["total"]["calls"]) == (None, 3)
        assert loaded(run, "probe", *model, "--budget", "3")["scored"] == 3


def test_the_wording_that_is_worth_most_is_the_default(run: Run, workspace: Path) -> None:
    """As far as it is known: the one with a control, unless another is of use where that is not."""

    def likes_plans(call: Call) -> Answer:
        asked = ChatRequest(id="", messages=(("user", call.prompt),))
        return says('{"score": "0.7"}' if "This is a plan" in call.prompt else knowing(asked))

    with FaultyServer(likes_plans) as server:
        model: list[str | Path] = ["-w", workspace, "--model", "m", "--base-url", server.url]
        assert loaded(run, "probe", *model, "--plan")["wording"] == "control"
        check = run("judge-check", *model, "--wording", "control").out
        assert check.endswith("control: none is known to be of use, so nothing would be asked.\n")
        assert loaded(run, "probe", *model, "--plan")["wording"] == "control"
        check = run("judge-check", *model, "--wording", "need").out
        assert check.endswith("in the wording need: it is worth most.\n")
        assert loaded(run, "probe", *model, "--plan")["wording"] == "need"
        run("build", "-w", workspace, "--profile", "paper")
        assert loaded(run, "probe", *model, "--plan")["wording"] == "paper"


def test_without_a_version_there_is_nothing_to_ask_about(
    run: Run, tmp_path: Path, server: FaultyServer
) -> None:
    """A judge check makes a workspace, but publishes nothing."""
    folder = tmp_path / "ws"
    Workspace.create(folder).close()
    result = run(*command(folder, server.url))
    assert (result.code, result.out, server.calls) == (6, "", [])
    assert "caskg build" in result.err
