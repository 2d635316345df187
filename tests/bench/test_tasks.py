"""The user's tasks: read leniently, and refused with file, line and field."""

from pathlib import Path

import pytest

from caskg.bench.tasks import Task, read_tasks
from caskg.errors import UsageError

KNOWN = {"tea": "kitchen/tea", "kitchen/tea": "kitchen/tea", "rice": "kitchen/rice", "mail": "office/mail"}


def id_of(name: str) -> str:
    if name not in KNOWN:
        msg = f"There is no skill {name!r}."
        raise UsageError(msg)
    return KNOWN[name]


def read(folder: Path, content: str | bytes) -> tuple[Task, ...]:
    path = folder / "tasks.jsonl"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_tasks(path, id_of=id_of)


def test_a_task_is_read_with_the_ids_that_its_names_mean(tmp_path: Path) -> None:
    """In the order given, each once."""
    text = (
        '{"query": "make tea", "must_include": ["tea", "kitchen/tea", "rice"],'
        ' "must_not_include": ["mail"], "order": ["rice", "tea"]}'
    )
    assert read(tmp_path, text) == (
        Task(
            line=1,
            query="make tea",
            must_include=("kitchen/tea", "kitchen/rice"),
            must_not_include=("office/mail",),
            order=("kitchen/rice", "kitchen/tea"),
        ),
    )


def test_small_things_are_forgiven(tmp_path: Path) -> None:
    """A mark at the start, other line ends, blank lines, one name alone, null, notes, half a character."""
    text = (
        '\ufeff{"query": "a", "must_include": "tea", "order": null, "note": "mine", "id": 7}\r\n'
        "\r\n  \n"
        '  {"query": "b\u2028c \\ud800"}'
    )
    assert read(tmp_path, text) == (
        Task(line=1, query="a", must_include=("kitchen/tea",)),
        Task(line=4, query="b\u2028c ?"),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "it is not JSON (Expecting property name"),
        ('{"query": "a"} x', "it is not JSON (Extra data"),
        ("[" * 200_000, "it is not JSON ("),
        ('{"query": ' + "9" * 5000 + "}", "it is not JSON ("),
        ("[1]", "it must be an object, not [1]."),
        ('"make tea"', 'it must be an object, not "make tea".'),
        ("{}", "query: it is missing."),
        ('{"query": null}', "query: it is missing."),
        ('{"query": 5}', "query: it must be a text, not 5."),
        ('{"query": " "}', "query: The task text is empty"),
        ('{"query": "' + "a" * 100_001 + '"}', "query: The task text has 100,001 characters"),
        (
            '{"query": "a", "must_include": 3}',
            "must_include: it must be a list of ids or names, not 3.",
        ),
        (
            '{"query": "a", "order": ["tea", null]}',
            'order: it must be a list of ids or names, not ["tea", null]',
        ),
        ('{"query": "a", "must_include": {}}', "must_include: it must be a list of ids or names, not {}."),
        ('{"query": "a", "must_include": ["tee"]}', "must_include: There is no skill 'tee'."),
        ('{"query": "a", "must_not_include": ["tee"]}', "must_not_include: There is no skill 'tee'."),
        ('{"query": "a", "order": ["tea", "tee"]}', "order: There is no skill 'tee'."),
        (
            '{"query": "a", "order": ["tea", "rice", "kitchen/tea"]}',
            "order: 'kitchen/tea' stands there twice",
        ),
        ('{"query": "a", "order": "tea"}', "order: 'kitchen/tea' stands there alone: name two at least"),
        (
            '{"query": "a", "must_include": ["tea"], "must_not_include": ["kitchen/tea"]}',
            "must_not_include: 'kitchen/tea' is asked for in the same task",
        ),
        (
            '{"query": "a", "order": ["rice", "tea"], "must_not_include": "tea"}',
            "must_not_include: 'kitchen/tea' is asked for in the same task",
        ),
        (
            '{"query": "a", "must_includ": ["tea"]}',
            "there is no field 'must_includ': did you mean 'must_include'?",
        ),
        (
            '{"query": "a", "order": ["tea"], "order": ["rice"]}',
            "the field 'order' stands there twice: join the two.",
        ),
        ('{"Query": "a"}', "there is no field 'Query': did you mean 'query'?"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_field(line: str, message: str, tmp_path: Path) -> None:
    """The whole file is refused: a task left out would look like one that was never asked."""
    with pytest.raises(UsageError) as refused:
        read(tmp_path, f'{{"query": "fine"}}\n\n{line}\n')
    assert str(refused.value).startswith(f"{tmp_path / 'tasks.jsonl'}: line 3: {message}")


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    """With the line, so that an editor finds it."""
    with pytest.raises(UsageError, match=r"tasks\.jsonl: line 2: byte 0xe4 is not UTF-8"):
        read(tmp_path, b'{"query": "a"}\n{"query": "\xe4"}\n')


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_a_file_without_a_task_is_refused(content: str, tmp_path: Path) -> None:
    """Nothing measured is no result."""
    with pytest.raises(UsageError, match=r"tasks\.jsonl: it holds no task"):
        read(tmp_path, content)


def test_a_file_that_is_not_there_is_a_mistake_of_usage(tmp_path: Path) -> None:
    """As is a folder."""
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(UsageError, match=r"it cannot be read \("):
            read_tasks(path, id_of=id_of)
