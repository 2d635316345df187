"""`caskg lint`: a table for people, a document for programs, an exit code for both."""

from pathlib import Path

import pytest

from interfaces.kitchen import Run, loaded

GOOD = "---\nname: good\ndescription: Paints a fence.\n---\nPaint it.\n"
COLON = "---\nname: colon\ndescription: Use when: it rains.\n---\nOpen the umbrella.\n"


def write(root: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (root / name).mkdir(parents=True)
        (root / name / "SKILL.md").write_text(text, encoding="utf-8")
    return root


def test_a_clean_folder_is_one_line(run: Run, tmp_path: Path) -> None:
    """No workspace is asked for, and none is made."""
    root = write(tmp_path, good=GOOD)
    result = run("lint", root)
    assert (result.code, result.out, result.err) == (0, "1 file: 0 errors, 0 warnings, 0 infos.\n", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good"]


def test_a_finding_is_a_row_with_line_and_remedy(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths are as short as they can be said from here; warnings are no failure."""
    write(tmp_path, colon=COLON, good=GOOD)
    monkeypatch.chdir(tmp_path)
    result = run("lint", ".")
    head, row, counts = result.out.splitlines()
    assert result.code == 0
    assert head.split() == ["PATH", "LINE", "SEVERITY", "CODE", "MESSAGE", "AND", "REMEDY"]
    assert row.split()[:4] == ["colon/SKILL.md", "3", "warning", "yaml-recovered"]
    assert "'description' was read as text" in row
    assert row.endswith("use no aliases.")
    assert counts == "2 files: 0 errors, 1 warning, 0 infos."


def test_an_error_is_exit_code_1(run: Run, tmp_path: Path) -> None:
    """Also where not one file can be read: the findings are what was asked for."""
    root = write(tmp_path, empty="")
    result = run("lint", root)
    assert result.code == 1
    assert result.out.splitlines()[1].split()[1:5] == ["error", "empty", "Holds", "no"]
    assert result.out.endswith("1 file: 1 error, 0 warnings, 0 infos.\n")


def test_strict_makes_errors_of_what_the_validator_refuses(run: Run, tmp_path: Path) -> None:
    """Each once: what was an info or a warning is not said again under the same code."""
    root = write(tmp_path, good=GOOD.replace("\n---\nP", "\nowner: me\n---\nP"))
    assert run("lint", root).code == 0
    result = run("lint", "--strict", root)
    assert result.code == 1
    assert result.out.count("unknown-keys") == 1
    assert result.out.endswith("1 file: 1 error, 0 warnings, 0 infos.\n")


def test_less_severe_findings_are_counted_and_not_listed(run: Run, tmp_path: Path) -> None:
    """A folder of thousands has more infos than a screen has lines."""
    root = write(tmp_path, good=GOOD.replace("name: good", "name: Good"), colon=COLON)
    assert "name-form" in run("lint", root).out
    listed = run("lint", "--severity", "warning", root).out
    assert "name-form" not in listed
    assert "yaml-recovered" in listed
    assert listed.endswith("2 files: 0 errors, 1 warning, 2 infos.\n")
    assert run("lint", "--severity", "error", root).out == "2 files: 0 errors, 1 warning, 2 infos.\n"


def test_json_is_the_same_for_programs(run: Run, tmp_path: Path) -> None:
    """Paths in full; the counts are of all findings."""
    root = write(tmp_path, colon=COLON)
    document = loaded(run, "lint", root)
    (finding,) = document["diagnostics"]
    assert document["files"] == 1
    assert document["counts"] == {"error": 0, "warning": 1, "info": 0}
    assert (finding["path"], finding["line"]) == (str(root / "colon" / "SKILL.md"), 3)
    assert {"code", "severity", "message", "remedy"} < set(finding)
    assert loaded(run, "lint", "--severity", "error", root)["diagnostics"] == []


def test_nothing_to_check_is_a_failure(run: Run, tmp_path: Path) -> None:
    """A mistyped path must not pass for a clean one."""
    assert run("lint", tmp_path / "gone").code == 3
    assert run("lint", tmp_path).code == 3
    assert run("lint").code == 2


def test_what_strangers_wrote_cannot_drive_the_terminal(run: Run, tmp_path: Path) -> None:
    """A finding quotes them."""
    root = write(tmp_path, good=GOOD.replace("name: good", 'name: "\\e[2J"'))
    assert "\x1b" not in run("lint", root).out
