"""The ledger: what probers answered, what people and authors said.

Answers and labels are only ever added; answers go only where a person prunes those that can
count no more. An answer is kept under everything that could change it (`ProbeKey`), so a
build that was interrupted asks only what was not answered yet, and no answer
counts twice. A question whose answer is missing is asked again, which appends.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NoReturn, TypeAlias

from caskg.errors import UsageError
from caskg.schema import Label, LabelSource, ProbeAnswer, ProbeKey, ProbeKind
from caskg.store.database import Database, json_list, number_hashes
from caskg.store.rows import (
    answer_row,
    checksum,
    label_row,
    raise_damaged,
    require_hashes,
    unpack_answer,
    unpack_label,
)

LabelKey: TypeAlias = tuple[str, str, LabelSource]
SubstituteKey: TypeAlias = tuple[str, str, str]
Question: TypeAlias = tuple[ProbeKind, str, str, str]

_BULK = 100  # source skills whose answers are read at once

# Nothing follows a score, so the last attempt at a question is always the one that counts.
_APPEND_ANSWER = """
INSERT INTO answers
SELECT ?1, ?2, ?3, ?4, attempts, ?5, ?6, ?7, ?8, ?9, ?10, ?11
FROM (
    SELECT count(*) AS attempts, count(score) AS scores
    FROM answers WHERE source = ?1 AND target = ?2 AND question = ?3 AND substitute = ?4
)
WHERE scores = 0
"""

_FORGET = "DELETE FROM answers WHERE source = ? AND target = ? AND question = ? AND substitute = ?"

_ANSWERS = """
SELECT source, target, question, substitute, voice, score, missing_reason, calls, tokens, transcript, checksum
FROM answers WHERE source IN (SELECT id FROM hashes WHERE hash IN (SELECT value FROM json_each(?)))
ORDER BY source, target, question, substitute, attempt
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """What a prober has cost so far; answers that were missing and asked again count each time.

    Attributes:
        answers: Answers with a score.
        missing: Answers without one.
        questions: How many questions were asked, each counted once.
        calls: Paid calls.
        tokens: Tokens of these calls, in and out.
    """

    answers: int
    missing: int
    questions: int
    calls: int
    tokens: int


class _Known(dict[int, Any]):
    """What numbers stand for; a number that stands for nothing is damage."""

    def __missing__(self, number: int) -> NoReturn:
        raise_damaged(f"entry {number} of a list of names")


