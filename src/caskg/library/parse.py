"""A folder of SKILL.md files as data: every file becomes a skill, or a diagnostic that says why not.

The first step of the pipeline. Reading is lenient: what other readers would drop is
recovered where it can be, and said.
"""

import hashlib
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePath

from caskg.errors import LibraryError
from caskg.library.decoding import decode
from caskg.library.diagnostics import Code, Findings, diagnostic
from caskg.library.fields import MOST_LISTED, extract_fields, listed_length, stated_values
from caskg.library.format import KEYS, MAX_COMPATIBILITY, MAX_DESCRIPTION, name_problems
from caskg.library.front_matter import FrontMatter, read_front_matter
from caskg.library.markdown import cut_sections, overlooked, plain, without_fences
from caskg.library.placeholders import is_placeholder
from caskg.library.references import unknown_references
from caskg.library.scan import Scan, scan
from caskg.library.screening import screen
from caskg.library.yaml_entries import Value
from caskg.schema import Diagnostic, Section, Skill, SkillLibrary

_TEXT = ("text", (str,))
_TEXT_OR_LIST = ("text or a list", (str, list))
_EXPECTED: dict[str, tuple[str, tuple[type, ...]]] = {
    "name": _TEXT,
    "description": _TEXT,
    "license": _TEXT,
    "compatibility": _TEXT,
    "metadata": ("a mapping", (dict,)),
    "allowed-tools": _TEXT_OR_LIST,
    "tags": _TEXT_OR_LIST,
    "keywords": _TEXT_OR_LIST,
    "caskg-requires": _TEXT_OR_LIST,
    "depends-on": _TEXT_OR_LIST,
}
MOST_ALIKE = 20
"""Findings of one code that are shown of one file."""

_NAMED = 3
_LONGEST_SHOWN = 100  # characters of a description in a finding
_IN_PARENTHESES = re.compile(r"\([^)]*\)")
_NO_PROSE = re.compile(r"\s*(?:[|<>#]|[-*_=]{3}|[-*+]\s|\d+[.)]\s|!\[|\Z)")


def load_library(roots: Sequence[Path]) -> SkillLibrary:
    """Read the skills below *roots*, sorted by id.

    Raises:
        LibraryError: A root is missing or holds no skill, or no file could be read.
    """
    return parse_library(scan(roots))


def parse_library(found: Scan) -> SkillLibrary:
    """Parse the files of a scan.

    Raises:
        LibraryError: None of them is a skill.
    """
    library = read_library(found)
    if not library.skills:
        reasons = "; ".join(f"{d.path}: {d.message} {d.remedy}" for d in library.diagnostics[:3])
        msg = f"No skill could be read. {reasons}".strip()
        raise LibraryError(msg)
    return library


def read_library(found: Scan) -> SkillLibrary:
    """Parse the files of a scan; where none of them is a skill, the library is empty."""
    skills, diagnostics = list[Skill](), list(found.diagnostics)
    for file in found.files:
        skill, notes = parse_skill(file.data, skill_id=file.id, path=file.path)
        diagnostics += notes
        if skill is not None:
            skills.append(skill)
    library = SkillLibrary(skills=tuple(skills))
    files = {file.id: file.data for file in found.files}
    diagnostics += [*_same_names(library.skills), *unknown_references(library, files=files)]
    return SkillLibrary(skills=library.skills, diagnostics=in_order(diagnostics))


