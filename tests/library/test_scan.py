"""Scanning: which files are found, under which ids, and what is passed over."""

import os
import stat
import unicodedata
from pathlib import Path

import pytest

from caskg.errors import LibraryError
from caskg.library.diagnostics import Code
from caskg.library.scan import MAX_BYTES, Scan, find_skill_files, scan
from caskg.schema import Severity


def write(path: Path, text: str = "") -> Path:
    """Write a file that differs from all others, unless its text is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or f"of {path.parent.name}", encoding="utf-8", errors="replace")
    return path


def ids(*roots: Path) -> list[str]:
    return [file.id for file in find_skill_files(roots)[0]]


def notes(found: Scan) -> list[tuple[str, str]]:
    return [(diagnostic.code, diagnostic.path) for diagnostic in found.diagnostics]


def test_ids_are_paths_below_the_root(tmp_path: Path) -> None:
    """At any depth, sorted, whatever order the folder gives them in; nothing else is a skill."""
    for name in ("b", "a/deep/down", "a", ".hidden/c"):
        write(tmp_path / name / "SKILL.md")
    write(tmp_path / "a" / "README.md")
    assert ids(tmp_path) == [".hidden/c", "a", "a/deep/down", "b"]


@pytest.mark.parametrize("name", ["SKILL.md", "skill.md", "Skill.MD"])
def test_the_case_of_the_file_name_does_not_matter(tmp_path: Path, name: str) -> None:
    """Some systems do not tell them apart."""
    write(tmp_path / "a" / name)
    assert ids(tmp_path) == ["a"]


@pytest.mark.parametrize(
    "name",
    [
        "SKILL.md.txt",
        "SKILLS.md",
        "skill.markdown",
        "SKILL.txt",
        "SKILL",
        "Skill (1).md",
        "SKILL.md.bak",
        "SKILL.md~",
        "SKILL-copy.md",
        "skill_md.txt",
        "SKILL .md",
        ".SKILL.md",
        "SKILL.zh-CN.md",
        "SKILL.mdx",
        "SKILL.md (2)",
    ],
)
def test_a_file_that_may_be_meant_as_a_skill_is_named(tmp_path: Path, name: str) -> None:
    """It is not read, which its author must hear; beside a SKILL.md it is another document."""
    write(tmp_path / "good" / "SKILL.md")
    write(tmp_path / "good" / name)
    almost = write(tmp_path / "tea" / name)
    found = scan([tmp_path])
    assert notes(found) == [(Code.MISNAMED, str(almost))]
    assert f"Is called {name!r}" in found.diagnostics[0].message
    with pytest.raises(LibraryError, match=r"only a SKILL\.md is a skill"):
        scan([tmp_path / "tea"])


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "skillet.md",
        "skill.json",
        "skills.py",
        "skill",
        "my-skill.md",
        "SKILL.mp3",
        "SKILL.d/x.md",
    ],
)
def test_other_files_are_not_named(tmp_path: Path, name: str) -> None:
    """Code and data about skills, other words, and folders."""
    write(tmp_path / "good" / "SKILL.md")
    write(tmp_path / "tea" / (name if name != "skill" else "skill/x.py"))
    assert notes(scan([tmp_path])) == []


def test_a_root_may_be_a_skill(tmp_path: Path) -> None:
    """Its id is its own name, and ids below it begin with that."""
    write(tmp_path / "pack" / "SKILL.md")
    write(tmp_path / "pack" / "sub" / "SKILL.md")
    assert ids(tmp_path / "pack") == ["pack", "pack/sub"]


def test_a_root_may_be_a_file(tmp_path: Path) -> None:
    """Then nothing beside or below it is read."""
    file = write(tmp_path / "pack" / "SKILL.md")
    write(tmp_path / "pack" / "sub" / "SKILL.md")
    assert ids(file) == ["pack"]


def test_a_file_is_handed_on_as_it_is(tmp_path: Path) -> None:
    """Bytes, absolute path, and a digest of the bytes alone."""
    file = write(tmp_path / "a" / "SKILL.md", "é")
    copy = write(tmp_path / "b" / "SKILL.md", "é")
    first, second = scan([tmp_path]).files
    assert (first.id, first.path, first.data) == ("a", str(file), "é".encode())
    assert second.path == str(copy)
    assert first.digest == second.digest
    assert len(first.digest) == 32


def test_a_relative_root_gives_absolute_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A diagnostic must be found from anywhere."""
    file = write(tmp_path / "a" / "SKILL.md")
    monkeypatch.chdir(tmp_path / "a")
    assert [(found.id, found.path) for found in scan([Path()]).files] == [("a", str(file))]


