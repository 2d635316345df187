"""Questions about a published version: its findings, its edges, and why one is there."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from builds import write_skill
from caskg.errors import DamagedError, UsageError
from caskg.inspection import (
    current_version,
    diagnostics_of,
    edges_of,
    explain_pair,
    hidden_ids,
    labels_to_check,
    lying_in,
    position_of,
    tagged,
)
from caskg.published import graph_from
from caskg.schema import (
    EdgeState,
    EdgeType,
    Label,
    LabelSource,
    ProbeAnswer,
    ProbeKey,
    ProbeKind,
    ReferenceRole,
    Severity,
    Verdict,
)
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace

SKILLS = {
    "lab/rinse-flask": "Rinse a flask with water",
    "lab/dry-flask": "Dry a flask in warm air",
    "lab/weigh": "Weigh what is in a flask",
    "kitchen/weigh": "Weigh flour",
    "kitchen/knead": "Knead dough until it is smooth",
    "office/minutes": "Write down what a meeting decided",
}
TAGS = {"lab/rinse-flask": "Glass, wet", "lab/dry-flask": "glass, Heat"}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with one version of these skills."""
    root = tmp_path_factory.mktemp("inspected")
    for skill_id, description in SKILLS.items():
        first = "Run `rinse-flask` first. It must be clean." if skill_id == "lab/dry-flask" else ""
        write_skill(root / "skills", skill_id, description, first, tags=TAGS.get(skill_id))
    write_skill(root / "skills", "office/archive", "Put files away", name="shelf-keeper")
    with Workspace.create(root / "workspace") as opened:
        build_workspace(opened, [root / "skills"], encoder="builtin")
        yield opened


@pytest.fixture
def version(workspace: Workspace) -> Snapshot:
    return workspace.current()


def label(version: Snapshot, source: str, target: str) -> Label:
    """Return what a person says of an edge between skills of *version*."""
    hashes = dict(zip(version.ids, version.content_hashes, strict=True))
    return Label(
        source=source,
        target=target,
        verdict=Verdict.CONFIRM,
        given_by=LabelSource.PERSON,
        source_hash=hashes[source],
        target_hash=hashes[target],
    )


def ends(version: Snapshot, source: str, target: str) -> tuple[int, int]:
    return version.ids.index(source), version.ids.index(target)


def test_before_the_first_build_there_is_no_version(tmp_path: Path) -> None:
    """Which is no error: a build asks, too."""
    with Workspace.create(tmp_path) as empty:
        assert current_version(empty) is None


def test_the_current_version_is_the_one_published_last(workspace: Workspace) -> None:
    """There is one."""
    found = current_version(workspace)
    assert found is not None
    assert found.number == 1


def test_the_findings_of_a_build_are_kept_with_its_version(version: Snapshot) -> None:
    """As they were: path, code, severity, message, remedy and line."""
    one, other, finding = diagnostics_of(version)
    assert one.code == other.code == "same-name"
    assert finding.path.endswith("office/archive/SKILL.md")
    assert (finding.code, finding.line) == ("name-differs", 2)
    assert isinstance(finding.severity, Severity)
    assert "shelf-keeper" in finding.message
    assert finding.remedy


def test_labels_on_other_texts_or_on_missing_skills_are_to_be_checked(version: Snapshot) -> None:
    """Whichever end was edited, or is gone; a label on these very texts is not listed."""
    good = label(version, "lab/rinse-flask", "lab/weigh")
    edited = [replace(good, source_hash="0" * 32), replace(good, target_hash="0" * 32)]
    gone = [replace(good, source="lab/gone"), replace(good, target="lab/gone")]
    assert labels_to_check([good, *edited, good, *gone], version) == (*edited, *gone)


