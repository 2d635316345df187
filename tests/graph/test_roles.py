"""Roles are classes of plain verbs, and their pairs are those of the method."""

from itertools import product

import numpy as np
import pytest

from caskg.graph.roles import NO_ROLE, ROLES, VERBS, Role, pair_scores, role_codes, role_of, without_verb
from caskg.library.lexical import tokenize

PAIRS = {
    ("read", "observe"): 0.78,
    ("read", "find"): 0.78,
    ("observe", "find"): 0.78,
    ("find", "acquire"): 0.78,
    ("find", "prepare"): 0.78,
    ("find", "transform"): 0.78,
    ("find", "store"): 0.78,
    ("acquire", "prepare"): 0.78,
    ("acquire", "transform"): 0.78,
    ("acquire", "store"): 0.78,
    ("prepare", "transform"): 0.78,
    ("transform", "store"): 0.78,
    ("prepare", "verify"): 0.68,
    ("transform", "verify"): 0.68,
    ("store", "verify"): 0.68,
}
BENCHMARK_WORDS = """
    alfworld scienceworld mug apple fridge microwave countertop sinkbasin desklamp drawer cabinet sofa bathtub
    thermometer beaker stove knife spoon plate cup egg tomato lettuce heat cool clean slice toggle examine
"""


@pytest.mark.parametrize(("source", "target"), list(product(Role, Role)))
def test_the_table_holds_exactly_the_pairs_of_the_method(source: Role, target: Role) -> None:
    """Method, Section 8: twelve strong pairs, three support pairs, nothing else, and never backward."""
    table = pair_scores(strong=0.78, support=0.68)
    assert table[ROLES.index(source), ROLES.index(target)] == PAIRS.get((source, target), 0.0)


def test_a_skill_without_role_pairs_with_nobody() -> None:
    """-1 finds the last row and column, which are empty."""
    table = pair_scores(strong=0.78, support=0.68)
    assert table.shape == (9, 9)
    assert not table[NO_ROLE].any()
    assert not table[:, NO_ROLE].any()


def test_roles_stand_in_the_order_of_the_method() -> None:
    """Arrays hold positions: the order is part of the format."""
    assert ROLES == ("read", "observe", "find", "acquire", "prepare", "transform", "store", "verify")
    assert role_codes([Role.READ, None, Role.VERIFY]).tolist() == [0, -1, 7]
    assert role_codes([None]).dtype == np.int8


def test_every_verb_is_found_with_its_own_role() -> None:
    """No two verbs of different roles may share a stem, or one of them would never be found."""
    for role, verbs in VERBS.items():
        for verb in verbs.split():
            assert len(tokenize(verb)) == 1
            assert role_of(verb) is role


def test_no_verb_comes_from_a_benchmark() -> None:
    """Trap 6: roles that fit one benchmark's words measure that benchmark, not skills."""
    verbs = {verb for verbs in VERBS.values() for verb in verbs.split()}
    assert not verbs & set(BENCHMARK_WORDS.split())


def test_the_first_role_verb_of_the_first_text_counts() -> None:
    """The name goes before the description, an earlier verb before a later one."""
    assert role_of("pdf-find-and-save", "Verifies things.") is Role.FIND
    assert role_of("pdf-tools", "Ships it, verifies it, then saves it.") is Role.VERIFY
    assert role_of("Converting files") is Role.TRANSFORM


def test_without_a_role_verb_there_is_no_role() -> None:
    """Absent is absent: the structural signal is then not active."""
    assert role_of("weather", "About clouds.") is None
    assert role_of() is None


def test_a_name_without_its_verb_says_what_the_skill_is_about() -> None:
    """Only the first verb goes: in "get test results" the test is the thing."""
    assert without_verb("get-test-results") == ["test", "result"]
    assert without_verb("price-check") == ["price"]
    assert without_verb("weather-today") == ["weather", "today"]
    assert without_verb("find") == []
