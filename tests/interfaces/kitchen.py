"""A small library, tasks for it, and what a command leaves."""

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

TASK = "brew a pot of green tea from leaves"
NO_TASK = "book a flight to Lisbon"

SKILLS = {
    "boil-water": """
        description: Boils water in a kettle or a pot, safely and without waste.
        ---
        ## Outputs
        - boiling water
        """,
    "brew-tea": """
        description: Brews a pot of black or green tea from leaves. Use when somebody wants tea.
        metadata:
          caskg-requires: boil-water
          tags: Kitchen, hot drinks
        ---
        Run boil-water first, then pour it over the leaves.
        ## Inputs
        - boiling water
        - tea leaves
        """,
    "cook-pasta": """
        description: Cooks dried pasta in salted water until it is firm to the bite.
        ---
        Before you start, run `boil-water`.
        ## Inputs
        - boiling water
        """,
    "wash-dishes": """
        description: Washes plates, pots and cutlery by hand in warm water. Not for clothes; use wash-clothes.
        ---
        Scrape, soak, wash, rinse, dry.
        """,
    "wash-clothes": """
        description: Washes a load of laundry in the machine and hangs it up to dry.
        ---
        Sort by colour and heat.
        """,
    "office/send-invoice": """
        description: Writes an invoice for a customer and sends it by mail.
        ---
        Number, date, amount, due date.
        """,
    "office/泡茶": """
        description: 用开水泡一壶绿茶
        ---
        先烧水。
        """,
}


class Result(NamedTuple):
    """What a command left: its exit code, and both streams."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


def write_skill(folder: Path, skill_id: str, text: str) -> None:
    """Write a SKILL.md whose front matter begins with its name."""
    path = folder / skill_id / "SKILL.md"
    path.parent.mkdir(parents=True)
    name = skill_id.rsplit("/", 1)[-1]
    path.write_text(f"---\nname: {name}\n{textwrap.dedent(text).lstrip()}", encoding="utf-8")


def loaded(run: Run, *arguments: str | Path) -> dict[str, Any]:
    """Return the document that a command prints, and nothing beside it."""
    result = run(*arguments, "--json")
    assert (result.code, result.err) == (0, "")
    document = json.loads(result.out)
    assert isinstance(document, dict)
    return document