def test_ids_are_in_one_unicode_form(tmp_path: Path) -> None:
    """The same name is written in two ways by two systems."""
    decomposed = unicodedata.normalize("NFD", "café")
    write(tmp_path / decomposed / "SKILL.md")
    assert ids(tmp_path) == ["café"]


def test_a_name_that_is_no_text_can_be_stored(tmp_path: Path) -> None:
    """A file name is any bytes; an id must be written to a database."""
    write(tmp_path / os.fsdecode(b"caf\xe9") / "SKILL.md")
    (file,) = scan([tmp_path]).files
    assert file.id == "caf\ufffd"
    file.path.encode()


def test_the_digest_tells_an_unchanged_library(tmp_path: Path) -> None:
    """It changes with a byte, a name, a new file and a lost one, and with nothing else."""
    a = write(tmp_path / "a" / "SKILL.md", "one")
    before = scan([tmp_path]).digest
    assert scan([tmp_path]).digest == before
    a.write_text("two")
    changed = scan([tmp_path]).digest
    a.write_text("one")
    assert scan([tmp_path]).digest == before
    a.parent.rename(tmp_path / "b")
    renamed = scan([tmp_path]).digest
    write(tmp_path / "c" / "SKILL.md", "one")
    added = scan([tmp_path]).digest
    assert len({before, changed, renamed, added}) == 4


def test_other_files_do_not_change_the_digest(tmp_path: Path) -> None:
    """Only SKILL.md files are the library."""
    write(tmp_path / "a" / "SKILL.md")
    before = scan([tmp_path]).digest
    write(tmp_path / "a" / "notes.md")
    assert scan([tmp_path]).digest == before


def test_the_size_limit_is_exact(tmp_path: Path) -> None:
    """The largest file that is read, and the smallest that is not."""
    write(tmp_path / "a" / "SKILL.md", "x" * MAX_BYTES)
    big = write(tmp_path / "b" / "SKILL.md", "x" * (MAX_BYTES + 1))
    found = scan([tmp_path])
    assert [file.id for file in found.files] == ["a"]
    assert notes(found) == [(Code.TOO_LARGE, str(big))]
    assert "524289 bytes; at most 524288" in found.diagnostics[0].message


def test_what_is_no_regular_file_is_reported(tmp_path: Path) -> None:
    """Opening a pipe would wait for ever."""
    write(tmp_path / "a" / "SKILL.md")
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b" / "SKILL.md")
    found = scan([tmp_path])
    assert [file.id for file in found.files] == ["a"]
    assert notes(found) == [(Code.UNREADABLE, str(tmp_path / "b" / "SKILL.md"))]
    assert found.diagnostics[0].severity is Severity.ERROR


def reasons(root: Path) -> dict[str, str]:
    found = scan([root]).diagnostics
    said = {Path(each.path).relative_to(root).parts[0]: f"{each.message} {each.remedy}" for each in found}
    return {place: text.removeprefix("Cannot be read: ").split(", or ")[0] for place, text in said.items()}


def test_what_cannot_be_read_says_why_and_what_helps(tmp_path: Path) -> None:
    """No permission mends a broken link, nor a pipe."""
    write(tmp_path / "a" / "SKILL.md")
    for name in ("gone", "loop", "long", "pipe", "socket"):
        (tmp_path / name).mkdir()
    (tmp_path / "gone" / "SKILL.md").symlink_to("nothing")
    (tmp_path / "loop" / "SKILL.md").symlink_to("SKILL.md")
    (tmp_path / "long" / "SKILL.md").symlink_to("x" * 300)
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    os.mknod(tmp_path / "socket" / "SKILL.md", stat.S_IFSOCK | 0o600)
    (tmp_path / "folder" / "SKILL.md").mkdir(parents=True)
    assert reasons(tmp_path) == {
        "folder": "it is a folder. Put a file in its place",
        "gone": "the link leads nowhere (No such file or directory). Correct the link",
        "long": "the link leads nowhere (File name too long). Correct the link",
        "loop": "the link leads nowhere (Too many levels of symbolic links). Correct the link",
        "pipe": "it is a named pipe. Put a file in its place",
        "socket": "it is a socket. Put a file in its place",
    }


