"""What Graph-of-Skills reads of skills and tasks."""

import numpy as np
import pytest

from caskg.baselines.gos_text import SNIPPET_CHARS, Field, FieldIndex, GosQuery, read_skill, signature
from caskg.schema import Parameter, Skill, SkillFields
from factories import make_skill


def test_a_signature_drops_plurals_short_words_and_types_but_keeps_the_whole() -> None:
    """As published: three letters at least, no final s at all, and the value itself."""
    assert signature(["The JSON class of CSVs", "ab", ""]) == {
        "the_json_class_of_csvs",
        "cla",
        "csv",
        "ab",
    }
    assert signature(["sss"]) == {"sss"}  # nothing is left of the word, the whole stays


def test_a_task_is_read_with_its_files_its_words_and_a_slug() -> None:
    """These are the lines that its vector is made of; the slug holds eight words."""
    query = GosQuery.of("Sum  the sales in q1.csv and q2.csv and then plot them")
    assert query.lines[:3] == ("Sum the sales in q1.csv and q2.csv and then plot them", "q1.csv", "q2.csv")
    assert query.lines[-1] == "sum-the-sales-in-q1-csv-and-q2"
    assert query.lines[3:-1] == tuple(sorted(query.lines[3:-1]))
    assert {"q1_csv", "sale", "sum_the_sales_in_q1_csv_and_q2"} <= query.tokens
    assert "sum_the_sales_in_q1_csv_and_q2" not in query.lines
    assert query.embedded.split("\n") == list(query.lines)


def test_a_task_of_signs_has_no_tokens() -> None:
    """And no empty line in what is embedded."""
    query = GosQuery.of("???")
    assert (query.tokens, query.embedded) == (frozenset(), "???")


BODY = """# Title
Intro.
## Inputs
- a table
* a date
## outputs
one line
another line
### Examples
1. not this way
## Tags
Sales
## Tools
bash
"""


def test_a_document_is_read_by_the_exact_titles_of_its_sections() -> None:
    """Bullets, else lines; what the parser found elsewhere is not used where there is a body."""
    stated = SkillFields(
        inputs=(Parameter(name="parsed"),),
        outputs=(Parameter(name="parsed"),),
        tags=("sales", "q1"),
        tools=("Bash",),
    )
    read = read_skill(make_skill("s", "Plots sales. For reports.", body=BODY, fields=stated))
    assert (read.inputs, read.outputs) == (("a table", "a date"), ("one line", "another line"))
    assert (read.tags, read.tools, read.examples) == (("sales", "q1"), ("Bash",), ("1. not this way",))
    assert read.capability == "Plots sales."


def test_a_skill_without_a_body_has_the_parameters_of_its_fields() -> None:
    """Such as a tool of a catalogue."""
    read = read_skill(make_skill("s", "Plots.", inputs=["sales table"], outputs=["plot"], body=" \n"))
    assert (read.inputs, read.outputs, read.examples) == (("sales table",), ("plot",), ())


def test_only_the_beginning_of_a_document_is_seen() -> None:
    """900 characters with the dots, of name, description, tools and body."""
    short = read_skill(make_skill("s", "d", fields=SkillFields(tools=("Bash", "Read")), body="x\n\n\n\ny  z"))
    assert short.snippet == "# s\n\nd\n\nAllowed tools: Bash, Read\n\nx\n\ny z"
    exact = read_skill(make_skill("s", "d", body="x" * (SNIPPET_CHARS - len("# s\n\nd\n\n"))))
    assert (len(exact.snippet), exact.snippet[-1]) == (SNIPPET_CHARS, "x")
    longer = read_skill(make_skill("s", "d", body="x" * SNIPPET_CHARS))
    assert (len(longer.snippet), longer.snippet[-4:]) == (SNIPPET_CHARS, "x...")


def test_a_skill_is_embedded_with_labels_and_without_what_it_does_not_state() -> None:
    """The published text of a node."""
    read = read_skill(make_skill("s", "One. Two.", inputs=["a", "b"]))
    assert (
        read.embedded
        == "[Skill] s\n[DESCRIPTION] One. Two.\n[CAPABILITY] One.\n[INPUTS] a\nb\n[SNIPPET] # s\n\nOne. Two."
    )


@pytest.fixture
def index() -> FieldIndex:
    def skill(name: str, **stated: tuple[str, ...]) -> Skill:
        return make_skill(name, "about tables", fields=SkillFields(**stated))  # type: ignore[arg-type]  # by name

    return FieldIndex([read_skill(skill("tables", tags=("table",))), read_skill(skill("egg"))])


def test_an_index_counts_shared_tokens_by_field(index: FieldIndex) -> None:
    """The description and its first sentence are one field: a shared word counts once."""
    counts = index.counts({"table", "egg", "unknown"})
    assert counts[:, Field.NAME].tolist() == [1, 1]
    assert counts[:, Field.TAGS].tolist() == [1, 0]
    assert counts[:, Field.ABOUT].tolist() == [1, 1]
    assert counts[:, Field.ANY].tolist() == [1, 2]
    assert index.sizes[:, Field.NAME].tolist() == [2, 1]  # "tables" gives itself and "table"
    assert np.array_equal(index.counts([]), np.zeros((2, len(Field))))
