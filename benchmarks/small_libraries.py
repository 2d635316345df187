"""Write small gold sets, drawn from large ones: what is the graph worth in a library of a hundred skills?

    python benchmarks/small_libraries.py --out small [--data DIR] [--skills N] [--draws N]
    caskg bench gold --data small --methods hybrid-rrf,hybrid-zsum,hybrid-3way,hybrid+prior,default

Clusters of tasks are taken at random until what their tasks need makes a library of so many skills; it holds
nothing else, and the set has the tasks (150 at most, drawn) that it can serve. Reads ``gold`` below
``$CASKG_DATA`` (default ``../shared/data``).
"""

import argparse
import json
import lzma
import os
from pathlib import Path

import numpy as np

from caskg.bench.qrels import GoldSet, read_set, set_names

DATA = Path(os.environ.get("CASKG_DATA", "../shared/data"))
MOST_TASKS = 150
OF_A_CLUSTER = 3  # tasks whose gold joins the library at once


def main() -> None:
    """Draw, write, and say how large each set is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA / "gold")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--skills", type=int, default=100)
    parser.add_argument("--draws", type=int, default=4, help="sets drawn from each")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in set_names(options.data):
        gold = read_set(options.data, name)
        for draw in range(options.draws):
            skills, tasks = drawn(gold, options.skills, np.random.default_rng(draw))
            write(options.data, name, skills, tasks, options.out / f"{name}{draw}")
            print(f"{name}{draw}: {len(skills)} skills, {len(tasks)} tasks")


def drawn(gold: GoldSet, n_skills: int, generator: np.random.Generator) -> tuple[set[str], set[str]]:
    """Return the ids of the skills and tasks of one small set."""
    of_cluster: dict[str, list[int]] = {}
    for at, topic in enumerate(gold.topics):
        of_cluster.setdefault(topic.cluster, []).append(at)
    clusters, needed = sorted(of_cluster), set[int]()
    for at in generator.permutation(len(clusters)):
        for task in of_cluster[clusters[at]][:OF_A_CLUSTER]:
            needed |= set(gold.topics[task].gold)
        if len(needed) >= n_skills:
            break
    served = [topic.id for topic in gold.topics if needed.issuperset(topic.gold)]
    ids = {gold.library.skills[at].id for at in needed}
    return ids, set(generator.permutation(served)[:MOST_TASKS].tolist())


def write(data: Path, name: str, skills: set[str], tasks: set[str], to: Path) -> None:
    """Write the lines of a set that speak of these skills and tasks, as ``<to>_library.jsonl`` and so on."""
    for part in ("library", "tasks", "edges", "mask"):
        lines = []
        for line in read(data / f"{name}_{part}.jsonl"):
            row = json.loads(line)
            if part in ("library", "tasks"):
                kept = str(row["id"]) in (skills if part == "library" else tasks)
            else:
                kept = {str(row["source"]), str(row["target"])} <= skills
            lines += [line] if kept else []
        to.with_name(f"{to.name}_{part}.jsonl").write_text("".join(lines), encoding="utf-8")


def read(path: Path) -> list[str]:
    """Return the lines of a file, packed or not; none where it is not there."""
    if path.exists():
        return path.read_text(encoding="utf-8").splitlines(keepends=True)
    packed = path.with_name(f"{path.name}.xz")
    return lzma.open(packed, "rt", encoding="utf-8").readlines() if packed.exists() else []


if __name__ == "__main__":
    main()