def test_a_root_that_leads_nowhere_says_so(tmp_path: Path) -> None:
    """There is something: a link. A name that no disk can hold is no crash either."""
    (tmp_path / "a").symlink_to("nothing")
    with pytest.raises(LibraryError, match=r"leads nowhere.*Correct the link"):
        scan([tmp_path / "a"])
    with pytest.raises(LibraryError, match="There is nothing at"):
        scan([tmp_path / ("x" * 300)])


def test_foreign_folders_are_skipped_and_said_so(tmp_path: Path) -> None:
    """They can hold a hundred thousand files; whoever wants them names them."""
    write(tmp_path / "a" / "SKILL.md")
    write(tmp_path / "node_modules" / "b" / "SKILL.md")
    found = scan([tmp_path])
    assert [file.id for file in found.files] == ["a"]
    assert notes(found) == [(Code.FOLDER_SKIPPED, str(tmp_path / "node_modules"))]
    assert ids(tmp_path / "node_modules") == ["b"]


def test_copies_are_kept_and_reported(tmp_path: Path) -> None:
    """Two files with one content are alternatives, which is for the graph to say."""
    write(tmp_path / "a" / "SKILL.md", "same")
    write(tmp_path / "b" / "SKILL.md", "same")
    write(tmp_path / "c" / "SKILL.md", "other")
    found = scan([tmp_path])
    assert [file.id for file in found.files] == ["a", "b", "c"]
    assert notes(found) == [(Code.SAME_CONTENT, str(tmp_path / "b" / "SKILL.md"))]
    assert "'a'" in found.diagnostics[0].message


# ---------------------------------------------------------------- links


def test_a_linked_folder_is_read_once_at_its_real_place(tmp_path: Path) -> None:
    """Though the link's name sorts before it."""
    write(tmp_path / "real" / "SKILL.md")
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    found = scan([tmp_path])
    assert [file.id for file in found.files] == ["real"]
    assert notes(found) == [(Code.SAME_FILE, str(tmp_path / "alias"))]
    assert str(tmp_path / "real") in found.diagnostics[0].message


def test_a_linked_file_is_read_once(tmp_path: Path) -> None:
    """By its real path, not by its content."""
    write(tmp_path / "real" / "SKILL.md")
    (tmp_path / "alias").mkdir()
    (tmp_path / "alias" / "SKILL.md").symlink_to(tmp_path / "real" / "SKILL.md")
    found = scan([tmp_path])
    assert [file.id for file in found.files] == ["real"]
    assert notes(found) == [(Code.SAME_FILE, str(tmp_path / "alias" / "SKILL.md"))]


def test_links_to_what_the_walk_does_not_reach_are_followed(tmp_path: Path) -> None:
    """A file of another name, a folder in a skipped one; what lies below comes along."""
    write(tmp_path / "a" / "README.md")
    (tmp_path / "a" / "SKILL.md").symlink_to("README.md")
    write(tmp_path / "node_modules" / "p" / "sub" / "SKILL.md", "other")
    (tmp_path / "b").symlink_to(tmp_path / "node_modules" / "p")
    found = scan([tmp_path])
    assert [file.id for file in found.files] == ["a", "b/sub"]
    assert notes(found) == [(Code.FOLDER_SKIPPED, str(tmp_path / "node_modules"))]


def test_a_link_to_itself_ends(tmp_path: Path) -> None:
    """Every loop leads to a folder that was read."""
    write(tmp_path / "a" / "SKILL.md")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to("self")
    found = scan([tmp_path])
    assert [file.id for file in found.files] == ["a"]
    assert notes(found) == [
        (Code.UNREADABLE, str(tmp_path / "a" / "self")),
        (Code.SAME_FILE, str(tmp_path / "a" / "loop")),
    ]


