"""What nothing that reads the same can pass: ceilings of candidates, direction and abstention.

    python benchmarks/ceilings.py [--data DIR] [--tasks N] [--out FILE]

A logistic regression on seven things known of a pair and all their products, learnt from gold edges into
other targets of the same library, chooses C and says the direction; one on what is known of a task,
learnt on the other sets or on the set itself, notices that nothing fits. Both read gold, so neither can be
shipped. Reads ``gold`` below ``$CASKG_DATA`` (default ``../shared/data``).
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from caskg.bench.qrels import GoldSet, read_set, set_names
from caskg.bench.runner import code_digest
from caskg.bench.scores import auroc
from caskg.bench.study import scored_topics
from caskg.bench.vectors import RememberingEncoder
from caskg.config import build_config, retrieve_config
from caskg.graph.flow import feeding
from caskg.graph.inputs import graph_inputs, signal_parameters, signal_texts
from caskg.graph.logistic import fit_logistic
from caskg.graph.recall import overlaps
from caskg.graph.signals import jaccard
from caskg.library.lexical import tokenize
from caskg.library.references import resolve_references
from caskg.library.texts import skill_text
from caskg.retrieval.seeds import SearchIndex, find_seeds, sufficiency
from caskg.schema import BoolArray, FloatArray
from caskg.store.workspace import Workspace
from caskg.wiring import encoder_for

DATA = Path(os.environ.get("CASKG_DATA", "../shared/data"))
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
    parser.add_argument("--tasks", type=int, default=150, help="most tasks of a set, drawn by seed 0")
    parser.add_argument("--cache", type=Path, default=Path(".caskg-bench"), help="keeps the vectors")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/ceilings.json"))
    options = parser.parse_args()
    sets = [read_set(options.data, name) for name in set_names(options.data)]
    told, pairs = {}, []
    with Workspace.open_or_create(options.cache / "vectors") as kept:
        for gold in sets:
            desk = Desk(gold, RememberingEncoder(encoder_for("local", gold.library)[1], kept.vectors))
            pairs.append(pair_ceiling(desk))
            told[gold.name] = told_of_tasks(
                desk, [other for other in sets if other is not gold], options.tasks
            )
    abstention = list(abstention_ceilings(told))
    for row in (*pairs, *abstention):
        print(*(f"{value:.3f}" if isinstance(value, float) else value for value in row.values()))
    command = f"python benchmarks/ceilings.py {' '.join(sys.argv[1:])}".strip()
    found = {"command": command, "code": code_digest(), "tasks": options.tasks}
    text = json.dumps({**found, "pairs": pairs, "abstention": abstention}, indent=1)
    options.out.write_text(text + "\n", encoding="utf-8")


class Desk:
    """One set, as the graph and as a query see it."""

    def __init__(self, gold: GoldSet, encoder: RememberingEncoder) -> None:
        self.gold, self.encoder = gold, encoder
        library, config = gold.library, build_config().signals
        self.inputs = graph_inputs(
            library,
            encoder.encode(signal_texts(library, config=config)),
            resolve_references(library),
            parameters=encoder.encode(signal_parameters(library, config=config)),
            config=config,
        )
        vectors = encoder.encode([skill_text(skill) for skill in library.skills])
        self.index = SearchIndex.fit(library.skills, vectors, tie_break=self.inputs.tie_break)


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
            with_products([each[*ends] for each in told]) for ends in (known.T, np.stack(drawn))
        )
        columns = np.flatnonzero(fold == out)
        block = with_products([each[:, columns].ravel() for each in told])
        scores[:, columns] = learnt(positive, negative, block).reshape(n_skills, -1)
    np.fill_diagonal(scores, -np.inf)
    forth, back = scores[*edges.T], scores[*edges[:, ::-1].T]
    most = min(PER_SKILL * n_skills, scores.size)
    least = np.partition(scores, scores.size - most, axis=None)[scores.size - most]
    found, right = float(np.mean(forth >= least)), float(np.mean(forth > back))
    return {"set": desk.gold.name, "candidate_recall": found, "direction": right}


def told_of_pairs(desk: Desk) -> list[FloatArray]:
    """Return matrices of what meanings, words and shares say of every pair, source by target."""
    inputs, n_skills = desk.inputs, len(desk.gold.library)
    likeness = np.asarray(inputs.vectors @ inputs.vectors.T, dtype=np.float64)
    closeness = feeding(inputs.flow, np.arange(n_skills), into=True).T
    words = overlaps(inputs.tokens, inputs.tokens, overlap=jaccard)
    share = inputs.provision.matrix(n_skills).toarray()
    return [closeness, closeness.T, closeness * likeness, likeness, words, share, share.T]


def with_products(told: Sequence[FloatArray]) -> FloatArray:
    """Return the columns, and the product of each two and of each with itself, row by row."""
    both = (one * other for one, other in combinations_with_replacement(told, 2))
    return np.stack([*told, *both], axis=1)


def told_of_tasks(desk: Desk, others: Sequence[GoldSet], most: int) -> dict[str, FloatArray]:
    """Return what is known of the tasks, of them with their gold hidden, and of tasks of other sets."""
    foreign = [other.topics[at].query for other in others for at in scored_topics(other, FOREIGN)]
    topics = [desk.gold.topics[at] for at in scored_topics(desk.gold, most)]
    desk.encoder.encode([*foreign, *(topic.query for topic in topics)])
    every = np.ones(len(desk.gold.library), dtype=np.bool_)
    hidden = [every & ~np.isin(np.arange(len(every)), topic.gold) for topic in topics]
    return {
        "here": np.array([told_of(desk, topic.query, every) for topic in topics]),
        "near": np.array(
            [told_of(desk, topic.query, mask) for topic, mask in zip(topics, hidden, strict=True)]
        ),
        "other": np.array([told_of(desk, query, every) for query in foreign]),
    }


def told_of(desk: Desk, query: str, visible: BoolArray) -> list[float]:
    """Return sufficiency and evidence; of three scores the best, its standard score, lead over the 10th."""
    index, config = desk.index, retrieve_config()
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
