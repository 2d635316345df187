"""Pairs of which one writes a file that the other reads."""

import pytest

from caskg.graph.handover import handed_over, is_same_file, shared_files
from caskg.schema import Artifact, Skill, SkillFields
from factories import make_skill


def file(path: str) -> Artifact:
    return Artifact(path=path, evidence=f"about {path}")


def skill(name: str, *, writes: str = "", reads: str = "") -> Skill:
    written, read = (tuple(map(file, paths.split())) or None for paths in (writes, reads))
    return make_skill(name, fields=SkillFields(writes=written, reads=read))


@pytest.mark.parametrize(
    ("written", "read", "same"),
    [
        ("plans/spec.md", "plans/spec.md", True),
        ("docs/plans/spec.md", "plans/spec.md", True),  # the folder right above decides
        ("plans/spec.md", "notes/spec.md", False),
        ("spec.md", "spec.md", False),  # one word, nothing above
        ("plans/spec.md", "spec.md", False),
        ("brand-voice.md", "brand-voice.md", True),
        ("notes/brand_voice.md", "brand_voice.md", True),
        ("brand-voice.md", "brand-voice.json", False),
        ("*-log.md", "*-log.md", False),  # one word and a hole
        ("plans/*/spec.md", "plans/*/spec.md", True),
    ],
)
def test_same_file(written: str, read: str, *, same: bool) -> None:
    """A name alone must be made of two words: every project has a config.yaml."""
    assert is_same_file(file(written), file(read)) is same
    assert is_same_file(file(read), file(written)) is same


def test_who_writes_comes_before_who_reads() -> None:
    """As sorted codes source * n + target, without loops."""
    skills = [
        skill("a", reads="x/y.md"),
        skill("b", writes="x/y.md u/v.md"),
        skill("c", reads="u/v.md x/y.md", writes="x/w.md"),
        skill("d", writes="x/y.md", reads="x/w.md"),
    ]
    expected = [(1, 0), (1, 2), (2, 3), (3, 0), (3, 2)]
    assert handed_over(skills).tolist() == [source * 4 + target for source, target in expected]


def test_what_many_write_is_handed_over_by_nobody() -> None:
    """Four may, five are a habit of the trade."""
    readers = [skill("r", reads="x/y.md")]
    four = [skill(f"w{n}", writes="x/y.md") for n in range(4)]
    assert handed_over([*readers, *four]).tolist() == [5, 10, 15, 20]
    assert handed_over([*readers, *four, skill("w5", writes="z/y.md")]).tolist() == []


def test_a_file_that_bears_the_name_of_a_writer_is_handed_over_by_that_one() -> None:
    """Others say "run brand-voice to create brand-voice.md"."""
    skills = [skill(name, writes="brand-voice.md") for name in ("about", "brand-voice")]
    reader = skill("r", reads="brand-voice.md")
    assert handed_over([*skills, reader]).tolist() == [1 * 3 + 2]


def test_a_library_without_files_hands_nothing_over() -> None:
    """The type of the array stays."""
    assert handed_over([skill("a"), skill("b")]).dtype == "int64"


def test_shared_files_come_as_both_say_it() -> None:
    """For people."""
    a, b = skill("a", writes="p/q.md x/y.md"), skill("b", reads="x/y.md p/q.md")
    assert [(w.path, r.path) for w, r in shared_files(a, b)] == [("p/q.md", "p/q.md"), ("x/y.md", "x/y.md")]
    assert list(shared_files(b, a)) == []
