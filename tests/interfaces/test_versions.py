"""`caskg edge`, `status`, `history`, `rollback`: what is learnt, published, and gone back to."""

import re
from pathlib import Path
from typing import Any

import pytest

from caskg.interfaces.cli.versions import summary
from caskg.store.workspace import Workspace
from interfaces.kitchen import SKILLS, TASK, Run, loaded, write_skill


def test_a_label_is_published_by_the_next_build_and_can_be_cleared(run: Run, workspace: Path) -> None:
    """A person's word decides an edge, whatever the texts say; nothing changes before a build."""
    pair = ("wash-dishes", "cook-pasta")
    said = run("edge", "confirm", *pair, "--note", "clean pots", "-w", workspace)
    assert said.out == "Confirmed wash-dishes -> cook-pasta. Run `caskg build` to publish it.\n"
    assert (loaded(run, "explain", *pair, "-w", workspace)["edge"] or {"state": ""})["state"] != "confirmed"
    assert loaded(run, "build", "-w", workspace)["version"] == 2
    explained = loaded(run, "explain", *pair, "-w", workspace)
    assert explained["edge"]["state"] == "confirmed"
    assert explained["labels"][0] == {
        "verdict": "confirm",
        "given_by": "person",
        "note": "clean pots",
        "to_check": False,
    }
    assert run("edge", "reject", *pair, "-w", workspace).out.startswith("Rejected wash-dishes -> cook-pasta.")
    assert loaded(run, "build", "-w", workspace)["version"] == 3
    rejected = loaded(run, "explain", *pair, "-w", workspace)["edge"]
    assert (rejected["state"], rejected["weight"]) == ("rejected", 0.0)
    assert "rejected, not published" in run("explain", *pair, "-w", workspace).out
    assert loaded(run, "edge", "clear", *pair, "-w", workspace)["removed"] is True
    assert loaded(run, "edge", "clear", *pair, "-w", workspace)["removed"] is False
    again = run("edge", "clear", *pair, "-w", workspace)
    assert (again.code, again.out) == (0, "No label of a person stands on wash-dishes -> cook-pasta.\n")


def test_a_person_goes_before_an_author_whose_label_stays(run: Run, workspace: Path) -> None:
    """`edge clear` takes back what a person said, and nothing else; a note may hold any bytes."""
    pair = ("boil-water", "brew-tea")
    document = loaded(run, "edge", "reject", *pair, "--note", "\udcff", "-w", workspace)
    assert (document["verdict"], document["note"]) == ("reject", "\ufffd")
    run("build", "-w", workspace)
    explained = loaded(run, "explain", *pair, "-w", workspace)
    assert explained["edge"]["state"] == "rejected"
    assert [label["given_by"] for label in explained["labels"]] == ["author", "person"]
    run("edge", "clear", *pair, "-w", workspace)
    assert loaded(run, "edge", "clear", *pair, "-w", workspace)["removed"] is False
    run("build", "-w", workspace)
    assert loaded(run, "explain", *pair, "-w", workspace)["edge"]["state"] == "confirmed"


def test_status_says_what_the_workspace_holds(run: Run, workspace: Path) -> None:
    """Labels and answers last over versions; a label on a text that changed is to be checked."""
    loaded(run, "edge", "reject", "boil-water", "wash-dishes", "-w", workspace)
    document = loaded(run, "status", "-w", workspace)
    assert (document["workspace"], document["version"], document["skills"]) == (
        str(workspace),
        1,
        len(SKILLS),
    )
    assert (document["labels"], document["labels_to_check"], document["not_indexed"]) == (2, [], [])
    assert set(document["answers"]["text"]) == {"answers", "missing", "calls", "tokens"}
    text = run("status", "-w", workspace).out
    assert re.search(r"^skills +7$", text, re.MULTILINE)
    assert re.search(r"^not_indexed +none$", text, re.MULTILINE)
    assert re.search(
        r"^edge_types +dependency \d, workflow 0, semantic \d+, alternative 0$", text, re.MULTILINE
    )


def test_a_label_on_a_changed_text_is_to_check(run: Run, tmp_path: Path) -> None:
    """It still counts, and says so."""
    for name in ("knead-dough", "bake-bread"):
        write_skill(tmp_path / "skills", name, "description: Makes bread from flour.\n---\n")
    place = tmp_path / "w"
    run("build", tmp_path / "skills", "-w", place, "--encoder", "builtin")
    run("edge", "confirm", "knead-dough", "bake-bread", "-w", place)
    (tmp_path / "skills" / "bake-bread" / "SKILL.md").write_text(
        "---\nname: bake-bread\ndescription: Bakes.\n---\n"
    )
    run("build", "-w", place)
    assert loaded(run, "status", "-w", place)["labels_to_check"] == ["knead-dough -> bake-bread"]
    explained = loaded(run, "explain", "knead-dough", "bake-bread", "-w", place)
    assert explained["labels"][0]["to_check"] is True
    assert explained["edge"]["state"] == "confirmed"
    assert "to check" in run("explain", "knead-dough", "bake-bread", "-w", place).out