def in_order(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return diagnostics by path, line and code; of many of one code in one file, some and how many more."""
    alike: defaultdict[tuple[str, str], list[Diagnostic]] = defaultdict(list)
    for found in sorted(diagnostics, key=_place):
        alike[found.path, found.code].append(found)
    return tuple(sorted(chain.from_iterable(map(_some, alike.values())), key=_place))


def _place(found: Diagnostic) -> tuple[str, int, str]:
    return found.path, found.line or 0, found.code


def _some(alike: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    """Return the first `MOST_ALIKE` and one that counts the rest; what was shortened before stays so."""
    rest = alike[MOST_ALIKE:]
    if len(rest) <= 1:
        return alike
    message = f"{len(rest):,} more of this kind, here and below."
    return [*alike[:MOST_ALIKE], replace(rest[0], message=message)]


def _same_names(skills: Sequence[Skill]) -> Iterator[Diagnostic]:
    """Yield a finding for each skill whose name another one bears with other content."""
    groups: defaultdict[str, list[Skill]] = defaultdict(list)
    for skill in skills:
        groups[skill.name].append(skill)
    for name, group in groups.items():
        for skill in group if len(group) > 1 else ():
            others = [repr(each.id) for each in group if each.content_hash != skill.content_hash]
            if others:
                more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
                named = ", ".join(others[:_NAMED]) + more
                yield diagnostic(Code.SAME_NAME, skill.path, name=name, others=named)


def parse_skill(data: bytes, *, skill_id: str, path: str) -> tuple[Skill | None, tuple[Diagnostic, ...]]:
    """Read one SKILL.md.

    Args:
        data: The bytes of the file, any bytes.
        skill_id: See `Skill`; the name of its folder stands in for a missing name.
        path: For people.

    Returns:
        The skill, or None where the file holds no text, and what was found on the way.
    """
    findings = Findings(path)
    text = decode(data, findings)
    if text is None:
        return None, findings.all()
    front = read_front_matter(text, findings)
    values = _well_formed(front, findings)
    sections = cut_sections(front.body)
    _report_parts(front.body, sections, findings)
    front = replace(front, values=values)
    name = _name(front, _folder(skill_id, path), findings)
    description = _description(front, sections, findings)
    screen(front.as_read, findings)
    stated = stated_values(values)
    skill = Skill(
        id=skill_id,
        name=name,
        description=description,
        body=front.body,
        sections=sections,
        fields=extract_fields(stated, sections, description=description),
        content_hash=_content_hash(name, description, front.body, stated),
        path=path,
    )
    return skill, findings.all()


def _folder(skill_id: str, path: str) -> str:
    """Return the last part of the id, but for a number that tells two files of one folder apart."""
    last, folder = skill_id.rpartition("/")[2], unicodedata.normalize("NFC", PurePath(path).parent.name)
    before, mark, _ = last.rpartition("~")
    return folder if mark and before == folder else last


def _report_parts(body: str, sections: Sequence[Section], findings: Findings) -> None:
    """Say which parts of an unusually large body were not read in all detail."""
    what = list(overlooked(body, sections))
    if len(body) > MOST_LISTED and listed_length(sections) > MOST_LISTED:
        what.append(f"of its lists of inputs, outputs and the like, {MOST_LISTED:,} characters were read")
    for each in what:
        findings.add(Code.READ_IN_PART, what=each)


def _well_formed(front: FrontMatter, findings: Findings) -> dict[str, Value]:
    """Leave out values of a wrong kind, with a diagnostic each; report what is outside the format."""
    if outside := sorted(front.values.keys() - KEYS):
        line = min(front.lines[key] for key in outside)
        findings.add(Code.UNKNOWN_KEYS, line=line, keys=", ".join(outside))
    kept = _of_expected_kind(front.values, front.lines, findings)
    if isinstance(metadata := kept.get("metadata"), dict):
        line = front.lines["metadata"]
        kept["metadata"] = _of_expected_kind(metadata, dict.fromkeys(metadata, line), findings)
    if form := _tools_form(kept.get("allowed-tools", "")):
        findings.add(Code.TOOLS_FORM, line=front.lines["allowed-tools"], form=form)
    if len(compatibility := _line(kept.get("compatibility"))) > MAX_COMPATIBILITY:
        found = {"length": len(compatibility), "limit": MAX_COMPATIBILITY}
        findings.add(Code.COMPATIBILITY_LONG, line=front.lines["compatibility"], **found)
    return kept


def _of_expected_kind(
    values: Mapping[str, Value], lines: Mapping[str, int], findings: Findings
) -> dict[str, Value]:
    kept = {}
    for key, value in values.items():
        expected = _EXPECTED.get(key, ("", (object,)))
        if isinstance(value, expected[1]):
            kept[key] = value
        elif expected is _TEXT and key != "name":  # words are not lost for a colon
            kept[key] = _joined(value)
            findings.add(Code.VALUE_JOINED, line=lines[key], key=key)
        else:
            findings.add(Code.VALUE_IGNORED, line=lines[key], key=key, expected=expected[0])
    return kept


def _joined(value: Value) -> str:
    """Return the words of a value as one text.

    >>> _joined({"Use when": ["painting", "a boat"]})
    'Use when: painting, a boat'
    """
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_joined(about)}" for key, about in value.items())
    return value if isinstance(value, str) else ", ".join(map(_joined, value))


def _tools_form(tools: Value) -> str:
    if not isinstance(tools, str):
        return "a list"
    return "separated by commas" if "," in _IN_PARENTHESES.sub("", tools) else ""


def _name(front: FrontMatter, folder: str, findings: Findings) -> str:
    name, line = _line(front.values.get("name")), front.lines.get("name")
    if not name:
        if front.found:
            findings.add(Code.NAME_MISSING, line=line, name=folder)
        return folder
    if is_placeholder("name", name):
        findings.add(Code.PLACEHOLDER, line=line, key="name", value=name)
    if problem := " and ".join(name_problems(name)):
        findings.add(Code.NAME_FORM, line=line, name=name, problem=problem)
    if name != folder:
        findings.add(Code.NAME_DIFFERS, line=line, name=name, folder=folder)
    return name


def _description(front: FrontMatter, sections: Sequence[Section], findings: Findings) -> str:
    description, line = _line(front.values.get("description")), front.lines.get("description")
    if not description:
        paragraph = _first_paragraph(sections)[:MAX_DESCRIPTION]
        instead = "the first paragraph is used" if paragraph else "no paragraph can take its place"
        findings.add(Code.DESCRIPTION_MISSING, line=line, instead=instead)
        return paragraph
    if is_placeholder("description", description):
        findings.add(Code.PLACEHOLDER, line=line, key="description", value=description[:_LONGEST_SHOWN])
    if len(description) > MAX_DESCRIPTION:
        findings.add(Code.DESCRIPTION_LONG, line=line, length=len(description), limit=MAX_DESCRIPTION)
    return description


def _line(value: Value | None) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _first_paragraph(sections: Sequence[Section]) -> str:
    """Return the first paragraph of prose: no list, table, quotation, picture or code."""
    paragraphs = (part for section in sections for part in re.split(r"\n\s*\n", without_fences(section.text)))
    return next((plain(part) for part in paragraphs if not _NO_PROSE.match(part)), "")


def _content_hash(name: str, description: str, body: str, stated: Mapping[str, Value]) -> str:
    """Hash what the document says; a better reading of its sections leaves the hash as it is."""
    text = json.dumps([name, description, body, stated], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
