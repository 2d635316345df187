"""What an answer is worth, topic by topic."""

from collections.abc import Collection

import numpy as np
import pytest

from caskg.bench.qrels import GoldSet, Topic, read_set
from caskg.bench.runs import BUNDLE, KS, RARE, Answer, answer_topic, measure, specific_gold
from caskg.bench.workbench import Method
from caskg.retrieval.bundle import render
from caskg.schema import RankedSkill, Ranking
from gold_sets import write_kitchen


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> GoldSet:
    return read_set(write_kitchen(tmp_path_factory.mktemp("gold")), "kitchen")


class Scripted:
    """Returns skills by id, scored as told, and keeps what it was asked."""

    def __init__(self, kitchen: GoldSet, *answer: tuple[str, float], abstains: bool = False) -> None:
        self.skills = {skill.id: skill for skill in kitchen.library.skills}
        self.answer = answer
        self.abstains = abstains
        self.asked: list[tuple[str, int, list[str]]] = []

    def retrieve(
        self, query: str, *, k: int = 8, have: Collection[str] = (), exclude: Collection[str] = ()
    ) -> Ranking:
        assert not have
        self.asked.append((query, k, sorted(exclude)))
        found = [RankedSkill(skill=self.skills[skill_id], score=score) for skill_id, score in self.answer]
        sufficiency = 0.25 if exclude else 0.75
        if self.abstains:
            return Ranking(query=query, skills=(), sufficiency=sufficiency, abstained=True, hint="none")
        return Ranking(query=query, skills=tuple(found[:k]), sufficiency=sufficiency, abstained=False)


class Broken:
    """Fails at every task."""

    def retrieve(
        self, query: str, *, k: int = 8, have: Collection[str] = (), exclude: Collection[str] = ()
    ) -> Ranking:
        msg = f"no answer to {query[:4]} {k} {have} {exclude}"
        raise RuntimeError(msg)


def ask(
    kitchen: GoldSet, retriever: Scripted | Broken, *, gated: bool = False, whole_library: bool = False
) -> Answer:
    method = Method(make=lambda _bench: retriever, gated=gated, whole_library=whole_library)
    return answer_topic(retriever, kitchen.topics[0], kitchen, method)


def test_each_k_is_asked_for_anew(kitchen: GoldSet) -> None:
    """And nothing but the text of the task is told."""
    retriever = Scripted(kitchen, ("brew-tea", 0.2), ("boil-water", 0.8))
    answer = ask(kitchen, retriever)
    query = kitchen.topics[0].query
    assert retriever.asked == [(query, 5, []), (query, 10, []), (query, 20, [])]
    tea, water = kitchen.position["brew-tea"], kitchen.position["boil-water"]
    assert answer.found == dict.fromkeys(KS, (tea, water))
    assert answer.best_first == (water, tea)
    assert (answer.sufficiency, answer.near_miss, answer.abstained) == (0.75, None, False)
    assert answer.chars == len(render(Scripted(kitchen, *retriever.answer).retrieve(query)).text)


def test_the_near_miss_hides_the_tasks_gold(kitchen: GoldSet) -> None:
    """Only for methods with a gate."""
    retriever = Scripted(kitchen, ("brew-tea", 0.2))
    assert ask(kitchen, retriever, gated=True).near_miss == 0.25
    assert retriever.asked[-1] == (kitchen.topics[0].query, 1, ["boil-water", "brew-tea"])


def test_who_abstains_returns_nothing(kitchen: GoldSet) -> None:
    """Also no characters."""
    answer = ask(kitchen, Scripted(kitchen, abstains=True))
    assert (answer.found[BUNDLE], answer.chars, answer.abstained) == ((), 0, True)


def test_the_whole_library_costs_what_it_costs(kitchen: GoldSet) -> None:
    """Names and descriptions, no budget, and no bodies."""
    answer = ask(kitchen, Scripted(kitchen, ("fill-kettle", 0.0), ("boil-water", 0.0)), whole_library=True)
    lines = ["fill-kettle: Fills the kettle at the tap.", "boil-water: Boils water in a kettle or a pot."]
    assert answer.chars == sum(len(line) + 1 for line in lines)


def test_a_failure_is_an_answer_that_found_nothing(kitchen: GoldSet) -> None:
    """It counts in every denominator, with its reason."""
    answer = ask(kitchen, Broken())
    assert answer.failure == "RuntimeError: no answer to brew 5 () ()"
    assert answer.found == dict.fromkeys(KS, ())
    topic = kitchen.topics[0]
    assert measure([answer], [topic], frozenset())["recall@10"].tolist() == [0.0]


def test_specific_is_what_less_than_a_twentieth_needs() -> None:
    """At exactly 5 % a skill is no longer specific."""
    golds = [(0, 1, 2)] * 4 + [(0, 1)] + [(0,)] * 95
    topics = [Topic(id="t", query="x", gold=gold, links=(), cluster="") for gold in golds]
    assert specific_gold(topics) == {2}
    assert RARE == 0.05


def test_measures_are_those_of_the_answer() -> None:
    """Worked out by hand: gold 1, 2, 3, of which 3 is specific; links 1 -> 2, 2 <-> 3."""
    topic = Topic(id="t", query="x", gold=(1, 2, 3), links=((1, 2), (2, 3), (3, 2)), cluster="c")
    answer = Answer(
        found={5: (1,), 10: (7, 1, 2), 20: (1, 2, 3)}, best_first=(1, 2, 7), chars=90, sufficiency=0.5
    )
    found = {name: values.tolist() for name, values in measure([answer], [topic], frozenset({3, 9})).items()}
    gain = 1 + 1 / np.log2(3)
    best = gain + 1 / 2
    expected = {
        "recall@5": 1 / 3, "recall@10": 2 / 3, "recall@20": 1.0, "ndcg@10": gain / best, "whole_set@10": 0.0,
        "specific_recall@5": 0.0, "specific_recall@10": 0.0, "specific_recall@20": 1.0,
        "specific_ndcg@10": 0.0, "specific_whole_set@10": 0.0,
        "closure@10": 1 / 3, "order@10": 1.0, "order_of_found@10": 1.0, "characters": 90.0, "abstained": 0.0,
    }  # fmt: skip
    assert {name: values[0] for name, values in found.items()} == pytest.approx(expected)


def test_what_a_topic_does_not_ask_for_is_nan() -> None:
    """No links, no specific gold: no part in these means."""
    topic = Topic(id="t", query="x", gold=(1,), links=(), cluster="c")
    answer = Answer(found=dict.fromkeys(KS, (1,)), best_first=(1,))
    found = measure([answer], [topic], frozenset())
    nothing = {name for name, values in found.items() if np.isnan(values[0])}
    assert nothing == {
        *(f"specific_{name}" for name in ("recall@5", "recall@10", "recall@20", "ndcg@10", "whole_set@10")),
        "closure@10", "order@10", "order_of_found@10",
    }  # fmt: skip


def test_the_order_of_what_was_found_leaves_out_what_was_not() -> None:
    """Where both of a link are missing or one is, that is a matter of closure."""
    topic = Topic(id="t", query="x", gold=(1, 2, 3), links=((1, 2), (1, 3)), cluster="c")
    answer = Answer(found=dict.fromkeys(KS, (1, 2)), best_first=(1, 2))
    found = measure([answer], [topic], frozenset())
    assert (found["order@10"][0], found["order_of_found@10"][0]) == (0.5, 1.0)
