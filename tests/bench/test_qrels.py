"""Gold sets become skills, topics and edges; what is wrong in them is named."""

import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from caskg.bench.lines import Row
from caskg.bench.qrels import read_set, set_names, skill_of, without_library
from caskg.errors import UsageError
from caskg.library.fields import extract_fields
from caskg.library.markdown import cut_sections
from caskg.schema import Parameter
from gold_sets import KITCHEN, KITCHEN_TASKS, write, write_both, write_kitchen


def test_every_set_of_a_folder_is_found(tmp_path: Path) -> None:
    """Packed or not, by its library; nothing knows a set's name."""
    assert set_names(write_both(tmp_path)) == ["kitchen", "office"]


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_sets_is_refused(tmp_path: Path, *, there: bool) -> None:
    """An empty table would look like one in which nothing was measured."""
    folder = tmp_path if there else tmp_path / "nowhere"
    with pytest.raises(UsageError, match="holds no gold set"):
        set_names(folder)


def test_a_line_becomes_the_skill_that_its_statements_make() -> None:
    """Both forms of parameters; fields that are not stated stay absent."""
    tea = skill_of(KITCHEN[1])
    assert (tea.id, tea.name, tea.description) == ("brew-tea", "brew-tea", KITCHEN[1]["description"])
    assert tea.fields.inputs == (
        Parameter(name="boiling water", type="liquid"),
        Parameter(name="tea leaves", description="loose"),
    )
    assert tea.fields.outputs is None
    assert tea.fields.tags == ("drinks",)
    assert tea.body == "## Inputs\n\n- `boiling water` (liquid)\n- `tea leaves`: loose\n"
    assert [section.title for section in tea.sections] == ["Inputs"]
    water = skill_of(KITCHEN[0]).fields.outputs
    assert water == (Parameter(name="boiling water", type="liquid", description="at 100 degrees"),)
    pasta = skill_of(KITCHEN[2])
    assert pasta.fields.tools == ("sieve",)
    assert pasta.body == "## Inputs\n\n- `boiling water`\n\n## Tools\n\n- sieve\n"


def test_other_fields_change_nothing() -> None:
    """A skill has no place for them."""
    assert skill_of({**KITCHEN[0], "old_desc": "x", "secret": 1}) == skill_of(KITCHEN[0])
    assert skill_of({**KITCHEN[0], "description": "x"}).content_hash != skill_of(KITCHEN[0]).content_hash
    assert skill_of({"id": "a", "name": "b", "domain": "c"}).fields.tags == ("c",)


def test_parameters_may_be_names_alone() -> None:
    """Or a name with nothing said of it."""
    found = skill_of({"id": "a", "inputs": ["x", "y"], "outputs": {"z": None, "u": "a unit"}}).fields
    assert found.inputs == (Parameter(name="x"), Parameter(name="y"))
    assert found.outputs == (Parameter(name="z"), Parameter(name="u", description="a unit"))


def test_topics_have_positions_and_each_skill_once(tmp_path: Path) -> None:
    """Loops and second rows are dropped, links come from the edges within the gold."""
    kitchen = read_set(write_kitchen(tmp_path), "kitchen")
    ids = [skill.id for skill in kitchen.library.skills]
    assert ids == sorted(row["id"] for row in KITCHEN)
    at = kitchen.position
    assert kitchen.edges.tolist() == [
        [at["boil-water"], at["brew-tea"]],
        [at["boil-water"], at["cook-pasta"]],
        [at["wash-dishes"], at["dry-dishes"]],
    ]
    assert kitchen.masked.tolist() == [[at["fill-kettle"], at["boil-water"]]]
    tea, _, _, plates = kitchen.topics
    assert (tea.id, tea.query) == ("t1", KITCHEN_TASKS[0]["query"])
    assert tea.gold == (at["brew-tea"], at["boil-water"])
    assert tea.links == ((at["boil-water"], at["brew-tea"]),)
    assert plates.gold == (at["wash-dishes"], at["dry-dishes"])


