"""The development sets, as their description counts them."""

import pytest

from caskg.bench.qrels import read_set, set_names
from shared_data import shared_data


@pytest.mark.full
def test_the_development_sets_are_read_whole() -> None:
    """Skills and tasks; edges without loops and second rows, so at most as many as lines."""
    folder = shared_data("gold")
    found = {name: read_set(folder, name) for name in set_names(folder)}
    assert {name: (len(gold.library), len(gold.topics)) for name, gold in found.items()} == {
        "nestools": (2799, 504),
        "nfcore": (2041, 331),
        "toollinkos": (573, 978),
        "ultratool": (260, 2211),
    }
    assert {name: len(gold.edges) for name, gold in found.items()} == {
        "nestools": 805,
        "nfcore": 4038,
        "toollinkos": 1080,
        "ultratool": 420,
    }
    assert len({topic.cluster for topic in found["toollinkos"].topics}) == 326
