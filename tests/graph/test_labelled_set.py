"""The labelled pairs: as many, as varied and as right as they are said to be."""

import json
from collections import Counter
from pathlib import Path

import numpy as np

import caskg.graph.labelled_set
from caskg.graph.labelled_set import PairKind, labelled_set
from caskg.library.parse import load_library
from caskg.schema import Severity

SET = labelled_set()
FOLDER = Path(caskg.graph.labelled_set.__file__).parent / "data" / "judge_check"
IDS = [skill.id for skill in SET.skills]
FIELDS = [skill_id.split("/")[0] for skill_id in IDS]
PAIRS = list(zip(SET.source.tolist(), SET.target.tolist(), strict=True))


def test_there_are_168_pairs_of_12_fields_and_five_kinds() -> None:
    """Each ordered pair once, no skill with itself."""
    assert Counter(SET.kinds) == {
        PairKind.PREREQUISITE: 48,
        PairKind.REVERSED: 48,
        PairKind.INTERCHANGEABLE: 24,
        PairKind.INDEPENDENT: 24,
        PairKind.UNRELATED: 24,
    }
    assert len(SET) == len(set(PAIRS)) == 168
    assert all(i != j for i, j in PAIRS)
    assert Counter(FIELDS) == dict.fromkeys(FIELDS, 8)
    assert len(set(FIELDS)) == 12
    assert {i for pair in PAIRS for i in pair} == set(range(96))


def test_each_field_has_pairs_of_every_kind() -> None:
    """Or a model that knows one trade would look like a judge of all."""
    by_field = Counter((FIELDS[i], kind) for (i, _), kind in zip(PAIRS, SET.kinds, strict=True))
    for field in set(FIELDS):
        inside = [by_field[field, kind] for kind in PairKind][:4]
        assert inside == [4, 4, 2, 2], field


def test_kinds_fit_one_another() -> None:
    """A prerequisite has its reverse, an alternative both ways; only unrelated skills are of two fields."""
    kinds = dict(zip(PAIRS, SET.kinds, strict=True))
    for (i, j), kind in kinds.items():
        if kind is PairKind.PREREQUISITE:
            assert kinds[j, i] is PairKind.REVERSED
        elif kind is PairKind.INTERCHANGEABLE:
            assert kinds[j, i] is PairKind.INTERCHANGEABLE
        assert (FIELDS[i] != FIELDS[j]) == (kind is PairKind.UNRELATED)


def test_the_reverse_of_a_pair_is_found() -> None:
    """-1 where it is not in the set."""
    reverse = SET.reverse_of()
    for at, (i, j) in enumerate(PAIRS):
        if reverse[at] < 0:
            assert (j, i) not in PAIRS
        else:
            assert PAIRS[reverse[at]] == (j, i)
    assert (reverse >= 0).sum() == 48 + 48 + 24


def test_every_pair_says_why() -> None:
    """The need stands in words, so that a reader can disagree."""
    assert all(reason.endswith(".") and len(reason) > 20 for reason in SET.reasons)
    rows = [json.loads(line) for line in (FOLDER / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["why"] for row in rows] == list(SET.reasons)
    assert [(row["source"], row["target"]) for row in rows] == [(IDS[i], IDS[j]) for i, j in PAIRS]


def test_a_substitute_is_of_a_third_field() -> None:
    """So that it can give neither skill anything; and not the same one for all."""
    for (i, j), x in zip(PAIRS, SET.substitutes.tolist(), strict=True):
        assert FIELDS[x] not in (FIELDS[i], FIELDS[j])
    assert len(set(SET.substitutes.tolist())) > 60
    near = [x for (i, _), x in zip(PAIRS, SET.substitutes.tolist(), strict=True) if x == (i + 48) % 96]
    assert len(near) > 140


def test_some_pairs_declare_inputs_and_outputs_and_most_do_not() -> None:
    """Of real skills 2 to 3 % do; of both kinds there is enough to measure."""
    declared = SET.declared
    assert declared.dtype == np.bool_
    assert 25 <= declared.sum() <= 80
    assert (declared & SET.is_edge).sum() >= 8
    at = PAIRS.index((IDS.index("publishing/register-isbn"), IDS.index("publishing/make-cover-barcode")))
    assert declared[at]
    assert not declared[SET.reverse_of()[at]]


def test_the_skills_are_clean_and_varied() -> None:
    """Nothing to warn of; only two pairs of alternatives begin alike, as they need the same."""
    found = load_library([FOLDER / "skills"]).diagnostics
    assert [each for each in found if each.severity is not Severity.INFO] == []
    bodies = [skill.body.split("\n", 2)[-1].strip()[:40] for skill in SET.skills]
    assert len(set(bodies)) == 94
    assert all(150 < len(skill.body) < 900 for skill in SET.skills)


# ---------------------------------------------------------------- the second reading

_LINES = (Path(__file__).parent / "second_reading.jsonl").read_text(encoding="utf-8").splitlines()
READING = [json.loads(line) for line in _LINES]
"""What the pairs are to a reader who saw the two texts alone, each two skills once, in either order."""


def labels() -> list[tuple[str, str]]:
    """Return for each two skills that were read what the set says, and what the reader said.

    A prerequisite is one of two kinds, by its direction.
    """
    kinds = dict(zip(((IDS[i], IDS[j]) for i, j in PAIRS), SET.kinds, strict=True))
    found = []
    for row in READING:
        forward = kinds.get((row["first"], row["second"]))
        ours = str(forward or kinds[row["second"], row["first"]])
        if ours == PairKind.REVERSED or (forward is None and ours == PairKind.PREREQUISITE):
            ours = "second to first" if forward else "first to second"
        elif ours == PairKind.PREREQUISITE:
            ours = "first to second"
        said = row["direction"].replace("_", " ") if row["kind"] == "prerequisite" else row["kind"]
        found.append((ours, said))
    return found


def cohens_kappa(pairs: list[tuple[str, str]]) -> float:
    """Return the agreement of two readers beyond that of chance."""
    ours, theirs = (Counter(column) for column in zip(*pairs, strict=True))
    by_chance = sum(ours[kind] * theirs[kind] for kind in ours) / len(pairs) ** 2
    return (sum(a == b for a, b in pairs) / len(pairs) - by_chance) / (1 - by_chance)


def test_every_two_skills_of_the_set_were_read_a_second_time() -> None:
    """The 168 ordered pairs are of 108 twos."""
    read = {frozenset((row["first"], row["second"])) for row in READING}
    assert read == {frozenset((IDS[i], IDS[j])) for i, j in PAIRS}
    assert len(READING) == len(read) == 108


def test_a_second_reader_finds_the_same_kinds() -> None:
    """And the same directions; in doubt about five, none of them an edge."""
    assert cohens_kappa(labels()) == 1.0
    assert Counter(ours for ours, _ in labels()) == {
        "first to second": 29,
        "second to first": 19,
        "interchangeable": 12,
        "independent": 24,
        "unrelated": 24,
    }
    assert Counter(row["kind"] for row in READING if "doubt" in row) == {
        "independent": 4,
        "interchangeable": 1,
    }


def test_kappa_is_what_agreement_exceeds_chance_by() -> None:
    """Two kinds, even: three of four agree, a half by chance."""
    assert cohens_kappa([("a", "a"), ("a", "a"), ("b", "b"), ("b", "a")]) == 0.5
