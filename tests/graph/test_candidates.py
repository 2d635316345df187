"""The candidate graph: association by hand, types case by case, truncation by a plain sort, renaming laws."""

from dataclasses import replace

import numpy as np
import pytest

from caskg.config import (
    Bound,
    BuildConfig,
    RecallConfig,
    SignalConfig,
    SignalWeights,
    build_config,
)
from caskg.graph.candidates import ask_judge, association, find_candidates, told_apart, with_judge
from caskg.graph.inputs import GraphInputs
from caskg.graph.recall import recall
from caskg.graph.signals import pair_affinity, pair_signals
from caskg.library.duplicates import NearDuplicates
from caskg.schema import (
    EDGE_TYPES,
    Candidates,
    IntArray,
    ReferenceKind,
    Signal,
    SkillFields,
)
from factories import make_skill
from graph.graph_cases import edges, encoded, listed, needs, random_skills, read, signal, unit

PAPER = build_config("paper")
DEFAULT = build_config()
NONE = np.empty(0, dtype=np.int64)
SEED = 17


def associated(config: SignalConfig = PAPER.signals, **values: float | None) -> float:
    """Return A of one pair."""
    found = association({name: signal(value) for name, value in values.items()}, n_pairs=1, config=config)
    return round(float(found[0]), 9)


# ---------------------------------------------------------------- association


def test_the_association_is_a_weighted_mean_of_all_signals() -> None:
    """(.25*.8 + .10*.4 + .25*.85 + .20*0 + .10*1 + .10*1) / 1 with the released weights."""
    found = associated(semantic=0.8, lexical=0.4, io=0.85, structural=0.0, judge=1.0, repair=1.0)
    assert found == 0.6525


def test_a_signal_that_is_not_active_counts_for_nothing() -> None:
    """(.25*.8 + .10*.4) / .35: neither its value nor its weight enters; 0 is another thing."""
    assert associated(semantic=0.8, lexical=0.4, io=None) == 0.685714286
    assert associated(semantic=0.8, lexical=0.4) == 0.685714286
    assert associated(semantic=0.8, lexical=0.4, io=0.0) == 0.4


def test_where_nothing_is_active_the_association_is_zero() -> None:
    """No evidence is no association, and no division by zero."""
    assert associated(semantic=None, io=None) == 0.0
    assert association({}, n_pairs=3, config=PAPER.signals).tolist() == [0.0, 0.0, 0.0]


def test_a_signal_of_weight_zero_is_off() -> None:
    """References have weight 0 in the paper's profile; a boost without weight is off too."""
    assert associated(semantic=0.5, reference=1.0, enabler=1.0) == 0.5
    plain = replace(DEFAULT.signals, reference_boost=0.0)
    assert associated(plain, semantic=0.5, reference=1.0) == 0.75
    off = replace(DEFAULT.signals, weights=replace(DEFAULT.signals.weights, reference=0.0))
    assert associated(off, semantic=0.5, reference=1.0) == 0.5
    no_roles = replace(PAPER.signals, weights=replace(PAPER.signals.weights, structural=0.0))
    assert associated(no_roles, semantic=0.1, structural=0.78) == 0.1


@pytest.mark.parametrize(
    ("reference", "semantic", "expected"),
    [(1.0, 0.1, 0.9), (0.5, 0.1, 0.45), (None, 0.1, 0.1), (1.0, 0.96, 0.98)],
)
def test_what_a_document_says_outright_is_lifted(
    reference: float | None, semantic: float, expected: float
) -> None:
    """max(A~, .90 phi_ref): a need among unlike texts stays one, and the lift never lowers."""
    assert associated(DEFAULT.signals, semantic=semantic, reference=reference) == expected


@pytest.mark.parametrize(
    ("structural", "expected"),
    [(0.78, 0.546), (0.68, 0.476), (0.66, 0.462), (0.65, 0.26), (None, 0.0)],
)
def test_a_strong_workflow_pair_is_lifted(structural: float | None, expected: float) -> None:
    """max(A~, [phi_str > .65] .70 phi_str); with an I/O of 0 beside it A~ is .20 phi_str / .50."""
    weights = SignalWeights(structural=0.2, io=0.3)
    assert associated(SignalConfig(weights=weights), structural=structural, io=0.0) == expected


