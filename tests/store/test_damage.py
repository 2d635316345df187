"""One damaged byte anywhere is named, or does no harm."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caskg.errors import DamagedError, StoreError
from caskg.schema import PROBE_KINDS, Label, LabelSource, ProbeAnswer, ProbeKey, ProbeKind, Verdict
from caskg.store.workspace import Workspace
from factories import make_skill

SKILLS = [
    make_skill(f"kitchen/{number}", f"Do {number}.", body=f"step {number} " * 40) for number in range(20)
]
HASHES = [skill.content_hash for skill in SKILLS]
KEYS = [
    ProbeKey(first, second, third if kind is ProbeKind.SUBSTITUTION else "", kind, "plain", "1", "text")
    for first, second, third in zip(HASHES, HASHES[1:], HASHES[2:], strict=False)
    for kind in PROBE_KINDS
]


def build(path: Path) -> None:
    label = Label(
        source=SKILLS[0].id,
        target=SKILLS[1].id,
        verdict=Verdict.REJECT,
        given_by=LabelSource.PERSON,
        source_hash=HASHES[0],
        target_hash=HASHES[1],
    )
    with Workspace.create(path) as workspace:
        workspace.publish(skills=SKILLS[:12], arrays={"weight": np.arange(5.0)}, meta={"n_edges": 5})
        workspace.publish(skills=SKILLS, arrays={"weight": np.arange(6.0)}, meta={"n_edges": 6})
        workspace.ledger.record((key, ProbeAnswer(score=0.25, source_id="text")) for key in KEYS)
        workspace.ledger.record_substitutes({(HASHES[0], HASHES[1], "plain"): HASHES[2]})
        workspace.ledger.set_label(label)
        workspace.switches.disable(skill.id for skill in SKILLS[:9])
        workspace.switches.enable([SKILLS[2].id])
        workspace.vectors.put("lsa", {key: np.ones(4, dtype=np.float32) for key in HASHES})


def published(workspace: Workspace) -> list[Any]:
    """Return all that must come back as it was."""
    snapshots = [workspace.snapshot(1), workspace.snapshot(2), workspace.current()]
    for snapshot in snapshots:
        snapshot.verify()
    return [
        *((each.number, each.created, each.meta, each.ids, each.content_hashes) for each in snapshots),
        *(tuple(each.skills) for each in snapshots),
        *({name: array.tolist() for name, array in each.arrays.items()} for each in snapshots),
        workspace.versions(),
        workspace.ledger.labels(),
        workspace.ledger.substitutes(),
        workspace.switches.disabled(),
    ]


def outcome(path: Path, expected: list[Any]) -> str:
    """Say whether damage was named or did no harm, where an answer or a vector may be asked for again."""
    try:
        with Workspace.open(path) as workspace:
            assert published(workspace) == expected
            answers = workspace.ledger.answers(KEYS)
            vectors = workspace.vectors.get("lsa", HASHES)
            assert all(answer.score == 0.25 for answer in answers.values())
            assert all(vector.tolist() == [1.0] * 4 for vector in vectors.values())
            if len(answers) < len(KEYS):
                with pytest.raises(DamagedError):
                    workspace.verify()
                return "asked again"
    except StoreError as error:
        return "named" if str(path) in str(error) or "caskg.sqlite" in str(error) else str(error)
    return "harmless"


def flip_bytes(path: Path, *, times: int) -> Counter[str]:
    build(path)
    with Workspace.open(path) as workspace:
        workspace.verify()
        expected = published(workspace)
    chance = random.Random(0)
    outcomes: Counter[str] = Counter()
    for file in sorted(entry for entry in path.rglob("*") if entry.is_file()):
        content = file.read_bytes()
        for place in chance.sample(range(len(content)), min(times, len(content))):
            flipped = content[place] ^ chance.randrange(1, 256)
            file.write_bytes(content[:place] + bytes([flipped]) + content[place + 1 :])
            outcomes[outcome(path, expected)] += 1
            for rest in path.glob("caskg.sqlite-*"):
                rest.unlink()
        file.write_bytes(content)
    return outcomes


def test_a_damaged_byte_in_any_file_is_named_or_does_no_harm(tmp_path: Path) -> None:
    """Nothing that was published, answered or said may come back changed."""
    outcomes = flip_bytes(tmp_path / "workspace", times=60)
    assert set(outcomes) <= {"named", "harmless", "asked again"}
    assert outcomes["named"] > outcomes["harmless"] > 0


@pytest.mark.full
def test_thousands_of_damaged_bytes_are_named_or_do_no_harm(tmp_path: Path) -> None:
    """The same, for long."""
    outcomes = flip_bytes(tmp_path / "workspace", times=3000)
    assert set(outcomes) <= {"named", "harmless", "asked again"}