def test_a_tasks_own_links_go_before_those_of_the_set(tmp_path: Path) -> None:
    """Also where it says that there are none."""
    own: list[Row] = [{**KITCHEN_TASKS[0], "gold_links": [{"source": "brew-tea", "target": "boil-water"}]}]
    own.append({**KITCHEN_TASKS[1], "gold_links": []})
    write_kitchen(tmp_path)
    (tmp_path / "kitchen_tasks.jsonl.xz").unlink()
    write(tmp_path, "kitchen_tasks", own)
    kitchen = read_set(tmp_path, "kitchen")
    at = kitchen.position
    assert [topic.links for topic in kitchen.topics] == [((at["brew-tea"], at["boil-water"]),), ()]


def test_clusters_are_by_main_then_repository_then_equal_gold(tmp_path: Path) -> None:
    """The first field that is there; the order in which gold stands does not matter."""
    gold = {"query": "x", "gold": ["boil-water", "brew-tea"]}
    tasks: list[Row] = [
        {"id": "1", **gold, "main": "m", "repo": "r"},
        {"id": "2", **gold, "main": "m"},
        {"id": "3", **gold, "repo": "r"},
        {"id": "4", **gold},
        {"id": "5", "query": "x", "gold": ["brew-tea", "boil-water"], "main": None},
        {"id": "6", "query": "x", "gold": ["boil-water"]},
    ]
    write(tmp_path, "kitchen_library", KITCHEN)
    write(tmp_path, "kitchen_tasks", tasks)
    one, two, three, four, five, six = (topic.cluster for topic in read_set(tmp_path, "kitchen").topics)
    assert one == two
    assert four == five
    assert len({one, three, four, six}) == 4


def test_without_edges_and_mask_there_are_none(tmp_path: Path) -> None:
    """As arrays of pairs all the same."""
    office = read_set(write_both(tmp_path), "office")
    assert office.edges.shape == office.masked.shape == (0, 2)
    assert all(topic.links == () for topic in office.topics)


def test_the_digest_is_of_what_was_read(tmp_path: Path) -> None:
    """Equal bytes, equal digest; packed or not does not matter."""
    first = read_set(write_kitchen(tmp_path), "kitchen").digest
    (tmp_path / "kitchen_mask.jsonl.xz").unlink()
    assert read_set(tmp_path, "kitchen").digest != first
    write(tmp_path, "kitchen_mask", [{"source": "fill-kettle", "target": "boil-water"}])
    assert read_set(tmp_path, "kitchen").digest == first


SKILL, TASK = '{"id": "a", %s}', '{"id": "1", "query": "x", "gold": ["brew-tea"], %s}'
GOLD = 'gold: it must be a list of ids, such as ["boil-water", "brew-tea"], not '
ID = 'a text or a whole number, such as "boil-water" or 7'
BY_NAME = (
    'it must be a list of names or of objects with "name", "type" and "description", or an object by name, '
)
LINK = '{"source": "boil-water", "target": "brew-tea"}'


