"""What each line of the table is, over one small library."""

from dataclasses import replace

import numpy as np
import pytest

from caskg.baselines.flat import FlatRetriever
from caskg.baselines.gos import GosRetriever
from caskg.bench.methods import METHODS, PRIOR_SHARE
from caskg.bench.qrels import GoldSet, read_set
from caskg.bench.runner import induced
from caskg.bench.simulated_judge import Knowledge, SimulatedJudge
from caskg.bench.vectors import RememberingEncoder
from caskg.bench.workbench import Kind, Workbench, graph_method
from caskg.config import BuildConfig, build_config, retrieve_config
from caskg.library.embed import MemoryVectorCache
from caskg.protocols import Encoder, Retriever
from caskg.published import Build
from caskg.schema import SkillLibrary
from gold_sets import write_kitchen
from retrieval.worlds import ConceptEncoder

ENCODER = ConceptEncoder("boils kettle water heat", "tea leaves drink", "pasta", "plates pots crockery")


class Counting:
    """Builds, and counts how often."""

    def __init__(self) -> None:
        self.configs: list[BuildConfig] = []

    def __call__(self, library: SkillLibrary, *, encoder: Encoder, config: BuildConfig) -> Build:
        self.configs.append(config)
        return induced(library, encoder=encoder, config=config)


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> GoldSet:
    return read_set(write_kitchen(tmp_path_factory.mktemp("gold")), "kitchen")


def workbench(kitchen: GoldSet, induce: Counting | None = None) -> Workbench:
    return Workbench(
        library=kitchen.library,
        encoder=RememberingEncoder(ENCODER, MemoryVectorCache()),
        knows_meanings=True,
        induce=induce or Counting(),
        induce_unjudged=Counting(),
        gold_edges=kitchen.edges,
    )


@pytest.fixture(scope="module")
def bench(kitchen: GoldSet) -> Workbench:
    return workbench(kitchen)


def ids(retriever: Retriever, query: str, *, k: int = 8) -> list[str]:
    return [ranked.skill.id for ranked in retriever.retrieve(query, k=k).skills]


def test_words_and_meanings_are_told_apart(bench: Workbench) -> None:
    """No word of the task stands in a text, or no concept does."""
    bm25, vector = METHODS["bm25"].make(bench), METHODS["vector"].make(bench)
    assert ids(bm25, "heat crockery") == []
    assert set(ids(vector, "heat")) == {"boil-water", "fill-kettle", "cook-pasta"}
    assert "dry-dishes" in ids(bm25, "towel")
    assert ids(vector, "towel") == []


def test_search_never_abstains_and_the_profiles_may(bench: Workbench) -> None:
    """Nothing is known of violins; a towel is at least a word."""
    for name in ("bm25", "hybrid-rrf", "hybrid-zsum", "hybrid-3way", "hybrid+prior"):
        assert ids(METHODS[name].make(bench), "a towel for the violin"), name
    nothing = METHODS["default"].make(bench).retrieve("violin")
    assert nothing.abstained


def test_the_prior_is_one_list(bench: Workbench) -> None:
    """Whatever is asked, be it by name; mixed in, the task still decides what comes first."""
    prior = METHODS["prior"].make(bench)
    lists = {tuple(ids(prior, query)) for query in ("boil water", "tea leaves", "`wash-dishes` plates")}
    assert len(lists) == 1
    mixed = METHODS["hybrid+prior"].make(bench)
    assert ids(mixed, "green tea leaves", k=1) == ids(
        METHODS["hybrid-3way"].make(bench), "green tea leaves", k=1
    )
    assert PRIOR_SHARE == 0.5


def test_the_ceiling_walks_gold_edges_and_no_method_does(kitchen: GoldSet, bench: Workbench) -> None:
    """Pasta needs boiling water by gold alone."""
    assert ids(METHODS["ceiling"].make(bench), "pasta", k=2) == ["boil-water", "cook-pasta"]
    blind = replace(kitchen, edges=np.zeros((0, 2), dtype=np.int64))
    other = workbench(blind)
    for name, method in METHODS.items():
        if not method.needs_edges:
            assert ids(method.make(bench), "pasta") == ids(method.make(other), "pasta"), name


