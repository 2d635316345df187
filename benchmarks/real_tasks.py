"""What the graph of the real skills has to do with what the tasks of `real_tasks.jsonl` need.

    caskg build SKILLS -w WORKSPACE && python benchmarks/real_tasks.py WORKSPACE

Of the skills that a flat search misses: how deep they lie, and by what edges they are joined to those found.
Of the skills that the graph brings in and pushes out: how many are right.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from caskg.published import graph_from
from caskg.schema import EDGE_TYPES, EdgeType
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring import open_retriever
from caskg.wiring.querying import open_flat

TASKS = Path(__file__).with_name("real_tasks.jsonl")
K = 8
DEEP = 100


def joined(version: Snapshot) -> dict[frozenset[str], set[EdgeType]]:
    """Return the types of the published edges between two skills, whichever way."""
    graph = graph_from(version.arrays, n_skills=len(version.ids))
    found: dict[frozenset[str], set[EdgeType]] = {}
    for i, j, kind in zip(graph.source.tolist(), graph.target.tolist(), graph.types.tolist(), strict=True):
        found.setdefault(frozenset((version.ids[i], version.ids[j])), set()).add(EDGE_TYPES[kind])
    return found


def main(folder: str) -> None:
    """Print the counts over all tasks."""
    with Workspace.open(Path(folder)) as workspace:
        version = workspace.current()
        graph, flat, edges = open_retriever(version), open_flat(version), joined(version)
        counts: Counter[str] = Counter()
        for line in TASKS.read_text(encoding="utf-8").splitlines():
            task = json.loads(line)
            needed = set(task["must_include"])
            deep = [each.skill.id for each in flat.retrieve(task["query"], k=DEEP).skills]
            by_flat = set(deep[:K])
            by_graph = {each.skill.id for each in graph.retrieve(task["query"], k=K).skills}
            for missed in needed - by_flat:
                kinds = {
                    kind for each in needed & by_flat for kind in edges.get(frozenset((missed, each)), ())
                }
                counts["missed by flat"] += 1
                counts[f"missed, not in the first {DEEP}"] += missed not in deep
                counts["missed, joined to one found"] += bool(kinds)
                counts["missed, joined by more than likeness"] += bool(kinds - {EdgeType.SEMANTIC})
            counts["brought in"] += len(by_graph - by_flat)
            counts["brought in, right"] += len((by_graph - by_flat) & needed)
            counts["pushed out, right"] += len((by_flat - by_graph) & needed)
    for name, count in counts.items():
        print(f"{count:5d} {name}")


if __name__ == "__main__":
    main(sys.argv[1])
