"""The document of the gold-set benchmark as tables for people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from caskg.bench.methods import REFERENCE

RETRIEVAL = (
    ("R@5", "recall@5"),
    ("R@10", "recall@10"),
    ("R@20", "recall@20"),
    ("spec R@5", "specific_recall@5"),
    ("spec R@10", "specific_recall@10"),
    ("spec R@20", "specific_recall@20"),
    ("nDCG@10", "ndcg@10"),
    ("whole@10", "whole_set@10"),
    ("closure@10", "closure@10"),
    ("order@10", "order@10"),
    ("of found", "order_of_found@10"),
    ("chars", "characters"),
    ("most in", "concentration@10"),
    ("its gold", "concentration_gold_share"),
)
ABSTENTION = (
    ("near miss", "auroc_near_miss"),
    ("wrong library", "auroc_wrong_library"),
    ("abstained", "abstained"),
)
CONTRASTS = ("recall@5", "recall@10", "specific_recall@5", "specific_recall@10")
"""Comparisons that people are shown; the document has more."""

_MARK = {"control": " (control)", "ceiling": " (ceiling)"}

Table = Sequence[Sequence[str]]


def study_tables(document: Mapping[str, Any]) -> Iterator[tuple[str, Table]]:
    """Yield the gains of a study of judges, and what the states of its edges are worth."""
    for name in dict.fromkeys(row["set"] for row in document["rows"]):
        rows = [row for row in document["rows"] if row["set"] == name]
        for measure in ("recall@10", "specific_recall@10"):
            mean = {row["method"]: row["mean"] for row in rows if row["measure"] == measure}
            if not mean:  # pairs without tasks
                continue
            lines = [
                [
                    each["a"],
                    figure(mean[each["a"]]),
                    *map(figure, (each["diff"], each["lo"], each["hi"])),
                    each["b"],
                ]
                for each in document["contrasts"]
                if (each["set"], each["measure"]) == (name, measure)
            ]
            reference = document["config"]["reference"]
            head = ["", measure, "gain", "from", "to", "over"]
            yield f"{name}: {measure}", [head, [reference, figure(mean[reference]), "", "", "", ""], *lines]
        yield f"{name}: edges", _edges_by_point(rows)


def _edges_by_point(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return one line a point, one column a figure of its edges."""
    value = {(row["method"], row["measure"]): row["mean"] for row in rows}
    figures = sorted({measure for _, measure in value if measure.startswith("edges.")})
    points = dict.fromkeys(point for point, _ in value)
    head = ["", *(measure.removeprefix("edges.") for measure in figures)]
    return [head, *([point, *(figure(value.get((point, each))) for each in figures)] for point in points)]


def tables(document: Mapping[str, Any]) -> Iterator[tuple[str, Table]]:
    """Yield each table as its title and its rows, the first of which is its head."""
    for name, about in document["config"]["sets"].items():
        rows = [row for row in document["rows"] if row["set"] == name]
        title = (
            f"{name}: {about['skills']:,} skills, {about['edges']:,} gold edges, "
            f"{about['tasks']:,} tasks in {about['clusters']:,} clusters"
        )
        methods = document["config"]["methods"]
        yield f"{title}. Retrieval", _table(rows, methods, RETRIEVAL)
        yield (
            f"{name}: AUROC of the sufficiency, and how many answerable tasks were refused",
            _table(rows, methods, ABSTENTION, only="auroc_near_miss"),
        )
        edges = dict.fromkeys(row["measure"] for row in rows if row["measure"].startswith("edges."))
        yield f"{name}: edges", _upright(rows, list(edges))
        contrasts = [each for each in document["contrasts"] if each["set"] == name]
        for measure in CONTRASTS:
            chosen = [each for each in contrasts if each["measure"] == measure]
            yield f"{name}: {REFERENCE} against others, {measure}", _contrast_table(chosen)
        yield f"{name}: cost", _cost(document, name)


def _table(
    rows: Sequence[Mapping[str, Any]],
    methods: Mapping[str, str],
    columns: Sequence[tuple[str, str]],
    *,
    only: str = "recall@5",
) -> Table:
    """Return one line a method that has the measure *only*."""
    value = {(row["method"], row["measure"]): row["mean"] for row in rows}
    shown = [name for name in methods if (name, only) in value]
    lines = [
        [name + _MARK.get(methods[name], ""), *(figure(value.get((name, measure))) for _, measure in columns)]
        for name in shown
    ]
    return [["", *(title for title, _ in columns)], *lines] if lines else []


def _upright(rows: Sequence[Mapping[str, Any]], measures: Sequence[str]) -> Table:
    """Return one line a measure, one column a method."""
    value = {(row["measure"], row["method"]): row for row in rows if row["measure"] in measures}
    methods = list(dict.fromkeys(method for _, method in value))
    lines = [
        [
            measure.removeprefix("edges."),
            *(figure(value[measure, method]["mean"]) for method in methods),
            f"{value[measure, methods[0]]['n']:,}",
        ]
        for measure in measures
    ]
    return [["", *methods, "pairs"], *lines] if lines else []


def _contrast_table(contrasts: Sequence[Mapping[str, Any]]) -> Table:
    if not contrasts:
        return []
    head = ["against", "difference", "interval", "p", "p (Holm)"]
    return [
        head,
        *(
            [
                each["b"],
                figure(each["diff"], sign="+"),
                f"[{figure(each['lo'], sign='+')}, {figure(each['hi'], sign='+')}]",
                f"{each['p']:.4f}",
                f"{each['p_holm']:.4f}",
            ]
            for each in contrasts
        ),
    ]


def _cost(document: Mapping[str, Any], name: str) -> Table:
    costs = [each for each in document["cost"] if each["set"] == name]
    columns = list(dict.fromkeys(key for each in costs for key in each if key not in ("set", "method")))
    return [
        ["", *columns],
        *(
            [each["method"], *(f"{each[key]:,.1f}" if key in each else "" for key in columns)]
            for each in costs
        ),
    ]


def figure(value: float | None, *, sign: str = "") -> str:
    """Return a number as tables show it.

    >>> figure(0.12345), figure(1234.5), figure(None), figure(0.01, sign="+")
    ('.123', '1,234', '-', '+.010')
    """
    if value is None:
        return "-"
    if abs(value) >= 10:  # noqa: PLR2004 - a count, not a share
        return f"{value:{sign},.0f}"
    return f"{value:{sign}.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:{sign}.2f}"
