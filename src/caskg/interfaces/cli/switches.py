"""`caskg disable`, `enable`: switch skills off and on, at once and for every version."""

from collections.abc import Iterable
from pathlib import Path

import click

from caskg.inspection import position_of
from caskg.interfaces.cli.options import as_text, json_option, open_workspace, workspace_option
from caskg.interfaces.cli.output import emit
from caskg.store.workspace import Workspace

_skills_argument = click.argument("skills", metavar="SKILL...", nargs=-1, required=True)


@click.command()
@_skills_argument
@workspace_option
@json_option
def disable(*, skills: tuple[str, ...], folder: Path | None, as_json: bool) -> None:
    """Hide each SKILL from every answer: no result, no step of a path, in no hint.

    It holds at once, for all versions and later builds, until `caskg enable`.
    """
    with open_workspace(folder) as workspace:
        changed = workspace.switches.disable(_ids(workspace, skills))
        off = workspace.switches.disabled()
    _say("disabled", changed, off, as_json=as_json)


@click.command()
@_skills_argument
@workspace_option
@json_option
def enable(*, skills: tuple[str, ...], folder: Path | None, as_json: bool) -> None:
    """Let each SKILL that was disabled be found again, also should it move back to where it was disabled."""
    with open_workspace(folder) as workspace:
        ids = _ids(workspace, skills)
        changed = workspace.switches.enable(ids | _former(workspace, ids))
        off = workspace.switches.disabled()
    _say("enabled", changed, off, as_json=as_json)


def _ids(workspace: Workspace, names: Iterable[str]) -> set[str]:
    """Return the ids that *names* mean; a switched one as typed, for its skill may be gone."""
    version, off = workspace.current(), workspace.switches.disabled()
    named = map(as_text, names)
    return {name if name in off else version.ids[position_of(version, name)] for name in named}


def _former(workspace: Workspace, ids: Iterable[str]) -> set[str]:
    """Return the ids from which a switch followed the skills of *ids*, where no skill bears them now."""
    moves = {each for version in workspace.versions() for each in version.meta.get("disabled_followed", ())}
    left = workspace.switches.disabled() - set(workspace.current().ids)
    found, ways = set[str](), list(ids)
    for new in ways:
        before = {old for old in left - found if f"{old}, now {new}" in moves}
        found |= before
        ways += before
    return found


def _say(done: str, changed: Iterable[str], off: Iterable[str], *, as_json: bool) -> None:
    switched = sorted(changed)
    document = {"changed": switched, "disabled": sorted(off)}
    said = f"{done.capitalize()} {', '.join(switched)}." if switched else f"All of these were {done} already."
    emit(document, as_json=as_json, lines=[said])
