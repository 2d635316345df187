"""What commands share: the workspace option, ``--json``, and how results and progress are printed."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from caskg.store.workspace import Workspace
from caskg.wiring import Progress, default_workspace

workspace_option = click.option(
    "-w",
    "--workspace",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder of the workspace.  [default: $CASKG_WORKSPACE, else the nearest .caskg]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def open_workspace(folder: Path | None) -> Workspace:
    """Open the workspace that the user named, or the default one.

    Raises:
        StoreError: There is none, or it cannot be read.
    """
    return Workspace.open(folder or default_workspace())


def emit(document: dict[str, Any], *, as_json: bool, text: Callable[[], str]) -> None:
    """Print the result: the document as JSON, or what *text* makes of it."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2, default=str) if as_json else text())


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """Show the steps of a build on standard error; silent where that is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _step, _done, _of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description:<11}"), BarColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("parse", total=None)

        def show(step: str, done: int, of: int) -> None:
            bars.update(task, description=step, completed=done, total=of or None)

        yield show


def table(rows: Sequence[Sequence[str]], *, gap: str = "  ") -> str:
    """Return *rows* as columns, each as wide as its longest cell.

    >>> print(table([("a", "1"), ("long", "2")]))
    a     1
    long  2
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        gap.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
