"""What one method answers to all topics of a set, and what that is worth topic by topic."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from caskg.bench.metrics import closure, ndcg, pairs_in_order, recall, whole_set
from caskg.bench.qrels import GoldSet, Topic
from caskg.bench.workbench import Method
from caskg.library.texts import skill_text
from caskg.protocols import Retriever
from caskg.retrieval.bundle import render
from caskg.schema import FloatArray, Ranking

KS = (5, 10, 20)
"""How many skills are asked for, each time anew: an answer to 5 need not begin an answer to 10."""

BUNDLE = 10
"""The k at which bundles are looked at as a whole."""

MAX_CHARS = 12_000
RARE = 0.05
"""Gold is specific where less than this share of a set's tasks needs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a method answered to one topic, as positions in the library.

    Attributes:
        found: By k, in the order of the answer.
        best_first: Those of the bundle, the most relevant first.
        chars: Of the rendered bundle.
        sufficiency: How well the method thinks the library covers the task.
        abstained: It said that nothing fits.
        near_miss: Its sufficiency where the task's gold is not in the library; None = not asked.
        failure: Why there is no answer; empty where there is one.
    """

    found: Mapping[int, tuple[int, ...]]
    best_first: tuple[int, ...]
    chars: int = 0
    sufficiency: float = 0.0
    abstained: bool = False
    near_miss: float | None = None
    failure: str = ""

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return what `dataclasses.asdict` and JSON made of an answer."""
        found = {int(k): tuple(positions) for k, positions in fields["found"].items()}
        return cls(**{**fields, "found": found, "best_first": tuple(fields["best_first"])})


def answer_topic(retriever: Retriever, topic: Topic, gold: GoldSet, method: Method) -> Answer:
    """Ask one method about one topic; what goes wrong is an answer too, and counts as nothing found.

    Args:
        retriever: What answers.
        topic: The topic; only its text, and for the near miss what is hidden, reaches *retriever*.
        gold: Its set.
        method: A gated one is asked again with the topic's gold hidden; one that shows the whole
            library has no budget of characters.
    """
    try:
        return _answer(retriever, topic, gold, method)
    except Exception as error:  # noqa: BLE001 - the outermost loop: a recorded failure, in every denominator
        return Answer(found=dict.fromkeys(KS, ()), best_first=(), failure=f"{type(error).__name__}: {error}")


def _answer(retriever: Retriever, topic: Topic, gold: GoldSet, method: Method) -> Answer:
    rankings = {k: retriever.retrieve(topic.query, k=k) for k in KS}
    bundle = rankings[BUNDLE]
    near_miss = None
    if method.gated:
        hidden = [gold.library.skills[at].id for at in topic.gold]
        near_miss = retriever.retrieve(topic.query, k=1, exclude=hidden).sufficiency
    return Answer(
        found={k: _positions(ranking, gold)[:k] for k, ranking in rankings.items()},
        best_first=_best_first(bundle, gold)[:BUNDLE],
        chars=0 if bundle.abstained else _chars(bundle, whole_library=method.whole_library),
        sufficiency=bundle.sufficiency,
        abstained=bundle.abstained,
        near_miss=near_miss,
    )


def _chars(bundle: Ranking, *, whole_library: bool) -> int:
    """Return the length of what an agent reads: where all is shown, that is names and descriptions."""
    if whole_library:
        return sum(len(skill_text(ranked.skill)) + 1 for ranked in bundle.skills)
    return len(render(bundle, max_chars=MAX_CHARS).text)


def _positions(ranking: Ranking, gold: GoldSet) -> tuple[int, ...]:
    return tuple(gold.position[ranked.skill.id] for ranked in ranking.skills)


def _best_first(ranking: Ranking, gold: GoldSet) -> tuple[int, ...]:
    ranked = sorted(ranking.skills, key=lambda each: (not each.exact_name, -each.score))
    return tuple(gold.position[each.skill.id] for each in ranked)


def specific_gold(topics: Sequence[Topic]) -> frozenset[int]:
    """Return the skills that less than `RARE` of the topics need: no list of favourites finds them."""
    counts = Counter(at for topic in topics for at in topic.gold)
    return frozenset(at for at, count in counts.items() if count < RARE * len(topics))


def measure(
    answers: Sequence[Answer], topics: Sequence[Topic], specific: frozenset[int]
) -> dict[str, FloatArray]:
    """Return each measure topic by topic, shape ``(n_topics,)``; NaN where a topic does not ask for it."""
    rows = [_measured(answer, topic, specific) for answer, topic in zip(answers, topics, strict=True)]
    return {
        name: np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=np.float64)
        for name in rows[0]
    }


def _measured(answer: Answer, topic: Topic, specific: frozenset[int]) -> dict[str, float | None]:
    rare = tuple(at for at in topic.gold if at in specific)
    bundle = answer.found[BUNDLE]
    found: dict[str, float | None] = {}
    for prefix, wanted in (("", topic.gold), ("specific_", rare)):
        found |= {f"{prefix}recall@{k}": recall(answer.found[k], wanted) for k in KS}
        found[f"{prefix}ndcg@{BUNDLE}"] = ndcg(answer.best_first, wanted, k=BUNDLE)
        found[f"{prefix}whole_set@{BUNDLE}"] = whole_set(bundle, wanted)
    one_way = [pair for pair in topic.links if pair[::-1] not in topic.links]
    return found | {
        f"closure@{BUNDLE}": closure(bundle, topic.links),
        f"order@{BUNDLE}": pairs_in_order(bundle, one_way),
        f"order_of_found@{BUNDLE}": pairs_in_order(
            bundle, [pair for pair in one_way if set(pair) <= set(bundle)]
        ),
        "characters": float(answer.chars),
        "abstained": float(answer.abstained),
    }
