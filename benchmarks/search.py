"""How far each constant of ``default`` reaches, and what nothing can pass: curves and ceilings.

    python benchmarks/search.py [--sets NAME ...] [--constants NAME ...] [--tasks N] [--out FILE]

**Curves.** One constant at a time leaves its shipped value. Measured is what R@5 and R@10, over all gold and
over specific gold, are more than those of ``hybrid-3way``, on every set, and on it with fields taken away:
what it does not state is what an unseen set may not state. Beside it stand both halves of the clusters of
tasks, so that what was chosen on one can be confirmed on the other.

**Ceilings**, which all read gold: the gold edges, and those of them that C holds, walked as ``default``
walks; a logistic regression on what is known of a pair, learnt on other targets of the same library, as what
chooses C and says the direction; and one on what is known of a task, learnt on the other sets or on the set
itself, as what notices that nothing fits. Reads ``gold`` below ``$CASKG_DATA`` (default ``../shared/data``).
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from caskg.bench.scores import auroc
from caskg.bench.stats import cluster_bootstrap, cluster_numbers
from caskg.bench.study import scored_topics
from caskg.bench.vectors import RememberingEncoder
from caskg.bench.workbench import Workbench
from caskg.config import build_config, retrieve_config
from caskg.graph.flow import feeding
from caskg.graph.inputs import graph_inputs, signal_parameters, signal_texts
from caskg.graph.logistic import fit_logistic
from caskg.graph.recall import overlaps
from caskg.graph.signals import jaccard
from caskg.graph.text_prober import TextProber
from caskg.library.lexical import tokenize
from caskg.library.references import resolve_references
from caskg.pipeline import build
from caskg.protocols import Retriever
from caskg.retrieval.seeds import find_seeds, sufficiency
from caskg.schema import BoolArray, FloatArray, Skill, SkillLibrary
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
    "recall.total": (30, 60),
    "signals.weights.provider": (0.0, 0.5, 0.75, 1.0),
}
PER_SKILL = 60  # candidates
NEGATIVES = 20  # pairs drawn for each gold edge
FOLDS = 5
FOREIGN = 200  # tasks of each other set

Row = dict[str, Any]


def main() -> None:
    """Measure, print, and write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA / "gold")
    parser.add_argument("--sets", nargs="*", default=[], help="none = all")
    parser.add_argument("--constants", nargs="*", default=[*QUERY, *BUILD])
    parser.add_argument("--tasks", type=int, default=200, help="most tasks of a set, drawn by seed 0")
    parser.add_argument("--cache", type=Path, default=Path(".caskg-bench"), help="keeps the vectors")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/search.json"))
    options = parser.parse_args()
    sets = [read_set(options.data, name) for name in options.sets or set_names(options.data)]
    rows: dict[str, list[Row]] = {"curves": [], "pairs": [], "abstention": []}
    told = {}
    with Workspace.open_or_create(options.cache / "vectors") as kept:
        for whole in sets:
            for gold in (whole, *with_fields_taken_away(whole)):
                encoder = RememberingEncoder(encoder_for("local", gold.library)[1], kept.vectors)
                with tempfile.TemporaryDirectory() as folder, Workspace.create(Path(folder) / "w") as answers:
                    desk = Desk(gold, encoder, answers, tasks=options.tasks)
                    rows["curves"] += show(curves(desk, options.constants))
                    rows["pairs"] += show([pair_ceiling(desk)])
                    if gold is whole:
                        told[gold.name] = told_of_tasks(desk, [other for other in sets if other is not whole])
    rows["abstention"] += show(abstention_ceilings(told))
    command = f"python benchmarks/search.py {' '.join(sys.argv[1:])}".strip()
    found = {"command": command, "code": code_digest(), "tasks": options.tasks, **rows}
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def show(rows: Iterable[Row]) -> list[Row]:
    """Print rows as they come, and keep them."""
    kept = []
    for row in rows:
        print(*(f"{value:+.3f}" if isinstance(value, float) else value for value in row.values()), flush=True)
        kept.append(row)
    return kept


def with_fields_taken_away(gold: GoldSet) -> Iterator[GoldSet]:
    """Yield the set without what its skills give, and then without what they take, where they state it."""
    taken: list[str] = []
    for field in ("outputs", "inputs"):
        if any(getattr(skill.fields, field) for skill in gold.library.skills):
            taken.append(field)
            skills = tuple(skill_of(_row(skill, taken)) for skill in gold.library.skills)
            name = "-without-".join([gold.name, *taken])
            yield replace(gold, name=name, library=SkillLibrary(skills=skills))


def _row(skill: Skill, taken: Sequence[str]) -> Row:
    stated = {
        field: getattr(skill.fields, field) or () for field in ("inputs", "outputs") if field not in taken
    }
    about = {"id": skill.id, "name": skill.name, "description": skill.description}
    lists = {field: [asdict(parameter) for parameter in each] for field, each in stated.items()}
    return {**about, **lists, "tools": skill.fields.tools, "keywords": skill.fields.tags}


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
            graph = published.graph if varied == build_by else desk.fresh().build(varied).graph
            yield constant, value, shipped if varied == build_by else desk.bench.over(graph, config)


def changed(config: Any, constant: str, value: Any) -> Any:  # noqa: ANN401 - any frozen configuration
    """Return a configuration with one constant, named by the way down to it, set to *value*."""
    first, _, rest = constant.partition(".")
    return replace(config, **{first: changed(getattr(config, first), rest, value) if rest else value})