def test_a_disabled_skill_is_gone_at_once_until_it_is_enabled(run: Run, workspace: Path) -> None:
    """From answers, through a build, until somebody wants it back; named as in every command."""

    def found() -> set[str]:
        return {skill["id"] for skill in loaded(run, "query", "send an invoice", "-w", workspace)["skills"]}

    assert "office/send-invoice" in found()
    document = loaded(run, "disable", "send-invoice", "boil-water", "-w", workspace)
    both = ["boil-water", "office/send-invoice"]
    assert document == {"changed": both, "disabled": both}
    assert run("disable", "send-invoice", "-w", workspace).out == "All of these were disabled already.\n"
    run("edge", "confirm", "wash-dishes", "cook-pasta", "-w", workspace)
    assert loaded(run, "build", "-w", workspace)["version"] == 2
    assert "office/send-invoice" not in found()
    assert loaded(run, "status", "-w", workspace)["disabled"] == both
    why = ("explain", "send-invoice", "--task", "send an invoice", "-w", workspace)
    assert (loaded(run, *why)["disabled"], loaded(run, *why)["place"]) == (True, None)
    assert "is disabled: run `caskg enable office/send-invoice`" in run(*why).out
    assert run("enable", "send-invoice", "-w", workspace).out == "Enabled office/send-invoice.\n"
    assert "office/send-invoice" in found()
    assert loaded(run, *why)["disabled"] is False


def test_a_disabled_skill_that_is_gone_can_be_enabled_and_an_unknown_one_cannot(
    run: Run, workspace: Path
) -> None:
    """By its id, which `caskg status` shows; nothing is switched where one of the names is wrong."""
    with Workspace.open(workspace) as opened:
        opened.switches.disable(["was/here"])
    assert loaded(run, "enable", "was/here", "-w", workspace)["changed"] == ["was/here"]
    for command in ("enable", "disable"):
        result = run(command, "brew-tea", "brew-te", "-w", workspace)
        assert (result.code, result.out) == (2, "")
        assert "no skill 'brew-te'" in result.err
    assert loaded(run, "status", "-w", workspace)["disabled"] == []


def test_history_and_rollback_walk_over_versions(run: Run, workspace: Path) -> None:
    """Nothing is removed: one goes back and forth."""
    run("edge", "reject", "boil-water", "brew-tea", "-w", workspace)
    run("build", "-w", workspace)
    rows = loaded(run, "history", "-w", workspace)["versions"]
    assert [(row["version"], row["current"], row["skills"]) for row in rows] == [(1, False, 7), (2, True, 7)]
    assert {row["encoder"] for row in rows} == {"builtin"}
    lines = run("history", "-w", workspace).out.splitlines()
    assert lines[0].split() == ["version", "created", "skills", "edges", "profile", "encoder"]
    assert (lines[1].split()[0], lines[2].split()[:2]) == ("1", ["*", "2"])
    assert run("rollback", "-w", workspace).out == "Version 1 is current.\n"
    assert loaded(run, "query", TASK, "-w", workspace)["version"] == 1
    assert loaded(run, "rollback", "2", "-w", workspace) == {"version": 2}
    assert loaded(run, "query", TASK, "-w", workspace)["version"] == 2


def test_a_workspace_without_a_version_has_a_status_and_a_history(run: Run, tmp_path: Path) -> None:
    """An interrupted first build leaves one."""
    Workspace.create(tmp_path / "w").close()
    assert loaded(run, "status", "-w", tmp_path / "w")["version"] is None
    assert loaded(run, "history", "-w", tmp_path / "w") == {"versions": []}
    assert run("history", "-w", tmp_path / "w").out == "Nothing has been published yet: run `caskg build`.\n"


FACTS = {
    "models": {},
    "labels_followed": [],
    "disabled_followed": [],
    "version": 3,
    "skills": 12,
    "edges": 40,
    "edge_types": {"dependency": 40},
    "candidates": 90,
    "profile": "default",
    "encoder": "local",
}
LEARNT = {"used": True, "reason": "", "confirmed": 20, "rejected": 1180, "error": 0.0312, "skill": 0.417}


@pytest.mark.parametrize(
    ("verifier", "line"),
    [
        (None, None),
        (
            {**LEARNT, "used": False, "reason": "No edges.", "confirmed": 0, "rejected": 0},
            "Verifier not used, edges keep their unlearned score: No edges.",
        ),
        (
            LEARNT,
            "Verifier used: from 20 confirmed and 1,180 rejected edges; held-out error 0.031, skill 0.42.",
        ),
        (
            {**LEARNT, "used": False, "reason": "Bad."},
            "Verifier not used, edges keep their unlearned score: Bad.",
        ),
    ],
)
def test_the_summary_says_which_score_edges_have_and_why(
    verifier: dict[str, Any] | None, line: str | None
) -> None:
    """Also before anybody has assessed an edge; a profile that learns nothing has nothing to say."""
    assert summary({**FACTS, "verifier": verifier})[2:] == ([line] if line else [])


