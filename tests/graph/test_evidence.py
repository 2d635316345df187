"""The words behind an edge."""

from caskg.graph.evidence import Evidence, edge_evidence
from caskg.schema import Artifact, Parameter, Skill, SkillFields
from factories import make_skill


def skill(name: str, description: str = "", **fields: tuple[object, ...]) -> Skill:
    return make_skill(name, description, fields=SkillFields(**fields))  # type: ignore[arg-type]  # a test's shorthand


def told(source: Skill, target: Skill, **signals: float) -> list[tuple[str, str, str]]:
    return [(e.signal, e.source, e.target) for e in edge_evidence(source, target, signals)]


def test_the_best_match_of_outputs_and_inputs_is_shown() -> None:
    """With what the documents say about them."""
    gives = skill("a", outputs=(Parameter(name="amber"), Parameter(name="cedar log", description="dry")))
    takes = skill("b", inputs=(Parameter(name="cedar"), Parameter(name="cedar log", description="long")))
    assert told(gives, takes, io=1.0) == [("io", "cedar log: dry", "cedar log: long")]
    assert told(gives, takes, io=0.0) == []
    assert told(gives, takes, semantic=1.0) == []


def test_a_name_stands_for_outputs_that_are_not_stated() -> None:
    """As the signal takes it."""
    takes = skill("b", inputs=(Parameter(name="cedar"),))
    assert told(skill("cut-cedar"), takes, io=0.85) == [("io", "cut-cedar", "cedar")]


def test_a_file_goes_before_names() -> None:
    """It says more."""
    gives = skill(
        "a", writes=(Artifact(path="x/y.md", evidence="Save x/y.md."),), outputs=(Parameter(name="u"),)
    )
    takes = skill(
        "b", reads=(Artifact(path="x/y.md", evidence="Read x/y.md."),), inputs=(Parameter(name="u"),)
    )
    assert told(gives, takes, io=1.0) == [("io", "Save x/y.md.", "Read x/y.md.")]


def test_an_enabler_gives_what_is_presupposed() -> None:
    """Outputs and effects against preconditions; the longer overlap wins."""
    gives = skill("a", outputs=(Parameter(name="amber"),), effects=("cedar basin is full",))
    takes = skill("b", preconditions=("the cedar basin is full", "amber"))
    assert told(gives, takes, enabler=0.9) == [("enabler", "amber", "amber")]
    less = skill("b", preconditions=("the cedar basin is full",))
    assert told(gives, less, enabler=0.9) == [("enabler", "cedar basin is full", "the cedar basin is full")]


def test_what_is_given_and_taken_is_shown_where_meanings_match() -> None:
    """Once, under the signal that says more; the description speaks where no output is stated."""
    gives = skill("a", outputs=(Parameter(name="amber"), Parameter(name="log", description="dry")))
    takes = skill("b", inputs=(Parameter(name="resin"), Parameter(name="wood", description="to burn")))
    said = ("gives: amber; log: dry", "takes: resin; wood: to burn")
    assert told(gives, takes, meaning=0.6, provider=0.0) == [("meaning", *said)]
    assert told(gives, takes, meaning=0.6, provider=0.5) == [("provider", *said)]
    assert told(gives, make_skill("b"), meaning=0.1) == [("meaning", said[0], "takes: nothing stated")]
    assert told(skill("a", "Cuts trees."), takes, provider=0.5) == [
        ("provider", "gives: Cuts trees.", said[1])
    ]


def test_a_workflow_shows_the_sentences_with_the_verbs() -> None:
    """Of the name, else of the description."""
    find = skill("shells", "All about shells. Finds them on the beach.")
    store = skill("archive-shells", "Puts them in a box.")
    assert told(find, store, structural=0.78) == [
        ("structural", "find: Finds them on the beach.", "store: archive-shells")
    ]


def test_evidence_is_bounded_and_comes_in_a_fixed_order() -> None:
    """A stranger's sentence may be long."""
    gives = skill("find-a", outputs=(Parameter(name="cedar", description="x" * 400),))
    takes = skill("store-a", inputs=(Parameter(name="cedar"),))
    first, second = edge_evidence(gives, takes, {"structural": 0.78, "io": 1.0})
    assert (first.signal, len(first.source), second.signal) == ("io", 300, "structural")
    assert isinstance(first, Evidence)