@pytest.mark.parametrize(
    ("part", "line", "said"),
    [
        ("tasks", "{", "it is not JSON (Expecting property name"),
        ("tasks", "[" * 100_000, "it is not JSON (maximum recursion depth"),
        ("tasks", "[1]", "it must be an object, not [1]."),
        ("tasks", '{"id": "1", "id": "2"}', "the field 'id' stands there twice: join the two."),
        ("tasks", '{"id": "1", "query": "x"}', "gold: it is missing: write a list of ids, such as"),
        (
            "tasks",
            TASK.replace('["brew-tea"]', "null") % '"x": 1',
            "gold: it is missing: write a list of ids",
        ),
        ("tasks", TASK.replace('["brew-tea"]', "7") % '"x": 1', f"{GOLD}7."),
        ("tasks", TASK.replace('["brew-tea"]', '"aa"') % '"x": 1', f'{GOLD}"aa".'),
        ("tasks", TASK.replace('["brew-tea"]', '{"a": 1}') % '"x": 1', f'{GOLD}{{"a": 1}}.'),
        ("tasks", TASK.replace('"brew-tea"', '{"id": 1}') % '"x": 1', f"gold: entry 1: it must be {ID}, not"),
        (
            "tasks",
            TASK.replace('"brew-tea"', "true") % '"x": 1',
            f"gold: entry 1: it must be {ID}, not true.",
        ),
        (
            "tasks",
            TASK.replace("brew-tea", "nobody") % '"x": 1',
            "gold: entry 1: 'nobody' is no skill of the",
        ),
        ("tasks", '{"id": "1", "gold": []}', "query: it is missing: write a text."),
        ("tasks", '{"id": "1", "gold": [], "query": ["x"]}', 'query: it must be a text, not ["x"].'),
        ("tasks", '{"query": "x", "gold": []}', f"id: it is missing: write {ID}."),
        ("tasks", TASK % '"gold_links": [["a", "b"]]', 'gold_links: entry 1: it must be an object, not ["a'),
        (
            "tasks",
            TASK % '"gold_links": {}',
            "gold_links: it must be a list of objects with a source and a target",
        ),
        (
            "tasks",
            TASK % '"gold_links": [{"source": "brew-tea"}]',
            "gold_links: entry 1: target: it is missing",
        ),
        (
            "tasks",
            TASK % '"main": 1.5',
            "main: it must be a text, or a list of texts or of objects with a name",
        ),
        (
            "edges",
            LINK.replace("brew-tea", "nobody"),
            "target: 'nobody' is no skill of the library: write the",
        ),
        ("edges", '{"target": "brew-tea"}', f"source: it is missing: write {ID}."),
        ("edges", '{"source": ["brew-tea"], "target": "brew-tea"}', f"source: it must be {ID}, not ["),
        ("mask", '{"source": "brew-tea", "target": 7}', "target: '7' is no skill of the library"),
        ("library", "{}", f"id: it is missing: write {ID}."),
        ("library", '{"id": ""}', f'id: it must be {ID}, not "".'),
        ("library", '{"id": "brew-tea"}', "id: 'brew-tea' stands in line 2 already: write each skill once."),
        ("library", SKILL % '"name": 3.5', f"name: it must be {ID}, not 3.5."),
        ("library", SKILL % '"description": ["x"]', 'description: it must be a text, not ["x"].'),
        ("library", SKILL % '"inputs": 5', f"inputs: {BY_NAME}not 5."),
        ("library", SKILL % '"outputs": "flour"', f'outputs: {BY_NAME}not "flour".'),
        ("library", SKILL % '"inputs": [["a", "b"]]', f"inputs: entry 1: it must be {ID}, not ["),
        ("library", SKILL % '"inputs": ["a", {"type": "int"}]', "inputs: entry 2: name: it is missing"),
        ("library", SKILL % '"tools": [3, null]', f"tools: entry 2: it is missing: write {ID}."),
        ("library", SKILL % '"keywords": [{"x": 1}]', "keywords: entry 1: name: it is missing"),
        ("library", SKILL % '"domain": true', f"domain: entry 1: it must be {ID}, not true."),
    ],
)
def test_a_mistake_is_named_with_file_line_and_field(tmp_path: Path, part: str, line: str, said: str) -> None:
    """And what to write instead: nothing is read as something else than it says."""
    rows = {"library": KITCHEN, "tasks": KITCHEN_TASKS, "edges": [], "mask": []}
    for each, good in rows.items():
        write(tmp_path, f"kitchen_{each}", good)
    path = tmp_path / f"kitchen_{part}.jsonl"
    number = len(rows[part]) + 1
    with path.open("a") as file:
        file.write(line)
    with pytest.raises(UsageError) as refused:
        read_set(tmp_path, "kitchen")
    assert str(refused.value).startswith(f"{path}, line {number}: {said}")


@pytest.mark.parametrize(("part", "text"), [("tasks", ""), ("library", "\n \n")])
def test_a_set_needs_skills_and_tasks(tmp_path: Path, part: str, text: str) -> None:
    """Without them there is nothing to measure."""
    write_kitchen(tmp_path)
    (tmp_path / f"kitchen_{part}.jsonl.xz").write_bytes(lzma.compress(text.encode()))
    with pytest.raises(UsageError, match=f"no kitchen_{part}.jsonl or"):
        read_set(tmp_path, "kitchen")


def test_a_long_value_is_not_said_in_full(tmp_path: Path) -> None:
    """One line of an error is enough."""
    write(tmp_path, "kitchen_library", [{"id": "a", "description": ["x" * 500]}])
    write(tmp_path, "kitchen_tasks", KITCHEN_TASKS)
    with pytest.raises(UsageError, match=r"x{57}\.\.\.\.$"):
        read_set(tmp_path, "kitchen")


