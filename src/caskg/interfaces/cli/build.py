"""`caskg build`: parse, induce, ask the free prober, publish a version."""

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click

from caskg.config import Profile
from caskg.interfaces.cli.options import emit, json_option, progress_bar, workspace_option
from caskg.schema import Severity
from caskg.store.workspace import Workspace
from caskg.wiring import BuildReport, EncoderChoice, build_workspace, default_roots, default_workspace


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--profile", default=Profile.DEFAULT.value, show_default=True, help="paper or default.")
@click.option(
    "--encoder", default=EncoderChoice.AUTO.value, show_default=True, help="auto, local or builtin."
)
@click.option("-q", "--quiet", is_flag=True, help="No progress, no diagnostics.")
@workspace_option
@json_option
def build(
    *, paths: tuple[Path, ...], profile: str, encoder: str, quiet: bool, folder: Path | None, as_json: bool
) -> None:
    """Build the skill graph of the SKILL.md files below PATHS and publish it as a new version.

    Without PATHS: those of the last build, else the folders where hosts keep skills
    (.claude/skills, .agents/skills, .codex/skills, .cursor/skills, here and at home).
    """
    with (
        Workspace.open_or_create(folder or default_workspace()) as workspace,
        progress_bar(quiet=quiet) as progress,
    ):
        report = build_workspace(
            workspace,
            list(paths) or default_roots(workspace),
            profile=profile,
            encoder=encoder,
            progress=progress,
        )
        n_skills = len(workspace.snapshot(report.number).ids)
    document = {
        "version": report.number,
        "unchanged": report.unchanged,
        "skills": n_skills,
        **report.meta,
        "diagnostics": [asdict(finding) for finding in report.diagnostics],
    }
    emit(document, as_json=as_json, text=lambda: summary(report, n_skills))
    if not (as_json or quiet):
        _print_diagnostics(report)


def summary(report: BuildReport, n_skills: int) -> str:
    """Return what was built, in two lines."""
    meta = report.meta
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in meta["types"].items() if count)
    verb = "is up to date" if report.unchanged else "published"
    return (
        f"Version {report.number} {verb}: {n_skills:,} skills, {meta['n_edges']:,} edges"
        f" ({kinds or 'none'}) of {meta['n_candidates']:,} candidates.\n"
        f"Profile {meta['profile']}, encoder {meta['encoder']}."
    )


def _print_diagnostics(report: BuildReport) -> None:
    """Name every file that was left out; count the rest."""
    for finding in report.diagnostics:
        if finding.severity is Severity.ERROR:
            click.echo(f"not indexed: {finding.path}: {finding.message} {finding.remedy}", err=True)
    counts = Counter(
        f"{finding.code} ({finding.severity})"
        for finding in report.diagnostics
        if finding.severity is not Severity.ERROR
    )
    if counts:
        found = ", ".join(f"{count:,} {code}" for code, count in counts.most_common())
        click.echo(f"Findings: {found}. `caskg build --json` lists them.", err=True)