@pytest.mark.parametrize(
    ("provider", "ready", "expected"),
    [
        (1.0, None, 0.9),
        (0.0, 1.0, 0.9 * 0.48**0.5),
        (0.0, 0.0, 0.35 / 1.35),
        (0.0, None, 0.35 / 1.25),
        (None, 1.0, 0.75),
    ],
)
def test_what_one_skill_alone_can_give_is_lifted(
    provider: float | None, ready: float | None, expected: float
) -> None:
    """max(A~, .9 phi_prov, .9 phi_ready sqrt(.8 * .6)); of A~, (.25 * .8 + .25 * .6) / .5 is there always."""
    found = associated(DEFAULT.signals, meaning=0.8, semantic=0.6, provider=provider, ready=ready)
    assert found == pytest.approx(expected, abs=1e-9)
    even = associated(DEFAULT.signals, meaning=0.5, semantic=1.0, provider=0.0, ready=1.0)
    assert even == pytest.approx((0.25 * 0.5 + 0.25 + 0.1) / 1.35)  # meaning speaks for neither
    off = replace(DEFAULT.signals, weights=replace(DEFAULT.signals.weights, provider=0.0))
    assert associated(off, semantic=0.5, provider=1.0) == 0.5
    assert associated(off, semantic=0.0, meaning=0.0, ready=0.0, provider=1.0) == 0.0


def test_the_lift_never_lowers() -> None:
    """A~ = (.25 + .156) / .45 = .902 stays above .546."""
    assert associated(semantic=1.0, structural=0.78) == 0.902222222


def test_signals_of_many_pairs_do_not_mix() -> None:
    """Each pair has its own active signals and its own sum of weights."""
    signals = {
        "semantic": signal(0.4, None, 1.0),
        "lexical": signal(0.4, 0.2, None),
        "io": signal(None, 1, None),
    }
    found = association(signals, n_pairs=3, config=PAPER.signals)
    assert found.round(9).tolist() == [0.4, round(0.27 / 0.35, 9), 1.0]


def test_the_association_does_not_depend_on_the_order_of_the_signals() -> None:
    """Bit by bit: a sum must not depend on the order of a dict."""
    rng = np.random.default_rng(SEED)
    names = ["semantic", "lexical", "io", "structural", "repair", "judge"]
    signals = {name: Signal(value=rng.random(50), active=rng.random(50) < 0.7) for name in names}
    backward = {name: signals[name] for name in reversed(names)}
    first = association(signals, n_pairs=50, config=PAPER.signals)
    assert first.tolist() == association(backward, n_pairs=50, config=PAPER.signals).tolist()
    assert first.max() <= 1.0


# ---------------------------------------------------------------- truncation


def kept_by_sorting(inputs: GraphInputs, config: BuildConfig, labelled: IntArray) -> set[tuple[int, int]]:
    """Return C by a plain sort of the union of all channels."""
    codes, channels = recall(inputs, labelled=labelled, config=config)
    source, target = np.divmod(codes, inputs.n_skills)
    signals = pair_signals(inputs, source, target, config=config.signals)
    if config.recall.by_association:
        keys = [association(signals, n_pairs=len(source), config=config.signals)]
    else:
        ordered = [signals[name] for name in ("structural", "io", "semantic", "lexical")]
        keys = [np.where(each.active, each.value, 0.0) for each in ordered]
        keys.append(pair_affinity(inputs, source, target))
    here, there = (source, target) if config.recall.bound is Bound.SOURCE else (target, source)
    ties = list(zip(inputs.tie_break[there].tolist(), inputs.tie_break[here].tolist(), strict=True))
    here = np.zeros_like(here) if config.recall.library_wide else here
    most = config.recall.total * (inputs.n_skills if config.recall.library_wide else 1)
    safe = (channels & 0b10001010000) > 0
    kept: set[tuple[int, int]] = set()
    for group in set(here.tolist()):
        mine = np.flatnonzero(here == group)
        order = sorted(mine, key=lambda at: (not safe[at], *(-key[at] for key in keys), ties[at]))
        kept |= {
            (int(source[at]), int(target[at])) for place, at in enumerate(order) if place < most or safe[at]
        }
    return kept


