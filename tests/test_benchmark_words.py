"""Nothing under src/caskg knows a benchmark or a vendor's skills (method.md, Section 8, trap 6)."""

import re
from pathlib import Path

import pytest

import caskg

WORDS = """
    alf world, alfred, science world, text world, counter top, fridge, microwave, sink basin, stove burner,
    coffee machine, garbage can, desk lamp, floor lamp, side table, night stand, hand towel, dish sponge,
    butter knife, salt shaker, pepper shaker, toilet paper, thermometer, blast furnace, inclined plane,
    chromosome, tool link os, tool bench, nes tools, meta tool, seal tools, ultra tool, composio, rube
"""
"""Worlds, their objects, tool collections and vendors; a blank stands for any sign or none."""

PATTERN = "|".join(r"[\s_-]*".join(word.split()) for word in WORDS.split(","))
FOUND = re.compile(rf"(?<![a-z])(?:{PATTERN})s?(?![a-z])", re.IGNORECASE)
PACKAGE = Path(caskg.__file__).parent
SOURCES = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] != "bench"]


@pytest.mark.parametrize("text", ["SinkBasin 1", "rube-search", "in the side_tables", "ALFWorld's", "fridge"])
def test_the_words_are_found_however_they_are_written(text: str) -> None:
    """Or the next test would find nothing."""
    assert FOUND.search(text)


def test_no_word_of_a_benchmark_or_a_vendor_is_in_the_package() -> None:
    """What measures a method must not be written into it; `bench`, which runs them, may name them."""
    assert len(SOURCES) > 40
    found = {
        str(path): FOUND.findall(f"{path.relative_to(PACKAGE)}\n{path.read_text(encoding='utf-8')}")
        for path in SOURCES
    }
    assert {path: words for path, words in found.items() if words} == {}