def test_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    """A folder of skills must not pull in what its owner did not give."""
    write(tmp_path / "out" / "b" / "SKILL.md")
    write(tmp_path / "in" / "a" / "SKILL.md")
    (tmp_path / "in" / "b").symlink_to(tmp_path / "out" / "b")
    found = scan([tmp_path / "in"])
    assert [file.id for file in found.files] == ["a"]
    assert notes(found) == [(Code.LINK_OUTSIDE, str(tmp_path / "in" / "b"))]
    assert found.diagnostics[0].severity is Severity.ERROR
    both = scan([tmp_path / "in", tmp_path / "out"])
    assert [file.id for file in both.files] == ["a", "b"]
    assert notes(both) == [(Code.SAME_FILE, str(tmp_path / "in" / "b"))]


def test_a_neighbour_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    """``in-x`` is not below ``in``."""
    write(tmp_path / "in-x" / "b" / "SKILL.md")
    write(tmp_path / "in" / "a" / "SKILL.md")
    (tmp_path / "in" / "b").symlink_to(tmp_path / "in-x" / "b")
    assert notes(scan([tmp_path / "in"])) == [(Code.LINK_OUTSIDE, str(tmp_path / "in" / "b"))]


def test_only_links_that_may_be_skills_are_reported(tmp_path: Path) -> None:
    """A broken link may have been a skill's folder or file; a broken picture is none of our business."""
    write(tmp_path / "a" / "SKILL.md")
    (tmp_path / "a" / "picture.png").symlink_to("gone.png")
    (tmp_path / "a" / "notes.md").symlink_to("SKILL.md")
    (tmp_path / "b").symlink_to("gone")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "SKILL.md").symlink_to("gone.md")
    assert notes(scan([tmp_path])) == [
        (Code.UNREADABLE, str(tmp_path / "b")),
        (Code.UNREADABLE, str(tmp_path / "c" / "SKILL.md")),
    ]


def test_a_root_may_be_a_link(tmp_path: Path) -> None:
    """It is what the user gave."""
    write(tmp_path / "real" / "a" / "SKILL.md")
    (tmp_path / "root").symlink_to("real")
    (file,) = scan([tmp_path / "root"]).files
    assert (file.id, file.path) == ("a", str(tmp_path / "root" / "a" / "SKILL.md"))


# ---------------------------------------------------------------- several roots


def test_the_order_of_roots_does_not_matter(tmp_path: Path) -> None:
    """Nor does a root that lies below another: each file has one id."""
    write(tmp_path / "x" / "a" / "SKILL.md")
    write(tmp_path / "x" / "y" / "b" / "SKILL.md")
    roots = [tmp_path / "x", tmp_path / "x" / "y"]
    first, second = scan(roots), scan(roots[::-1])
    assert [file.id for file in first.files] == ["a", "y/b"]
    assert first == second
    assert notes(first) == [(Code.SAME_FILE, str(tmp_path / "x" / "y"))]


def test_a_root_given_twice_is_one(tmp_path: Path) -> None:
    """A user's slip costs nothing."""
    write(tmp_path / "a" / "SKILL.md")
    assert notes(scan([tmp_path, tmp_path, tmp_path / "a" / ".."])) == []


def test_equal_ids_begin_with_the_names_of_their_roots(tmp_path: Path) -> None:
    """Both of them, so that no order decides; others keep their ids."""
    for root in ("one", "two"):
        write(tmp_path / root / "a" / "SKILL.md", root)
    write(tmp_path / "one" / "b" / "SKILL.md")
    found = scan([tmp_path / "two", tmp_path / "one"])
    assert [file.id for file in found.files] == ["b", "one/a", "two/a"]
    assert notes(found) == [
        (Code.SAME_ID, str(tmp_path / "one" / "a" / "SKILL.md")),
        (Code.SAME_ID, str(tmp_path / "two" / "a" / "SKILL.md")),
    ]
    assert "'one/a'" in found.diagnostics[0].message


