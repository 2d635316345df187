"""What was said of other edges out of the same source, and never of the edge itself."""

import numpy as np
import pytest

from caskg.config import VerifierConfig
from caskg.graph.precedents import precedents
from caskg.graph.verifier import fit_verifier
from caskg.schema import FloatArray

TURNED = np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]], dtype=np.float32)


def told(known: list[int], source: list[int], target: list[int]) -> FloatArray:
    return precedents(np.array(source), np.array(target), np.array(known, dtype=np.int8), vectors=TURNED)


def test_it_is_the_share_confirmed_of_the_same_source_weighed_by_likeness() -> None:
    """By hand: the precedents of 0 -> 1 are 0 -> 2 (confirmed, cosine .6) and 0 -> 3 (rejected, cosine 0)."""
    found = told([0, 1, -1, -1], [0, 0, 0, 4], [1, 2, 3, 1])
    rate = 1 / 3
    assert found[0] == pytest.approx(
        [(0.36 + rate) / 1.36 - rate, 0.36 / 1.36, (1 + rate) / 3 - rate, 2 / 3], abs=1e-6
    )


def test_an_edge_is_told_nothing_by_itself() -> None:
    """Its own verdict turned about changes nothing it is told, but for the share of all."""
    one, other = (told([own, 1, -1], [0, 0, 0], [1, 2, 3])[0] for own in (1, -1))
    assert one[[1, 3]].tolist() == other[[1, 3]].tolist()
    assert (one[[0, 2]] < other[[0, 2]]).all()  # more are confirmed of all, so as many are less remarkable


def test_without_a_precedent_nothing_is_told() -> None:
    """No assessed edge at all, none of the same source, or none but itself."""
    assert not told([0, 0], [0, 0], [1, 2]).any()
    assert not told([0, 1], [0, 3], [1, 1]).any()
    assert not told([1, 0], [0, 3], [1, 1]).any()


def test_opposites_are_no_precedent_by_likeness() -> None:
    """A negative cosine counts as 0; by number it is a case like any other."""
    found = told([0, 1], [2, 2], [1, 4])
    assert found[0, :2].tolist() == [0.0, 0.0]
    assert found[0, 3] == 0.5


def test_where_edges_stand_does_not_matter() -> None:
    """Sources need not be sorted."""
    known, source, target = [0, 1, -1, 1], [0, 1, 0, 1], [1, 2, 3, 4]
    order = [3, 1, 0, 2]
    moved = told([known[i] for i in order], [source[i] for i in order], [target[i] for i in order])
    assert moved.tolist() == told(known, source, target)[order].tolist()


def test_what_is_told_of_held_out_edges_does_not_come_from_them() -> None:
    """A feature that copies what is known would look perfect; of unknown edges it is silent."""
    generator = np.random.default_rng(0)
    known = np.where(generator.random(300) < 0.4, 1, -1).astype(np.int8)
    places = np.arange(300) % 50
    verifier = fit_verifier(
        np.zeros((300, 1)),
        known,
        target=places,
        tie_break=np.arange(50),
        config=VerifierConfig(),
        told=lambda told_by: told_by[:, None].astype(np.float64),
    )
    assert verifier.skill < 0.05
