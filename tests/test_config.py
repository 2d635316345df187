"""The constants of the profiles, as the paper's authors released them and as we ship them."""

from dataclasses import asdict

import pytest

from caskg.config import (
    IO_CONTAINED,
    IO_SHARED,
    RELEASED_REVERSE,
    Bound,
    Fusion,
    Walk,
    build_config,
    retrieve_config,
)
from caskg.errors import UsageError

PAPER = build_config("paper")
DEFAULT = build_config()


def test_the_profile_paper_has_the_released_constants() -> None:
    """Method, Sections 2 to 8, number by number; whoever changes one must change it here too."""
    weights = {
        "semantic": 0.25,
        "lexical": 0.10,
        "io": 0.25,
        "structural": 0.20,
        "judge": 0.10,
        "repair": 0.10,
    }
    assert asdict(PAPER.signals.weights) == weights | dict.fromkeys(
        ("reference", "enabler", "meaning", "ready", "provider"), 0.0
    )
    signals = PAPER.signals
    assert (signals.strong_pair, signals.support_pair) == (0.78, 0.68)
    assert (signals.structural_threshold, signals.structural_boost) == (0.65, 0.70)
    assert (signals.affinity_floor, signals.judge_threshold) == (0.28, 0.40)
    assert (IO_CONTAINED, IO_SHARED) == (0.85, 0.5)
    recall = PAPER.recall
    assert recall.bound is Bound.SOURCE
    assert (recall.lexical, recall.lexical_floor, recall.io) == (6, 0.05, 4)
    assert (recall.structural, recall.verification) == (4, 6)
    assert (recall.semantic, recall.semantic_floor, recall.total) == (4, 0.55, 12)
    types = PAPER.types
    assert (types.io, types.judge, types.structural, types.alternative) == (0.60, 0.50, 0.65, 0.85)
    frontier = PAPER.frontier
    assert (frontier.budget, frontier.small_budget, frontier.small_library) == (None, 500, 1000)
    assert not frontier.probe_all
    assert (PAPER.evidence.mass_floor, PAPER.evidence.threshold) == (0.10, 0.70)
    assert (PAPER.evidence.label_reliability, PAPER.evidence.label_mass) == (0.80, 3.0)
    published = PAPER.publication
    assert (published.uncertain, published.scaffold, published.min_weight) == (0.55, 0.18, 0.01)
    assert (published.scaffold_in, published.scaffold_out, published.scaffold_total) == (4, 4, 4)


def test_what_is_ours_is_off_in_the_profile_paper() -> None:
    """Each difference of `default` is a named switch."""
    assert (PAPER.signals.reference_boost, PAPER.signals.names_as_outputs) == (0.0, False)
    assert not PAPER.signals.files_as_outputs
    assert (PAPER.recall.enabler, PAPER.recall.by_association, PAPER.recall.io_by_likeness) == (
        0,
        False,
        False,
    )
    assert (PAPER.recall.meaning, PAPER.recall.ready, PAPER.recall.provider) == (0, 0, 0)
    assert (PAPER.recall.library_wide, DEFAULT.recall.library_wide) == (False, True)
    assert not PAPER.types.alternative_first
    assert not PAPER.evidence.by_source
    published = PAPER.publication
    assert (published.blend_mass, published.bound_text_only, published.alternatives_apart) == (
        None,
        False,
        False,
    )


def test_the_profile_paper_retrieves_with_the_released_constants() -> None:
    """20 + 20 candidates, five seeds, restart .20, walk `released`, L1 1e-6, rows normalised, no gate."""
    paper = retrieve_config("paper")
    assert (paper.seeds.lexical, paper.seeds.semantic, paper.seeds.count) == (20, 20, 5)
    assert (paper.seeds.fusion, paper.seeds.whole_file) == (Fusion.RRF, False)
    assert (paper.seeds.shared_vote, paper.seeds.by_score) == (False, False)
    diffusion = paper.diffusion
    assert (diffusion.walk, diffusion.restart, diffusion.tolerance) == (Walk.RELEASED, 0.20, 1e-6)
    assert (diffusion.leak_below, diffusion.alternative_weight, diffusion.sharpness) == (None, 1.0, 1.0)
    assert diffusion.openness == 0.0
    assert (paper.min_sufficiency, paper.prerequisites_first) == (0.0, False)
    assert RELEASED_REVERSE == {"dependency": 1.0, "workflow": 0.5, "semantic": 0.2, "alternative": 0.1}


def test_the_profile_default_keeps_its_promises() -> None:
    """Bounds per target only, evidence by source, a low c that lowers, no relevance along alternatives."""
    assert DEFAULT.recall.bound is Bound.TARGET
    assert (DEFAULT.signals.weights.reference, DEFAULT.publication.blend_mass) == (0.25, 2.0)
    assert (DEFAULT.publication.scaffold_out, DEFAULT.publication.scaffold_total) == (None, None)
    assert (DEFAULT.evidence.by_source, DEFAULT.evidence.text_units, DEFAULT.evidence.llm_units) == (
        True,
        1.0,
        3.0,
    )
    default = retrieve_config()
    assert (default.seeds.fusion, default.diffusion.restart) == (Fusion.ZSUM, 0.5)
    assert (default.seeds.shared_vote, default.seeds.by_score, default.diffusion.sharpness) == (
        True,
        True,
        2.0,
    )
    assert (default.diffusion.walk, default.diffusion.forward_weight) == (Walk.BOTH, 0.1)
    assert default.diffusion.forward_confirmed == 1.0
    assert default.diffusion.alternative_weight == 0.0
    assert default.diffusion.leak_below is not None


@pytest.mark.parametrize("make", [build_config, retrieve_config])
def test_an_unknown_profile_is_refused_with_the_known_ones(make: object) -> None:
    """A mistyped profile must not fall back to another."""
    assert callable(make)
    with pytest.raises(UsageError, match="'papr': choose one of paper, default"):
        make("papr")
