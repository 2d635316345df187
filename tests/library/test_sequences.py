"""Orders that a document states between two others."""

from dataclasses import replace

import pytest

from caskg.library.markdown import cut_sections
from caskg.library.references import library_names
from caskg.library.sequences import StatedOrder, stated_orders
from caskg.schema import Skill
from factories import make_library, make_skill

STAGES = """# All of it

## Phase 1: Ready

### Skills to invoke

- `a-a` - reads

## Phase 2: Steady

Make it using `b-b`, then see `c-c`.

## Notes

Use `d-d`.
"""
NAMES = "abcdef"


def document(body: str, name: str = "z-z") -> Skill:
    return replace(make_skill(name, body=body), sections=cut_sections(body))


def orders(*bodies: str) -> set[tuple[str, str]]:
    """Return the pairs that documents state, by the letters of the skills."""
    documents = [document(body, f"z-{number}") for number, body in enumerate(bodies)]
    library = make_library(*documents, *(make_skill(f"{letter}-{letter}") for letter in NAMES))
    found = stated_orders(library, names=library_names(library))
    return {(library.skills[each.source].id[0], library.skills[each.target].id[0]) for each in found}


def test_what_one_stage_uses_comes_before_what_the_next_one_uses() -> None:
    """A mention is no use, and what stands after the stages is no stage."""
    library = make_library(document(STAGES), *(make_skill(f"{letter}-{letter}") for letter in NAMES))
    found = stated_orders(library, names=library_names(library))
    assert found == (StatedOrder(0, 1, "z-z: Phase 1: Ready, then Phase 2: Steady"),)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "## 1. One\n\nUse `a-a`.\n\n## 2. Two\n\nUse `b-b`.\n\n## 3. Three\n\nUse `c-c`.",
            {("a", "b"), ("b", "c")},
        ),
        ("## Step 1\n\nUse `a-a`.\n\n## Step 2\n\nRest.\n\n## Step 3\n\nUse `b-b`.", {("a", "b")}),
        ("## One\n\nUse `a-a`.\n\n## Two\n\nUse `b-b`.", set()),
        ("## Phase A\n\nUse `a-a`, `b-b`.\n\n## Phase B\n\nUse `b-b`, `c-c`.", {("a", "c")}),
        ("## 1\n\nUse `a-a`.\n\n## Between\n\nUse `d-d`.\n\n## 2\n\nUse `b-b`.", {("a", "b")}),
        ("## 1\n\nUse `a-a`.\n\n## 2\n\nUse `z-0`.", set()),
        ("## 1\n\nUse `a-a`.", set()),
        ("Use `a-a`, then `b-b`.", set()),
    ],
)
def test_stages(body: str, expected: set[tuple[str, str]]) -> None:
    """Numbered or lettered headings; stages that call for nobody are passed over."""
    assert orders(body) == expected


def test_a_stage_that_calls_for_many_is_a_catalogue() -> None:
    """Four may, five do not."""
    listed = [f"`{letter}-{letter}`" for letter in NAMES]
    for many, expected in ((4, 4), (5, 0)):
        body = (
            f"## Skills to use\n\n## 1\n\n### Skills to use\n\n- {listed[5]}\n\n## 2\n\n### Skills to use\n\n"
        )
        assert len(orders(body + "\n".join(f"- {each}" for each in listed[:many]))) == expected


def test_a_pair_that_is_stated_both_ways_has_no_order() -> None:
    """Two documents may differ."""
    there = "## 1\n\nUse `a-a`.\n\n## 2\n\nUse `b-b`."
    back = "## 1\n\nUse `b-b`.\n\n## 2\n\nUse `a-a`."
    assert orders(there, there) == {("a", "b")}
    assert orders(there, back) == set()
