"""What commands share: their options, the workspace they open, and the progress of a build."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from caskg.store.workspace import Workspace
from caskg.wiring import EncoderChoice, Progress, default_workspace

workspace_option = click.option(
    "-w",
    "--workspace",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder of the workspace.  [default: $CASKG_WORKSPACE, else the nearest .caskg]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
tag_option = click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="TAG",
    help="See only skills with this tag. Repeatable: any of them.",
)
folder_option = click.option(
    "--folder",
    "folders",
    multiple=True,
    metavar="FOLDER",
    help="See only skills whose id begins so; * and ? as in a shell. Repeatable: any of them.",
)
encoder_option = click.option(
    "--encoder",
    type=click.Choice([choice.value for choice in EncoderChoice]),
    default=EncoderChoice.AUTO.value,
    show_default=True,
    help="auto: the one of the workspace, else local where it is installed, else builtin; remote: a server.",
)


def open_workspace(folder: Path | None) -> Workspace:
    """Open the workspace that the user named, or the default one.

    Raises:
        StoreError: There is none, or it cannot be read.
    """
    return Workspace.open(folder or default_workspace())


def as_text(argument: str) -> str:
    """Return an argument as text that can be stored: its bytes that are no UTF-8 are replaced."""
    return argument.encode(errors="surrogateescape").decode(errors="replace")


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """Show the steps of a build on standard error; silent where that is no terminal."""
    if quiet or not (sys.stderr and sys.stderr.isatty()):
        yield lambda _step, _done, _of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description:<11}"), BarColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("parse", total=None)

        def show(step: str, done: int, of: int) -> None:
            bars.tasks[0].total = of or None  # `update` cannot take a total back
            bars.update(task, description=step, completed=done)

        yield show
