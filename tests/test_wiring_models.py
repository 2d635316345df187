"""A server behind a build, a query and a chat; its key stays out of everything that is kept or shown."""

import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from builds import write_skill
from caskg.errors import EncoderError, ProviderError, UsageError
from caskg.interfaces.cli import main
from caskg.providers.metered import Limits, Meter
from caskg.schema import ChatRequest
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace, config_file, open_chat, open_retriever
from providers.faulty_server import Answer, Call, FaultyServer, fails, says

KEY = "sk-planted-0123456789"
SKILLS = {
    "boil-water": "Boil water in a kettle.",
    "brew-tea": "Brew tea with hot water.",
    "mow-lawn": "Mow a lawn.",
}


def vector(text: str) -> list[float]:
    """Return one number for each of some words, as a bag of them."""
    bag = np.zeros(64)
    for word in text.lower().split():
        bag[zlib.crc32(word.strip(".,:#").encode()) % 64] += 1
    return bag.tolist()


def serve(call: Call) -> Answer:
    if call.path.endswith("/embeddings"):
        data = [{"index": at, "embedding": vector(text)} for at, text in enumerate(call.body["input"])]
        return Answer(body={"data": data})
    return says(f"you are {call.headers['authorization']}")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FaultyServer]:
    """A server that environment and config file lead to."""
    config = tmp_path / "config.toml"
    with FaultyServer(serve) as running:
        config.write_text(
            f'[llm]\nmodel = "m"\nbase_url = "{running.url}"\napi_key = "{KEY}"\nbackoff_s = 0.0\n'
        )
        monkeypatch.setenv("CASKG_CONFIG", str(config))
        monkeypatch.setenv("CASKG_EMBEDDINGS_BASE_URL", running.url)
        monkeypatch.setenv("CASKG_EMBEDDINGS_MODEL", "e")
        monkeypatch.setenv("CASKG_EMBEDDINGS_API_KEY", KEY)
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Three skills, built with a remote encoder unless a test does otherwise."""
    for name, text in SKILLS.items():
        write_skill(tmp_path / "skills", name, description=text)
    with Workspace.create(tmp_path / "workspace") as made:
        yield made


def build(workspace: Workspace, encoder: str = "remote") -> None:
    build_workspace(workspace, [workspace.path.parent / "skills"], encoder=encoder)


def test_a_remote_encoder_builds_and_answers(server: FaultyServer, workspace: Workspace) -> None:
    """`auto` stays with it; what is unchanged is not sent again."""
    build(workspace)
    version = workspace.current()
    assert version.meta["encoder"] == "remote"
    assert version.meta["encoder_fingerprint"] == "embeddings-e-8000"
    n_sent = len(server.calls)
    build(workspace, "auto")
    assert workspace.current().number == version.number
    assert len(server.calls) == n_sent
    assert open_retriever(version).retrieve("mow a lawn").skills[0].skill.id == "mow-lawn"
    assert server.calls[-1].body == {"model": "e", "input": ["mow a lawn"], "encoding_format": "float"}


def test_another_model_does_not_answer_for_a_version(
    server: FaultyServer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cosines between two encoders mean nothing."""
    build(workspace)
    monkeypatch.setenv("CASKG_EMBEDDINGS_MODEL", "another")
    with pytest.raises(EncoderError, match="embeddings-e-8000, and this CaSKG has embeddings-another-8000"):
        open_retriever(workspace.current())
    assert all(call.body["model"] == "e" for call in server.calls)


def longer(call: Call) -> Answer:
    """Embed as `serve` does, with a number more."""
    data = [{"index": at, "embedding": [*vector(text), 1]} for at, text in enumerate(call.body["input"])]
    return Answer(body={"data": data})


def turned(call: Call) -> Answer:
    """Embed with as many numbers as `serve`, in another order."""
    data = [{"index": at, "embedding": vector(text)[::-1]} for at, text in enumerate(call.body["input"])]
    return Answer(body={"data": data})


@pytest.mark.parametrize("other", [longer, turned])
def test_a_server_that_changed_its_model_is_found_out_where_it_is_named(
    server: FaultyServer,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    other: Callable[[Call], Answer],
) -> None:
    """Under the same name: one text is sent again, and all of them where it comes out otherwise."""
    build(workspace)
    build(workspace)
    assert len(server.calls) == 2
    assert workspace.current().number == 1
    with FaultyServer(other) as changed:
        monkeypatch.setenv("CASKG_EMBEDDINGS_BASE_URL", changed.url)
        build(workspace, "auto")  # sends nothing
        assert changed.calls == []
        if other is longer:
            with pytest.raises(EncoderError, match="`caskg build --encoder remote`"):
                open_retriever(workspace.current()).retrieve("mow a lawn")
            changed.calls.clear()
        build(workspace)
        version = workspace.current()
        assert version.number == 2
        assert [len(call.body["input"]) for call in changed.calls] == [1, len(server.calls[0].body["input"])]
        assert open_retriever(version).retrieve("mow a lawn").skills[0].skill.id == "mow-lawn"
        changed.calls.clear()
        for encoder in ("remote", "auto"):
            build(workspace, encoder)
            assert workspace.current().number == 2
        assert len(changed.calls) == 1


