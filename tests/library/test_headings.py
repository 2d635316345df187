"""Topics of headings."""

import pytest

from caskg.library.headings import Topic, section_topics, topic_of
from caskg.schema import Section

_TITLES = {
    Topic.INPUTS: """
        Inputs|Input|Required inputs|Inputs / Prerequisites|Input requirements|Arguments|Parameters
        |Script parameters|What you need|What you'll need|You will need|You should have|What goes in
        |You will be asked for|What to bring|Have ready|What to have at hand|Needs|Ingredients|Materials
        |Needed|Information wanted|Things required|Tools and materials|Gather beforehand|Bring along
        |Start with|输入|Eingaben""",
    Topic.OUTPUTS: """
        Outputs|Output|Output format|Outputs and deliverables|Expected output|Result|Results|Deliverables
        |Produces|Yields|Gives|Returns|What you get|You end up with|You will have|You now have|There will be
        |Afterwards there is|Finished product|What comes out|输出格式|Salidas""",
    Topic.PRECONDITIONS: """
        Preconditions|Pre-conditions|Prerequisites|Safety and preconditions|Before you start|Before starting
        |Before the first entry|Beforehand|Conditions|Conditions for starting|Entry conditions|Starting point
        |Requires|Dependencies|Requirements|System requirements|Check first|Must hold first|Begin only when
        |Ready?|Assumptions to check first|Pre-flight checks|前置条件|Voraussetzungen""",
    Topic.EFFECTS: """
        Effects|Outcome|End state|End result|Finished|Finished state|Intended result|Postconditions
        |State afterwards|Afterwards|At the end|On completion|When you have finished|Done when
        |Success criteria|What is then the case|效果""",
    Topic.RECOVERY: """
        Recovery|Troubleshooting|If it goes wrong|When things go awry|If it fails|When the check fails
        |If you get stuck|If something is missing|Failure modes|Error handling|Common issues and solutions
        |Remedies|Trouble and remedy|Difficulties|Correcting failures|Putting it right|Repairs
        |Fixing problems|故障排除|Fehlerbehebung""",
    Topic.CONTRAST: """
        When not to use|Do NOT use this skill when|Not for|Out of scope|What this does not cover|Alternatives
        |When to use X instead|A vs B""",
    Topic.RELATED: """
        Related skills|See also|Integration with other skills|Companion skills|Skill chaining
        |Cross-references""",
    Topic.USED: """
        Skills to invoke|Skills to use|Skills used|Required skills|Required background skills
        |Skills to load""",
    Topic.NEXT: "Next steps|Next|What's next|What comes next|Follow-up|Handoff",
    None: """
        Steps|Purpose|When to use|Overview|Before / After|Input validation|Error codes|Terms and conditions
        |Requirements engineering|Default settings|Which skills to use when|Creating issues|Tools
        |Repair a bike|Query parameters""",
}


def sections(*titles: str) -> list[Section]:
    """Sections from headings written in Markdown."""
    return [
        Section(title=title.lstrip("# "), level=len(title) - len(title.lstrip("#")), text="")
        for title in titles
    ]


@pytest.mark.parametrize(("topic", "titles"), _TITLES.items())
def test_topic_of_headings(topic: Topic | None, titles: str) -> None:
    """In the words that people use; a word inside another phrase may mean something else."""
    found = {title.strip(): topic_of(title.strip()) for title in titles.split("|")}
    assert found == dict.fromkeys(found, topic)


@pytest.mark.parametrize(
    "title", ["3. Inputs:", "## INPUTS", "🔧 Inputs", "Step 2: Inputs", "Inputs (optional)", "Inputs {#in}"]
)
def test_signs_around_a_heading_do_not_matter(title: str) -> None:
    """Numbers, pictures, anchors."""
    assert topic_of(title) is Topic.INPUTS


def test_a_long_heading_is_a_sentence() -> None:
    """The limit is 60 characters."""
    assert topic_of("If it fails " + "x" * 48) is Topic.RECOVERY
    assert topic_of("If it fails " + "x" * 49) is None


def test_a_typographic_apostrophe_is_an_apostrophe() -> None:
    """Editors put it in by themselves."""
    assert topic_of("What you\u2019ll need") is Topic.INPUTS


def test_deeper_headings_belong_to_the_one_above() -> None:
    """Unless they say something themselves; the next heading of the same level ends it."""
    found = section_topics(
        sections("# T", "## Inputs", "### Files", "#### Deep", "### Results", "## Steps", "### A")
    )
    assert found == [None, Topic.INPUTS, Topic.INPUTS, Topic.INPUTS, Topic.OUTPUTS, None, None]


def test_a_topic_is_taken_from_the_nearest_heading_above() -> None:
    """One that says something itself holds for what stands under it, no further."""
    found = section_topics(sections("## Recovery", "### Inputs", "#### x", "### y", "## z"))
    assert found == [Topic.RECOVERY, Topic.INPUTS, Topic.INPUTS, Topic.RECOVERY, None]


def test_the_title_of_the_document_tells_nothing() -> None:
    """A skill called "Error handling" is not one long recovery."""
    assert section_topics(sections("# Error handling", "## Steps", "## Inputs")) == [None, None, Topic.INPUTS]
    assert section_topics(sections("# Troubleshooting")) == [None]


def test_without_a_title_the_first_heading_tells() -> None:
    """Several headings of the first level are sections; so is a single one of the second."""
    assert section_topics(sections("# Inputs", "# Steps")) == [Topic.INPUTS, None]
    assert section_topics(sections("## Inputs")) == [Topic.INPUTS]
    assert section_topics(sections("## Inputs", "# Steps")) == [Topic.INPUTS, None]


def test_text_before_the_first_heading_has_no_topic() -> None:
    """It has no heading; no sections have no topics."""
    assert section_topics([Section(title="", level=0, text="x"), *sections("## Inputs")]) == [
        None,
        Topic.INPUTS,
    ]
    assert section_topics([]) == []
