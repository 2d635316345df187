"""`caskg lint`: what is wrong with SKILL.md files, in which line, and what to do; needs no workspace."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from caskg.interfaces.cli.options import as_text, json_option
from caskg.interfaces.cli.output import columns, emit
from caskg.library.lint import LintReport
from caskg.library.lint import lint as lint_skills
from caskg.schema import Diagnostic, Severity

EXIT_ERRORS = 1
_HEAD = ("PATH", "LINE", "SEVERITY", "CODE", "MESSAGE AND REMEDY")


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Errors also for what the format's reference validator refuses.")
@click.option(
    "--severity",
    type=click.Choice([severity.value for severity in Severity]),
    default=Severity.INFO.value,
    show_default=True,
    help="Least severity that is listed; all are counted.",
)
@json_option
def lint(*, paths: tuple[Path, ...], strict: bool, severity: str, as_json: bool) -> None:
    """Check the SKILL.md files below PATHS: a table of findings, each with its line and remedy.

    Nothing is built, and no workspace is needed. The exit code is 1 if there is an error, and 0
    with warnings and infos only. An error is a file that a build leaves out, and with --strict
    also whatever the reference validator refuses.
    """
    report = lint_skills(paths, strict=strict)
    listed = _at_least(report.diagnostics, Severity(severity))
    document = {
        "files": report.n_files,
        "counts": {each.value: report.count(each) for each in Severity},
        "diagnostics": [asdict(finding) for finding in listed],
    }
    emit(document, as_json=as_json, lines=_lines(report, listed))
    if report.count(Severity.ERROR):
        raise click.exceptions.Exit(EXIT_ERRORS)


def _at_least(diagnostics: Sequence[Diagnostic], least: Severity) -> list[Diagnostic]:
    worst_first = list(Severity)
    wanted = worst_first[: worst_first.index(least) + 1]
    return [finding for finding in diagnostics if finding.severity in wanted]


def _lines(report: LintReport, listed: Sequence[Diagnostic]) -> Iterator[str]:
    if listed:
        yield from columns([_HEAD, *map(_row, listed)])
    counts = ", ".join(_counted(report.count(each), each.value) for each in Severity)
    yield f"{_counted(report.n_files, 'file')}: {counts}."


def _row(finding: Diagnostic) -> tuple[str, ...]:
    line = "" if finding.line is None else str(finding.line)
    said = f"{finding.message} {finding.remedy}"
    return _shown(finding.path), line, finding.severity.value, finding.code, said


def _shown(path: str) -> str:
    """Return a path as short as it can be said from here."""
    here = as_text(str(Path.cwd()))
    return path.removeprefix(f"{here}/")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
