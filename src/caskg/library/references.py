"""From mentions to pairs of skills: who is meant, and which way support runs.

A link is followed from the folder of the skill that holds it; a name is looked up
among names, then folders. Where several skills answer to it, the nearest folder is
meant, and where none is nearest, nobody: never a guess.
"""

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType
from typing import TypeVar

from caskg.library.diagnostics import Code, diagnostic
from caskg.library.fields import OF_SKILLS
from caskg.library.mentions import NamesFound, find_names, name_key
from caskg.schema import (
    Diagnostic,
    Reference,
    ReferenceKind,
    ReferenceRole,
    ResolvedReference,
    Skill,
    SkillLibrary,
)

_FILE = "/skill.md"
_LISTS_SKILLS = tuple(f"{key}: " for key in OF_SKILLS)
_Key = TypeVar("_Key", int, tuple[int, int])


def library_names(library: SkillLibrary) -> NamesFound:
    """Look each document through for the names and folders of the skills of the library."""
    return find_names(library.skills, known=SkillIndex(library))


def resolve_references(
    library: SkillLibrary, *, names: NamesFound | None = None
) -> tuple[ResolvedReference, ...]:
    """Return the pairs of skills of which one document mentions the other, sorted, each pair once.

    A document that mentions another skill several times is taken at its strongest
    word: declared, then an order in words ("first", "then"), then a contrast, then a
    bare mention; a link goes before a name. *names* are the `library_names` where
    they are known already.
    """
    index = SkillIndex(library)
    names = find_names(library.skills, known=index) if names is None else names
    best: dict[tuple[int, int], tuple[int, Reference]] = {}
    for number, skill in enumerate(library.skills):
        found: dict[int, tuple[int, Reference]] = {}
        for other, reference in _mentions(number, skill, index, names):
            _keep(found, other, (_rank(reference), reference))
        for other, ranked in found.items():
            pair = (number, other) if ranked[1].role is ReferenceRole.NEXT else (other, number)
            _keep(best, pair, ranked)
    return tuple(
        ResolvedReference(
            source=source, target=target, kind=found.kind, evidence=found.evidence, role=found.role
        )
        for (source, target), (_, found) in sorted(best.items(), key=lambda entry: entry[0])
    )


def unknown_references(
    library: SkillLibrary, *, files: Mapping[str, bytes] = MappingProxyType({})
) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for each name in a list of skills and each ``../x/SKILL.md`` that leads to none.

    *files* holds the bytes of files by skill id; the line is found in them.
    """
    index = SkillIndex(library)
    unknown = (
        diagnostic(
            Code.REFERENCE_UNKNOWN,
            skill.path,
            line=_line_of(reference, files.get(skill.id, b"")),
            target=reference.target,
        )
        for number, skill in enumerate(library.skills)
        for reference in skill.fields.references or ()
        if _promises_a_skill(reference) and index.resolve(reference, number) is None
    )
    return tuple(dict.fromkeys(unknown))


def _line_of(reference: Reference, data: bytes) -> int | None:
    """Return the first line that holds the target; of a declared one, at or below its key."""
    is_listed = reference.kind in (ReferenceKind.DECLARED, ReferenceKind.NAME)
    key = reference.evidence.partition(":")[0] if is_listed else ""
    at = data.find(reference.target.encode(), max(data.find(key.encode()), 0))
    return data.count(b"\n", 0, at) + 1 if at >= 0 else None


def _promises_a_skill(reference: Reference) -> bool:
    if reference.kind is ReferenceKind.NAME:
        return reference.evidence.startswith(_LISTS_SKILLS) and reference.role is ReferenceRole.NEED
    target = reference.target.lower()
    return reference.kind is ReferenceKind.DECLARED or (target.startswith("../") and target.endswith(_FILE))


class SkillIndex:
    """Finds the skill that a mention means."""

    def __init__(self, library: SkillLibrary) -> None:
        self._ids = [skill.id for skill in library.skills]
        self._by_id = {skill_id: number for number, skill_id in enumerate(self._ids)}
        self._by_name: defaultdict[str, list[int]] = defaultdict(list)
        self._by_folder: defaultdict[str, list[int]] = defaultdict(list)
        for number, skill in enumerate(library.skills):
            self._by_name[name_key(skill.name) or skill.id].append(number)
            parts = skill.id.split("/")
            for start in range(len(parts)):
                self._by_folder[name_key("/".join(parts[start:]))].append(number)

    def __contains__(self, key: object) -> bool:
        return key in self._by_name or key in self._by_folder

    def resolve(self, reference: Reference, reader: int) -> int | None:
        """Return the skill that a reference in the document of *reader* means; perhaps *reader* itself."""
        if "/" in reference.target:
            return self._by_path(reference.target, reader)
        return self.by_name(name_key(reference.target), reader)

    def by_name(self, key: str, reader: int) -> int | None:
        """Return the skill of this name or folder that is nearest to *reader*."""
        named = self._by_name.get(key) or self._by_folder.get(key, [])
        return named[0] if len(named) == 1 else self._nearest(named, reader)

    def _nearest(self, candidates: Sequence[int], reader: int) -> int | None:
        if reader in candidates:
            return reader
        near: defaultdict[int, list[int]] = defaultdict(list)
        for number in candidates:
            parts = zip(self._ids[number].split("/"), self._ids[reader].split("/"), strict=False)
            near[sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], parts))].append(number)
        nearest = near[max(near)] if near else []
        return nearest[0] if len(nearest) == 1 else None

    def _by_path(self, target: str, reader: int) -> int | None:
        """Follow a path from the reader's folder; where it leads to no skill, go by its last folder."""
        is_file = target.lower().endswith(_FILE)
        path = target[: -len(_FILE)] if is_file else target
        folders = posixpath.normpath(posixpath.join(self._ids[reader], path)).split("/")
        deepest = len(folders)
        for end in range(deepest, 0, -1):
            number = self._by_id.get("/".join(folders[:end]))
            if number is not None and (end == deepest or not is_file):
                return number
        return self.by_name(name_key(posixpath.basename(path)), reader)


def _mentions(
    number: int, skill: Skill, index: SkillIndex, names: NamesFound
) -> Iterator[tuple[int, Reference]]:
    """Yield (the other skill, how it is mentioned) for all mentions in one document.

    A list such as ``dependencies`` needs skills only where all of its entries are some: `transformers` beside
    `torch` is a package. Its entries have the whole list for evidence.
    """
    stated = [(reference, index.resolve(reference, number)) for reference in skill.fields.references or ()]
    of_packages = {each.evidence for each, other in stated if other is None and _is_listed(each)}
    for reference, other in stated:
        if other is not None and other != number:
            listed = _is_listed(reference) and reference.evidence in of_packages
            yield other, replace(reference, role=ReferenceRole.MENTION) if listed else reference
    for key, reference in names[skill.content_hash]:
        other = index.by_name(key, number)
        if other is not None and other != number:
            yield other, reference


def _is_listed(reference: Reference) -> bool:
    """Whether it stands in a list of front matter."""
    return reference.kind is ReferenceKind.NAME


def _keep(best: dict[_Key, tuple[int, Reference]], key: _Key, ranked: tuple[int, Reference]) -> None:
    """Keep the strongest; of equals, the first."""
    if key not in best or ranked[0] < best[key][0]:
        best[key] = ranked


def _rank(reference: Reference) -> int:
    """Return how much a mention says; the smallest says most."""
    if reference.kind is ReferenceKind.DECLARED:
        return 0
    if reference.kind is ReferenceKind.CONTRAST:
        return 2
    return 1 if reference.role is not ReferenceRole.MENTION else 3