def test_the_edges_of_a_skill_are_listed_with_the_heaviest_first(version: Snapshot) -> None:
    """In and out, each as it points, with what is published of it."""
    position = version.ids.index("lab/dry-flask")
    listed = edges_of(version, position)
    weights = [edge.weight for edge in listed]
    assert weights == sorted(weights, reverse=True)
    assert {edge.source == "lab/dry-flask" for edge in listed} == {True, False}
    assert all("lab/dry-flask" in {edge.source, edge.target} for edge in listed)
    graph = graph_from(version.arrays, n_skills=len(version.ids))
    assert len(listed) == sum((graph.source == position) | (graph.target == position))
    heaviest = listed[0]
    assert (heaviest.source, heaviest.target) == ("lab/rinse-flask", "lab/dry-flask")
    assert (heaviest.type, heaviest.state) == (EdgeType.DEPENDENCY, EdgeState.UNCERTAIN)


def test_an_edge_is_explained_by_sentence_answers_and_labels(workspace: Workspace, version: Snapshot) -> None:
    """All that speaks for it, and nothing of the edge the other way round."""
    said = label(version, "lab/rinse-flask", "lab/dry-flask")
    for other in (said, label(version, "lab/dry-flask", "lab/rinse-flask")):
        workspace.ledger.set_label(other)
    told = explain_pair(workspace, version, ends(version, "lab/rinse-flask", "lab/dry-flask"))
    assert told.reference is not None
    assert (told.reference.evidence, told.reference.role) == ("Run rinse-flask first.", ReferenceRole.NEED)
    assert told.labels == (said,)
    assert told.edge is not None
    assert (told.edge.source, told.edge.target) == ("lab/rinse-flask", "lab/dry-flask")
    assert told.edge.type is EdgeType.DEPENDENCY
    assert told.edge.signals["reference"] == 1.0
    assert told.edge.weight == edges_of(version, version.ids.index("lab/dry-flask"))[0].weight
    scores = {key.kind: answer.score for key, answer in told.edge.answers}
    assert scores[ProbeKind.REMOVAL] == scores[ProbeKind.REORDERING] == 1.0
    assert {answer.source_id for _, answer in told.edge.answers} == {"text"}
    assert (
        explain_pair(workspace, version, ends(version, "lab/dry-flask", "lab/rinse-flask")).reference is None
    )


def test_answers_to_prompts_of_another_version_are_not_shown(workspace: Workspace, version: Snapshot) -> None:
    """They do not count; what another prober said does."""
    pair = ends(version, "lab/rinse-flask", "lab/weigh")
    hashes = [version.content_hashes[end] for end in pair]
    before = explain_pair(workspace, version, pair)
    said = (("text", "text-0", 0.2), ("llm:m", "control-0", 0.3), ("judge", "judge-1", 0.7))
    for prober, prompt, score in said:
        key = ProbeKey(hashes[0], hashes[1], "", ProbeKind.REMOVAL, "plain", prompt, prober)
        workspace.ledger.record([(key, ProbeAnswer(score=score, source_id=prober))])
    after = explain_pair(workspace, version, pair)
    assert before.edge is not None
    assert after.edge is not None
    new = [answer.score for _, answer in after.edge.answers if answer.source_id == "judge"]
    assert new == [0.7]
    assert len(after.edge.answers) == len(before.edge.answers) + 1


def test_a_pair_that_is_no_candidate_has_labels_only(workspace: Workspace, version: Snapshot) -> None:
    """Also a skill with itself."""
    position = version.ids.index("kitchen/knead")
    told = explain_pair(workspace, version, (position, position))
    assert (told.edge, told.reference, told.labels) == (None, None, ())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("lab/weigh", "lab/weigh"),
        ("knead", "kitchen/knead"),
        ("archive", "office/archive"),
        ("shelf-keeper", "office/archive"),
    ],
)
def test_a_skill_is_found_by_id_by_folder_and_by_name(version: Snapshot, name: str, meant: str) -> None:
    """What people type."""
    assert version.ids[position_of(version, name)] == meant


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("weigh", r"'weigh' may be any of kitchen/weigh, lab/weigh: give the whole id"),
        ("dry-flsk", r"no skill 'dry-flsk' in version 1\. Did you mean lab/dry-flask"),
        ("qqqqqqqq", r"no skill 'qqqqqqqq' in version 1\. `caskg query` finds skills by what they do"),
    ],
)
def test_a_name_that_means_none_or_several_is_refused(version: Snapshot, name: str, message: str) -> None:
    """With what to type instead."""
    with pytest.raises(UsageError, match=message):
        position_of(version, name)


