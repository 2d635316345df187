"""What is stated without a heading: below a label, and in sentences."""

import pytest

from caskg.library.fields import MOST_LISTED, extract_fields, listed_length
from caskg.library.headings import Topic
from caskg.library.labels import labelled, presupposed
from caskg.library.markdown import cut_sections
from caskg.schema import Section, SkillFields

PRECONDITIONS, INPUTS, OUTPUTS = Topic.PRECONDITIONS, Topic.INPUTS, Topic.OUTPUTS


def stated(text: str, *, title: str = "", of_the_skill: bool = True) -> list[tuple[Topic, str]]:
    section = Section(title=title, level=0, text=text)
    return [(topic, about.strip()) for topic, about in labelled(section, of_the_skill=of_the_skill)]


def fields(body: str, description: str = "") -> SkillFields:
    return extract_fields({}, cut_sections(body), description=description)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("**Prerequisites:**\n- a kettle", PRECONDITIONS),
        ("**Prerequisites**:\n\n- a kettle", PRECONDITIONS),
        ("Pour.\n\n  Preconditions:\n  - a kettle", PRECONDITIONS),
        ("Inputs:\n- a kettle", INPUTS),
        ("**Required inputs**\n\n- a kettle", INPUTS),
        ("Output:\n- a kettle\n\nPour.", OUTPUTS),
    ],
)
def test_a_label_on_its_own_line_is_a_heading_of_the_list_below(text: str, topic: Topic) -> None:
    """Bold or with a colon, an empty line between or not."""
    assert stated(text) == [(topic, "- a kettle")]


def test_after_a_bold_label_its_line_says_it() -> None:
    """Without bold it may be anything: "Input: x" stands in every example."""
    assert stated("**Output:** a cup of tea\nPour.") == [(OUTPUTS, "a cup of tea")]
    assert stated("Output: a cup of tea") == []


@pytest.mark.parametrize(
    "text",
    [
        "Prerequisites:\n\nPour it.",
        "**Prerequisites:**",
        "Before pouring:\n- a kettle",
        "See the Inputs:\n- a kettle",
        "```\nInputs:\n- a kettle\n```",
        "**Output:** \u2192",
    ],
)
def test_other_lines_are_no_labels(text: str) -> None:
    """No list, other words, within a line, in code, nothing said."""
    assert stated(text) == []


def test_an_entry_that_goes_on_belongs_to_the_list() -> None:
    """Until a line that is neither an entry nor indented."""
    assert stated("Inputs:\n1. a kettle\n   of copper\n2) water\nPour.") == [
        (INPUTS, "1. a kettle\n   of copper\n2) water")
    ]


def test_a_part_has_inputs_of_its_own_and_preconditions_of_the_skill() -> None:
    """What one of its commands prints is not what the skill gives; nor is an example's."""
    text = "**Requirements met.**\n\n**Inputs:**\n- tea\n\n**Prerequisites:**\n- fire"
    assert stated(text, of_the_skill=False) == [(PRECONDITIONS, "- fire")]
    assert stated(text, title="Example 2: tea") == []


def test_labels_state_what_headings_do() -> None:
    """Entries below a label are read as those below a heading, within the same limit."""
    body = (
        "# Tea\n\n**Inputs:**\n- `leaf` (list): green\n\n**Outputs:**\n- tea\n\n## Steps\n\nInputs:\n- no\n"
    )
    found = fields(body)
    assert [(each.name, each.type, each.description) for each in found.inputs or ()] == [
        ("leaf", "list", "green")
    ]
    assert [each.name for each in found.outputs or ()] == ["tea"]
    sections = cut_sections(f"Inputs:\n- {'a' * 100}\n")
    assert listed_length(sections) == len(f"\n- {'a' * 100}")
    assert fields(f"Inputs:\n- short\n- {'a' * MOST_LISTED}\n").inputs is not None


@pytest.mark.parametrize(
    "sentence",
    [
        "Requires a running database.",
        "This skill requires a key.",
        "This skill REQUIRES a key.",
        "You MUST be logged in.",
        "It presupposes a clean table.",
        "Requires: a git repository.",
        "You must be logged in.",
        "You need to already be signed in to the shop.",
        "The user must be authenticated.",
        "The printer must be connected.",
        "Docker needs to be installed first.",
        "A server has to be already running.",
    ],
)
def test_a_sentence_about_the_skill_presupposes(sentence: str) -> None:
    """In the description and in what stands before the steps."""
    assert list(presupposed(f"Makes tea. {sentence}\n\nPour.", of_the_skill=True)) == [sentence]
    assert fields(f"# Tea\n\n{sentence}\n").preconditions == (sentence,)
    assert fields("", sentence).preconditions == (sentence,)


@pytest.mark.parametrize(
    "sentence",
    [
        "It requires no milk.",
        "Requires nothing.",
        "This step requires care.",
        "The tea must be hot.",
        "You must be quick.",
        f"Requires {'a very ' * 30}hot pot.",
        "He says it requires milk.",
    ],
)
def test_other_sentences_do_not(sentence: str) -> None:
    """Nothing needed, a part of it, no state, too long, somebody's words."""
    assert list(presupposed(f"Makes tea. {sentence}", of_the_skill=True)) == []


def test_in_its_sections_a_sentence_must_speak_of_the_skill_or_to_its_reader() -> None:
    """There "Requires a pot" is said of a step."""
    text = "Requires a pot.\n- This skill requires fire.\n- You must be signed in.\nIt must be connected.\n"
    assert list(presupposed(text, of_the_skill=False)) == [
        "This skill requires fire.",
        "You must be signed in.",
    ]
    assert fields(f"# Tea\n\n## Steps\n\n{text}").preconditions == (
        "This skill requires fire.",
        "You must be signed in.",
    )
    assert fields(f"# Tea\n\n## Preconditions\n\n- {text}").preconditions is not None
