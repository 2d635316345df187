"""How far each constant of ``default`` reaches: curves of recall over plain search.

    python benchmarks/search.py [--sets NAME ...] [--constants NAME ...] [--tasks N] [--out FILE]

**Curves.** One constant at a time leaves its shipped value. Measured is what R@5 and R@10, over all gold and
over specific gold, are more than those of ``hybrid-3way``, on every set, and on it with fields, or the
names of its skills, taken away: what it does not state is what an unseen set may not state. Beside it stand
both halves of the clusters of tasks, so that what was chosen on one can be confirmed on the other. With
``--constants`` and nothing behind it only ``default`` itself is measured.

Above them stand two ceilings, which read gold: the gold edges, and those of them that C holds, walked as
``default`` walks. Reads ``gold`` below ``$CASKG_DATA`` (default ``../shared/data``).
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from caskg.bench.controls import gold_graph
from caskg.bench.gold import number
from caskg.bench.methods import METHODS
from caskg.bench.metrics import recall
from caskg.bench.pair_scores import places
from caskg.bench.qrels import GoldSet, read_set, set_names, skill_of
from caskg.bench.runner import code_digest
from caskg.bench.runs import specific_gold
from caskg.bench.stats import cluster_bootstrap, cluster_numbers
from caskg.bench.study import scored_topics
from caskg.bench.vectors import RememberingEncoder
from caskg.bench.workbench import Workbench
from caskg.config import build_config, retrieve_config
from caskg.graph.text_prober import TextProber
from caskg.pipeline import build
from caskg.protocols import Retriever
from caskg.schema import FloatArray, Skill, SkillLibrary
from caskg.store.workspace import Workspace
from caskg.wiring import encoder_for

DATA = Path(os.environ.get("CASKG_DATA", "../shared/data"))
HYBRID = METHODS["hybrid-3way"]
KS = (5, 10)
MEASURES = tuple(f"{kind}recall@{k}" for kind in ("", "specific_") for k in KS)
QUERY: Mapping[str, Sequence[Any]] = {
    "diffusion.restart": (0.3, 0.4, 0.5, 0.6, 0.8),
    "diffusion.forward_weight": (0.0, 0.1, 0.3),
    "diffusion.openness": (0.0, 0.5, 0.75, 1.0, 2.0),
    "diffusion.sharpness": (1.0, 2.0, 3.0),
    "seeds.count": (10, 20),
}
BUILD: Mapping[str, Sequence[Any]] = {
    "publication.scaffold_in": (4, 8, 16),
    "signals.weights.provider": (0.0, 0.5, 0.75),
}
Row = dict[str, Any]


def main() -> None:
    """Measure, print, and write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA / "gold")
    parser.add_argument("--sets", nargs="*", default=[], help="none = all")
    parser.add_argument("--constants", nargs="*", default=[*QUERY, *BUILD])
    parser.add_argument("--tasks", type=int, default=400, help="most tasks of a set, drawn by seed 0")
    parser.add_argument("--cache", type=Path, default=Path(".caskg-bench"), help="keeps the vectors")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/search.json"))
    options = parser.parse_args()
    sets = [read_set(options.data, name) for name in options.sets or set_names(options.data)]
    rows: list[Row] = []
    with Workspace.open_or_create(options.cache / "vectors") as kept:
        for whole in sets:
            for gold in (whole, *with_fields_taken_away(whole)):
                encoder = RememberingEncoder(encoder_for("local", gold.library)[1], kept.vectors)
                with tempfile.TemporaryDirectory() as folder, Workspace.create(Path(folder) / "w") as answers:
                    desk = Desk(gold, encoder, answers, tasks=options.tasks)
                    for row in curves(desk, options.constants):
                        print(*row.values(), flush=True)
                        rows.append(row)
    command = f"python benchmarks/search.py {' '.join(sys.argv[1:])}".strip()
    found = {"command": command, "code": code_digest(), "tasks": options.tasks, "curves": rows}
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def with_fields_taken_away(gold: GoldSet) -> Iterator[GoldSet]:
    """Yield the set without what its skills give, then without what they take, where they state it.

    And, whole but for that, with numbers in place of the names of its skills.
    """
    taken: list[str] = []
    for field in ("outputs", "inputs"):
        if any(getattr(skill.fields, field) for skill in gold.library.skills):
            taken.append(field)
            skills = tuple(skill_of(_row(skill, taken)) for skill in gold.library.skills)
            name = "-without-".join([gold.name, *taken])
            yield replace(gold, name=name, library=SkillLibrary(skills=skills))
    rows = (_row(skill, ()) | {"name": f"skill {at}"} for at, skill in enumerate(gold.library.skills))
    library = SkillLibrary(skills=tuple(map(skill_of, rows)))
    yield replace(gold, name=f"{gold.name}-without-names", library=library)