def test_whole_numbers_are_ids_like_their_digits(tmp_path: Path) -> None:
    """Wherever an id stands; a set may number its skills."""
    write(tmp_path, "n_library", [{"id": 0, "name": 5}, {"id": "1"}, {"id": 2, "tools": [7], "keywords": 8}])
    tasks: list[Row] = [
        {"id": 1, "query": "x", "gold": ["0", 1], "main": 0},
        {"id": 2, "query": "y", "gold": [2], "main": "0", "gold_links": [{"source": 1, "target": "2"}]},
    ]
    write(tmp_path, "n_tasks", tasks)
    write(tmp_path, "n_edges", [{"source": 0, "target": "1"}])
    write(tmp_path, "n_mask", [{"source": "1", "target": 0}])
    found = read_set(tmp_path, "n")
    assert [(skill.id, skill.name) for skill in found.library.skills] == [("0", "5"), ("1", "1"), ("2", "2")]
    assert found.library.skills[2].fields.tools == ("7",)
    assert found.library.skills[2].fields.tags == ("8",)
    assert (found.edges.tolist(), found.masked.tolist()) == ([[0, 1]], [[1, 0]])
    one, two = found.topics
    assert (one.id, one.gold, one.links) == ("1", (0, 1), ((0, 1),))
    assert (two.gold, two.links) == ((2,), ((1, 2),))
    assert one.cluster == two.cluster == "main 0"


def test_null_is_what_is_not_stated(tmp_path: Path) -> None:
    """Also as a name or a link; an empty name or keyword names nothing."""
    nothing = dict.fromkeys(("name", "description", "inputs", "outputs", "tools", "keywords", "domain"))
    assert skill_of({"id": "a", **nothing}) == skill_of({"id": "a"})
    empty = {"name": "", "inputs": [""], "outputs": {"": "x"}, "keywords": [""], "tools": "", "domain": {}}
    assert skill_of({"id": "a", **empty}) == skill_of({"id": "a"})
    write_kitchen(tmp_path)
    own = dict.fromkeys(("gold_links", "main", "repo"))
    write(tmp_path, "kitchen_tasks", [{**KITCHEN_TASKS[0], **own}], packed=True)
    (tea,) = read_set(tmp_path, "kitchen").topics
    assert len(tea.links) == 1
    assert tea.cluster.startswith("gold ")


def test_a_type_that_is_no_text_says_nothing() -> None:
    """Of a parameter its name is what counts; tools may stand by name."""
    found = skill_of({"id": "a", "inputs": [{"name": 1, "type": ["x"], "description": 2}], "tools": {"q": 1}})
    assert found.fields.inputs == (Parameter(name="1"),)
    assert found.fields.tools == ("q",)


def test_half_a_character_is_a_question_mark(tmp_path: Path) -> None:
    """JSON can hold one, and no file of text can: wherever it stands."""
    half = "x\ud800y"
    stated = {"id": half, "description": half, "inputs": [{"name": half, "type": half}], "tools": [half]}
    write(tmp_path, "half_library", [stated])
    write(tmp_path, "half_tasks", [{"id": half, "query": half, "gold": [half], "main": half}])
    found = read_set(tmp_path, "half")
    skill, topic = found.library.skills[0], found.topics[0]
    assert (skill.id, skill.description, skill.fields.tools) == ("x?y", "x?y", ("x?y",))
    assert skill.fields.inputs == (Parameter(name="x?y", type="x?y"),)
    assert (topic.id, topic.query, topic.gold, topic.cluster) == ("x?y", "x?y", (0,), "main x?y")


def test_the_body_says_what_the_fields_do() -> None:
    """Read as a SKILL.md, it states the same inputs and outputs, types and all."""
    odd = {"id": "a", "inputs": {"a_": {"type": "list(str)"}, "*.b": {"type": "x y", "description": "c: d"}}}
    for row in (*KITCHEN, odd):
        skill = skill_of(row)
        read = extract_fields({}, cut_sections(skill.body))
        assert (read.inputs, read.outputs) == (skill.fields.inputs, skill.fields.outputs)