def test_a_build_is_made_once_and_shared(kitchen: GoldSet) -> None:
    """By all methods of the same constants; the index is that of any build."""
    induce = Counting()
    bench = workbench(kitchen, induce)
    for name in ("hybrid-3way", "default", "rewired", "phase1", "prior", "bm25"):
        METHODS[name].make(bench)
    assert induce.configs == [build_config()]
    METHODS["paper"].make(bench)
    assert induce.configs == [build_config(), build_config("paper")]
    cost = bench.build_cost(build_config())
    assert cost.cpu_s > 0
    assert cost.characters > sum(len(skill.description) for skill in kitchen.library.skills)


def test_the_control_without_a_judge_asks_none(kitchen: GoldSet) -> None:
    """Its build is the other one."""
    induce = Counting()
    bench = workbench(kitchen, induce)
    METHODS["no-judge"].make(bench)
    assert induce.configs == []
    assert METHODS["default"].judged
    assert not METHODS["no-judge"].judged


def test_what_an_encoder_knows_travels_into_the_index(kitchen: GoldSet) -> None:
    """The gate must not take the cosine of an encoder that was fitted on the library for evidence."""
    bench = workbench(kitchen)
    bench.knows_meanings = False
    assert not bench.index.knows_meanings
    assert not bench.build(build_config()).index.knows_meanings


def test_kinds_mark_what_is_no_rival() -> None:
    """Controls and the ceiling explain; methods compete."""
    kinds = {kind: [name for name, method in METHODS.items() if method.kind is kind] for kind in Kind}
    assert kinds[Kind.CONTROL] == [
        "semantic-only", "no-judge", "publish-all", "phase1", "rewired", "shuffled", "knn-graph",
    ]  # fmt: skip
    assert kinds[Kind.CEILING] == ["ceiling"]
    assert [name for name, method in METHODS.items() if method.gated] == [
        "bm25",
        "vector",
        "paper",
        "default",
    ]
    assert [name for name, method in METHODS.items() if method.edges] == [
        "paper", "default", "semantic-only", "no-judge",
    ]  # fmt: skip


def test_hybrids_are_the_flat_hybrid(bench: Workbench) -> None:
    """The one that `caskg eval` shows, in three fusions."""
    for name in ("bm25", "vector", "hybrid-rrf", "hybrid-zsum", "hybrid-3way"):
        assert isinstance(METHODS[name].make(bench), FlatRetriever)
    configs = [METHODS[name].retrieval for name in ("hybrid-rrf", "hybrid-zsum", "hybrid-3way")]
    seeds = [config.seeds for config in configs if config]
    assert [(str(each.fusion), each.whole_file) for each in seeds] == [
        ("rrf", False), ("zsum", False), ("zsum", True),
    ]  # fmt: skip


def test_a_variant_takes_its_constants(bench: Workbench) -> None:
    """As a tuner needs."""
    alone = replace(retrieve_config(), seeds=replace(retrieve_config().seeds, count=1), min_sufficiency=0.0)
    method = graph_method(build_config(), alone)
    assert (method.config, method.retrieval, method.kind) == (build_config(), alone, Kind.METHOD)
    ranking = method.make(bench).retrieve("plates")
    assert sum(not ranked.path for ranked in ranking.skills) == 1


def test_graph_of_skills_asks_the_judge_that_is_there(kitchen: GoldSet) -> None:
    """Tea and pasta need the same water, so it asks; the edge brings tea more relevance. It fills up to k."""
    said = workbench(kitchen)
    ends = frozenset(skill.id for skill in kitchen.library.skills)
    said.judge = SimulatedJudge(Knowledge(edges=frozenset({("brew-tea", "cook-pasta")}), ends=ends))
    plain, judged = (METHODS["gos"].make(each) for each in (workbench(kitchen), said))
    assert isinstance(plain, GosRetriever)
    found = [method.retrieve("pasta", k=6).skills for method in (plain, judged)]
    tea = [{each.skill.id: each.score for each in skills}["brew-tea"] for skills in found]
    assert tea[1] > tea[0]
    assert [len(skills) for skills in found] == [6, 6]