class Ledger:
    """The record of probe answers, substitutes and labels in a workspace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, answers: Iterable[tuple[ProbeKey, ProbeAnswer]], *, sync_every_s: float = 0.0) -> int:
        """Append *answers*, all or none, and return how many were new.

        An answer to a question that has a score already is left out: the first score stands.

        Args:
            answers: Under the questions they answer.
            sync_every_s: How many seconds of answers a power cut may cost; see `Database.transaction`.

        Raises:
            ProbeError: An answer has not exactly one of a score in [0, 1] and a reason.
        """
        entries = [(key, answer.source_id, answer_row(key, answer)) for key, answer in answers]
        hashes = {value for key, _, _ in entries for value in key[:2]}
        substitutes = {key.substitute_hash for key, _, _ in entries}
        require_hashes(hashes | substitutes - {""})  # "" where there is no substitute
        with self._database.transaction(sync_every_s=sync_every_s) as connection:
            numbers = number_hashes(connection, hashes | substitutes)
            questions = _number_questions(connection, {key[3:] for key, _, _ in entries})
            voices = _number_voices(connection, {source for _, source, _ in entries})
            rows = [
                (numbers[key[0]], numbers[key[1]], questions[key[3:]], numbers[key[2]], voices[source], *row)
                for key, source, row in entries
            ]
            rows.sort(key=itemgetter(0, 1, 2, 3))  # stable; twice as fast to insert
            before = connection.total_changes
            connection.executemany(_APPEND_ANSWER, rows)
            return connection.total_changes - before

    def answers(self, keys: Iterable[ProbeKey]) -> dict[ProbeKey, ProbeAnswer]:
        """Return the answer that counts for each of *keys*: the one with a score, else the last missing one.

        Keys that were never asked are left out.
        """
        wanted = set(keys)
        return self._read({key.source_hash for key in wanted}, wanted.__contains__)

    def attempts(self, keys: Iterable[ProbeKey]) -> dict[ProbeKey, list[ProbeAnswer]]:
        """Return every answer to each of *keys*, in order; those that were never asked are left out."""
        wanted, found = set(keys), dict[ProbeKey, list[ProbeAnswer]]()
        for key, answer in self._entries({key.source_hash for key in wanted}):
            if key in wanted:
                found.setdefault(key, []).append(answer)
        return found

    def answers_for_pairs(self, pairs: Iterable[tuple[str, str]]) -> dict[ProbeKey, ProbeAnswer]:
        """Return every answer that counts on *pairs* of source and target hash, whoever gave it."""
        wanted = set(pairs)
        return self._read(
            {source for source, _ in wanted}, lambda key: (key.source_hash, key.target_hash) in wanted
        )

    def spend(self) -> dict[str, Spend]:
        """Return what each prober has cost, by its id."""
        rows = self._database.read(
            "SELECT prober_id, count(score), count(*) - count(score), sum(attempt = 0), sum(calls), "
            "sum(tokens) FROM answers JOIN questions ON id = question GROUP BY prober_id ORDER BY prober_id"
        )
        names = ("answers", "missing", "questions", "calls", "tokens")
        return {prober_id: Spend(**dict(zip(names, row, strict=True))) for prober_id, *row in rows}

    def entries(self) -> Iterator[tuple[ProbeKey, ProbeAnswer]]:
        """Yield every answer, the attempts at a question in order."""
        return self._entries([source for (source,) in self._database.read("SELECT hash FROM hashes")])

    def forget(self, keys: Iterable[ProbeKey]) -> int:
        """Remove every answer to the questions *keys*, and return how many that were.

        What they cost is forgotten with them.
        """
        unwanted = set(keys)
        with self._database.transaction() as connection:
            numbers = number_hashes(connection, {value for key in unwanted for value in key[:3]})
            questions = _number_questions(connection, {key[3:] for key in unwanted})
            rows = [
                (numbers[key[0]], numbers[key[1]], questions[key[3:]], numbers[key[2]]) for key in unwanted
            ]
            before = connection.total_changes
            connection.executemany(_FORGET, sorted(rows))
            return connection.total_changes - before

    def probers(self) -> frozenset[str]:
        """Return the ids of all who were ever asked."""
        return frozenset(name for (name,) in self._database.read("SELECT DISTINCT prober_id FROM questions"))

    def substitutes(self) -> dict[SubstituteKey, str]:
        """Return the hash of the substitute by source hash, target hash and arm."""
        rows = self._database.read(
            "SELECT s.hash, t.hash, arm, i.hash, checksum FROM substitutes "
            "LEFT JOIN hashes s ON s.id = source LEFT JOIN hashes t ON t.id = target "
            "LEFT JOIN hashes i ON i.id = substitute"
        )
        for *values, stored in rows:
            if stored != checksum(*values):
                raise_damaged(f"the substitute for {values[0]} -> {values[1]}")
        return {(source, target, arm): substitute for source, target, arm, substitute, _ in rows}

    def record_substitutes(self, chosen: Mapping[SubstituteKey, str]) -> None:
        """Keep the substitutes that were *chosen*, in place of earlier choices.

        Answers are kept under the substitute's text: where a choice was recorded and its text is
        still in the library, the caller uses that one and chooses no other.

        Raises:
            UsageError: A key or a substitute is no content hash.
        """
        hashes = {value for key, substitute in chosen.items() for value in (*key[:2], substitute)}
        require_hashes(hashes)
        with self._database.transaction() as connection:
            numbers = number_hashes(connection, hashes)
            rows = [
                (numbers[key[0]], numbers[key[1]], key[2], numbers[substitute], checksum(*key, substitute))
                for key, substitute in chosen.items()
            ]
            connection.executemany("INSERT OR REPLACE INTO substitutes VALUES (?, ?, ?, ?, ?)", rows)

    def labels(self) -> tuple[Label, ...]:
        """Return the labels that stand, by source, target and giver (an author before a person)."""
        return tuple(label for _, label in sorted(self._labels().items()))

    def set_label(self, label: Label) -> None:
        """Let *label* stand, in place of what its giver said of this edge before.

        Raises:
            UsageError: It joins a skill to itself, or its hashes are none.
        """
        self.set_labels([label])

    def set_labels(self, labels: Iterable[Label]) -> int:
        """Let *labels* stand, all or none, the last of each giver and edge; return how many are new.

        Raises:
            UsageError: One joins a skill to itself, or its hashes are none.
        """
        with self._database.transaction() as connection:
            return self._append_labels(connection, {_label_key(label): label for label in labels})

    def clear_label(self, source_id: str, target_id: str) -> int:
        """Take back a person's label; return how many were taken back, 0 or 1."""
        with self._database.transaction() as connection:
            return self._append_labels(connection, {(source_id, target_id, LabelSource.PERSON): None})

    def replace_author_labels(self, labels: Iterable[Label]) -> int:
        """Let exactly *labels* stand for what authors declare; return how many were added or taken back.

        Raises:
            UsageError: One of *labels* is a person's, joins a skill to itself, or its hashes are none.
        """
        declared = {_label_key(label): label for label in labels}
        for _, _, given_by in declared:
            if given_by is not LabelSource.AUTHOR:
                msg = f"A label given by a {given_by} is no author's: use set_label."
                raise UsageError(msg)
        with self._database.transaction() as connection:
            standing = dict.fromkeys(key for key in self._labels() if key[2] is LabelSource.AUTHOR)
            return self._append_labels(connection, {**standing, **declared})

    def follow_moves(
        self, now: Mapping[str, str], *, renamed: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[tuple[Label, Label], ...]:
        """Let people's labels follow skills that were moved or renamed; return each before and after.

        A skill has moved if its id is gone and exactly one skill holds the text that the label was
        given on. A label stays where it is if another stands, or would stand too, where it would go.

        Args:
            now: The content hash of every skill there is, by id.
            renamed: The content hash that a text has now of which nothing but the name has changed,
                by the one it had.
        """
        with self._database.transaction() as connection:
            standing = self._labels()
            moved = _moved_labels(standing.values(), now, renamed)
            goals = Counter(_label_key(label) for _, label in moved)
            followed = [
                each for each in moved if goals[key := _label_key(each[1])] == 1 and key not in standing
            ]
            changes: dict[LabelKey, Label | None] = {_label_key(old): None for old, _ in followed}
            self._append_labels(connection, changes | {_label_key(new): new for _, new in followed})
        return tuple(followed)

    def verify(self) -> None:
        """Read everything and compare it with its checksums.

        Raises:
            DamagedError: A row is not what was written.
        """
        self._labels()
        self.substitutes()
        for _ in self.entries():
            pass

    def _read(
        self, sources: Collection[str], wanted: Callable[[ProbeKey], bool]
    ) -> dict[ProbeKey, ProbeAnswer]:
        # A later attempt overwrites an earlier one.
        return {key: answer for key, answer in self._entries(sources) if wanted(key)}

    def _entries(self, sources: Collection[str]) -> Iterator[tuple[ProbeKey, ProbeAnswer]]:
        """Yield every answer on edges out of *sources*, the attempts at a question in order."""
        ordered = sorted(sources)
        hashes, questions, voices = cache(self._hash), self._questions(), self._voices()
        for start in range(0, len(ordered), _BULK):
            rows = self._database.read(_ANSWERS, (json_list(ordered[start : start + _BULK]),))
            for row in rows:
                source, target, question, substitute, voice = row[:5]
                key = ProbeKey(hashes(source), hashes(target), hashes(substitute), *questions[question])
                yield key, unpack_answer(key, voices[voice], row[5:])

    def _questions(self) -> Mapping[int, Question]:
        kinds = {kind.value: kind for kind in ProbeKind}
        rows = self._database.read("SELECT id, kind, arm, prompt_version, prober_id FROM questions")
        # What is damaged can have any type; it goes on as text, and the answers' checksums will not fit.
        return _Known({number: (kinds.get(kind, str(kind)), *map(str, rest)) for number, kind, *rest in rows})

    def _voices(self) -> Mapping[int, str]:
        return _Known(dict(self._database.read("SELECT id, name FROM voices")))

    def _hash(self, number: int) -> str:
        rows = self._database.read("SELECT hash FROM hashes WHERE id = ?", (number,))
        return str(rows[0][0]) if rows else raise_damaged(f"the content hash {number}")

    def _labels(self) -> dict[LabelKey, Label]:
        rows = self._database.read(
            "SELECT source, target, given_by, verdict, source_hash, target_hash, note, created, checksum "
            "FROM labels ORDER BY id"
        )
        last = dict(map(unpack_label, rows))
        return {key: label for key, label in last.items() if label is not None}

    def _append_labels(self, connection: sqlite3.Connection, changes: Mapping[LabelKey, Label | None]) -> int:
        """Append what differs from what stands; None takes a label back."""
        standing = self._labels()
        created = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [
            label_row(label or standing[key], created=created, cleared=label is None)
            for key, label in changes.items()
            if label != standing.get(key)
        ]
        connection.executemany("INSERT INTO labels VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        return len(rows)


def check_label(label: Label) -> None:
    """Refuse a label that cannot stand.

    Raises:
        UsageError: It joins a skill to itself, or its hashes are none.
    """
    require_hashes({label.source_hash, label.target_hash})
    if label.source == label.target:
        msg = f"A label joins two skills, and this one joins {label.source!r} to itself: name another skill."
        raise UsageError(msg)


def _label_key(label: Label) -> LabelKey:
    check_label(label)
    return label.source, label.target, label.given_by


def _moved_labels(
    labels: Iterable[Label], now: Mapping[str, str], renamed: Mapping[str, str]
) -> list[tuple[Label, Label]]:
    """Return the labels of people on skills that have moved, as they are and as they would be."""
    holders: dict[str, list[str]] = {}
    for skill_id, content_hash in now.items():
        holders.setdefault(content_hash, []).append(skill_id)

    def place(skill_id: str, content_hash: str) -> tuple[str, str]:
        text = renamed.get(content_hash, content_hash)
        found = holders.get(text, [])
        return (found[0], text) if skill_id not in now and len(found) == 1 else (skill_id, content_hash)

    moved = []
    for old in labels:
        source, source_hash = place(old.source, old.source_hash)
        target, target_hash = place(old.target, old.target_hash)
        elsewhere = (source, target) != (old.source, old.target)
        if elsewhere and source != target and old.given_by is LabelSource.PERSON:
            new = replace(old, source=source, target=target)
            moved.append((old, replace(new, source_hash=source_hash, target_hash=target_hash)))
    return moved


def _number_questions(connection: sqlite3.Connection, questions: Collection[Question]) -> dict[Question, int]:
    connection.executemany(
        "INSERT OR IGNORE INTO questions (kind, arm, prompt_version, prober_id) VALUES (?, ?, ?, ?)",
        sorted(questions),
    )
    rows = connection.execute("SELECT id, kind, arm, prompt_version, prober_id FROM questions")
    return {tuple(question): number for number, *question in rows}


def _number_voices(connection: sqlite3.Connection, voices: Collection[str]) -> dict[str, int]:
    connection.executemany(
        "INSERT OR IGNORE INTO voices (name) VALUES (?)", [(voice,) for voice in sorted(voices)]
    )
    return dict(connection.execute("SELECT name, id FROM voices"))
