"""Strict reading: what the reference validator of the format refuses, and in which line."""

import random
from pathlib import Path

import pytest

from caskg.library.diagnostics import Code
from caskg.library.strict import strict_findings
from caskg.schema import Severity
from shared_data import unpack_skills

HEAD = "---\nname: a-b\ndescription: d\n"


def found(text: str | bytes, path: str = "lib/a-b/SKILL.md") -> list[tuple[str, int | None]]:
    data = text.encode() if isinstance(text, str) else text
    findings = strict_findings(data, path=path)
    assert all(each.severity is Severity.ERROR and each.path == path for each in findings)
    return [(each.code, each.line) for each in findings]


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}---\nB",
        f"{HEAD}license: MIT\ncompatibility: x\nmetadata:\n  k: v\nallowed-tools: A B\n---\n".replace(
            "\n", "\r\n"
        ),
        "---\nname: 'a-b '\ndescription: |\n  one\n  two\n---",
        "---\nname: a-b\ndescription: cut here --- and what follows is the body\n",
        f"{HEAD}compatibility: {'x' * 500}\n---\n",
        f"---\nname: a-b\ndescription: {'x' * 1024}\n---\n",
        f"{HEAD}license:\n- a list is let through\nallowed-tools:\n- A\n---\n",
    ],
)
def test_a_valid_file_has_no_findings(text: str) -> None:
    """All keys of the format; limits are met exactly; quirks of the validator are followed."""
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(Code.NO_FRONT_MATTER, 1)]),
        ("# Title", [(Code.NO_FRONT_MATTER, 1)]),
        (f"\n{HEAD}---\n", [(Code.NO_FRONT_MATTER, 1)]),
        (f"\ufeff{HEAD}---\n", [(Code.BYTE_ORDER_MARK, 1)]),
        (HEAD, [(Code.FRONT_MATTER_UNCLOSED, 1)]),
        (b"---\nname: a-b\ndescription: caf\xe9\n---\n", [(Code.ENCODING, 3)]),
        (f"{HEAD}---\n".encode("utf-16"), [(Code.ENCODING, 1)]),
        ("---\n---\n", [(Code.STRICT_YAML, None)]),
        ("---\n- a\n---\n", [(Code.STRICT_YAML, None)]),
        ("---\nname: a-b\ndescription: x: y\n---\n", [(Code.STRICT_YAML, 3)]),
        (f"{HEAD}name: a-b\n---\n", [(Code.STRICT_YAML, 4)]),
        (f"{HEAD}metadata:\n  k: 1\n  k: 2\n---\n", [(Code.STRICT_YAML, 6)]),
        (f"{HEAD}license:\n- k: 1\n  k: 2\n---\n", [(Code.STRICT_YAML, 6)]),
        (f"{HEAD}allowed-tools: [A]\n---\n", [(Code.STRICT_YAML, 4)]),
        (f"{HEAD}metadata: {{}}\n---\n", [(Code.STRICT_YAML, 4)]),
        (f"{HEAD}license: &x MIT\n---\n", [(Code.STRICT_YAML, 4)]),
        (f"{HEAD}license: !!str MIT\n---\n", [(Code.STRICT_YAML, 4)]),
        (f"{HEAD}license: \0\n---\n", [(Code.STRICT_YAML, None)]),
        (f"{HEAD}tags: x\nage: y\n---\n", [(Code.UNKNOWN_KEYS, 4)]),
        ("---\ndescription: d\n---\n", [(Code.NAME_MISSING, None)]),
        ("---\nname:\ndescription: d\n---\n", [(Code.NAME_MISSING, 2)]),
        ("---\nname:\n- a-b\ndescription: d\n---\n", [(Code.NAME_MISSING, 2)]),
        ("---\nname: a-b\n---\n", [(Code.DESCRIPTION_MISSING, None)]),
        ("---\nname: a-b\ndescription: ' '\n---\n", [(Code.DESCRIPTION_MISSING, 3)]),
        ("---\nname: a-c\ndescription: d\n---\n", [(Code.NAME_DIFFERS, 2)]),
        (f"---\nname: a-b\ndescription: {'x' * 1025}\n---\n", [(Code.DESCRIPTION_LONG, 3)]),
        (f"{HEAD}compatibility: {'x' * 501}\n---\n", [(Code.COMPATIBILITY_LONG, 4)]),
        (f"{HEAD}compatibility:\n- x\n---\n", [(Code.STRICT_VALUE, 4)]),
    ],
)  # fmt: skip
def test_what_is_refused_is_told_with_its_line(
    text: str | bytes, expected: list[tuple[str, int | None]]
) -> None:
    """One finding for each fault; where no front matter can be read, that one alone."""
    assert found(text) == expected


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("x" * 65, "has 65 characters"),
        ("Tea", "lower case"),
        ("-a", "hyphen"),
        ("a-", "hyphen"),
        ("a--b", "two hyphens"),
        ("a_b", "other characters"),
        ("a b", "other characters"),
    ],
)
def test_the_form_of_a_name_is_checked(name: str, problem: str) -> None:
    """Each rule alone; the folder bears the same name."""
    path = f"lib/{name}/SKILL.md"
    (finding,) = strict_findings(f"---\nname: {name}\ndescription: d\n---\n".encode(), path=path)
    assert (finding.code, finding.line) == (Code.NAME_FORM, 2)
    assert problem in finding.message