ALIKE = "description: Makes a strong cup of black coffee from ground beans.\n---\nPour, wait, press, serve.\n"


@pytest.mark.parametrize(("profile", "walked"), [("default", False), ("paper", True)])
def test_a_label_on_an_alternative_says_that_no_relevance_walks_there(
    run: Run, tmp_path: Path, *, profile: str, walked: bool
) -> None:
    """In `default`, whatever is confirmed; in `paper` it does. A pair that is no candidate is not judged."""
    for name in ("press-coffee", "coffee-press"):
        write_skill(tmp_path / "skills", name, ALIKE)
    write_skill(tmp_path / "skills", "mow-lawn", "description: Mows the lawn in the garden.\n---\n")
    place = tmp_path / "w"
    run("build", tmp_path / "skills", "-w", place, "--encoder", "builtin", "--profile", profile)
    pair = ("press-coffee", "coffee-press", "-w", place)
    warning = "An alternative carries no relevance, whatever its label"
    document = loaded(run, "edge", "confirm", *pair)
    assert document["walked"] is walked
    assert (warning in run("edge", "confirm", *pair).out) is not walked
    run("build", "-w", place)
    explained = loaded(run, "explain", *pair)
    assert (explained["edge"]["type"], explained["edge"]["state"]) == ("alternative", "confirmed")
    assert explained["walked"] is walked
    assert (warning in run("explain", *pair).out) is not walked
    unknown = ("edge", "confirm", "press-coffee", "mow-lawn", "-w", place)
    assert loaded(run, *unknown)["walked"] is True
    assert warning not in run(*unknown).out


def test_a_switch_that_no_skill_bears_any_more_is_named(run: Run, tmp_path: Path) -> None:
    """A skill that is moved and edited between two builds comes back under another id; its owner is told."""
    skills, place = tmp_path / "skills", tmp_path / "w"
    write_skill(skills, "old/brew-beer", "description: Brews beer from malt and hops.\n---\n")
    write_skill(skills, "mow-lawn", "description: Mows the lawn in the garden.\n---\n")
    run("build", skills, "-w", place, "--encoder", "builtin")
    run("disable", "brew-beer", "-w", place)
    assert loaded(run, "status", "-w", place)["disabled_unborne"] == []
    assert loaded(run, "build", "-w", place)["disabled_unborne"] == []
    (skills / "old").rename(skills / "new")
    (skills / "new/brew-beer/SKILL.md").write_text("---\nname: ale\ndescription: Makes ale of barley.\n---\n")
    said = run("build", "-w", place).out
    assert "Disabled, but no skill has this id any more: old/brew-beer. " in said
    assert loaded(run, "build", "-w", place)["disabled_unborne"] == ["old/brew-beer"]
    assert loaded(run, "status", "-w", place)["disabled_unborne"] == ["old/brew-beer"]
    run("enable", "old/brew-beer", "-w", place)
    run("disable", "mow-lawn", "-w", place)
    (skills / "mow-lawn").rename(skills / "cut-lawn")
    followed = run("build", "-w", place).out
    assert "mow-lawn, now cut-lawn, is still disabled." in followed
    assert "no skill has this id" not in followed
    assert loaded(run, "status", "-w", place)["disabled_unborne"] == ["mow-lawn"]
    assert "no skill has this id" not in run("build", "-w", place).out


def test_what_was_enabled_again_is_not_hidden_where_it_stood_before(run: Run, tmp_path: Path) -> None:
    """A switch that followed a skill twice is taken back as a whole; that of another skill stays."""
    skills, place = tmp_path / "skills", tmp_path / "w"
    for name in ("mow-lawn", "brew-beer"):
        write_skill(skills, name, f"description: Knows how to {name.replace('-', ' ')}.\n---\n")
    run("build", skills, "-w", place, "--encoder", "builtin")
    run("disable", "mow-lawn", "brew-beer", "-w", place)
    for old, new in (("mow-lawn", "b"), ("brew-beer", "mow-lawn"), ("b", "c")):
        (skills / old).rename(skills / new)
        run("build", "-w", place)
    assert loaded(run, "status", "-w", place)["disabled"] == ["b", "brew-beer", "c", "mow-lawn"]
    assert loaded(run, "enable", "c", "-w", place) == {
        "changed": ["b", "c"],
        "disabled": ["brew-beer", "mow-lawn"],
    }
    (skills / "c").rename(skills / "b")
    run("build", "-w", place)
    assert loaded(run, "status", "-w", place)["disabled"] == ["brew-beer", "mow-lawn"]
    assert loaded(run, "enable", "mow-lawn", "-w", place)["disabled"] == []
