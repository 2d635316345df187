"""What the documentation says of the command line is so, and its links lead somewhere."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from caskg.errors import CaskgError
from caskg.interfaces.cli import EXIT_INTERRUPTED, cli

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
PAGE_IDS = [str(page.relative_to(ROOT)) for page in PAGES]
CLI_PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
README_WORDS = 700


def commands(
    group: click.Group = cli, path: tuple[str, ...] = ("caskg",)
) -> Iterator[tuple[str, click.Command]]:
    """Yield each command that does something, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join([*path, name]), command


COMMANDS = dict(commands())


def options(command: click.Command) -> set[str]:
    """Return all spellings of the options of a command, without help."""
    return {word for each in command.params if isinstance(each, click.Option) for word in each.opts}


def section(call: str) -> str:
    """Return the part of the page on the command line that is about a command."""
    title = " ".join(call.split()[:2])
    found = re.search(rf"^## {title}$(.*?)(?=^## |\Z)", CLI_PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/cli.md has no section {title!r}"
    return found[1]


def command_lines(text: str) -> Iterator[str]:
    """Yield the lines of code blocks that call caskg, up to a pipe or a redirection."""
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in re.findall(r"^(?:\$ )?(caskg .*)$", block, re.MULTILINE):
            yield re.split(r" [|>#] ?", line)[0]


def mentions(text: str) -> list[str]:
    """Return what stands in backticks within a line and calls caskg."""
    return re.findall(r"`(caskg [^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def called(words: list[str]) -> str | None:
    """Return the command that *words* call."""
    return next((call for call in COMMANDS if words[: len(call.split())] == call.split()), None)


def slug(title: str) -> str:
    """Return the anchor that hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("call", COMMANDS)
def test_every_command_and_option_is_documented(call: str) -> None:
    """In the section of the command, or at the top for those that all commands share."""
    text = section(call)
    assert call in text
    common = CLI_PAGE.split("\n## ")[0]
    for option in options(COMMANDS[call]):
        assert f"`{option}`" in text + common, option


def test_every_documented_option_exists() -> None:
    """An option that was renamed leaves the page."""
    known = {"-h", "--help", "--version"}.union(*map(options, COMMANDS.values()))
    found = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", re.sub(r"`\.[^`\s]*`", "", CLI_PAGE)))
    assert found <= known


def test_every_exit_code_is_documented() -> None:
    """Those of the errors, 0, and the one of an interrupt."""
    errors: list[type[CaskgError]] = [CaskgError, *CaskgError.__subclasses__()]
    codes = {0, EXIT_INTERRUPTED, *(error.exit_code for error in errors)}
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", CLI_PAGE, re.MULTILINE)} == codes


@pytest.mark.parametrize("page", PAGES, ids=PAGE_IDS)
def test_every_command_line_parses(page: Path) -> None:
    """A reader will type it."""
    for line in command_lines(page.read_text(encoding="utf-8")):
        words = shlex.split(line)
        if words[1:] in (["--help"], ["-h"], ["--version"]):
            continue
        call = called(words)
        assert call, line
        COMMANDS[call].make_context(call, words[len(call.split()) :])


@pytest.mark.parametrize("page", PAGES, ids=PAGE_IDS)
def test_every_mention_names_a_command_and_options_that_exist(page: Path) -> None:
    """A mention in a sentence may leave arguments out."""
    groups = {call.rsplit(" ", 1)[0] for call in COMMANDS}
    for mention in mentions(page.read_text(encoding="utf-8")):
        words = re.sub(r"[\[\]]", "", mention).split()
        given = {word.split("=")[0] for word in words if word.startswith("-") and word != "-"}
        call = called(words)
        assert call or " ".join(words) in groups or given <= {"--help", "--version"}, mention
        assert given <= (options(COMMANDS[call]) if call else set()) | {"-h", "--help", "--version"}, mention


@pytest.mark.parametrize("page", PAGES, ids=PAGE_IDS)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    """To a file that is there, and to a heading of it."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{page.name} links to {link}"
        if anchor:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(slug, titles), f"{page.name} links to {link}"


def test_the_readme_is_for_a_user_in_a_hurry() -> None:
    """What is longer belongs into docs/."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < README_WORDS


ASKED_AGAIN = (
    "A question that has a score is never asked again. One without is asked again by the next run, since a "
    "missing answer is no evidence, until the model has said twice that it cannot tell; `--plan` says how "
    "many calls that is."
)


@pytest.mark.parametrize("page", ["cli.md", "llm.md", "judge-check.md", "steps/5-probe.md"])
def test_every_page_says_the_same_of_what_is_asked_again(page: str) -> None:
    """It decides what a run costs; the help of both commands says it too."""
    assert ASKED_AGAIN in " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
    for name in ("probe", "judge-check"):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        assert ASKED_AGAIN in " ".join((command.help or "").split())