def test_a_task_that_is_repeated_counts_once(tmp_path: Path) -> None:
    """As edges do; one that differs in anything is another."""
    write_kitchen(tmp_path)
    other = {**KITCHEN_TASKS[1], "query": "another query"}
    write(tmp_path, "kitchen_tasks", [*KITCHEN_TASKS, KITCHEN_TASKS[1], other], packed=True)
    queries = [topic.query for topic in read_set(tmp_path, "kitchen").topics]
    assert queries == [*(str(row["query"]) for row in KITCHEN_TASKS), "another query"]


def test_a_masked_pair_is_no_edge(tmp_path: Path) -> None:
    """It counts neither for nor against: not as a link of a task either."""
    write_kitchen(tmp_path)
    write(tmp_path, "kitchen_mask", [{"source": "boil-water", "target": "brew-tea"}], packed=True)
    kitchen = read_set(tmp_path, "kitchen")
    at = kitchen.position
    masked = [at["boil-water"], at["brew-tea"]]
    assert kitchen.masked.tolist() == [masked]
    assert len(kitchen.edges) == 2
    assert masked not in kitchen.edges.tolist()
    assert kitchen.topics[0].links == ()


def test_files_without_a_library_are_found(tmp_path: Path) -> None:
    """They are no set, and must not go lost without a word."""
    write_both(tmp_path)
    assert without_library(tmp_path) == []
    write(tmp_path, "kitchens_tasks", KITCHEN_TASKS, packed=True)
    write(tmp_path, "kitchens_edges", [])
    write(tmp_path, "attic_mask", [])
    assert set_names(tmp_path) == ["kitchen", "office"]
    assert without_library(tmp_path) == [
        {"set": name, "measure": "all", "reason": f"there is no {name}_library.jsonl or .jsonl.xz"}
        for name in ("attic", "kitchens")
    ]


def test_a_file_may_be_there_packed_and_unpacked_if_both_are_the_same(tmp_path: Path) -> None:
    """Of two that differ nobody knows which is meant."""
    write_kitchen(tmp_path)
    write(tmp_path, "kitchen_tasks", KITCHEN_TASKS)
    assert len(read_set(tmp_path, "kitchen").topics) == 4
    write(tmp_path, "kitchen_tasks", KITCHEN_TASKS[:3])
    with pytest.raises(UsageError, match=r"kitchen_tasks\.jsonl: it holds something else than kitchen_tasks"):
        read_set(tmp_path, "kitchen")


def test_a_byte_order_mark_and_other_line_ends_are_all_right(tmp_path: Path) -> None:
    """Editors write them."""
    write_both(tmp_path)
    path = tmp_path / "office_library.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(read_set(tmp_path, "office").library) == 3


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "the end is missing": (
        lambda data: data[:-20],
        "it cannot be read (it ends in the middle): get the file",
    ),
    "something follows": (lambda data: data + b"garbage, a lot of it", "it cannot be read (Input format not"),
    "not packed": (lambda _: b'{"source": "a"}', "it cannot be read (Input format not supported by decoder)"),
    "no UTF-8": (
        lambda _: lzma.compress(b"{}\n\xff"),
        "line 2: byte 0xff is not UTF-8: save the file as UTF-8",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    """A half file must not pass for a small set."""
    path = write_kitchen(tmp_path) / "kitchen_edges.jsonl.xz"
    damaged, said = DAMAGES[damage]
    path.write_bytes(damaged(path.read_bytes()))
    with pytest.raises(UsageError) as refused:
        read_set(tmp_path, "kitchen")
    assert str(refused.value).startswith(f"{path}: {said}")


def test_a_packed_file_may_have_parts_and_padding(tmp_path: Path) -> None:
    """As `xz` itself reads it."""
    path = write_kitchen(tmp_path) / "kitchen_edges.jsonl.xz"
    edges = read_set(tmp_path, "kitchen").edges.tolist()
    data = lzma.decompress(path.read_bytes())
    cut = data.index(b"\n") + 1
    path.write_bytes(lzma.compress(data[:cut]) + bytes(4) + lzma.compress(data[cut:]) + bytes(8))
    assert read_set(tmp_path, "kitchen").edges.tolist() == edges