@pytest.mark.parametrize("profile", ["paper", "default"])
@pytest.mark.parametrize("bound", [Bound.SOURCE, Bound.TARGET])
@pytest.mark.parametrize("total", [1, 4])
@pytest.mark.parametrize("wide", [True, False])
def test_the_least_candidates_are_cut(profile: str, bound: Bound, total: int, *, wide: bool) -> None:
    """Of each skill, or of the library; safe pairs come first.

    Paper: by structural, I/O, semantic, lexical, affinity; ours: by association.
    """
    config = build_config(profile)
    config = replace(config, recall=replace(config.recall, bound=bound, total=total, library_wide=wide))
    skills = random_skills(np.random.default_rng(SEED), 20)
    references = [needs(at, 3) for at in range(8)]
    labelled = np.array([[at, 9] for at in range(9)] + [[2, at] for at in range(3, 8)])
    inputs = encoded(skills, config=config.signals, references=references)
    found = find_candidates(inputs, config=config, labelled=labelled)
    codes = labelled[:, 0] * 20 + labelled[:, 1]
    assert set(edges(found)) == kept_by_sorting(inputs, config, codes)
    assert {(at, 9) for at in range(9)} <= set(edges(found))


def test_the_profiles_bound_the_end_they_say() -> None:
    """12 a source in the paper, 60 a target in ours, where the cut does not go through the library."""
    skills = [make_skill(f"s{at}", "amber basin", name="", inputs=["x1"], outputs=["x1"]) for at in range(70)]
    inputs = read(*skills, vectors=np.ones((70, 1), dtype=np.float32))
    paper = find_candidates(inputs, config=replace(PAPER, recall=replace(PAPER.recall, lexical=69)))
    recall_config = replace(DEFAULT.recall, lexical=69, library_wide=False)
    ours = find_candidates(inputs, config=replace(DEFAULT, recall=recall_config))
    assert np.bincount(paper.source).tolist() == [12] * 70
    assert np.bincount(ours.target).tolist() == [60] * 70


def test_a_role_pair_goes_before_a_match_of_names_in_the_paper() -> None:
    """Structural first, whatever the rest; the same pair order by hand."""
    skills = [
        make_skill("x", "find amber basin cedar", name="", outputs=["x1"]),
        make_skill("y", "save amber basin cedar delta ember fjord", name=""),
        make_skill("z", "find amber basin cedar", name="", inputs=["x1"]),
    ]
    inputs = read(*skills, vectors=unit([[1, 0], [0.8, 0.6], [1, 0]]))
    for total, targets in ((1, {1}), (2, {1, 2})):
        config = replace(PAPER, recall=replace(PAPER.recall, total=total))
        found = find_candidates(inputs, config=config)
        assert {j for i, j in edges(found) if i == 0} == targets
        ours = replace(
            DEFAULT, recall=replace(DEFAULT.recall, bound=Bound.SOURCE, total=total, library_wide=False)
        )
        first = {j for i, j in edges(find_candidates(inputs, config=ours)) if i == 0}
        assert first == ({2} if total == 1 else targets)


@pytest.mark.parametrize(
    ("near", "far"),
    [("alpha", "alpha beta v w x y"), ("alpha beta v w x", "alpha"), ("alpha beta gamma", "alpha beta v")],
)
def test_the_paper_cuts_by_jaccard_before_affinity(near: str, far: str) -> None:
    """1/4 and 1/4: affinity decides; 2/7 before 1/4 though affinity says otherwise; 3/4 before 2/5."""
    texts = ["alpha beta gamma delta", near, far]
    for order in ([0, 1, 2], [0, 2, 1]):
        inputs = read(*(make_skill("x", texts[at], name="") for at in order))
        for rank in (np.array([0, 1, 2]), np.array([0, 2, 1])):
            config = replace(PAPER, recall=replace(PAPER.recall, total=1))
            found = find_candidates(replace(inputs, tie_break=rank), config=config)
            assert [order[j] for i, j in edges(found) if i == 0] == [1]


