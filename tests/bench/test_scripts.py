"""The curves of docs/gold.md can still be drawn: on two small sets, for the real ones take an hour."""

import json
import subprocess
import sys
from pathlib import Path

from gold_sets import write_both

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "search.py"


def test_curves_are_drawn_for_a_set_and_for_what_it_is_without_its_fields(tmp_path: Path) -> None:
    """Without its fields a line of a library is made anew, and must be one that is read."""
    out, constants = tmp_path / "curves.json", ["publication.scaffold_in", "diffusion.restart"]
    folders = ["--data", str(write_both(tmp_path / "gold")), "--cache", str(tmp_path), "--out", str(out)]
    call = [sys.executable, str(SCRIPT), *folders, "--constants", *constants]
    subprocess.run(call, check=True, capture_output=True)
    rows = json.loads(out.read_text())["curves"]
    assert {row["set"] for row in rows} == {
        "kitchen",
        "kitchen-without-outputs",
        "kitchen-without-outputs-without-inputs",
        "kitchen-without-names",
        "office",
        "office-without-names",
    }
    assert {row["constant"] for row in rows} == {"default", "gold edges", *constants}
