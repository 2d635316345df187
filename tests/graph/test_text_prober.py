"""The free prober against hand-computed answers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.config import EvidenceConfig
from caskg.graph.calibrate import assess
from caskg.graph.probes import collect_scores, plan_probes, probe_key
from caskg.graph.text_prober import NO_SUBSTITUTE, SILENT, TextProber, read, support
from caskg.library.mentions import names_in
from caskg.protocols import Prober
from caskg.schema import (
    PROBE_KINDS,
    Artifact,
    Parameter,
    ProbeAnswer,
    ProbeKind,
    ProbeRequest,
    Reference,
    ReferenceKind,
    ReferenceRole,
    Section,
    Skill,
    SkillFields,
)
from factories import make_skill

REMOVAL, SUBSTITUTION, REORDERING = PROBE_KINDS


def asked(source: Skill, target: Skill, substitute: Skill | None = None) -> list[float | None]:
    """Return the scores of removal, substitution and reordering."""
    requests = [
        ProbeRequest(source=source, target=target, kind=kind, substitute=substitute) for kind in PROBE_KINDS
    ]
    return [answer.score for answer in TextProber().answer(requests)]


def removal(source: Skill, target: Skill) -> float | None:
    """Return the score of the removal probe."""
    return asked(source, target)[0]


def stated(
    skill_id: str,
    *,
    outputs: Sequence[str] = (),
    effects: Sequence[str] = (),
    preconditions: Sequence[str] = (),
    recovery: Sequence[str] = (),
    references: Sequence[Reference] = (),
) -> Skill:
    """Return a skill that states these fields."""
    fields = SkillFields(
        outputs=tuple(Parameter(name=text) for text in outputs) or None,
        effects=tuple(effects) or None,
        preconditions=tuple(preconditions) or None,
        recovery=tuple(recovery) or None,
        references=tuple(references) or None,
    )
    return make_skill(skill_id, fields=fields)


def mention(
    target: str, *, kind: ReferenceKind = ReferenceKind.NAME, role: ReferenceRole = ReferenceRole.MENTION
) -> Reference:
    """Return a mention of *target*."""
    return Reference(target=target, kind=kind, evidence=f"see {target}", role=role)


COOK = make_skill("cook", outputs=["boiled egg"])
PEEL = make_skill("peel", inputs=["egg"])
SALT = make_skill("salt", inputs=["salt cellar"], outputs=["salt"])
SILENT_ONE = make_skill("silent")


class TestContract:
    """A prober like any other."""

    def test_it_is_a_prober(self) -> None:
        prober = TextProber()
        assert isinstance(prober, Prober)
        assert (prober.prober_id, prober.prompt_version) == ("text", "text-3")

    def test_an_answer_is_free_and_says_why(self) -> None:
        requests = [
            ProbeRequest(source=COOK, target=PEEL, kind=kind, substitute=SALT) for kind in PROBE_KINDS
        ]
        forward = "outputs against inputs 0.85"
        assert TextProber().answer(requests) == [
            ProbeAnswer(score=(1 + 3 * 0.85) / 4, source_id="text", transcript=forward),
            ProbeAnswer(
                score=0.5 + 0.85 / 2,
                source_id="text",
                transcript=f"{forward}; substitute: outputs against inputs 0.00",
            ),
            ProbeAnswer(
                score=0.5 + 0.85 / 2, source_id="text", transcript=f"{forward}; reversed: nothing stated"
            ),
        ]

    def test_a_missing_answer_says_why(self) -> None:
        missing = ProbeAnswer(score=None, source_id="text", missing_reason=SILENT)
        requests = [
            ProbeRequest(source=SILENT_ONE, target=PEEL, kind=kind, substitute=SALT) for kind in PROBE_KINDS
        ]
        assert TextProber().answer(requests) == [missing] * 3

    def test_a_substitution_without_a_substitute_is_missing(self) -> None:
        (answer,) = TextProber().answer([ProbeRequest(source=COOK, target=PEEL, kind=SUBSTITUTION)])
        assert answer == ProbeAnswer(score=None, source_id="text", missing_reason=NO_SUBSTITUTE)

    def test_its_answers_are_one_opinion_of_the_text_source(self) -> None:
        """Collected and assessed as such: loud as they are, the edge stays uncertain."""
        edge = np.array([0]), np.array([1])
        boil = make_skill("boil", outputs=["egg"])
        skills = [boil, PEEL, SALT]
        plan = plan_probes(*edge, skills=skills, substitutes=np.array([2]))
        prober = TextProber()
        answers = dict(zip((probe_key(each, prober) for each in plan), prober.answer(plan), strict=True))
        hashes = [skill.content_hash for skill in skills]
        scores = collect_scores(answers, source=edge[0], target=edge[1], hashes=hashes)
        result = assess(scores, labels=np.zeros(1, dtype=np.int8), config=EvidenceConfig())
        assert result.text_only.tolist() == [True]
        assert result.value == pytest.approx([2 / 3])

    def test_nothing_asked_nothing_answered(self) -> None:
        assert TextProber().answer([]) == []


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5), st.sampled_from(PROBE_KINDS)))
)
def test_no_answer_depends_on_the_other_requests(drawn: list[tuple[int, int, int, ProbeKind]]) -> None:
    """Neither on which, nor on their order: the answer is kept under these texts alone."""
    prose = make_skill("prose", "Run `cook` first. Not for shells: use `peel` instead.")
    skills = [COOK, PEEL, SALT, SILENT_ONE, prose, replace(COOK, id="other/cook", name="other")]
    requests = [
        ProbeRequest(source=skills[i], target=skills[j], kind=kind, substitute=skills[x])
        for i, j, x, kind in drawn
    ]
    alone = [TextProber().answer([request])[0] for request in requests]
    assert TextProber().answer(requests) == alone
    assert TextProber().answer(requests[::-1]) == alone[::-1]


def test_it_knows_of_which_edges_it_has_nothing_to_say() -> None:
    """There, and only there, no probe has an answer, whatever the substitute: nobody need ask."""
    prose = make_skill("prose", "Run `cook` first. Not for shells: use `peel` instead.")
    skills, prober = [COOK, PEEL, SALT, SILENT_ONE, prose], TextProber()
    edges = [(i, j) for i in skills for j in skills if i is not j]
    said = [
        [
            answer.score is not None
            for answer in prober.answer(
                [ProbeRequest(source=i, target=j, kind=kind, substitute=SALT) for kind in PROBE_KINDS]
            )
        ]
        for i, j in edges
    ]
    assert prober.has_evidence(edges).tolist() == [any(each) for each in said]
    assert {any(each) for each in said} == {True, False}
    assert prober.has_evidence([]).tolist() == []


def handing(name: str, **files: str) -> Skill:
    """Return a skill that writes or reads a file."""
    artifacts = {kind: (Artifact(path=path, evidence=""),) for kind, path in files.items()}
    return make_skill(name, fields=SkillFields(**artifacts))  # type: ignore[arg-type]  # a test's shorthand


def test_a_file_that_is_handed_over_is_full_support() -> None:
    """And nothing where the paths differ, or the other way round."""
    gives, takes = handing("a", writes="x/log.md"), handing("b", reads="x/log.md")
    assert asked(gives, takes, SALT) == [1.0, 1.0, 1.0]
    assert removal(gives, handing("b", reads="y/log.md")) is None
    assert removal(takes, gives) is None


def test_what_is_used_comes_before() -> None:
    """To make the chart with x is as good as to run x first; a plain mention is half of it."""
    assert removal(COOK, make_skill("b", body="Boil it using the `cook` skill.")) == 1.0
    assert removal(COOK, make_skill("b", body="See the `cook` skill.")) == 0.625


class TestScores:
    """From supports to answers, worked by hand."""

    def test_a_full_support_speaks_for_the_edge_three_times(self) -> None:
        boil = make_skill("boil", outputs=["egg"])
        assert asked(boil, PEEL, SALT) == [1.0, 1.0, 1.0]

    def test_a_need_that_is_not_met_speaks_against_at_removal_only(self) -> None:
        """Half as loudly as a full support speaks for it; nobody else does better, in no order."""
        assert asked(SALT, PEEL, SALT) == [0.25, 0.5, 0.5]

    def test_a_third_of_support_is_neutral(self) -> None:
        """One token of three on either side: affinity 1/3."""
        warm = stated("warm", effects=["oven glows red"])
        bake = stated("bake", preconditions=["oven stands ready"])
        assert removal(warm, bake) == pytest.approx(0.5)

    def test_a_substitute_that_does_as_well_is_no_loss(self) -> None:
        assert asked(COOK, PEEL, COOK)[1] == 0.5

    def test_a_substitute_that_does_better_speaks_against(self) -> None:
        boil = make_skill("boil", outputs=["egg"])
        assert asked(COOK, PEEL, boil)[1] == pytest.approx(0.5 - 0.15 / 2)

    def test_what_a_silent_substitute_does_not_state_it_does_not_give(self) -> None:
        assert asked(COOK, PEEL, SILENT_ONE)[1] == pytest.approx(0.925)

    def test_a_silent_source_cannot_be_compared_with_a_substitute(self) -> None:
        """Cannot tell is missing, never 0.5."""
        assert asked(SILENT_ONE, PEEL, COOK)[1] is None

    def test_support_the_other_way_speaks_against_the_order_alone(self) -> None:
        """Peel states nothing that cook needs: removal and substitution cannot be told."""
        assert asked(PEEL, COOK, SALT) == [None, None, pytest.approx(0.5 - 0.85 / 2)]

    def test_support_both_ways_says_nothing_of_the_order(self) -> None:
        one = make_skill("one", inputs=["tea"], outputs=["tea"])
        other = make_skill("other", inputs=["tea"], outputs=["tea"])
        assert asked(one, other, SALT) == [1.0, 1.0, 0.5]


class TestOutputsAgainstInputs:
    """Whole tokens: 1 equal, .85 contained, at least .5 shared, else 0."""

    @pytest.mark.parametrize(
        ("outputs", "inputs", "expected"),
        [
            (["egg"], ["egg"], 1.0),
            (["Boiled eggs"], ["boiled_egg"], 1.0),  # the one tokenizer
            (["boiled egg"], ["egg"], 0.85),
            (["egg"], ["boiled egg"], 0.85),
            (["boiled egg"], ["raw egg"], 0.5),
            (["soft boiled egg yolk"], ["soft boiled egg white"], 0.6),  # Jaccard 3/5
            (["text"], ["context"], 0.0),  # trap 5: no substrings
            (["salt", "boiled egg"], ["spoon", "egg"], 0.85),  # the best pair
        ],
    )
    def test_worked_examples(self, outputs: list[str], inputs: list[str], expected: float) -> None:
        giver, taker = make_skill("giver", outputs=outputs), make_skill("taker", inputs=inputs)
        assert removal(giver, taker) == pytest.approx((1 + 3 * expected) / 4)

    def test_it_is_directed(self) -> None:
        """Trap 5: the inputs of the source and the outputs of the target play no part."""
        assert removal(PEEL, COOK) is None

    def test_a_name_without_a_token_states_nothing(self) -> None:
        assert removal(make_skill("giver", outputs=["the", "--"]), PEEL) is None


class TestEffectsAgainstPreconditions:
    """What a skill gives, outputs and effects, against what the other presupposes."""

    def test_the_best_affinity_counts(self) -> None:
        """Shared 2 of 2 and 4 tokens: 2 / sqrt(8)."""
        wash = stated("wash", effects=["floor dry", "jar clean"])
        fill = stated("fill", preconditions=["glass jar washed clean", "nobody home"])
        assert removal(wash, fill) == pytest.approx((1 + 3 * 2 / 8**0.5) / 4)

    def test_outputs_count_as_effects(self) -> None:
        wash = stated("wash", outputs=["clean jar"])
        fill = stated("fill", preconditions=["jar clean"])
        assert removal(wash, fill) == 1.0

    def test_nothing_in_common_speaks_against(self) -> None:
        assert (
            removal(stated("wash", effects=["clean jar"]), stated("bake", preconditions=["hot oven"])) == 0.25
        )

    def test_the_better_of_two_statements_counts(self) -> None:
        """Outputs do not fit the inputs, but the effect meets the precondition."""
        giver = make_skill(
            "giver", fields=SkillFields(outputs=(Parameter(name="salt"),), effects=("oven hot",))
        )
        taker = make_skill(
            "taker", fields=SkillFields(inputs=(Parameter(name="egg"),), preconditions=("oven hot",))
        )
        assert removal(giver, taker) == 1.0
        assert support(read(giver, known=()), read(taker, known=())).reason == "effects against preconditions"


class TestRecovery:
    """A recovery that repeats what the source gives."""

    def test_it_supports_by_half(self) -> None:
        sharpen = stated("sharpen", outputs=["sharp knife"])
        for told in ("If it tears, get a very sharp knife.", "Sharp knife!"):
            assert removal(sharpen, stated("slice", recovery=[told])) == (1 + 3 * 0.5) / 4

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ("knife", "Get another knife."),  # one word is no match
            ("sharp knife", "Get another knife."),  # all of its words must be there
        ],
    )
    def test_without_a_match_it_states_nothing(self, given: str, told: str) -> None:
        """A recovery about something else is no need that goes unmet."""
        assert removal(stated("sharpen", outputs=[given]), stated("slice", recovery=[told])) is None


class TestMentions:
    """By words: an order, an alternative, or neither."""

    NEED, NEXT = ReferenceRole.NEED, ReferenceRole.NEXT

    @pytest.mark.parametrize(
        "reference",
        [
            mention("wash", role=NEED),
            mention("wash", kind=ReferenceKind.LINK, role=NEED),
            mention("wash", kind=ReferenceKind.DECLARED),
        ],
    )
    def test_a_need_is_a_full_support(self, reference: Reference) -> None:
        """And the other way round nothing is stated."""
        wash, cook = stated("wash"), stated("cook", references=[reference])
        assert asked(wash, cook, SALT) == [1.0, 1.0, 1.0]
        assert asked(cook, wash, SALT) == [None, None, 0.0]

    def test_what_comes_next_is_supported_by_the_one_who_says_it(self) -> None:
        wash, cook = stated("wash", references=[mention("cook", role=self.NEXT)]), stated("cook")
        assert asked(wash, cook, SALT) == [1.0, 1.0, 1.0]
        assert asked(cook, wash, SALT) == [None, None, 0.0]

    @pytest.mark.parametrize("kind", [ReferenceKind.LINK, ReferenceKind.NAME])
    def test_a_mention_without_an_order_is_half_a_support(self, kind: ReferenceKind) -> None:
        wash, cook = stated("wash"), stated("cook", references=[mention("wash", kind=kind)])
        assert asked(wash, cook, SALT) == [0.625, 0.75, 0.75]

    def test_a_better_statement_goes_before_a_mention(self) -> None:
        peel = make_skill(
            "peel",
            fields=SkillFields(inputs=(Parameter(name="egg"),), references=(mention("cook"),)),
        )
        assert removal(COOK, peel) == pytest.approx((1 + 3 * 0.85) / 4)

    def test_an_alternative_speaks_against_in_both_directions(self) -> None:
        """T9: "not for X, use Y" is never a need, whatever inputs and outputs say."""
        contrast = mention("cook", kind=ReferenceKind.CONTRAST)
        fry = make_skill(
            "fry", fields=SkillFields(inputs=(Parameter(name="boiled egg"),), references=(contrast,))
        )
        assert asked(COOK, fry, SALT) == [0.25, 0.5, 0.5]
        assert asked(fry, COOK, SALT) == [0.25, 0.5, 0.5]

    def test_an_alternative_goes_before_a_mention_and_after_an_order(self) -> None:
        contrast = mention("wash", kind=ReferenceKind.CONTRAST)
        wash = stated("wash")
        assert removal(wash, stated("cook", references=[mention("wash"), contrast])) == 0.25
        assert removal(wash, stated("cook", references=[contrast, mention("wash", role=self.NEED)])) == 1.0

    def test_a_mention_of_another_skill_says_nothing(self) -> None:
        assert removal(stated("wash"), stated("cook", references=[mention("dry", role=self.NEED)])) is None

    @pytest.mark.parametrize(
        "target",
        [
            "wash-hands",
            "Wash-Hands",
            "../wash-hands",
            "../wash-hands/",
            "../wash-hands/SKILL.md",
            "../wash-hands/soap.md",
            "somewhere/else/wash-hands/SKILL.md",
        ],
    )
    def test_a_skill_is_known_by_its_name_and_by_a_path_that_ends_in_it(self, target: str) -> None:
        """Not by its own folder: the answer is kept under texts, and a folder is no text."""
        wash = make_skill("home/kitchen-hygiene", name="wash-hands")
        cook = stated("home/cook", references=[mention(target, kind=ReferenceKind.LINK, role=self.NEED)])
        assert removal(wash, cook) == 1.0

    @pytest.mark.parametrize(
        "target", ["kitchen-hygiene", "../kitchen-hygiene/SKILL.md", "../SKILL.md", ".."]
    )
    def test_no_answer_depends_on_a_folder(self, target: str) -> None:
        """Copies of one text in two folders share their answers; ids and folders renamed change nothing."""
        cook = stated("home/cook", references=[mention(target, kind=ReferenceKind.LINK, role=self.NEED)])
        for folder in ("home/kitchen-hygiene", "home", "elsewhere"):
            assert removal(make_skill(folder, name="wash-hands"), cook) is None

    def test_a_mark_without_a_name_means_nobody(self) -> None:
        nameless = make_skill("", name="**")
        assert removal(nameless, stated("cook", references=[mention("``", role=self.NEED)])) is None

    @pytest.mark.parametrize("target", ["hygiene", "home", "wash", "../kitchen-hygiene/deep/er"])
    def test_a_part_of_its_name_is_not_enough(self, target: str) -> None:
        wash = make_skill("home/kitchen-hygiene", name="wash-hands")
        cook = stated("home/cook", references=[mention(target, kind=ReferenceKind.LINK, role=self.NEED)])
        assert removal(wash, cook) is None

    def test_names_are_found_in_the_prose(self) -> None:
        """In the description and in every section; the words around say what the mention means."""
        wash = make_skill("wash-hands")
        described = make_skill("cook", "Cooks. Run `wash-hands` first.")
        in_section = replace(
            make_skill("cook"), sections=(Section(title="Next", level=2, text="Then run `wash-hands`."),)
        )
        assert removal(wash, described) == 1.0
        assert asked(in_section, wash, SALT)[0] == 1.0

    def test_the_title_of_a_section_is_read_with_it(self) -> None:
        """Its topic too: under "Prerequisites" a bare name is a need."""
        wash = make_skill("wash-hands")
        section = Section(title="Prerequisites", level=2, text="- `wash-hands`")
        cook = replace(make_skill("cook"), sections=(Section(title="Cook", level=1, text=""), section))
        titled = replace(
            make_skill("cook"), sections=(Section(title="After `wash-hands`", level=2, text=""),)
        )
        assert removal(wash, cook) == 1.0
        assert removal(wash, titled) == 1.0


class TestRenaming:
    """Names and ids count only where a document mentions them."""

    def test_ids_and_folders_renamed_change_nothing(self) -> None:
        """The text untouched, mentions by name included."""
        cook = stated("cook", references=[mention("wash", role=ReferenceRole.NEED)])
        skills = [COOK, PEEL, SALT, stated("wash"), cook]
        renamed = [replace(skill, id=f"x{k}/y{k}") for k, skill in enumerate(skills)]
        pairs = [(i, j) for i in range(5) for j in range(5) if i != j]
        assert [asked(renamed[i], renamed[j], renamed[2]) for i, j in pairs] == [
            asked(skills[i], skills[j], skills[2]) for i, j in pairs
        ]

    def test_a_common_beginning_of_names_draws_nothing_together(self) -> None:
        assert asked(make_skill("acme-wash"), make_skill("acme-cook"), SALT) == [None, None, None]


def test_names_found_before_are_not_looked_for_again() -> None:
    """What another search found counts as if it were found here, for the names that are asked about."""
    kettle, tea = make_skill("kettle-fill"), make_skill("tea-brew", body="Run `kettle-fill` first.")
    request = ProbeRequest(source=kettle, target=tea, kind=REMOVAL)
    found = names_in(tea, known={"kettle-fill", "cup-wash"})
    others = make_skill("x", body="Run `cup-wash` and `kettle-fill` first.")
    more = names_in(others, known={"kettle-fill", "cup-wash"})
    assert [key for key, _ in more] == ["cup-wash", "kettle-fill"]
    alone = TextProber().answer([request])
    assert alone[0].score == 1.0
    assert TextProber(names={tea.content_hash: found}).answer([request]) == alone
    assert TextProber(names={tea.content_hash: more}).answer([request]) == alone
    assert TextProber(names={tea.content_hash: more[:1]}).answer([request])[0].score is None
    assert read(tea, known={"kettle-fill"}, found=more).before == {"kettle-fill"}
