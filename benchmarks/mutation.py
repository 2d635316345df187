"""Do the tests notice? Kills a sample of the mutants of `graph/` and `retrieval/`.

    python benchmarks/mutation.py [--sample 150] [--seed 1] [--least 0.85]

Mutants are made by mutmut, which works in the folder ``mutants``; those that no test reaches count as
survivors. Prints the survivors, and fails where fewer than the least share was killed.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

MUTANTS = Path("mutants")
FIRST = "caskg.graph.frontier.x_frontier_budget__mutmut_1"
KILLED = 1  # exit code of pytest where a test failed
TIMED_OUT = (24, 36, 152, 255, -24)


def main() -> None:
    """Make the mutants, run a sample of them, say which survived."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sample", type=int, default=150)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--least", type=float, default=0.85)
    chosen = options.parse_args()
    shutil.rmtree(MUTANTS, ignore_errors=True)
    mutmut("run", FIRST)  # mutmut makes all mutants before it runs any
    names = sorted(name for name in results() if name)
    sample = random.Random(chosen.seed).sample(names, min(chosen.sample, len(names)))
    mutmut("run", *sample)
    codes = results()
    survivors = [name for name in sample if codes[name] not in (KILLED, *TIMED_OUT)]
    share = 1 - len(survivors) / len(sample)
    print("\n".join(f"survived ({codes[name]}): {name}" for name in survivors))
    print(
        f"{len(sample) - len(survivors)} of {len(sample)} sampled mutants killed ({share:.1%});"
        f" there are {len(names):,}."
    )
    sys.exit(share < chosen.least)


def mutmut(*arguments: str) -> None:
    """Run mutmut; its exit code says nothing about the mutants."""
    subprocess.run([Path(sys.executable).with_name("mutmut"), *arguments], check=False)


def results() -> dict[str, int | None]:
    """Return the exit code of each mutant, None where it has not been run."""
    codes: dict[str, int | None] = {}
    for meta in MUTANTS.rglob("*.meta"):
        codes |= json.loads(meta.read_text(encoding="utf-8"))["exit_code_by_key"]
    return codes


if __name__ == "__main__":
    main()