def _row(skill: Skill, taken: Sequence[str]) -> Row:
    stated = {
        field: getattr(skill.fields, field) or () for field in ("inputs", "outputs") if field not in taken
    }
    about = {"id": skill.id, "name": skill.name, "description": skill.description}
    lists = {field: [asdict(parameter) for parameter in each] for field, each in stated.items()}
    words = {"tools": list(skill.fields.tools or ()), "keywords": list(skill.fields.tags or ())}
    return {**about, **lists, **words}


class Desk:
    """One set, what encodes it, and the tasks that are asked."""

    def __init__(self, gold: GoldSet, encoder: RememberingEncoder, answers: Workspace, *, tasks: int) -> None:
        """Put a set on the desk.

        Args:
            gold: The set.
            encoder: Makes, or remembers, the vectors.
            answers: Keeps what the free prober said, which is the same whatever the constants.
            tasks: Most tasks that are asked.
        """
        self.gold, self.encoder, self.answers = gold, encoder, answers
        self.topics = [gold.topics[at] for at in scored_topics(gold, tasks)]
        self.encoder.encode([topic.query for topic in self.topics])
        self.specific = specific_gold(gold.topics)
        self.bench = self.fresh()

    def fresh(self) -> Workbench:
        """Return a workbench without a build: it would remember each of them."""
        induce = partial(build, workspace=self.answers, prober=TextProber())
        return Workbench(
            library=self.gold.library,
            encoder=self.encoder,
            knows_meanings=True,
            induce=induce,
            induce_unjudged=induce,
            gold_edges=self.gold.edges,
        )

    def asked(self, retriever: Retriever) -> FloatArray:
        """Return each of `MEASURES` of each task, shape ``(n_tasks, 4)``; NaN where it asks for none."""
        rows = []
        for topic in self.topics:
            rare = [skill for skill in topic.gold if skill in self.specific]
            answer = retriever.retrieve(topic.query, k=max(KS)).skills
            best_first = sorted(answer, key=lambda each: (not each.exact_name, -each.score))
            found = [self.gold.position[each.skill.id] for each in best_first]
            rows.append([recall(found[:k], wanted) for wanted in (topic.gold, rare) for k in KS])
        return np.array(rows, dtype=np.float64)


# ---------------------------------------------------------------- curves


def curves(desk: Desk, constants: Sequence[str]) -> Iterator[Row]:
    """Yield what each variant has more than the hybrid, by measure."""
    flat = desk.asked(HYBRID.make(desk.bench))
    clusters = cluster_numbers([topic.cluster for topic in desk.topics])
    half = (np.random.default_rng(0).permutation(clusters.max() + 1) % 2)[clusters]
    known: dict[Retriever, FloatArray] = {}
    for constant, value, retriever in variants(desk, constants):
        if retriever not in known:
            known[retriever] = desk.asked(retriever) - flat
        more = known[retriever]
        for measure, column, each in zip(MEASURES, more.T, cluster_bootstrap(more, clusters), strict=True):
            yield {
                **{"set": desk.gold.name, "constant": constant, "value": value, "measure": measure},
                **{"diff": number(each.mean), "lo": number(each.low), "hi": number(each.high)},
                **{f"half {at}": number(float(np.nanmean(column[half == at]))) for at in (0, 1)},
            }


def variants(desk: Desk, constants: Sequence[str]) -> Iterator[tuple[str, Any, Retriever]]:
    """Yield what is asked: ``default``, the ceilings of its walk, and one constant at a time."""
    config, build_by = retrieve_config(), build_config()
    published = desk.bench.build(build_by)
    shipped = desk.bench.over(published.graph, config)
    yield "default", "shipped", shipped
    held = desk.gold.edges[places(published.candidates, desk.gold.edges) >= 0]
    for name, edges in (("all", desk.gold.edges), ("of C", held)):
        graph = gold_graph(edges, n_skills=len(desk.gold.library))
        yield "gold edges", name, desk.bench.over(graph, config)
    for constant in (name for name in QUERY if name in constants):
        for value in QUERY[constant]:
            query_by = changed(config, constant, value)
            yield (
                constant,
                value,
                shipped if query_by == config else desk.bench.over(published.graph, query_by),
            )
    for constant in (name for name in BUILD if name in constants):
        for value in BUILD[constant]:
            varied = changed(build_by, constant, value)
            if varied == build_by:
                yield constant, value, shipped
            else:
                yield constant, value, desk.bench.over(desk.fresh().build(varied).graph, config)


def changed(config: Any, constant: str, value: Any) -> Any:  # noqa: ANN401 - any frozen configuration
    """Return a configuration with one constant, named by the way down to it, set to *value*."""
    first, _, rest = constant.partition(".")
    return replace(config, **{first: changed(getattr(config, first), rest, value) if rest else value})


if __name__ == "__main__":
    main()