# ---------------------------------------------------------------- the whole


def test_candidates_are_sorted_unique_and_complete() -> None:
    """Every array has a row for each edge, in the order of (source, target)."""
    inputs = encoded(random_skills(np.random.default_rng(SEED), 20), config=DEFAULT.signals)
    found = find_candidates(inputs, config=DEFAULT)
    assert edges(found) == sorted(set(edges(found)))
    assert all(source != target for source, target in edges(found))
    arrays = (found.target, found.association, found.types, found.channels)
    assert {len(array) for array in arrays} == {len(found)}
    assert set(found.signals) == {
        "meaning",
        "ready",
        "provider",
        "semantic",
        "lexical",
        "io",
        "structural",
        "reference",
        "enabler",
        "repair",
    }
    assert {len(each.value) for each in found.signals.values()} == {len(found)}
    assert found.types.dtype == np.int8
    assert found.n_skills == 20
    fresh = pair_signals(inputs, found.source, found.target, config=DEFAULT.signals)
    for name, each in fresh.items():
        assert listed(found.signals[name]) == listed(each)


def test_repair_refines_edges_that_are_in_c_already() -> None:
    """Phi_rep = 1 joins the mean with its weight .10; it brings no pair of its own."""
    skills = [
        make_skill("x", "amber", name="", fields=SkillFields(effects=("basin full",))),
        make_skill("y", "amber", name="", fields=SkillFields(recovery=("restore the full basin",))),
        make_skill("z", "delta", name="", fields=SkillFields(recovery=("restore the full basin",))),
    ]
    inputs = read(*skills, vectors=unit([[1, 0, 0], [0.6, 0.8, 0], [0, 0, 1]]))
    found = find_candidates(inputs, config=PAPER)
    assert edges(found) == [(0, 1), (1, 0)]
    assert listed(found.signals["repair"]) == [1.0, None]
    expected = [(0.25 * 0.6 + 0.1 + 0.1) / 0.45, (0.25 * 0.6 + 0.1) / 0.35]
    assert found.association == pytest.approx(expected, abs=1e-6)
    off = replace(PAPER, signals=replace(PAPER.signals, weights=SignalWeights(repair=0.0)))
    assert "repair" not in find_candidates(inputs, config=off).signals


def test_a_declared_need_makes_a_dependency() -> None:
    """A reference alone brings the pair, and lifts it to .90 whatever else is unlike."""
    inputs = read(
        make_skill("amber"),
        make_skill("basin"),
        vectors=unit([[0, 0], [0, 0]]),
        references=[needs(0, 1, ReferenceKind.DECLARED)],
    )
    found = find_candidates(inputs, config=DEFAULT)
    assert edges(found) == [(0, 1)]
    assert found.association.tolist() == [0.9]
    assert [EDGE_TYPES[code] for code in found.types] == ["dependency"]
    assert len(find_candidates(inputs, config=PAPER)) == 0


def apart(vectors: list[list[float]], *, duplicates: bool = False, profile: str = "default") -> list[bool]:
    """Return what is said of the candidates between two skills of which one is not for the other's case."""
    inputs = read(
        make_skill("amber"),
        make_skill("basin"),
        make_skill("cedar"),
        vectors=unit([*vectors, vectors[0]]),
        references=[needs(0, 1, ReferenceKind.CONTRAST)],
        duplicates=[NearDuplicates(0, 1, 0.9)] if duplicates else [],
    )
    config = build_config(profile)
    found = find_candidates(inputs, config=config)
    marked = told_apart(found, inputs, limits=config.types).tolist()
    between = dict(zip(edges(found), marked, strict=True))
    assert not any(marked for pair, marked in between.items() if 2 in pair)
    return [between[0, 1], between[1, 0]]


