"""Gold sets become skills, topics and edges; what is wrong in them is named."""

from pathlib import Path

import pytest

from caskg.bench.qrels import Row, read_set, set_names, skill_of
from caskg.errors import UsageError
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


@pytest.mark.parametrize(
    ("part", "text", "said"),
    [
        ("tasks", "", "no kitchen_tasks"),
        ("library", "\n", "no kitchen_library"),
        ("tasks", "{", "kitchen_tasks.jsonl, line 1: it is not JSON"),
        ("tasks", "\n[]", "line 2: it is a JSON list"),
        ("tasks", '{"id": "1", "query": "x"}', "'gold'"),
        ("tasks", '{"id": "1", "query": "x", "gold": ["nobody"]}', "'nobody'"),
        ("edges", '{"source": "boil-water", "target": "nobody"}', "'nobody'"),
        ("library", '{"id": "a"}\n{"id": "a"}', "a skill twice"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, part: str, text: str, said: str) -> None:
    """File and line, or the field or skill that is missing."""
    write(tmp_path, "kitchen_library", KITCHEN)
    write(tmp_path, "kitchen_tasks", KITCHEN_TASKS)
    (tmp_path / f"kitchen_{part}.jsonl").write_text(text)
    with pytest.raises(UsageError, match=said):
        read_set(tmp_path, "kitchen")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """A half file must not pass for a small set."""
    path = write_kitchen(tmp_path) / "kitchen_edges.jsonl.xz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UsageError, match=r"kitchen_edges\.jsonl\.xz cannot be read"):
        read_set(tmp_path, "kitchen")
