"""The books: what the ledger holds, for people: each answer, the sums, what can go, and labels from a file.

Beside `inspection`, which asks about one version; an answer outlives the version it was given for.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from caskg.errors import UsageError
from caskg.graph.labelled_set import labelled_set
from caskg.graph.sources import is_outdated
from caskg.graph.text_prober import TEXT_SOURCE, TextProber
from caskg.inspection import current_version, hidden_texts, position_of
from caskg.schema import Label, LabelSource, ProbeAnswer, ProbeKey, Verdict
from caskg.store.ledger import Ledger, check_label
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One answer of the ledger.

    Attributes:
        key: What was asked.
        answer: What was said; no transcript where one of the texts that it quotes is disabled.
        source: The id of the source in the current version, or in the labelled set of the judge check
            behind ``judge-check:``; None where its text is in neither, or the skill is disabled.
        target: The id of the target, likewise.
        outdated: It can count no more: its texts are not in the current version, nor in the judge
            check, or its prompt is not in use.
    """

    key: ProbeKey
    answer: ProbeAnswer
    source: str | None
    target: str | None
    outdated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """What the answers of one prober to one version of its prompts come to.

    Attributes:
        answers: Answers with a score.
        missing: Answers without one, each attempt.
        outdated: Those of both that can count no more.
        calls: Paid calls.
        tokens: Tokens of these calls, in and out.
    """

    answers: int = 0
    missing: int = 0
    outdated: int = 0
    calls: int = 0
    tokens: int = 0


def entries_of(workspace: Workspace) -> Iterator[Entry]:
    """Yield every answer of a workspace."""
    version = current_version(workspace)
    hashes, off = version.content_hashes if version else (), workspace.switches.disabled()
    named = zip(hashes, version.ids if version else (), strict=True)
    labelled = {skill.content_hash: f"judge-check:{skill.id}" for skill in labelled_set().skills}
    ids = labelled | {content: skill_id for content, skill_id in named if skill_id not in off}
    known = frozenset(hashes) | labelled.keys()
    prompt = TextProber().prompt_version
    unseen = hidden_texts(version) if version else frozenset[str]()
    for key, answer in workspace.ledger.entries():
        quoted = {key.source_hash, key.target_hash, key.substitute_hash}
        old_free = key.prober_id == TEXT_SOURCE and key.prompt_version != prompt
        yield Entry(
            key=key,
            answer=replace(answer, transcript=None) if quoted & unseen else answer,
            source=ids.get(key.source_hash),
            target=ids.get(key.target_hash),
            outdated=old_free or is_outdated(key, known),
        )


def totals(entries: Iterable[Entry]) -> dict[tuple[str, str], Total]:
    """Add up by prober and version of the prompts."""
    found: dict[tuple[str, str], Total] = {}
    for entry in entries:
        name = entry.key.prober_id, entry.key.prompt_version
        was, scored = found.get(name, Total()), entry.answer.score is not None
        found[name] = Total(
            answers=was.answers + scored,
            missing=was.missing + (not scored),
            outdated=was.outdated + entry.outdated,
            calls=was.calls + entry.answer.calls,
            tokens=was.tokens + entry.answer.tokens,
        )
    return dict(sorted(found.items()))


def prune(workspace: Workspace) -> int:
    """Remove the answers that can count no more, and return how many that were.

    Raises:
        StoreError: The ledger cannot be written.
    """
    return workspace.ledger.forget([entry.key for entry in entries_of(workspace) if entry.outdated])


def exported(workspace: Workspace) -> Iterator[dict[str, Any]]:
    """Yield every label and every answer as a document, with the hashes of the texts."""
    for label in workspace.ledger.labels():
        yield {
            "type": "label",
            "source": label.source,
            "target": label.target,
            "verdict": label.verdict,
            "given_by": label.given_by,
            "note": label.note,
            "source_hash": label.source_hash,
            "target_hash": label.target_hash,
        }
    for entry in entries_of(workspace):
        yield {"type": "answer"} | entry_document(entry)


def entry_document(entry: Entry) -> dict[str, Any]:
    """Return an answer for programs."""
    key, answer = entry.key, entry.answer
    return {
        "source": entry.source,
        "target": entry.target,
        "probe": key.kind,
        "arm": key.arm,
        "prompt": key.prompt_version,
        "prober": key.prober_id,
        "score": answer.score,
        "missing_reason": answer.missing_reason,
        "calls": answer.calls,
        "tokens": answer.tokens,
        "transcript": answer.transcript,
        "outdated": entry.outdated,
        "source_hash": key.source_hash,
        "target_hash": key.target_hash,
        "substitute_hash": key.substitute_hash,
    }


class Imported(NamedTuple):
    """What became of the lines of a file of labels.

    Attributes:
        new: Labels that did not stand yet.
        passed_over: Lines that are no label of a person.
        contradicted: Numbers of lines whose verdict a later line on the same pair took back.
    """

    new: int
    passed_over: int
    contradicted: tuple[int, ...]


def import_labels(lines: Iterable[str], version: Snapshot, ledger: Ledger) -> Imported:
    """Let the labels in *lines* stand as a person's, all or none.

    A line is a JSON object with ``source``, ``target`` and ``verdict``, and maybe ``note`` and the
    hashes of the texts that it was given on; with its hash, a skill need not be in the version. Lines
    of an export that are no label of a person are passed over. Of lines on the same pair the last stands.

    Raises:
        UsageError: A line cannot be read; it is named.
    """
    labels: dict[tuple[str, str], tuple[int, Label]] = {}
    passed_over, contradicted = 0, []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _row(line)
            if row.get("type", "label") != "label" or row.get("given_by", LabelSource.PERSON) != "person":
                passed_over += 1
                continue
            label = _label(row, version)
            before, known = labels.get((label.source, label.target), (0, label))
            if known.verdict is not label.verdict:
                contradicted.append(before)
            labels[label.source, label.target] = number, label
        except UsageError as error:
            msg = f"Line {number}: {error} Nothing was imported."
            raise UsageError(msg) from error
    new = ledger.set_labels(label for _, label in labels.values())
    return Imported(new, passed_over, tuple(contradicted))


def _row(line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        msg = "It is no JSON: write one object a line."
        raise UsageError(msg) from error
    if not isinstance(row, dict):
        msg = "It is no JSON object: write one a line, with source, target and verdict."
        raise UsageError(msg)
    return row


def _label(row: Mapping[str, Any], version: Snapshot) -> Label:
    texts = {name: row.get(name, "") for name in ("source", "target", "verdict", "note")}
    for name, value in texts.items():
        if not isinstance(value, str) or not (value or name == "note"):
            msg = f"{name} must be a text, not {row.get(name)!r}."
            raise UsageError(msg)
    if texts["verdict"] not in list(Verdict):
        msg = f"The verdict {texts['verdict']!r} is none of {', '.join(Verdict)}."
        raise UsageError(msg)
    (source, source_hash), (target, target_hash) = (
        _end(version, texts[end], row.get(f"{end}_hash")) for end in ("source", "target")
    )
    label = Label(
        source=source,
        target=target,
        verdict=Verdict(texts["verdict"]),
        given_by=LabelSource.PERSON,
        source_hash=source_hash,
        target_hash=target_hash,
        note=texts["note"],
    )
    check_label(label)
    return label


def _end(version: Snapshot, name: str, given_on: object) -> tuple[str, str]:
    """Return the id of a skill and the hash of the text that a label was given on."""
    if given_on and name not in version.ids:  # a label outlives its skill, which may come back
        return name, str(given_on)
    at = position_of(version, name)
    return version.ids[at], str(given_on or version.content_hashes[at])
