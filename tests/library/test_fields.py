"""Fields: from front matter, from sections, and absent where nothing is stated."""

import pytest

from caskg.library.fields import extract_fields, stated_values
from caskg.library.markdown import cut_sections
from caskg.library.yaml_entries import Value
from caskg.schema import Parameter, Reference, ReferenceKind, ReferenceRole, SkillFields


def fields(body: str = "", **stated: Value) -> SkillFields:
    """Fields of a body and of front matter; underscores in keys stand for hyphens."""
    return extract_fields({key.replace("_", "-"): value for key, value in stated.items()}, cut_sections(body))


def parameter(name: str, description: str | None = None, type: str | None = None) -> Parameter:
    return Parameter(name=name, description=description, type=type)


def test_what_is_not_stated_is_absent() -> None:
    """None, not empty, for every field; also where a section says nothing."""
    assert fields("# T\n\nProse.\n\n## Steps\n\n1. Do it.\n") == SkillFields()
    assert fields("# T\n\n## Inputs\n\n## Outputs\n\n```\ncode\n```\n") == SkillFields()
    assert fields(tags="", inputs=[], allowed_tools=" ", caskg_requires="") == SkillFields()


def test_sections_of_one_document() -> None:
    """All that a document can state, in its own words."""
    body = """# Brew tea

## What you need

- **Kettle**: with a lid
- Water, about 250 ml

## Before you start

- **Milk:** smells well.
- Mugs are clean.

## You will have

One cup, hot; the kettle off.

## When done

The worktop is dry.

## If it goes wrong

1. `Too strong` - thin with water.
2. Scald: cool it.
"""
    assert fields(body) == SkillFields(
        inputs=(parameter("Kettle", "with a lid"), parameter("Water", "about 250 ml")),
        preconditions=("Milk: smells well.", "Mugs are clean."),
        outputs=(parameter("One cup, hot"), parameter("the kettle off")),
        effects=("The worktop is dry",),
        recovery=("Too strong: thin with water.", "Scald: cool it."),
    )


def test_sections_of_one_topic_are_read_together() -> None:
    """Each statement once, in order; those under a deeper heading belong to them."""
    body = "## Inputs\n- a\n### More\n- b\n- a\n## Steps\n- x\n## Materials\n- c\n"
    assert fields(body).inputs == (parameter("a"), parameter("b"), parameter("c"))


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("The order: how many", parameter("The order", "how many")),
        ("Fresh water, cold", parameter("Fresh water", "cold")),
        ("Tea (one bag) or coffee", parameter("Tea", "(one bag) or coffee")),
        ("A file - with rows", parameter("A file", "with rows")),
        ("A file \u2014 with rows", parameter("A file", "with rows")),
        ("A file; or two", parameter("A file", "or two")),
        ("A file. Or two.", parameter("A file", "Or two.")),
        ("A well-known file.", parameter("A well-known file")),
        ("About 2.5 V", parameter("About 2.5 V")),
        ("`a.csv`: the table", parameter("a.csv", "the table")),
        ("`a.csv`, in UTF-8", parameter("a.csv", "in UTF-8")),
        ("**Head of it** \u2013 rest, of it", parameter("Head of it", "rest, of it")),
    ],
)
def test_the_name_of_an_input_is_its_head(item: str, expected: Parameter) -> None:
    """What its author set apart, else the words up to the first pause."""
    assert fields(f"## Inputs\n\n- {item}\n").inputs == (expected,)


def test_tables_name_in_their_first_column() -> None:
    """The other columns describe."""
    body = "## Arguments\n\n| Name | Kind | About |\n|--|--|--|\n| `path` | file | to read |\n"
    assert fields(body).inputs == (parameter("path", "file, to read"),)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a file, b; c\nd", ("a file", "b", "c", "d")),
        (["a, with b", "c"], ("a", "c")),
        ({"a": None, "b": "x"}, ("a", "b")),
    ],
)
def test_front_matter_gives_parameters_as_text_list_or_mapping(
    value: Value, expected: tuple[str, ...]
) -> None:
    """Commas part a text, not the entries of a list."""
    found = fields(inputs=value).inputs
    assert found is not None
    assert tuple(p.name for p in found) == expected


def test_front_matter_may_give_types_and_descriptions() -> None:
    """In a list of mappings, a mapping of mappings, or a list of one-entry mappings."""
    about: dict[str, Value] = {"type": "csv", "description": "the *table*"}
    expected = (parameter("a", "the table", "csv"),)
    assert fields(outputs=[{"name": "a", **about}]).outputs == expected
    assert fields(outputs={"a": about}).outputs == expected
    assert fields(outputs=[{"a": about}]).outputs == expected
    assert fields(outputs=[{"a": "the table"}]).outputs == (parameter("a", "the table"),)
    assert fields(outputs=[{"name": ["no text"]}, {"name": ""}, ["b"], [["c"]]]).outputs == (
        parameter("b"),
        parameter("c"),
    )


def test_what_front_matter_states_is_not_read_from_sections() -> None:
    """Each field for itself."""
    found = fields("## Inputs\n- x\n## Outputs\n- y\n", inputs="a")
    assert (found.inputs, found.outputs) == ((parameter("a"),), (parameter("y"),))


def test_the_singular_is_read_too() -> None:
    """Beside the plural, in that order."""
    assert fields(input="b", inputs="a").inputs == (parameter("a"), parameter("b"))
    assert fields(output="c").outputs == (parameter("c"),)


