"""Between frozen data and what SQLite keeps: every conversion of the store is here.

A skill is stored as a line of JSON, in which a section's text is its place in the
body, and the body. A field that its document does not state is ``null`` there and an
empty one ``[]``, so that it comes back exactly.

>>> from caskg.schema import Parameter
>>> fields = SkillFields(inputs=(Parameter(name="report"),), outputs=())
>>> skill = Skill(id="mail/send", name="send", description="Send a report.", body="", sections=(),
...               fields=fields, content_hash="0" * 32, path="mail/send/SKILL.md")
>>> member, content = pack_skill(skill)
>>> unpack_skill(content_row(member.digest, content), member) == skill
True
"""

import hashlib
import json
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, NoReturn, TypeAlias

from caskg.errors import DamagedError, ProbeError, UsageError
from caskg.schema import (
    Artifact,
    Label,
    LabelSource,
    Parameter,
    ProbeAnswer,
    ProbeKey,
    Reference,
    ReferenceKind,
    ReferenceRole,
    Section,
    Skill,
    SkillFields,
    Verdict,
)

Row: TypeAlias = Sequence[Any]

_BESIDE = ("id", "content_hash", "path")  # in columns of their own, so that copies share a content
_HASH = re.compile("[0-9a-f]{32}")


class Member(NamedTuple):
    """A skill's place in a version: what stands beside its content, and the digest of that content.

    Equal content hashes are not enough to share a content: they hash what a document says, and a
    later CaSKG may read more fields out of the same words.
    """

    skill_id: str
    path: str
    content_hash: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayFile:
    """What is known of one stored array.

    Attributes:
        size: Bytes of the file.
        header_size: Bytes before its data; they hold dtype and shape.
        header_checksum: `checksum` of these.
        digest: BLAKE2b of the whole file.
    """

    size: int
    header_size: int
    header_checksum: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionInfo:
    """One published version.

    Attributes:
        number: Counted from 1, never used twice.
        created: When it was published, UTC.
        n_skills: Number of skills.
        n_edges: Number of published edges, from ``meta["n_edges"]``; 0 where that says nothing.
        arrays: The stored arrays by name.
        meta: What the publisher wrote beside them, as JSON.
        members_checksum: `members_checksum` of its skills.
        current: Whether readers that ask for no number get this one.
    """

    number: int
    created: datetime
    n_skills: int
    n_edges: int
    arrays: Mapping[str, ArrayFile]
    meta: Mapping[str, Any]
    members_checksum: int
    current: bool


# ---------------------------------------------------------------- checks


def checksum(*values: str | float | None, data: bytes = b"") -> int:
    """Return a CRC-32 over *values* and *data*; no change of a single byte leaves it as it was.

    >>> checksum("text", 0.5, None) == checksum("text", 0.25, None)
    False
    """
    if not isinstance(data, bytes):  # what SQLite makes of a damaged row can have any type
        return -1
    return zlib.crc32(data, zlib.crc32("\x1f".join(map(str, values)).encode()))


def raise_damaged(what: str) -> NoReturn:
    """Say that *what*, in the database, is not what was written.

    Raises:
        DamagedError: Always.
    """
    msg = (
        f"In caskg.sqlite, {what} is damaged. Build again to write it anew; where that does not help, "
        "restore a copy of the workspace, or run `caskg repair`, which saves what can be read."
    )
    raise DamagedError(msg)


def require_hashes(hashes: Collection[str]) -> None:
    """Refuse anything but 32 lower-case hexadecimal digits.

    Raises:
        UsageError: One of *hashes* is something else.
    """
    for value in hashes:
        if not _HASH.fullmatch(value):
            msg = f"{value!r} is no content hash of 32 lower-case hexadecimal digits: use Skill.content_hash."
            raise UsageError(msg)


