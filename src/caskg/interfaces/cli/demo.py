"""`caskg demo`: the whole walk on the example library, with no key and no network."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from caskg.interfaces.cli.options import encoder_option, json_option, progress_bar
from caskg.interfaces.cli.output import emit
from caskg.interfaces.cli.query import ranking_document, ranking_lines
from caskg.interfaces.cli.versions import summary, version_facts
from caskg.schema import Ranking
from caskg.store.workspace import Workspace
from caskg.wiring import build_workspace, example_skills, open_retriever

TASKS = (
    "Tidy up, wipe the spilt juice and mop the floor before the guests come",
    "Find the concentration of acid in this vinegar and report it with its error",
    "Book a flight to Lisbon and a hotel near the beach",
)
"""A household task, a laboratory task, and one that the example library cannot help with."""

_SHOWN = 5


@click.command()
@encoder_option
@click.option(
    "-w",
    "--workspace",
    "folder",
    type=click.Path(path_type=Path),
    help="Keep the workspace in this folder.  [default: nothing is kept]",
)
@json_option
def demo(*, encoder: str, folder: Path | None, as_json: bool) -> None:
    """Build the example library, and answer three tasks: one at home, one in a laboratory, one beyond it."""
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "workspace"
        workspace = stack.enter_context(Workspace.open_or_create(place))
        with progress_bar(quiet=False) as progress:
            report = build_workspace(workspace, [example_skills()], encoder=encoder, progress=progress)
        version = workspace.current()
        retriever = open_retriever(version)
        rankings = [retriever.retrieve(task, k=_SHOWN) for task in TASKS]
        facts = version_facts(version.number, len(version.ids), report.meta)
    document = {"build": facts, "answers": [ranking_document(ranking) for ranking in rankings]}
    emit(document, as_json=as_json, lines=_lines(facts, rankings))


def _lines(facts: Mapping[str, Any], rankings: Sequence[Ranking]) -> Iterator[str]:
    yield from summary(facts)
    for ranking in rankings:
        yield ""
        yield f"> {ranking.query}"
        yield from ranking_lines(ranking)
    yield ""
    yield "Your own skills: caskg build PATH, then caskg query TASK."