def test_near_duplicates_are_told_apart_by_a_contrast() -> None:
    """By cosine above .85 or by their text, in both directions, and never in the paper."""
    alike, near = [[1.0, 0.0], [0.86, 0.51]], [[1.0, 0.0], [0.84, 0.54]]
    assert apart(alike) == [True, True]
    assert apart(near) == [False, False]
    assert apart(near, duplicates=True) == [True, True]
    assert apart(alike, profile="paper") == [False, False]


@pytest.mark.parametrize("label", [(0, 2), (2, 0), (-1, 0), (0, -1)])
def test_a_label_about_no_skill_is_refused(label: tuple[int, int]) -> None:
    """A wrong position would become another pair."""
    inputs = read(make_skill("a"), make_skill("b"))
    with pytest.raises(ValueError, match="there are 2 skills"):
        find_candidates(inputs, config=DEFAULT, labelled=np.array([label]))


@pytest.mark.parametrize("profile", ["paper", "default"])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_smallest_libraries_have_a_candidate_graph(profile: str, n: int) -> None:
    """Nothing, one skill, and two that have something in common."""
    config = build_config(profile)
    skills = [make_skill(f"s{at}", "amber basin", name="") for at in range(n)]
    found = find_candidates(encoded(skills, config=config.signals), config=config)
    assert edges(found) == ([(0, 1), (1, 0)] if n == 2 else [])
    assert len(found) == len(found.association) == len(found.types)


# ---------------------------------------------------------------- judge


def judged_library() -> tuple[GraphInputs, Candidates]:
    """Return C = {0 -> 1, 1 -> 0, 0 -> 2, 2 -> 0}, with A~ = .8, .8, .3, .3."""
    skills = [make_skill("x", name=""), make_skill("y", name=""), make_skill("z", name="")]
    inputs = read(*skills, vectors=unit([[1, 0, 0], [0.8, 0.6, 0], [0.3, -0.4, 0.75**0.5]]))
    config = replace(PAPER, recall=RecallConfig(semantic_floor=0.2))
    return inputs, find_candidates(inputs, config=config)


def test_a_judge_is_asked_above_its_threshold() -> None:
    """A~ > .40 without what refines it: neither repair nor an earlier judge moves the question."""
    signals = {
        "semantic": signal(0.41, 0.4, 0.39),
        "repair": signal(None, 1.0, 1.0),
        "judge": signal(0.0, 1.0, 1.0),
    }
    found = Candidates(
        n_skills=4,
        source=np.array([0, 1, 2]),
        target=np.array([3, 3, 3]),
        association=np.ones(3),
        types=np.zeros(3, dtype=np.int8),
        channels=np.ones(3, dtype=np.int64),
        signals=signals,
    )
    assert ask_judge(found, config=PAPER).tolist() == [0]
    lower = replace(PAPER, signals=replace(PAPER.signals, judge_threshold=0.39))
    assert ask_judge(found, config=lower).tolist() == [0, 1]
    off = replace(PAPER, signals=replace(PAPER.signals, weights=SignalWeights(judge=0.0)))
    assert ask_judge(found, config=off).tolist() == []


def test_a_judge_moves_association_and_type_where_it_was_asked() -> None:
    """(.25*.8 + .10*.9) / .35; elsewhere its opinion is not used, and a missing one changes nothing."""
    inputs, found = judged_library()
    assert edges(found) == [(0, 1), (0, 2), (1, 0), (2, 0)]
    assert ask_judge(found, config=PAPER).tolist() == [0, 2]
    refined = with_judge(found, signal(0.9, 0.9, None, 0.9), inputs=inputs, config=PAPER)
    expected = [(0.2 + 0.09) / 0.35, 0.3, 0.8, 0.3]
    assert refined.association == pytest.approx(expected, abs=1e-6)
    assert [EDGE_TYPES[code] for code in refined.types] == ["dependency", "semantic", "semantic", "semantic"]
    assert refined.signals["judge"].active.tolist() == [True, False, False, False]
    assert "judge" not in found.signals
    assert edges(refined) == edges(found)
