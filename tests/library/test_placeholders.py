"""Template text that nobody has replaced is told from text that only looks like it."""

import pytest

from caskg.library.placeholders import is_placeholder


@pytest.mark.parametrize(
    "name",
    ["skill-name", "Skill-Template", "my-skill", "your-skill-name", "template", "<agent-name>", "{name}",
     "{{ name }}", "[name]", "TODO", "untitled", "skill-1"],
)  # fmt: skip
def test_names_of_templates(name: str) -> None:
    """In any case, and slots of every kind."""
    assert is_placeholder("name", name)


@pytest.mark.parametrize(
    "name", ["skill-creator", "todo-list", "template-engine", "name-a-baby", "my-skills-shop", "a<b>"]
)
def test_names_that_only_begin_so(name: str) -> None:
    """The whole name has to be one."""
    assert not is_placeholder("name", name)


@pytest.mark.parametrize(
    "description",
    [
        "TODO",
        "TODO: say what it does",
        "[TODO: complete this]",
        "Your description here",
        "A brief description of what this skill does.",
        "Description of your skill",
        "Replace with description of the skill and when to use it.",
        "<description>",
        "{{description}}",
        "Lorem ipsum dolor sit amet",
        "...",
        "Use when [specific triggering conditions]",
        "<one-line description>. Use when needed.",
    ],
)
def test_descriptions_of_templates(description: str) -> None:
    """As a whole, or with a slot that asks for more than one word."""
    assert is_placeholder("description", description)


@pytest.mark.parametrize(
    "description",
    [
        "Keeps a TODO list.",
        "Todos from mails.",
        "Writes a description here and there.",
        "Description lists in HTML: write and style them.",
        "Makes '[city] guides' and '[what]' pages.",
        "Renders <div> and {{ name }} in templates.",
        "Fills in [your] name.",
        "Replace with care.",
    ],
)
def test_descriptions_that_speak_of_such_things(description: str) -> None:
    """Skills are about templates, too."""
    assert not is_placeholder("description", description)
