"""A folder of SKILL.md files as data: every file becomes a skill, or a diagnostic that says why not.

The first step of the pipeline. Reading is lenient: what other readers would drop is
recovered where it can be, and said.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from caskg.errors import LibraryError
from caskg.library.diagnostics import Code, Findings
from caskg.library.fields import extract_fields, stated_values
from caskg.library.front_matter import Value, decode, read_front_matter
from caskg.library.markdown import cut_sections, plain, without_fences
from caskg.library.references import unknown_references
from caskg.library.scan import Scan, scan
from caskg.schema import Diagnostic, Section, Skill, SkillLibrary

MAX_DESCRIPTION = 1024  # characters, of the format

_FORMAT_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_TEXT_OR_LIST = ("text or a list", (str, list))
_EXPECTED: dict[str, tuple[str, tuple[type, ...]]] = {
    "name": ("text", (str,)),
    "description": ("text", (str,)),
    "metadata": ("a mapping", (dict,)),
    "allowed-tools": _TEXT_OR_LIST,
    "tags": _TEXT_OR_LIST,
    "keywords": _TEXT_OR_LIST,
    "caskg-requires": _TEXT_OR_LIST,
    "depends-on": _TEXT_OR_LIST,
}
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
    skills, diagnostics = list[Skill](), list(found.diagnostics)
    for file in found.files:
        skill, notes = parse_skill(file.data, skill_id=file.id, path=file.path)
        diagnostics += notes
        if skill is not None:
            skills.append(skill)
    if not skills:
        reasons = "; ".join(f"{d.path}: {d.message} {d.remedy}" for d in diagnostics[:3])
        msg = f"No skill could be read. {reasons}".strip()
        raise LibraryError(msg)
    library = SkillLibrary(skills=tuple(skills))
    diagnostics += unknown_references(library)
    diagnostics.sort(key=lambda d: (d.path, d.line or 0, d.code))
    return SkillLibrary(skills=library.skills, diagnostics=tuple(diagnostics))


def parse_skill(data: bytes, *, skill_id: str, path: str) -> tuple[Skill | None, tuple[Diagnostic, ...]]:
    """Read one SKILL.md.

    Args:
        data: The bytes of the file, any bytes.
        skill_id: See `Skill`; its last part stands in for a missing name.
        path: For people.

    Returns:
        The skill, or None where the file holds no text, and what was found on the way.
    """
    findings = Findings(path)
    text = decode(data, findings)
    if text is None:
        return None, findings.all()
    front = read_front_matter(text, findings)
    values = _well_formed(front.values, findings)
    sections = cut_sections(front.body)
    name = _name(values, skill_id.rpartition("/")[2], findings, found=front.found)
    description = _description(values, sections, findings)
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


def _well_formed(values: Mapping[str, Value], findings: Findings) -> dict[str, Value]:
    """Leave out values of a wrong kind, with a diagnostic each; report keys outside the format."""
    if outside := sorted(values.keys() - _FORMAT_KEYS):
        findings.add(Code.UNKNOWN_KEYS, keys=", ".join(outside))
    kept = _of_expected_kind(values, findings)
    if isinstance(metadata := kept.get("metadata"), dict):
        kept["metadata"] = _of_expected_kind(metadata, findings)
    return kept


def _of_expected_kind(values: Mapping[str, Value], findings: Findings) -> dict[str, Value]:
    kept = {}
    for key, value in values.items():
        kind, types = _EXPECTED.get(key, ("", (object,)))
        if isinstance(value, types):
            kept[key] = value
        else:
            findings.add(Code.VALUE_IGNORED, key=key, expected=kind)
    return kept


def _name(values: Mapping[str, Value], folder: str, findings: Findings, *, found: bool) -> str:
    name = _line(values.get("name"))
    if not name:
        if found:
            findings.add(Code.NAME_MISSING, name=folder)
        return folder
    if name != folder:
        findings.add(Code.NAME_DIFFERS, name=name, folder=folder)
    return name


def _description(values: Mapping[str, Value], sections: Sequence[Section], findings: Findings) -> str:
    description = _line(values.get("description"))
    if not description:
        findings.add(Code.DESCRIPTION_MISSING)
        return _first_paragraph(sections)[:MAX_DESCRIPTION]
    if len(description) > MAX_DESCRIPTION:
        findings.add(Code.DESCRIPTION_LONG, length=len(description), limit=MAX_DESCRIPTION)
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
