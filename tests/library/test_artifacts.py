"""Files that a body says it writes or reads."""

import pytest

from caskg.library.artifacts import artifacts
from caskg.library.headings import Topic
from caskg.library.mentions import Passage


def found(text: str, topic: Topic | None = None) -> tuple[list[str], list[str]]:
    """Return the paths that a body writes, and those that it reads."""
    writes, reads = artifacts([Passage(text, topic)])
    return [each.path for each in writes], [each.path for each in reads]


@pytest.mark.parametrize(
    "text",
    [
        "Write the list to `notes/List.md`.",
        "Save it as notes/list.md for later.",
        "The list is stored at `./notes/list.md`.",
        "Read the log, then create `~/notes/list.md`.",
        "- **Output**: `notes/list.md`",
        "Append each line to `notes/list.md`.",
        "It leaves `notes/list.md` behind.",
        "Place the list in `notes/list.md`.",
        "Put it into `notes/list.md`.",
        "Fill in `notes/list.md`.",
        "It wrote `notes/list.md`.",
        "Log each cup in `notes/list.md`.",
        "Each cup is logged in `notes/list.md`.",
        "**Result**: `notes/list.md`",
        "Convert the talk to a list, and place it in `notes/list.md`.",
        "The previous step saved `notes/list.md`.",
        "`notes/list.md` is written by this skill.",
        "`notes/list.md` will be created.",
        "Results land in `notes/list.md`.",
        "The list goes to the file notes/list.md.",
        "It all ends up under `notes/list.md`.",
        "Run `list --all > notes/list.md`.",
        "Run `list` or `read the list >> notes/list.md`.",
        "Run `list 2>&1 | tee notes/list.md`.",
        "You find the result in `notes/list.md`.",
        "When done, they are in `notes/list.md`.",
    ],
)
def test_a_file_that_is_written(text: str) -> None:
    """The verb nearest before the path decides; paths are compared in lower case."""
    assert found(text) == (["notes/list.md"], [])


@pytest.mark.parametrize(
    "text",
    [
        "Read `notes/list.md` first.",
        "Check for notes/list.md before asking.",
        "Write a summary from `notes/list.md`.",
        "If `notes/list.md` exists, ask less.",
        "`notes/list.md` is present.",
        "Input: `notes/list.md`",
        "Uses the costs in `notes/list.md`.",
        "Follow the steps in `notes/list.md`.",
        "Work it out based on `notes/list.md`.",
        "Look up the name in `notes/list.md`.",
        "Pass `notes/list.md` to the printer.",
        "Feed the `notes/list.md` to the oven.",
        "Upload your file `notes/list.md`.",
        "Print `notes/list.md`.",
        "Publish your `notes/list.md`.",
        "It converts `notes/list.md` to a page.",
        "`notes/list.md` must exist.",
        "`notes/list.md` must already exist.",
        "If there is no `notes/list.md`, stop.",
        "Read the results in `notes/list.md`.",
        "Read the log `notes/list.md`.",
    ],
)
def test_a_file_that_is_read(text: str) -> None:
    """Or that may be there."""
    assert found(text) == ([], ["notes/list.md"])


@pytest.mark.parametrize(
    "text",
    [
        "`notes/list.md` is the list.",
        "Never write to `notes/list.md`.",
        "Read `references/list.md`.",
        "Read [the list](notes/list.md).",
        "Read https://example.org/notes/list.md today.",
        "Create `*.md`.",
        "Create `{name}.md`.",
        "Read the chapter notes/list.",
        "```\nwrite notes/list.md\n```",
        "Write it.\n\n`notes/list.md`",
        "Write it.\n- `notes/list.md`",
        "Write it. Then `notes/list.md`",
        "Rather than writing `notes/list.md`, speak.",
        "Instead of writing `notes/list.md`, speak.",
        "Stop writing `notes/list.md`.",
        "Check that nobody created `notes/list.md`.",
        "The previous tenant saved `notes/list.md`.",
        "Earlier versions read `notes/list.md`.",
        "The log: `notes/list.md`",
        "The results are good: `notes/list.md`",
        "Update `notes/list.md`.",
        "Fill the list at `notes/list.md`.",
        "Likely places, such as `notes/list.md`, vary.",
        "`notes/list.md` is written by the tenant.",
        "`notes/list.md` is not written.",
        "Once `notes/list.md` is written, rest.",
        "Go to `notes/list.md`.",
        "Landing pages: `notes/list.md`",
        "Results never land in `notes/list.md`.",
        "Do not run `list > notes/list.md`.",
        "Run `list < notes/list.md`.",
        "Run `a` in Settings > notes/list.md",
        "That is `a => notes/list.md`",
        "> notes/list.md",
    ],
)
def test_what_is_not_handed_over(text: str) -> None:
    """No verb in the sentence, a denial, the skill's own folders, links, nameless files, code."""
    assert found(text) == ([], [])