def require_text(text: str) -> str:
    """Return *text* if it can be written as UTF-8.

    Raises:
        UsageError: It holds half a character, as a file name of another encoding does.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        msg = f"{text!r} holds bytes that are no text: rename the folder or file it comes from."
        raise UsageError(msg) from None
    return text


# ---------------------------------------------------------------- skills


def pack_skill(skill: Skill) -> tuple[Member, bytes]:
    """Return what stands beside the content of *skill*, and the content.

    Half a character in a path becomes ``?``: a path is for people.
    """
    values = _as_dict(skill)
    for name in _BESIDE:
        del values[name]
    body = values.pop("body").encode(errors="surrogatepass")  # as JSON it would be slow to read
    values["sections"] = list(_cuts(skill))
    content = json.dumps(values, default=_as_dict, separators=(",", ":")).encode() + b"\n" + body
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return Member(skill.id, _readable(skill.path), skill.content_hash, digest), content


def content_row(digest: str, content: bytes) -> Row:
    """Return a content as it is stored, and its checksum. Compressed, a query would wait for it."""
    return content, checksum(digest, data=content)


def is_sound(digest: str, row: Row) -> bool:
    """Return whether a row that `content_row` made is still what was written."""
    content, stored = row
    return bool(stored == checksum(digest, data=content))


def unpack_skill(row: Row, member: Member) -> Skill:
    """Return the skill whose content is in a row that `content_row` made.

    Raises:
        DamagedError: The row is not what was written.
    """
    if not is_sound(member.digest, row):
        raise_damaged(f"the skill {member.skill_id}")
    # At first contents were written compressed.
    content = row[0] if row[0].startswith(b"{") else zlib.decompress(row[0])
    head, _, body = content.partition(b"\n")
    values = {"body": body.decode(errors="surrogatepass")} | json.loads(head)
    values["sections"] = tuple(_section(cut, values["body"]) for cut in values["sections"])
    values["fields"] = SkillFields(**{name: _field(name, value) for name, value in values["fields"].items()})
    return Skill(id=member.skill_id, content_hash=member.content_hash, path=member.path, **values)


def members_checksum(members: Iterable[Member]) -> int:
    """Return the checksum over all members, in order."""
    return checksum(*(value for member in members for value in member))


def _as_dict(record: Any) -> dict[str, Any]:  # noqa: ANN401  # any of the schema's slotted dataclasses
    return {name: getattr(record, name) for name in record.__slots__}


def _cuts(skill: Skill) -> Iterator[list[Any]]:
    """Yield title, level, and the text of each section: its start and end in the body, or itself."""
    end = 0
    for section in skill.sections:
        start = skill.body.find(section.text, end)
        if start >= 0:
            end = start + len(section.text)
        yield [section.title, section.level, [start, end] if start >= 0 else section.text]


def _section(cut: list[Any] | dict[str, Any], body: str) -> Section:
    if isinstance(cut, dict):  # as it was written at first: with its text, and the body in the JSON
        return Section(**cut)
    title, level, text = cut
    return Section(title=title, level=level, text=text if isinstance(text, str) else body[slice(*text)])


def _field(name: str, value: list[Any] | None) -> tuple[Any, ...] | None:
    if value is None:
        return None
    if name in {"inputs", "outputs"}:
        return tuple(Parameter(**item) for item in value)
    if name in {"writes", "reads"}:
        return tuple(Artifact(**item) for item in value)
    if name == "references":
        return tuple(_reference(**item) for item in value)
    return tuple(value)


def _reference(*, kind: str, role: str, **others: str) -> Reference:
    return Reference(kind=ReferenceKind(kind), role=ReferenceRole(role), **others)


# ---------------------------------------------------------------- versions


def pack_meta(meta: Mapping[str, Any]) -> str:
    """Return *meta* as JSON.

    Raises:
        UsageError: JSON cannot express it.
    """
    try:
        return json.dumps(dict(meta), allow_nan=False)
    except (TypeError, ValueError) as error:
        msg = f"The meta data of a version must be JSON: {error}."
        raise UsageError(msg) from None


def count_edges(meta: Mapping[str, Any]) -> int:
    """Return ``meta["n_edges"]``, 0 where it is no number.

    >>> count_edges({"n_edges": 3}), count_edges({})
    (3, 0)
    """
    value = meta.get("n_edges")
    return value if isinstance(value, int) else 0


def pack_arrays(arrays: Mapping[str, ArrayFile]) -> str:
    """Return the facts of all arrays as JSON."""
    return json.dumps(arrays, default=_as_dict)


def version_row(values: Row) -> Row:
    """Return a row of ``versions``: *values* in the order of its columns, and their checksum."""
    return (*values, checksum(*values))


def unpack_version(row: Row, *, current: bool) -> VersionInfo:
    """Return the version in a row of ``versions``.

    Raises:
        DamagedError: The row is not what was written.
    """
    number, created, n_skills, n_edges, arrays, meta, members_checksum, stored = row
    if stored != checksum(*row[:-1]):
        raise_damaged(f"the entry of version {number}")
    return VersionInfo(
        number=number,
        created=datetime.fromisoformat(created),
        n_skills=n_skills,
        n_edges=n_edges,
        arrays={name: ArrayFile(**facts) for name, facts in json.loads(arrays).items()},
        meta=json.loads(meta),
        members_checksum=members_checksum,
        current=current,
    )


# ---------------------------------------------------------------- answers and labels


def answer_row(key: ProbeKey, answer: ProbeAnswer) -> Row:
    """Return score, missing reason, calls, tokens, transcript and checksum of an answer.

    Half a character in a model's own words becomes ``?``: it cannot be written, and decides nothing.

    Raises:
        ProbeError: The score lies outside [0, 1], or there is not exactly one of score and reason.
    """
    score = answer.score
    if (score is None) == (answer.missing_reason is None) or not (score is None or 0.0 <= score <= 1.0):
        msg = (
            f"The prober {key.prober_id} answered score {score} with reason {answer.missing_reason!r}: "
            "it must give a score in [0, 1], or the reason why there is none."
        )
        raise ProbeError(msg)
    values = (
        None if score is None else float(score) + 0.0,  # -0.0 would come back as 0.0
        answer.missing_reason and _readable(answer.missing_reason),
        int(answer.calls),
        int(answer.tokens),
        answer.transcript and _readable(answer.transcript),
    )
    return (*values, _answer_checksum(key, answer.source_id, values))


def unpack_answer(key: ProbeKey, source_id: str, row: Row) -> ProbeAnswer:
    """Return the answer in a row that `answer_row` made.

    Raises:
        DamagedError: The row is not what was written.
    """
    score, missing_reason, calls, tokens, transcript, stored = row
    if stored != _answer_checksum(key, source_id, row):
        raise_damaged(f"the answer of {key.prober_id} on {key.source_hash} -> {key.target_hash}")
    return ProbeAnswer(
        score=score,
        source_id=source_id,
        missing_reason=missing_reason,
        calls=calls,
        tokens=tokens,
        transcript=transcript,
    )


def _answer_checksum(key: ProbeKey, source_id: str, row: Row) -> int:
    # `checksum` in one expression: there may be millions of answers.
    text = f"{'|'.join(key)}|{source_id}|{row[0]}|{row[1]}|{row[2]}|{row[3]}|{row[4]}"
    return zlib.crc32(text.encode())


def label_row(label: Label, *, created: str, cleared: bool = False) -> Row:
    """Return a row of the journal of labels, or the one that says *label* was cleared."""
    values = (
        require_text(label.source),
        require_text(label.target),
        label.given_by.value,
        None if cleared else label.verdict.value,
        label.source_hash,
        label.target_hash,
        _readable(label.note),
        created,
    )
    return (*values, checksum(*values))


def unpack_label(row: Row) -> tuple[tuple[str, str, LabelSource], Label | None]:
    """Return whose label on which edge a row is about, and the label, None where it was cleared.

    Raises:
        DamagedError: The row is not what was written.
    """
    source, target, given_by, verdict, source_hash, target_hash, note, _created, stored = row
    if stored != checksum(*row[:-1]):
        raise_damaged(f"the label on {source} -> {target}")
    key = (source, target, LabelSource(given_by))
    if verdict is None:
        return key, None
    label = Label(
        source=source,
        target=target,
        verdict=Verdict(verdict),
        given_by=key[2],
        source_hash=source_hash,
        target_hash=target_hash,
        note=note,
    )
    return key, label


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
