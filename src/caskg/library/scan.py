"""From folders to the bytes of their SKILL.md files, each with a stable id.

The first step of a build, and all that an unchanged library costs: the digest of
a scan tells whether anything has to be parsed again.

Links are followed last, so that a file has the id of its real place; a folder or
file is read once however many ways lead to it, and a loop has no way round that.
"""

import hashlib
import os
import re
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count, islice
from pathlib import Path

from caskg.errors import LibraryError
from caskg.library.diagnostics import Code, diagnostic
from caskg.schema import Diagnostic

FILE_NAME = "SKILL.md"
MAX_BYTES = 1 << 19  # of one file; the largest of 19,710 real ones has 294 KB
_SKIPPED = frozenset({".git", "node_modules"})
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
# The beginning of the right name, with an ending of texts or copies.
_ALMOST = re.compile(
    r"[\W_]*skills?(?:[\W_].*)?[\W_](?:md\w*|mkdn?|markdown|txt|text|rst|adoc|bak|old|orig|copy)[\W\d]*|skill",
    re.IGNORECASE,
)
_FORMAT = b"11"  # of what parsing makes of the bytes; a new one makes old digests stale


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A SKILL.md that was found and not yet read.

    Attributes:
        id: Its folder's path below *base*, ``/``-separated, in Unicode form NFC.
        path: Where it was found.
        base: The folder that ids count from.
    """

    id: str
    path: Path
    base: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFile:
    """A SKILL.md as bytes, with their hash."""

    id: str
    path: str
    data: bytes
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The files of one or more folders, sorted by id, and what could not be read."""

    files: tuple[SkillFile, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def digest(self) -> str:
        """Hash of ids, paths and bytes: equal digests, equal libraries."""
        digest = hashlib.blake2b(_FORMAT, digest_size=16)
        for file in self.files:
            digest.update("\0".join(["", file.id, file.path, file.digest]).encode())
        return digest.hexdigest()


def scan(roots: Sequence[Path]) -> Scan:
    """Find and read all SKILL.md files below *roots*.

    A root may be a folder with skills at any depth, the folder of one skill, or a SKILL.md.

    Raises:
        LibraryError: No root was given, one does not exist, or one holds no skill.
    """
    found, diagnostics = find_skill_files(roots)
    files, seen = list[SkillFile](), dict[str, str]()
    for file in found:
        path = _text(file.path)
        data = _read(file.path)
        if isinstance(data, Diagnostic):
            diagnostics.append(data)
            continue
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        files.append(SkillFile(id=file.id, path=path, data=data, digest=digest))
        if (first := seen.setdefault(digest, file.id)) != file.id:
            diagnostics.append(diagnostic(Code.SAME_CONTENT, path, other=first))
    diagnostics += _place_notes(found)
    return Scan(files=tuple(files), diagnostics=tuple(diagnostics))


def find_skill_files(roots: Sequence[Path]) -> tuple[list[FoundFile], list[Diagnostic]]:
    """Return the SKILL.md files below *roots*, sorted by id, and what was passed over.

    Raises:
        LibraryError: See `scan`.
    """
    if not roots:
        msg = "No folder of skills was given: name at least one."
        raise LibraryError(msg)
    walk = _Walk(sorted({_absolute(root) for root in roots}, key=os.path.realpath))
    for root in walk.roots:
        walk.visit(root, root)
    walk.follow_links()
    for root in walk.roots:
        if root not in walk.fruitful:
            raise LibraryError(_fruitless(root, walk.diagnostics))
    files, renamed = _with_unique_ids(walk.files)
    return sorted(files, key=lambda file: file.id), [*walk.diagnostics, *renamed]


def _place_notes(found: Sequence[FoundFile]) -> Iterator[Diagnostic]:
    """Say which files other readers may not find: those of another name, and skills within skills."""
    ids = {file.id for file in found}
    for file in found:
        path = _text(file.path)
        if file.path.name != FILE_NAME:
            yield diagnostic(Code.FILE_NAME, path, name=_text(file.path.name))
        above = accumulate(file.id.split("/")[:-1], lambda folder, part: f"{folder}/{part}")
        if (outer := next((folder for folder in above if folder in ids), None)) is not None:
            yield diagnostic(Code.NESTED, path, outer=outer)


class _Walk:
    """A walk over all roots: first the real folders, then the links met on the way."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self.roots = roots
        self.files: list[FoundFile] = []
        self.diagnostics: list[Diagnostic] = []
        self.fruitful: set[Path] = set()  # roots that led to a skill, though perhaps one read already
        self._real_roots = [Path(os.path.realpath(root)) for root in roots]
        self._seen: set[str] = set()
        self._links: list[tuple[Path, Path]] = []

    def visit(self, top: Path, root: Path) -> None:
        """Walk from *top*, a folder or a SKILL.md, that belongs to *root*."""
        base = _base(root)
        pending = [top]
        while pending:
            path = pending.pop()
            real = os.path.realpath(path)
            if real in self._seen:
                self.fruitful.add(root)
                self._note(Code.SAME_FILE, path, target=_text(real))
                continue
            self._seen.add(real)
            if path.is_dir():
                pending += self._enter(path, root)
            else:
                self.fruitful.add(root)
                skill_id = _id(path.parent.relative_to(base).parts)
                self.files.append(FoundFile(id=skill_id, path=path, base=base))

    def follow_links(self) -> None:
        """Visit what the links lead to, in the order of their paths; links found there come after."""
        while self._links:
            links, self._links = sorted(self._links), []
            for link, root in links:
                real = Path(os.path.realpath(link))
                if any(real.is_relative_to(inside) for inside in self._real_roots):
                    self.visit(link, root)
                else:
                    self._note(Code.LINK_OUTSIDE, link, target=_text(real))

    def _enter(self, folder: Path, root: Path) -> Iterator[Path]:
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.diagnostics.append(_unreadable(folder, error))
            return
        for entry in _misnamed(found):
            self.diagnostics.append(diagnostic(Code.MISNAMED, _text(entry.path), name=_text(entry.name)))
        for entry in found:
            path = Path(entry.path)
            if entry.name in _SKIPPED and entry.is_dir():
                self._note(Code.FOLDER_SKIPPED, path)
            elif entry.is_symlink():
                self._meet_link(path, root)
            elif entry.is_dir() or _is_skill_file(entry.name):
                if entry.is_dir() and _is_skill_file(entry.name):
                    self.diagnostics.append(_no_file(path, stat.S_IFDIR))
                yield path

    def _meet_link(self, link: Path, root: Path) -> None:
        try:
            mode = link.stat().st_mode
        except OSError as error:
            if _is_skill_file(link.name) or not link.suffix:
                self.diagnostics.append(_unreadable(link, error))
            return
        if stat.S_ISDIR(mode) or _is_skill_file(link.name):
            self._links.append((link, root))

    def _note(self, code: Code, path: Path, *, target: str = "") -> None:
        self.diagnostics.append(diagnostic(code, _text(path), target=target))


def _absolute(root: Path) -> Path:
    root = Path(os.path.abspath(root))  # noqa: PTH100 - resolve() would follow links
    try:
        root.stat()
    except OSError as error:
        msg = f"There is nothing at {_text(root)}: give the path of a folder of skills."
        if isinstance(error, PermissionError) or _is_link(root):
            found = _unreadable(root, error)
            msg = f"{found.path}: {found.message} {found.remedy}"
        raise LibraryError(msg) from None
    if not root.is_dir() and not _is_skill_file(root.name):
        msg = f"{_text(root)} is neither a folder nor a {FILE_NAME}: give the folder of the skill."
        raise LibraryError(msg)
    return root


def _base(root: Path) -> Path:
    """Return the folder that ids count from: above *root* where the root itself is a skill."""
    if not root.is_dir():
        return root.parent.parent
    try:
        is_skill = any(_is_skill_file(path.name) for path in root.iterdir())
    except OSError:
        is_skill = False
    return root.parent if is_skill else root


def _fruitless(root: Path, diagnostics: Sequence[Diagnostic]) -> str:
    reasons = [d for d in diagnostics if d.path.startswith(_text(root))]
    why = f" {reasons[0].path}: {reasons[0].message} {reasons[0].remedy}" if reasons else ""
    return f"There is no {FILE_NAME} in {_text(root)} or below it: give a folder that holds skills.{why}"


def _with_unique_ids(files: Sequence[FoundFile]) -> tuple[list[FoundFile], list[Diagnostic]]:
    """Put the names of their bases before ids that several files share, as far up as they differ."""
    groups: defaultdict[str, list[FoundFile]] = defaultdict(list)
    for file in files:
        groups[file.id].append(file)
    unique, diagnostics, taken = list[FoundFile](), list[Diagnostic](), set(groups)
    for skill_id, group in sorted(groups.items()):
        if len(group) == 1:
            unique += group
            continue
        group.sort(key=lambda file: file.path)
        new_ids = _prefixed(group, taken)
        taken.update(new_ids)
        for file, new in zip(group, new_ids, strict=True):
            unique.append(replace(file, id=new))
            beside = sum(other.path.parent == file.path.parent for other in group) > 1
            where = "Another file of this folder" if beside else "Another folder"
            diagnostics.append(diagnostic(Code.SAME_ID, _text(file.path), where=where, id=skill_id, new=new))
    return unique, diagnostics


def _prefixed(group: Sequence[FoundFile], taken: set[str]) -> list[str]:
    for depth in range(1, max(len(file.base.parts) for file in group)):
        ids = [_id([*file.base.parts[1:][-depth:], file.id]) for file in group]
        if len(set(ids)) == len(ids) and not taken & set(ids):
            return ids
    numbered = (f"{group[0].id}~{number}" for number in count(1))
    free = (skill_id for skill_id in numbered if skill_id not in taken)
    return list(islice(free, len(group)))


def _read(path: Path) -> bytes | Diagnostic:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return _no_file(path, status.st_mode)
        if status.st_size > MAX_BYTES:
            return diagnostic(Code.TOO_LARGE, _text(path), size=status.st_size, limit=MAX_BYTES)
        return path.read_bytes()
    except OSError as error:
        return _unreadable(path, error)


def _unreadable(path: Path, error: OSError) -> Diagnostic:
    """Say why a path cannot be read, and what would help."""
    reason, instead = str(error.strerror), "Repair it"
    if isinstance(error, PermissionError):
        instead = "Give read permission"
    elif _is_link(path):
        reason, instead = f"the link leads nowhere ({reason})", "Correct the link"
    return diagnostic(Code.UNREADABLE, _text(path), reason=reason, instead=instead)


def _no_file(path: Path, mode: int) -> Diagnostic:
    reason = f"it is {_KINDS.get(stat.S_IFMT(mode), 'no regular file')}"
    return diagnostic(Code.UNREADABLE, _text(path), reason=reason, instead="Put a file in its place")


def _is_link(path: Path) -> bool:
    return os.path.islink(path)  # noqa: PTH114 - Path.is_symlink() raises where a name is too long


def _is_skill_file(name: str) -> bool:
    return name.lower() == FILE_NAME.lower()


def _misnamed(entries: Sequence["os.DirEntry[str]"]) -> Iterator["os.DirEntry[str]"]:
    """Yield the files that may be meant as the SKILL.md that a folder lacks."""
    if not any(_is_skill_file(entry.name) for entry in entries):
        yield from (entry for entry in entries if _ALMOST.fullmatch(entry.name) and not entry.is_dir())


def _id(parts: Sequence[str]) -> str:
    return unicodedata.normalize("NFC", _text("/".join(parts)))


def _text(path: Path | str) -> str:
    """Return a path as text that can be stored: bytes that are no UTF-8 are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")