def test_a_file_that_is_written_and_read_is_the_skills_own() -> None:
    """It stays its output: others may read it."""
    assert found("Write `a-b/log.md`. Later read `a-b/log.md`.") == (["a-b/log.md"], [])


def test_what_differs_from_run_to_run_is_a_star() -> None:
    """However authors mark it."""
    text = "Create `{year}/<name>/$DAY/a.md` and `b-[topic].md` and `YYYY-MM-DD-log.md`."
    assert found(text) == (["*/*/*/a.md", "b-*.md", "*-log.md"], [])


def test_evidence_is_the_line_in_plain_words_and_bounded() -> None:
    """What `explain` shows."""
    (written,), _ = artifacts([Passage(f"Save **all** to `a/b.md` {'x' * 400}.")])
    assert written.evidence.startswith("Save all to a/b.md xxx")
    assert len(written.evidence) == 300


def test_the_first_line_that_tells_of_a_file_is_its_evidence() -> None:
    """A file counts once, in whatever section."""
    (written,), _ = artifacts([Passage(f"Save {title} to `x/y.json`.") for title in ("one", "two")])
    assert written.evidence == "Save one to x/y.json."


def test_a_file_may_list_paths_without_end() -> None:
    """The first forty count."""
    text = "\n".join(f"- Create `out/file{n}.md`" for n in range(50))
    assert len(found(text)[0]) == 40


@pytest.mark.parametrize(
    ("topic", "writes", "reads"),
    [
        (Topic.OUTPUTS, ["a/b.yaml"], []),
        (Topic.INPUTS, [], ["a/b.yaml"]),
        (Topic.PRECONDITIONS, [], ["a/b.yaml"]),
        (Topic.RELATED, [], []),
        (None, [], []),
    ],
)
def test_the_heading_decides_where_no_verb_does(
    topic: Topic | None, writes: list[str], reads: list[str]
) -> None:
    """A list of files under "Output" names what is written; a verb goes before it."""
    assert found("- `a/b.yaml`", topic) == (writes, reads)
    assert found("Read `a/b.yaml`.", topic) == ([], ["a/b.yaml"])


def test_docs_are_the_projects_and_not_the_skills() -> None:
    """Unlike its references and scripts."""
    assert found("It creates `docs/adr/index.md`.") == (["docs/adr/index.md"], [])
    assert found("Takes `out/report.json` as input.") == ([], ["out/report.json"])


def test_only_the_words_near_a_path_decide() -> None:
    """A line may be as long as the file; so the time is that of reading it once."""
    assert found(f"Write {'x' * 293} `a/b.md`") == (["a/b.md"], [])
    assert found(f"Write {'x' * 294} `a/b.md`") == ([], [])


def test_what_is_built_drawn_or_recorded_is_a_file_too() -> None:
    """An image that one skill builds is what another flashes."""
    assert found("The image lands in `build/sensor-node.bin`.") == (["build/sensor-node.bin"], [])
    assert found("Flash the image `build/sensor-node.bin`.") == ([], ["build/sensor-node.bin"])
    assert found("Play `takes/first-cut.mp4`, then save it as `takes/final-cut.mp4`.") == (
        ["takes/final-cut.mp4"],
        ["takes/first-cut.mp4"],
    )