@pytest.mark.usefixtures("server")
def test_a_changed_model_is_found_out_where_something_else_has_changed_too(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No old vector stands beside a new one."""
    build(workspace)
    write_skill(workspace.path.parent / "skills", "sow-lawn", description="Sow a lawn.")
    with FaultyServer(longer) as changed:
        monkeypatch.setenv("CASKG_EMBEDDINGS_BASE_URL", changed.url)
        build(workspace, "auto")
    vectors = workspace.current().arrays["vectors"]
    assert vectors.shape == (4, 65)


def test_a_build_that_died_between_two_models_is_made_up_for(
    server: FaultyServer, workspace: Workspace
) -> None:
    """What was removed and not made again is missing: the next build does not take it for unchanged."""
    build(workspace)
    workspace.vectors.forget("embeddings-e-8000")
    build(workspace)
    assert len(server.calls) == 2
    assert workspace.current().number == 2
    build(workspace)
    assert len(server.calls) == 3
    assert workspace.current().number == 2


def test_a_server_that_is_gone_publishes_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build ends with an error; the last version stays."""
    build(workspace, "builtin")
    with FaultyServer(serve) as server:
        url = server.url
    monkeypatch.setenv("CASKG_EMBEDDINGS_BASE_URL", url)
    monkeypatch.setenv("CASKG_EMBEDDINGS_MODEL", "e")
    config = workspace.path.parent / "config.toml"
    config.write_text("[embeddings]\nmax_attempts = 1\n", encoding="utf-8")
    monkeypatch.setenv("CASKG_CONFIG", str(config))
    with pytest.raises(ProviderError, match="cannot be reached"):
        build(workspace)
    assert [version.number for version in workspace.versions()] == [1]


def test_a_chat_goes_past_its_meter(server: FaultyServer) -> None:
    """With the settings of the file, and those given before them."""
    meter = Meter(Limits(max_calls=3))
    chat = open_chat({"model": "given", "seed": 5}, meter)
    requests = [ChatRequest(id=str(number), messages=(("user", "a"),)) for number in range(9)]
    answers = list(chat.complete_many(requests))
    assert len(answers) == len(server.calls) == meter.spend.calls == 3
    assert server.calls[0].body["model"] == "given"
    assert server.calls[0].body["seed"] == 5
    assert KEY not in repr(answers)


def test_without_a_model_nothing_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it says where to name one."""
    monkeypatch.setenv("CASKG_CONFIG", os.devnull)
    monkeypatch.delenv("CASKG_LLM_MODEL", raising=False)
    with pytest.raises(UsageError, match=r"No model is named: .*\$CASKG_LLM_MODEL"):
        open_chat({}, Meter(Limits()))


def test_the_config_file_is_where_configuration_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named, else by the convention of desktops, else at home."""
    for name in ("CASKG_CONFIG", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert config_file() == Path.home() / ".config" / "caskg" / "config.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_file() == tmp_path / "caskg" / "config.toml"
    monkeypatch.setenv("CASKG_CONFIG", str(tmp_path / "here.toml"))
    with pytest.raises(UsageError, match="no file where"):
        config_file()  # else the default would be asked
    (tmp_path / "here.toml").touch()
    assert config_file() == tmp_path / "here.toml"


def test_a_planted_key_is_in_no_file_of_a_workspace(server: FaultyServer, workspace: Workspace) -> None:
    """Nor in what a version says of itself, although it was sent with every call."""
    build(workspace)
    assert all(call.headers["authorization"] == f"Bearer {KEY}" for call in server.calls)
    files = [path for path in workspace.path.rglob("*") if path.is_file()]
    assert files
    assert all(KEY.encode() not in path.read_bytes() for path in files)
    assert KEY not in json.dumps(dict(workspace.current().meta))


def test_a_planted_key_is_in_no_output_of_a_command(
    server: FaultyServer,
    workspace: Workspace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither when it goes well, nor in the error of a server that repeats it."""
    skills = workspace.path.parent / "skills"
    arguments = ["build", str(skills), "--encoder", "remote", "--json", "-w", str(workspace.path)]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    well = capsys.readouterr()
    assert not ended.value.code
    assert json.loads(well.out)["encoder"] == "remote"
    write_skill(skills, "new-skill", description="Something new.")
    with FaultyServer(lambda call: fails(401, f"No: {call.headers['authorization']}")) as refusing:
        monkeypatch.setenv("CASKG_EMBEDDINGS_BASE_URL", refusing.url)
        with pytest.raises(SystemExit) as ended:
            main(arguments)
    refused = capsys.readouterr()
    assert ended.value.code == ProviderError.exit_code
    assert "HTTP 401: No: Bearer [key]" in refused.err
    assert KEY not in well.out + well.err + refused.out + refused.err
    assert server.calls
