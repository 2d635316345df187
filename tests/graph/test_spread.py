"""Scores of distinct things, spread over skills."""

import numpy as np
import pytest

from caskg.graph.spread import Groups, best_scores
from caskg.schema import FloatArray, IntArray

HERE = Groups(rows=np.array([0, 1, 1, 0]), start=np.array([0, 2, 2, 3, 4]))
THERE = Groups(rows=np.array([2, 0, 1]), start=np.array([0, 1, 1, 3, 3]))
SCORES = np.array([[0.1, 0.7, 0.3], [0.5, 0.2, 0.9]])


@pytest.mark.parametrize("cells", [1, 6, 100])
def test_the_best_of_all_pairs_of_things(cells: int) -> None:
    """Skill 0 has both things, skill 1 none; column 0 has thing 2, column 2 things 0 and 1."""
    asked: list[int] = []

    def score(things: IntArray) -> FloatArray:
        asked.extend(things.tolist())
        return SCORES[things]

    expected = [[0.9, 0, 0.7, 0], [0, 0, 0, 0], [0.9, 0, 0.5, 0], [0.3, 0, 0.7, 0]]
    for rows in (np.arange(4), np.arange(1, 3)):
        found = best_scores(HERE, THERE, rows, score=score, block_cells=cells)
        assert found.tolist() == [expected[row] for row in rows]
    if cells == 100:
        assert asked == [0, 1, 1]  # each once a block


def test_nothing_on_the_other_side() -> None:
    """No score is asked for."""
    nothing = Groups(rows=np.array([], dtype=np.int64), start=np.zeros(3, dtype=np.int64))
    assert best_scores(HERE, nothing, np.arange(2), score=lambda _: SCORES).tolist() == [[0.0, 0.0]] * 2
