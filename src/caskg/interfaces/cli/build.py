"""`caskg build`: parse, induce, ask the free prober, publish a version."""

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import click

from caskg.config import Profile
from caskg.inspection import unborne_switches
from caskg.interfaces.cli.options import encoder_option, json_option, progress_bar, workspace_option
from caskg.interfaces.cli.output import emit, say
from caskg.interfaces.cli.versions import summary, version_facts
from caskg.library.diagnostics import Code
from caskg.library.scan import find_skill_files
from caskg.schema import Diagnostic, Severity
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace, default_profile, default_roots, default_workspace, host_folders


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--profile",
    type=click.Choice([profile.value for profile in Profile]),
    help="paper: the published method; default: what measured better.  [default: that of the last build]",
)
@encoder_option
@click.option("-q", "--quiet", is_flag=True, help="No progress, no findings.")
@workspace_option
@json_option
def build(
    *,
    paths: tuple[Path, ...],
    profile: str | None,
    encoder: str,
    quiet: bool,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Build the skill graph of the SKILL.md files below PATHS and publish it as a new version.

    Without PATHS: those of the last build, else the folders where hosts keep skills
    (.claude/skills, .agents/skills, .codex/skills, .cursor/skills, here and at home).
    Where nothing has changed, nothing is built.
    """
    folder = folder or default_workspace()
    if not folder.exists():  # a mistyped path must not leave an empty workspace behind
        find_skill_files(paths or host_folders())
    with Workspace.open_or_create(folder) as workspace:
        roots, profile = paths or default_roots(workspace), profile or default_profile(workspace)
        with progress_bar(quiet=quiet) as progress, _without_cycle_collection():
            report = build_workspace(workspace, roots, profile=profile, encoder=encoder, progress=progress)
        version = workspace.snapshot(report.number)
        n_skills, unborne = len(version.ids), sorted(unborne_switches(workspace, version))
        moves = [each.meta.get("disabled_followed", ()) for each in workspace.versions()]
    facts = version_facts(report.number, n_skills, report.meta)
    document = facts | {
        "unchanged": report.unchanged,
        "disabled_unborne": unborne,
        "diagnostics": [asdict(finding) for finding in report.diagnostics],
    }
    lines = [*summary(facts, unchanged=report.unchanged), *_lost_line(unborne, chain(*moves))]
    emit(document, as_json=as_json, lines=lines)
    if not (as_json or quiet):
        for line in _findings(report.diagnostics):
            say(line)


@contextmanager
def _without_cycle_collection() -> Iterator[None]:
    """Do not look for cycles of objects again and again: a build makes millions of objects, and none."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _lost_line(unborne: Sequence[str], moves: Iterable[str]) -> Iterator[str]:
    """Warn of switches that hide nothing any more, but for those that followed a skill."""
    moved = list(moves)
    lost = [
        skill_id for skill_id in unborne if not any(each.startswith(f"{skill_id}, now ") for each in moved)
    ]
    if lost:
        yield (
            f"Disabled, but no skill has this id any more: {', '.join(lost)}. One that was moved and edited "
            "is not recognised, and can be found again: look for it, and disable its new id."
        )


def _findings(diagnostics: Sequence[Diagnostic]) -> Iterator[str]:
    """Name each file that was left out, and count the other findings."""
    counts = Counter[str]()
    for finding in diagnostics:
        if finding.severity is Severity.ERROR or finding.code == Code.MISNAMED:
            yield f"Not indexed: {finding.path}: {finding.message} {finding.remedy}"
        else:
            counts[finding.code] += 1
    if counts:
        found = ", ".join(f"{count:,} {code}" for code, count in counts.most_common())
        yield f"Other findings: {found}."
    if diagnostics:
        yield "`caskg lint` lists all findings, and so does `caskg build --json`."