@pytest.mark.parametrize("name", ["x" * 64, "7", "tee-kochen", "\u8336", "caf\u00e9", "cafe\u0301"])
def test_names_of_all_scripts_are_valid(name: str) -> None:
    """In whatever Unicode form; 64 characters are the most."""
    assert found(f"---\nname: {name}\ndescription: d\n---\n", f"lib/{name}/SKILL.md") == []


@pytest.mark.parametrize(("name", "expected"), [("skill.md", []), ("Skill.md", [(Code.FILE_NAME, None)])])
def test_two_names_of_the_file_are_known(name: str, expected: list[tuple[str, int | None]]) -> None:
    """Upper and lower case, nothing between."""
    assert found(f"{HEAD}---\n", f"lib/a-b/{name}") == expected


# ---------------------------------------------------------------- against the reference validator

_PIECES = (
    "---\n", "---", "--- \n", "name: a-b\n", "name: A\n", "name: a--b\n", "name:", "description: x: y\n",
    "description: d\n", "description: |\n  a\n  b\n", "metadata:\n  k: v\n", "metadata:\n  k: [a]\n",
    "tags: x\n", "license: MIT\n", "license: 'a\n", "compatibility: c\n", "compatibility:\n  - a\n",
    "allowed-tools: [a]\n", "x: &a y\n", "x: *a\n", "x: !!str y\n", "  k: v\n", "\t", "  ", "# c\n", "\n",
    "\ufeff", "\r\n", "\u00e9", "- a\n", '"', 'description: "a --- b"\n', "description: ''\n", "? a\n",
    "<<: y\n", "%YAML 1.1\n", "@x\n", "a: `b`\n", "\x07", "0: 1\n", "\xff",
)  # fmt: skip


def _refused(folder: Path) -> bool:
    """Whether the reference validator refuses a folder; it ends in an error where a file is no UTF-8."""
    from skills_ref.validator import validate

    try:
        return bool(validate(folder))
    except (UnicodeDecodeError, AttributeError):
        return True


@pytest.mark.full
def test_made_up_files_are_judged_as_by_the_validator(tmp_path: Path) -> None:
    """5,000 files of pieces that go wrong in many ways; enough of them are valid."""
    draw = random.Random(3)
    file = tmp_path / "a-b" / "SKILL.md"
    file.parent.mkdir()
    valid = 0
    for _ in range(5000):
        head = HEAD if draw.random() < 0.6 else "---\n"
        text = (
            head + "".join(draw.choices(_PIECES, k=draw.randrange(5))) + draw.choice(["---\n", "---\nB", ""])
        )
        data = text.encode("latin-1" if draw.random() < 0.05 else "utf-8", errors="replace")
        file.write_bytes(data)
        refused = _refused(file.parent)
        assert bool(strict_findings(data, path=str(file))) == refused, data
        valid += not refused
    assert valid > 500


@pytest.mark.full
def test_real_files_are_judged_as_by_the_validator(tmp_path: Path) -> None:
    """3,139 files, two of five of which are valid."""
    files = list(unpack_skills(tmp_path).rglob("SKILL.md"))
    valid = 0
    for file in files:
        refused = _refused(file.parent)
        assert bool(strict_findings(file.read_bytes(), path=str(file))) == refused, file
        valid += not refused
    assert len(files) == 3139
    assert valid > 1000
