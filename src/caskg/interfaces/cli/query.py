"""`caskg query`: the few skills a task needs, in order, with reasons."""

import sys
from pathlib import Path
from typing import Any

import click

from caskg.interfaces.cli.options import emit, json_option, open_workspace, workspace_option
from caskg.retrieval.bundle import render
from caskg.retrieval.explain import reasons
from caskg.schema import Bundle, Ranking
from caskg.wiring import open_retriever


@click.command()
@click.argument("task", nargs=-1, required=True)
@click.option("-k", default=8, show_default=True, help="Most skills to return.")
@click.option("--have", multiple=True, metavar="ID", help="A skill that is loaded already. Repeatable.")
@click.option("--exclude", multiple=True, metavar="ID", help="A skill that must not appear. Repeatable.")
@click.option("--bundle", is_flag=True, help="Print the skills' texts, ready for an agent.")
@click.option("--max-chars", default=12_000, show_default=True, help="Length of the bundle, in characters.")
@workspace_option
@json_option
def query(
    *,
    task: tuple[str, ...],
    k: int,
    have: tuple[str, ...],
    exclude: tuple[str, ...],
    bundle: bool,
    max_chars: int,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Return the skills for TASK, prerequisites first, or none and a hint. TASK - reads standard input."""
    text = sys.stdin.read() if task == ("-",) else " ".join(task)
    with open_workspace(folder) as workspace:
        version = workspace.current()
        ranking = open_retriever(version).retrieve(text, k=k, have=have, exclude=exclude)
        wanted = bundle and not ranking.abstained
        rendered = render(ranking, max_chars=max_chars) if wanted else None
    document = ranking_document(ranking, rendered) | {"version": version.number}
    emit(document, as_json=as_json, text=lambda: rendered.text if rendered else ranking_text(ranking))


def ranking_document(ranking: Ranking, bundle: Bundle | None = None) -> dict[str, Any]:
    """Return a ranking as plain data."""
    document = {
        "query": ranking.query,
        "abstained": ranking.abstained,
        "sufficiency": round(ranking.sufficiency, 4),
        "hint": ranking.hint,
        "method": ranking.method,
        "skills": [
            {
                "id": ranked.skill.id,
                "name": ranked.skill.name,
                "description": ranked.skill.description,
                "path": ranked.skill.path,
                "score": ranked.score,
                "exact_name": ranked.exact_name,
                "lexical_rank": ranked.lexical_rank,
                "semantic_rank": ranked.semantic_rank,
                "via": [
                    {
                        "source": step.source,
                        "target": step.target,
                        "type": step.type,
                        "state": step.state,
                        "weight": round(step.weight, 4),
                    }
                    for step in ranked.path
                ],
                "reason": reasons(ranked),
            }
            for ranked in ranking.skills
        ],
    }
    if bundle:
        document["bundle"] = {
            "text": bundle.text,
            "included": bundle.included,
            "trimmed": bundle.trimmed,
            "left_out": bundle.left_out,
        }
    return document


def ranking_text(ranking: Ranking) -> str:
    """Return a ranking for people: an ordered list with reasons, or the hint."""
    if not ranking.skills:
        return ranking.hint
    lines = [
        f"{place}. {ranked.skill.id}\n   {one_line(ranked.skill.description)}\n   why: {reasons(ranked)}"
        for place, ranked in enumerate(ranking.skills, start=1)
    ]
    return "\n".join(lines)


def one_line(text: str, *, limit: int = 100) -> str:
    r"""Return *text* on one line, cut at *limit* characters.

    >>> one_line("two\nlines", limit=6)
    'two l…'
    """
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