def test_roots_of_one_name_are_told_apart_further_up(tmp_path: Path) -> None:
    """Most of them are called ``skills``."""
    for root in ("one", "two"):
        write(tmp_path / root / "skills" / "a" / "SKILL.md", root)
    assert ids(tmp_path / "one" / "skills", tmp_path / "two" / "skills") == ["one/skills/a", "two/skills/a"]


def test_a_prefix_that_makes_an_id_in_use_is_passed_over(tmp_path: Path) -> None:
    """Ids are unique, come what may."""
    write(tmp_path / "p" / "one" / "a" / "SKILL.md", "1")
    write(tmp_path / "p" / "two" / "a" / "SKILL.md", "2")
    write(tmp_path / "p" / "two" / "one" / "a" / "SKILL.md", "3")
    assert ids(tmp_path / "p" / "one", tmp_path / "p" / "two") == ["one/a", "p/one/a", "p/two/a"]


def test_equal_ids_below_one_root_are_numbered(tmp_path: Path) -> None:
    """Two spellings of one name, or two cases of the file's name."""
    write(tmp_path / "a" / "SKILL.md", "1")
    write(tmp_path / "a" / "skill.md", "2")
    write(tmp_path / "a~1" / "SKILL.md", "3")
    assert ids(tmp_path) == ["a~1", "a~2", "a~3"]


def test_a_skill_as_a_root_is_told_apart_by_the_folder_above(tmp_path: Path) -> None:
    """Its own name is in its id already."""
    for root in ("one", "two"):
        write(tmp_path / root / "a" / "SKILL.md", root)
    assert ids(tmp_path / "one" / "a", tmp_path / "two" / "a") == ["one/a", "two/a"]


# ---------------------------------------------------------------- nothing to read


def test_no_root_is_refused() -> None:
    """The message says what to do."""
    with pytest.raises(LibraryError, match="name at least one"):
        scan([])


def test_a_missing_root_is_refused(tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(LibraryError, match=r"nothing at .*gone: give the path"):
        scan([tmp_path / "gone"])


def test_a_file_that_is_no_skill_is_refused(tmp_path: Path) -> None:
    """Also beside a good root."""
    write(tmp_path / "a" / "SKILL.md")
    other = write(tmp_path / "a" / "README.md")
    with pytest.raises(LibraryError, match=r"README.md is neither a folder nor a SKILL.md"):
        scan([tmp_path, other])


def test_a_root_without_skills_is_refused(tmp_path: Path) -> None:
    """Also beside a good root: the user expects something of it."""
    write(tmp_path / "a" / "SKILL.md")
    (tmp_path / "empty").mkdir()
    with pytest.raises(LibraryError, match=r"no SKILL.md in .*empty or below it"):
        scan([tmp_path / "a", tmp_path / "empty"])


def test_a_root_of_links_only_says_why(tmp_path: Path) -> None:
    """The one who gave it learns what to give instead."""
    write(tmp_path / "out" / "a" / "SKILL.md")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").symlink_to(tmp_path / "out" / "a")
    with pytest.raises(LibraryError, match=r"lies outside .* Give the folder it leads to"):
        scan([tmp_path / "in"])
    assert ids(tmp_path / "in", tmp_path / "out") == ["a"]


def test_two_files_of_one_folder_are_told_from_two_folders(tmp_path: Path) -> None:
    """Where `SKILL.md` stands beside `skill.md`, there is no other folder to rename."""
    for name in ("SKILL.md", "skill.md"):
        path = tmp_path / "tea" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"---\nname: tea\n---\nIn {name}.\n")
    same = [d.message for d in scan([tmp_path]).diagnostics if d.code == "same-id"]
    assert [message.startswith("Another file of this folder holds") for message in same] == [True, True]
    for folder in ("one", "two"):
        path = tmp_path / folder / "tea" / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(f"---\nname: tea\n---\nIn {folder}.\n")
    apart = scan([tmp_path / "one", tmp_path / "two"]).diagnostics
    assert [d.message.startswith("Another folder holds") for d in apart if d.code == "same-id"] == [
        True,
        True,
    ]