# ---------------------------------------------------------------- what a caller may see


def test_tags_are_found_whatever_the_case_and_one_is_enough(version: Snapshot) -> None:
    """People write them as they like."""
    assert tagged(version, ["glass"]) == {"lab/rinse-flask", "lab/dry-flask"}
    assert tagged(version, ["HEAT", "x"]) == {"lab/dry-flask"}
    assert tagged(version, [" heat ", "glass"]) == {"lab/rinse-flask", "lab/dry-flask"}
    assert tagged(version, ["gla", ""]) == set()


def test_a_version_without_an_array_of_tags_is_read_skill_by_skill(version: Snapshot, tmp_path: Path) -> None:
    """An older CaSKG published it."""
    arrays = {name: array for name, array in version.arrays.items() if name != "tags"}
    with Workspace.create(tmp_path / "older") as older:
        older.publish(skills=version.skills, arrays=arrays, meta=version.meta)
        assert tagged(older.current(), ["heat"]) == {"lab/dry-flask"}


def test_tags_that_are_no_longer_json_are_damage(version: Snapshot, tmp_path: Path) -> None:
    """Nobody must see more because a byte was lost."""
    arrays = {**version.arrays, "tags": version.arrays["tags"][:-1]}
    with Workspace.create(tmp_path / "cut") as cut:
        cut.publish(skills=version.skills, arrays=arrays, meta=version.meta)
        with pytest.raises(DamagedError, match=r"tags of version 1 are not what was written.*`caskg build`"):
            hidden_ids(cut, cut.current(), tags=["heat"])


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("lab", {"lab/a", "lab/b/c"}),
        ("/lab/", {"lab/a", "lab/b/c"}),
        ("la", set()),
        ("la?", {"lab/a", "lab/b/c"}),
        ("lab/[ab]", {"lab/a", "lab/b/c"}),
        ("*/b", {"lab/b/c"}),
        ("lab/b/c", {"lab/b/c"}),
        ("lab/b/c/d", set()),
        ("*", {"lab/a", "lab/b/c", "LAB"}),
        ("*/*/*", {"lab/b/c"}),
        ("", set()),
    ],
)
def test_a_folder_is_the_beginning_of_an_id_in_whole_parts(folder: str, found: set[str]) -> None:
    """Case counts, as in the ids."""
    assert lying_in(["lab/a", "lab/b/c", "LAB"], [folder]) == found


def test_filters_hide_what_fails_any_of_them(workspace: Workspace, version: Snapshot) -> None:
    """Any tag, any folder, and enabled; a disabled id stays hidden though the version lacks it."""
    everything = set(version.ids)
    assert hidden_ids(workspace, version) == frozenset()
    assert hidden_ids(workspace, version, tags=["glass"]) == everything - {"lab/rinse-flask", "lab/dry-flask"}
    assert hidden_ids(workspace, version, folders=["office", "kitchen/kn*"]) == everything - {
        "office/minutes",
        "office/archive",
        "kitchen/knead",
    }
    assert hidden_ids(workspace, version, tags=["glass"], folders=["*/dry-*", "kitchen"]) == everything - {
        "lab/dry-flask"
    }
    assert hidden_ids(workspace, version, tags=["nothing has this"]) == everything
    workspace.switches.disable(["lab/weigh", "gone"])
    assert hidden_ids(workspace, version) == {"lab/weigh", "gone"}
    assert hidden_ids(workspace, version, folders=["lab"]) >= {"lab/weigh", "gone", "kitchen/weigh"}
    workspace.switches.enable(["lab/weigh", "gone"])