# ---------------------------------------------------------------- ceilings


def pair_ceiling(desk: Desk) -> Row:
    """Return the recall of the best pairs, and the direction, by what was learnt on other targets."""
    edges, n_skills, told = desk.gold.edges, len(desk.gold.library), told_of_pairs(desk)
    generator, scores = np.random.default_rng(0), np.zeros((n_skills, n_skills))
    fold = generator.integers(0, FOLDS, n_skills)
    for out in range(FOLDS):
        known, others = edges[fold[edges[:, 1]] != out], np.flatnonzero(fold != out)
        drawn = [generator.integers(0, n_skills, NEGATIVES * len(known))]
        drawn.append(generator.choice(others, NEGATIVES * len(known)))
        positive, negative = (
            np.stack([each[*ends] for each in told], axis=1) for ends in (known.T, np.stack(drawn))
        )
        columns = np.flatnonzero(fold == out)
        block = np.stack([each[:, columns].ravel() for each in told], axis=1)
        scores[:, columns] = learnt(positive, negative, block).reshape(n_skills, -1)
    np.fill_diagonal(scores, -np.inf)
    forth, back = scores[*edges.T], scores[*edges[:, ::-1].T]
    most = min(PER_SKILL * n_skills, scores.size)
    least = np.partition(scores, scores.size - most, axis=None)[scores.size - most]
    found, right = float(np.mean(forth >= least)), float(np.mean(forth > back))
    return {"set": desk.gold.name, "candidate_recall": found, "direction": right}


def told_of_pairs(desk: Desk) -> list[FloatArray]:
    """Return matrices of what meanings, words and shares say of every pair, source by target."""
    library, config = desk.gold.library, build_config().signals
    inputs = graph_inputs(
        library,
        desk.encoder.encode(signal_texts(library, config=config)),
        resolve_references(library),
        parameters=desk.encoder.encode(signal_parameters(library, config=config)),
        config=config,
    )
    n_skills, likeness = len(library), np.asarray(inputs.vectors @ inputs.vectors.T, dtype=np.float64)
    closeness = feeding(inputs.flow, np.arange(n_skills), into=True).T
    words = overlaps(inputs.tokens, inputs.tokens, overlap=jaccard)
    share = inputs.provision.matrix(n_skills).toarray()
    return [closeness, closeness.T, closeness * likeness, likeness, words, share, share.T]


def told_of_tasks(desk: Desk, others: Sequence[GoldSet]) -> dict[str, FloatArray]:
    """Return what is known of the tasks, of them with their gold hidden, and of tasks of other sets."""
    foreign = [other.topics[at].query for other in others for at in scored_topics(other, FOREIGN)]
    desk.encoder.encode(foreign)
    every = np.ones(len(desk.gold.library), dtype=np.bool_)
    hidden = [every & ~np.isin(np.arange(len(every)), topic.gold) for topic in desk.topics]
    return {
        "here": np.array([told_of(desk, topic.query, every) for topic in desk.topics]),
        "near": np.array(
            [told_of(desk, topic.query, mask) for topic, mask in zip(desk.topics, hidden, strict=True)]
        ),
        "other": np.array([told_of(desk, query, every) for query in foreign]),
    }


def told_of(desk: Desk, query: str, visible: BoolArray) -> list[float]:
    """Return sufficiency and evidence; of three scores the best, its standard score, lead over the 10th."""
    index, config = desk.bench.index, retrieve_config()
    vector, tokens = desk.encoder.encode([query])[0], list(dict.fromkeys(tokenize(query)))
    evidence = find_seeds(query, vector, index, config=config.seeds, visible=visible).evidence
    told = [sufficiency(evidence, rare_words=config.rare_words), evidence.coverage, evidence.rare_words]
    whole = index.full or index.short
    for scores in (index.short.scores(tokens), whole.scores(tokens), index.vectors @ vector):
        best = np.sort(scores[visible])[::-1]
        told += [best[0], (best[0] - best.mean()) / max(best.std(), 1e-9), best[0] - best[9]]
    return [float(value) for value in told]


def abstention_ceilings(told: Mapping[str, Mapping[str, FloatArray]]) -> Iterator[Row]:
    """Yield AUROCs: of the shipped sufficiency, of the best of all quantities, and of what was learnt.

    Learnt is what tells tasks from both the same with their gold hidden and tasks of other sets, on the other
    sets, and on the set itself.
    """
    for name, here in told.items():
        away = [each for key, each in told.items() if key != name]
        for part in ("near", "other"):
            both = np.concatenate([here["here"], here[part]])
            is_here = np.arange(len(both)) < len(here["here"])
            row = {"set": name, "against": part, "shipped": auroc(both[:, 0], is_here)}
            row["best single"] = max(auroc(column, is_here) for column in both.T)
            for where, sets in (("learnt on others", away), ("learnt on itself", [here])):
                if sets:
                    yes = np.concatenate([each["here"] for each in sets])
                    no = np.concatenate([each[kind] for each in sets for kind in ("near", "other")])
                    row[where] = auroc(learnt(yes, no, both), is_here)
            yield row


def learnt(positive: FloatArray, negative: FloatArray, asked: FloatArray) -> FloatArray:
    """Return the log odds of the rows *asked*, by a logistic regression on the others."""
    is_positive = np.arange(len(positive) + len(negative)) < len(positive)
    model = fit_logistic(np.concatenate([positive, negative]), is_positive.astype(np.float64), ridge=1.0)
    return model.logits(asked)


if __name__ == "__main__":
    main()