@pytest.mark.parametrize(
    "value",
    [
        "Read Bash(git add:*)",
        "Read, Bash(git add:*)",
        "Read,Bash(git add:*)",
        ["Read", "Bash(git add:*)"],
        ["Read Bash(git add:*)"],
    ],
)
def test_tools_in_all_their_forms(value: Value) -> None:
    """With spaces, commas or as a list; what stands in parentheses belongs to its tool."""
    assert fields(allowed_tools=value).tools == ("Read", "Bash(git add:*)")


@pytest.mark.parametrize("value", ["a, b", "a b", "a\nb", "a; b", ["a", "b", "a"]])
def test_tags_in_all_their_forms(value: Value) -> None:
    """Each once."""
    assert fields(tags=value).tags == ("a", "b")


def test_tags_with_spaces_need_a_comma() -> None:
    """Or a list; keywords are tags."""
    assert fields(tags="two words, b", keywords=["three more words"]).tags == (
        "two words",
        "b",
        "three more words",
    )


def test_declared_needs() -> None:
    """The author's label, in all forms of a list."""
    expected = tuple(
        Reference(
            target=name,
            kind=ReferenceKind.DECLARED,
            evidence=f"caskg-requires: {name}",
            role=ReferenceRole.NEED,
        )
        for name in ("a-b", "../c")
    )
    values: tuple[Value, ...] = ("a-b, ../c", "a-b ../c", ["a-b", "../c"])
    for value in values:
        assert fields(caskg_requires=value).references == expected


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("numpy>=1, pandas", ["numpy", "pandas"]),
        (["numpy >= 1.2", "pandas[fast]==2", "tea (hot)"], ["numpy", "pandas", "tea"]),
        (["numpy 1.26", "node@18", "left-pad^1", "x~=2", "y!=3"], ["numpy", "node", "left-pad", "x", "y"]),
        (["@types/node", "https://x.example/a", "git+ssh://b"], []),
        (["@tidy-up", "../tidy-up", "box:tidy-up"], ["@tidy-up", "../tidy-up", "box:tidy-up"]),
        ({"numpy": "1.2", "tidy-up": "*"}, ["numpy", "tidy-up"]),
        ({"python": ["numpy"], "system": {"ffmpeg": "6"}}, []),
        ({"skills": ["tidy-up", "sort-out"], "python": ["numpy"]}, ["tidy-up", "sort-out"]),
        ({"skill": "tidy-up", "version": "1"}, ["tidy-up"]),
        ([{"name": "tidy-up", "version": "1"}, {"sort-out": "2"}], ["tidy-up", "sort-out"]),
    ],
)
def test_dependencies_may_be_packages(value: Value, names: list[str]) -> None:
    """Each is looked up by its bare name, so that only a skill of the library is ever meant."""
    found = fields(dependencies=value).references or ()
    assert [each.target for each in found] == names


@pytest.mark.parametrize(
    ("value", "role"),
    [
        (["tidy-up", "sort-out"], ReferenceRole.NEED),
        ({"skills": ["tidy-up"], "python": ["numpy>=1"]}, ReferenceRole.NEED),
        (["tidy-up", "numpy>=1"], ReferenceRole.MENTION),
        (["tidy-up", "@types/node"], ReferenceRole.MENTION),
        ({"tidy-up": "1.2"}, ReferenceRole.MENTION),
    ],
)
def test_a_list_with_versions_or_addresses_is_one_of_packages(value: Value, role: ReferenceRole) -> None:
    """A package may bear the name of a skill."""
    found = fields(dependencies=value).references or ()
    assert {each.role for each in found} == {role}


def test_depends_on_is_a_need_by_name() -> None:
    """Other tools' key, so not a label for us."""
    (found,) = fields(depends_on="a-b").references or ()
    assert (found.target, found.kind, found.role) == ("a-b", ReferenceKind.NAME, ReferenceRole.NEED)


def test_links_of_description_and_sections_are_references() -> None:
    """Declared ones first, then in the order of the text, with the topic of the section."""
    body = "See [a](../a/SKILL.md).\n\n## Needed\n\n- [b](../b/SKILL.md)\n- [own](references/x.md)\n"
    found = extract_fields(
        {"caskg-requires": "c"}, cut_sections(body), description="Not for it, use ../d/SKILL.md"
    ).references
    assert [(r.target, r.kind.value, r.role.value) for r in found or ()] == [
        ("c", "declared", "need"),
        ("../d/SKILL.md", "contrast", "mention"),
        ("../a/SKILL.md", "link", "mention"),
        ("../b/SKILL.md", "link", "need"),
    ]


def test_stated_values_are_those_that_fields_come_from() -> None:
    """At the top level and below metadata, where the format wants them; the top level goes first."""
    stated = stated_values(
        {
            "name": "n",
            "tags": "a",
            "license": "MIT",
            "metadata": {"tags": "b", "inputs": ["c"], "author": "d"},
        }
    )
    assert stated == {"tags": "a", "inputs": ["c"]}
    assert stated_values({"metadata": "no mapping", "allowed-tools": "x"}) == {"allowed-tools": "x"}


@pytest.mark.parametrize(
    "key", ["depends-on", "depends_on", "dependencies", "requires", "required-skills", "prerequisites"]
)
@pytest.mark.parametrize("value", ["a-b, c-d", ["a-b", "c-d"]])
def test_what_front_matter_requires_are_names(key: str, value: str | list[str]) -> None:
    """In the words that authors use; at the top, or below metadata."""
    for front_matter in ({key: value}, {"metadata": {key: value}}):
        fields = extract_fields(stated_values(front_matter), ())  # type: ignore[arg-type]  # literals
        assert [(r.target, r.kind, r.role) for r in fields.references or ()] == [
            (name, ReferenceKind.NAME, ReferenceRole.NEED) for name in ("a-b", "c-d")
        ]
