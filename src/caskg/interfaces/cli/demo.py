"""`caskg demo`: the whole walk on the example library, with no key and no network."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import click

from caskg.interfaces.cli.build import summary
from caskg.interfaces.cli.options import emit, json_option, progress_bar, workspace_option
from caskg.interfaces.cli.query import ranking_document, ranking_text
from caskg.store.workspace import Workspace
from caskg.wiring import EncoderChoice, build_workspace, example_skills, open_retriever

TASKS = (
    "Warm up yesterday's rice and lay the table for four people",
    "Find out how much acid is in this vinegar and report the result with its error",
    "Book a flight to Lisbon and a hotel near the beach",
)
"""A household task, a laboratory task, and one that the example library cannot help with."""


@click.command()
@click.option(
    "--encoder", default=EncoderChoice.AUTO.value, show_default=True, help="auto, local or builtin."
)
@workspace_option
@json_option
def demo(*, encoder: str, folder: Path | None, as_json: bool) -> None:
    """Build the example library and answer three tasks; without --workspace, nothing is kept."""
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "workspace"
        workspace = stack.enter_context(Workspace.open_or_create(place))
        with progress_bar(quiet=False) as progress:
            report = build_workspace(workspace, [example_skills()], encoder=encoder, progress=progress)
        version = workspace.current()
        retriever = open_retriever(version)
        rankings = [retriever.retrieve(task) for task in TASKS]
        said = [summary(report, len(version.ids))]
        said += [f"\n> {ranking.query}\n{ranking_text(ranking)}" for ranking in rankings]
        document = {
            "build": dict(report.meta),
            "answers": [ranking_document(ranking) for ranking in rankings],
        }
    emit(document, as_json=as_json, text=lambda: "\n".join(said))
