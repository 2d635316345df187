"""The whole build: what names and order must not change, what answers and labels do, what is kept."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from builds import CountingEncoder, ScriptedProber, built, by_content, fitted, pairs, world
from caskg.config import BuildConfig, build_config, retrieve_config
from caskg.errors import ProbeError
from caskg.graph.frontier import select_frontier
from caskg.graph.text_prober import TextProber
from caskg.pipeline import build
from caskg.protocols import Encoder
from caskg.providers.local import MiniLmEncoder
from caskg.published import Build
from caskg.retrieval.retriever import GraphRetriever
from caskg.schema import (
    CHANNELS,
    EDGE_STATES,
    PROBE_KINDS,
    Channel,
    EdgeState,
    Label,
    LabelSource,
    ProbeAnswer,
    ProbeKind,
    ProbeRequest,
    Ranking,
    Reference,
    ReferenceKind,
    SkillLibrary,
    Verdict,
)
from caskg.store.workspace import Workspace

PROFILES = pytest.mark.parametrize("profile", ["paper", "default"])
CONFIRMED, UNCERTAIN, REJECTED, UNVALIDATED = EDGE_STATES
QUERIES = ("find the seed list of village 8", "archive a bridge survey", "run skill-05", "ferry bill draft")


def sparse(profile: str) -> BuildConfig:
    """Return a profile in which a small world is no complete graph, so that skills are left to substitute."""
    config = build_config(profile)
    return replace(config, recall=replace(config.recall, total=4))


def with_budget(profile: str, budget: int) -> BuildConfig:
    """Return a profile in which exactly the best *budget* edges are probed."""
    config = sparse(profile)
    return replace(config, frontier=replace(config.frontier, budget=budget, probe_all=False))


def edited(library: SkillLibrary, at: int, description: str) -> SkillLibrary:
    """Return the library with another description at one position."""
    skills = list(library.skills)
    skills[at] = replace(skills[at], description=description, content_hash=f"{at:032x}")
    return SkillLibrary(skills=tuple(skills))


def state(result: Build, edge: tuple[int, int]) -> EdgeState:
    """Return the state of a candidate."""
    return EDGE_STATES[int(result.reliability.states[pairs(result.candidates).index(edge)])]


# ---------------------------------------------------------------- laws


def retrieved(library: SkillLibrary, result: Build, config: BuildConfig) -> list[Ranking]:
    retriever = GraphRetriever(
        skills=library.skills,
        ids=[skill.id for skill in library.skills],
        index=result.index,
        graph=result.graph,
        encoder=fitted(library, config),
        config=retrieve_config(config.profile),
    )
    return [retriever.retrieve(query) for query in QUERIES]


def moved() -> SkillLibrary:
    """Return the same skills under ids that sort the other way round."""
    return world(skill_id=lambda at: f"moved/{99 - at}")


def shuffled() -> SkillLibrary:
    """Return the same skills in another order."""
    return SkillLibrary(skills=tuple(random.Random(7).sample(world().skills, 42)))


@PROFILES
@pytest.mark.parametrize("other", [moved(), shuffled()], ids=["moved", "shuffled"])
def test_neither_ids_nor_the_order_of_skills_change_anything(
    profile: str, other: SkillLibrary, tmp_path: Path
) -> None:
    """Renaming law (a) of method.md, Section 8: the same graph, the same answers to queries."""
    config, library = build_config(profile), world()
    assert other.skills[0].name != library.skills[0].name
    first = built(library, tmp_path / "first", config=config)
    second = built(other, tmp_path / "second", config=config)
    assert by_content(first.candidates, library) == by_content(second.candidates, other)
    assert by_content(first.graph, library) == by_content(second.graph, other)
    assert len(first.graph) > 200
    rankings = zip(retrieved(library, first, config), retrieved(other, second, config), strict=True)
    for one, two in rankings:
        assert [ranked.skill.name for ranked in one.skills] == [ranked.skill.name for ranked in two.skills]
        assert [ranked.score for ranked in one.skills] == pytest.approx([each.score for each in two.skills])
        assert one.sufficiency == pytest.approx(two.sufficiency)
        assert len(one.skills) == 8


@PROFILES
def test_names_left_out_of_the_texts_may_be_replaced(profile: str, tmp_path: Path) -> None:
    """Renaming law (b): replaced wherever they are mentioned; "find" and "read" are verbs of roles."""
    config = build_config(profile)
    config = replace(config, signals=replace(config.signals, names_in_text=False))
    library, other = world(), world(name=lambda at: f"find-{99 - at}-read")
    first = built(library, tmp_path / "first", config=config).graph
    second = built(other, tmp_path / "second", config=config).graph
    for name in ("source", "target", "weight", "association", "reliability", "types", "states"):
        assert getattr(first, name).tolist() == getattr(second, name).tolist(), name
    assert len(first) > 200


def rise_within(
    half: set[int], folder: Path, *, config: BuildConfig, encoder: Encoder | None = None
) -> float:
    """Return by how much the share of published edges in *half* rises when its names get a common prefix."""
    shares = []
    prefixed = world(name=lambda at: f"{'acme-corp-' if at in half else ''}skill-{at:02d}")
    for number, library in enumerate((world(), prefixed)):
        graph = built(library, folder / f"{number}", config=config, encoder=encoder).graph
        shares.append(np.mean([i in half and j in half for i, j in pairs(graph)]))
    return float(shares[1] - shares[0])


@PROFILES
def test_a_common_prefix_does_not_draw_skills_together(profile: str, tmp_path: Path) -> None:
    """Renaming law (c): the share of edges within the half does not rise."""
    config = build_config(profile)
    naive = replace(config, signals=replace(config.signals, family_size=43))
    for seed in range(3):
        half = set(random.Random(seed).sample(range(42), 21))
        assert rise_within(half, tmp_path / f"{seed}", config=config) <= 0.0
    assert rise_within(half, tmp_path / "naive", config=naive) > 0.07


def test_nor_does_it_with_the_local_encoder(tmp_path: Path) -> None:
    """A language model reads a prefix as a meaning."""
    half = set(random.Random(5).sample(range(42), 21))
    assert rise_within(half, tmp_path, config=build_config(), encoder=MiniLmEncoder()) <= 0.0


# ---------------------------------------------------------------- missing answers


def loud(_request: ProbeRequest) -> float:
    return 1.0


def two_of_three(request: ProbeRequest) -> float | None:
    return dict(zip(PROBE_KINDS, (0.9, None, 0.3), strict=True))[request.kind]


@PROFILES
def test_a_missing_answer_changes_no_weight(profile: str, tmp_path: Path) -> None:
    """Masses .8 for and .4 against, of two answers: the substitution is as if it had not been asked."""
    result = built(world(12), tmp_path, config=sparse(profile), prober=ScriptedProber(two_of_three))
    assert result.reliability.support == pytest.approx(0.8)
    assert result.reliability.against == pytest.approx(0.4)
    c = 1.8 / 3.2
    association = result.graph.association
    strength = np.maximum(association, c) if profile == "paper" else (2.0 * association + 1.2 * c) / 3.2
    assert result.graph.weight == pytest.approx(0.55 * strength)
    assert len(result.graph) == len(result.candidates) > 40


@PROFILES
def test_a_source_that_never_answers_changes_nothing(profile: str, tmp_path: Path) -> None:
    """All missing is no opinion, not a second one."""
    library, config = world(12), sparse(profile)
    silent = ScriptedProber(lambda _: None)
    first = built(library, tmp_path, config=config)
    second = built(library, tmp_path, config=config, prober=silent)
    assert silent.asked
    assert by_content(first.graph, library) == by_content(second.graph, library)
    assert first.reliability.value.tolist() == second.reliability.value.tolist()
    assert first.reliability.text_only.tolist() == second.reliability.text_only.tolist()


@PROFILES
def test_an_edge_without_any_answer_weighs_as_if_it_were_not_in_the_frontier(
    profile: str, tmp_path: Path
) -> None:
    """The last edge of the frontier, unanswered or left out: unvalidated, never 0.5."""
    library, config = world(12), with_budget(profile, 20)
    within = built(library, tmp_path / "all", config=config, prober=ScriptedProber(loud))
    last = select_frontier(within.candidates, budget=20, tie_break=within.index.tie_break)[-1]
    ends = [library.skills[end[last]].id for end in (within.candidates.source, within.candidates.target)]

    def but_the_last(score: float | None) -> ScriptedProber:
        return ScriptedProber(lambda asked: score if [asked.source.id, asked.target.id] == ends else 1.0)

    unanswered = built(library, tmp_path / "missing", config=config, prober=but_the_last(None))
    outside = built(library, tmp_path / "out", config=with_budget(profile, 19), prober=ScriptedProber(loud))
    assert by_content(unanswered.graph, library) == by_content(outside.graph, library)
    assert unanswered.reliability.states.tolist() == outside.reliability.states.tolist()
    assert unanswered.reliability.states[last] == EDGE_STATES.index(UNVALIDATED)
    halfway = built(library, tmp_path / "half", config=config, prober=but_the_last(0.5))
    assert by_content(halfway.graph, library) != by_content(outside.graph, library)


@PROFILES
def test_copies_of_a_skill_do_not_widen_the_frontier(profile: str, tmp_path: Path) -> None:
    """The budget counts edges: an edge outside F stays unvalidated, though its texts were asked about."""
    skills = world(12).skills
    library = SkillLibrary(skills=(*skills, *(replace(skill, id=f"copy/{skill.id}") for skill in skills)))
    result = built(library, tmp_path, config=with_budget(profile, 7), prober=ScriptedProber(loud))
    assert np.sum(result.reliability.states != EDGE_STATES.index(UNVALIDATED)) == 7


@PROFILES
def test_a_substitute_is_no_neighbour_of_the_target(profile: str, tmp_path: Path) -> None:
    """Neither in nor outside the frontier: it must be unrelated."""
    library, prober = world(12), ScriptedProber(loud)
    result = built(library, tmp_path, config=with_budget(profile, 20), prober=prober)
    asked = [each for each in prober.asked if each.substitute]
    assert len(asked) == 20
    linked = {frozenset((library.skills[i].id, library.skills[j].id)) for i, j in pairs(result.candidates)}
    for each in asked:
        assert each.substitute is not None
        assert frozenset((each.substitute.id, each.target.id)) not in linked


# ---------------------------------------------------------------- thresholds and labels


def test_the_text_prober_alone_confirms_and_rejects_nothing_by_default(tmp_path: Path) -> None:
    """One scorer read three times is one opinion, however loud; in `paper` it counts three times."""
    library = world()
    ours = built(library, tmp_path / "default").reliability
    assert {EDGE_STATES[at] for at in ours.states.tolist()} == {UNCERTAIN, UNVALIDATED}
    assert (ours.value.min(), ours.value.max()) == pytest.approx((1 / 3, 2 / 3))
    theirs = built(library, tmp_path / "paper", config=build_config("paper")).reliability
    assert theirs.value.max() == pytest.approx(0.8)
    assert EDGE_STATES.index(CONFIRMED) in theirs.states


def test_three_loud_answers_of_separate_prompts_confirm_and_reject(tmp_path: Path) -> None:
    """Three units of evidence pass the thresholds of `default`; one does not."""
    library = world(12)
    upward = ScriptedProber(lambda asked: float(asked.source.id < asked.target.id))
    result = built(library, tmp_path / "three", config=sparse("default"), prober=upward)
    for row, (i, j) in enumerate(pairs(result.candidates)):
        assert state(result, (i, j)) == (CONFIRMED if i < j else REJECTED)
        assert result.reliability.value[row] == pytest.approx(0.8 if i < j else 0.2)
    assert pairs(result.graph) == [(i, j) for i, j in pairs(result.candidates) if i < j]
    assert result.graph.weight == pytest.approx(0.4 * result.graph.association + 0.6 * 0.8)
    once = ScriptedProber(lambda asked: 1.0 if asked.kind is ProbeKind.REMOVAL else None)
    reliability = built(library, tmp_path / "one", config=sparse("default"), prober=once).reliability
    assert reliability.value == pytest.approx(2 / 3)
    assert set(reliability.states.tolist()) == {EDGE_STATES.index(UNCERTAIN)}


def test_the_evidence_of_several_sources_adds_up(tmp_path: Path) -> None:
    """What another prober answered in an earlier build still counts: six units for the edge."""
    for prober_id in ("one", "two"):
        prober = ScriptedProber(loud, prober_id=prober_id)
        result = built(world(12), tmp_path, config=sparse("default"), prober=prober)
    assert result.reliability.value == pytest.approx(7 / 8)


def label(library: SkillLibrary, edge: tuple[int, int], verdict: Verdict = Verdict.CONFIRM) -> Label:
    """Return what a person says of an edge."""
    source, target = (library.skills[end] for end in edge)
    return Label(
        source=source.id,
        target=target.id,
        verdict=verdict,
        given_by=LabelSource.PERSON,
        source_hash=source.content_hash,
        target_hash=target.content_hash,
    )


def say(folder: Path, said: Label) -> None:
    with Workspace.open_or_create(folder) as workspace:
        workspace.ledger.set_label(said)


@PROFILES
def test_a_persons_label_decides_until_it_is_cleared(profile: str, tmp_path: Path) -> None:
    """Confirm, reject, clear: each with a rebuild, whatever the probes say."""
    library, config = world(12), sparse(profile)
    before = built(library, tmp_path, config=config)
    edge = pairs(before.graph)[7]
    association = before.graph.association[7]

    say(tmp_path, label(library, edge))
    confirmed = built(library, tmp_path, config=config)
    assert state(confirmed, edge) == CONFIRMED
    strength = max(association, 0.8) if profile == "paper" else 0.4 * association + 0.6 * 0.8
    assert confirmed.graph.weight[pairs(confirmed.graph).index(edge)] == pytest.approx(strength)

    say(tmp_path, label(library, edge, Verdict.REJECT))
    rejected = built(library, tmp_path, config=config)
    assert state(rejected, edge) == REJECTED
    assert edge not in pairs(rejected.graph)

    with Workspace.open(tmp_path) as workspace:
        assert workspace.ledger.clear_label(library.skills[edge[0]].id, library.skills[edge[1]].id) == 1
    assert by_content(built(library, tmp_path, config=config).graph, library) == by_content(
        before.graph, library
    )


@PROFILES
def test_a_label_makes_any_pair_a_candidate(profile: str, tmp_path: Path) -> None:
    """What a person knows need not be visible in the texts."""
    library, config = world(42), build_config(profile)
    before = built(library, tmp_path, config=config)
    edge = next(
        (i, j) for i in range(42) for j in range(42) if i != j and (i, j) not in pairs(before.candidates)
    )
    say(tmp_path, label(library, edge))
    after = built(library, tmp_path, config=config)
    row = pairs(after.candidates).index(edge)
    assert after.candidates.channels[row] == 1 << CHANNELS.index(Channel.LABEL)
    assert state(after, edge) == CONFIRMED
    assert edge in pairs(after.graph)


def test_a_label_outlives_its_texts_and_waits_for_its_skills(tmp_path: Path) -> None:
    """An edit keeps it; where a skill is gone it does nothing, until the skill is back."""
    library = world(12)
    say(tmp_path, label(library, (3, 8)))
    assert state(built(edited(library, 3, "fetch the tide table anew"), tmp_path), (3, 8)) == CONFIRMED
    for gone in (3, 8):
        without = SkillLibrary(skills=library.skills[:gone] + library.skills[gone + 1 :])
        assert EDGE_STATES.index(CONFIRMED) not in built(without, tmp_path).reliability.states
    assert state(built(library, tmp_path), (3, 8)) == CONFIRMED


def declaring(library: SkillLibrary) -> SkillLibrary:
    """Return the library in which the author of skill 8 declares that it requires skill 3."""
    skills = list(library.skills)
    declared = Reference(target="skill-03", kind=ReferenceKind.DECLARED, evidence="caskg-requires: skill-03")
    skills[8] = replace(skills[8], fields=replace(skills[8].fields, references=(declared,)))
    return SkillLibrary(skills=tuple(skills))


@PROFILES
def test_an_authors_declaration_is_a_label_and_a_persons_goes_before_it(profile: str, tmp_path: Path) -> None:
    """`metadata: caskg-requires` confirms the edge into its skill as long as it stands there."""
    library, config = declaring(world(12)), sparse(profile)
    assert state(built(library, tmp_path, config=config), (3, 8)) == CONFIRMED
    with Workspace.open(tmp_path) as workspace:
        (given,) = workspace.ledger.labels()
    confirmed = label(library, (3, 8))
    assert given == replace(confirmed, given_by=LabelSource.AUTHOR, note="caskg-requires: skill-03")
    say(tmp_path, label(library, (3, 8), Verdict.REJECT))
    assert state(built(library, tmp_path, config=config), (3, 8)) == REJECTED
    built(world(12), tmp_path, config=config)
    with Workspace.open(tmp_path) as workspace:
        assert [each.given_by for each in workspace.ledger.labels()] == [LabelSource.PERSON]


# ---------------------------------------------------------------- what is kept between builds


def edges_asked(prober: ScriptedProber) -> list[tuple[str, str]]:
    """Return the ends of each request, by content."""
    return [(asked.source.content_hash, asked.target.content_hash) for asked in prober.asked]


@PROFILES
def test_a_second_build_encodes_and_asks_nothing(profile: str, tmp_path: Path) -> None:
    """Each text is encoded once, each edge of F gets its three probes once: the workspace keeps them."""
    library, config = world(12), sparse(profile)
    encoder, prober = CountingEncoder(fitted(library, config)), ScriptedProber(loud)
    first = built(library, tmp_path, config=config, encoder=encoder, prober=prober)
    parameters = 2 * (profile == "default")  # two drafts, taken and given by many
    own = 24  # without and with the family of its name
    assert len(encoder.texts) == len(set(encoder.texts)) == own + parameters
    assert Counter(edges_asked(prober)) == dict.fromkeys(by_content(first.candidates, library), 3)
    encoder, prober = CountingEncoder(encoder.encoder), ScriptedProber(loud)
    second = built(library, tmp_path, config=config, encoder=encoder, prober=prober)
    assert (encoder.texts, prober.asked) == ([], [])
    assert by_content(first.graph, library) == by_content(second.graph, library)


@PROFILES
def test_only_what_a_changed_skill_touches_is_done_again(profile: str, tmp_path: Path) -> None:
    """It alone is encoded; asked is what its text takes part in, and what is a candidate only now."""
    library, config = world(), sparse(profile)
    encoder, prober = CountingEncoder(fitted(library, config)), ScriptedProber(loud)
    first = built(library, tmp_path, config=config, encoder=encoder, prober=prober)
    stand_in = next(asked.substitute for asked in prober.asked if asked.substitute)
    questions = list(zip(edges_asked(prober), prober.asked, strict=True))
    stood_in_for = {ends for ends, asked in questions if asked.substitute == stand_in}

    changed = edited(library, library.skills.index(stand_in), "observe the weather of the harbour")
    encoder, prober = CountingEncoder(encoder.encoder), ScriptedProber(loud)
    second = built(changed, tmp_path, config=config, encoder=encoder, prober=prober)
    assert len(encoder.texts) == 2
    assert all(text.endswith(": observe the weather of the harbour") for text in encoder.texts)
    new = by_content(second.candidates, changed).keys() - by_content(first.candidates, library)
    for ends, asked in zip(edges_asked(prober), prober.asked, strict=True):
        assert ends in new or (ends in stood_in_for and asked.kind is ProbeKind.SUBSTITUTION)

    encoder, prober = CountingEncoder(encoder.encoder), ScriptedProber(loud)
    built(library, tmp_path, config=config, encoder=encoder, prober=prober)
    assert (encoder.texts, prober.asked) == ([], [])  # an edit taken back costs nothing


def test_a_missing_answer_is_asked_for_again_and_a_score_is_not(tmp_path: Path) -> None:
    """A resumed build fills the gaps; the first score stands."""
    library, config = world(12), sparse("default")
    built(library, tmp_path, config=config, prober=ScriptedProber(two_of_three))
    prober = ScriptedProber(loud)
    resumed = built(library, tmp_path, config=config, prober=prober)
    assert {asked.kind for asked in prober.asked} == {ProbeKind.SUBSTITUTION}
    assert len(prober.asked) == len(resumed.candidates)
    assert resumed.reliability.support == pytest.approx(1.8)
    assert resumed.reliability.against == pytest.approx(0.4)


@PROFILES
def test_without_a_prober_the_free_one_answers(profile: str, tmp_path: Path) -> None:
    """It is lent the names that were found already, which changes no answer of a prober that looks itself."""
    library, config = world(12), sparse(profile)
    lent = built(library, tmp_path / "lent", config=config)
    alone = built(library, tmp_path / "alone", config=config, prober=TextProber())
    assert lent.reliability.support.max() > 0.0
    assert lent.reliability.support.tolist() == alone.reliability.support.tolist()
    assert lent.reliability.against.tolist() == alone.reliability.against.tolist()


@pytest.mark.parametrize(("calls", "missing_an_edge"), [(0, 0), (1, 2)])
def test_a_missing_answer_is_recorded_each_time_that_it_was_paid_for(
    calls: int, missing_an_edge: int, tmp_path: Path
) -> None:
    """What was spent must be known; a free prober's silence would only make the ledger grow."""
    library, config = world(12), sparse("default")
    for _ in range(2):
        prober = ScriptedProber(two_of_three, calls=calls)
        edges = len(built(library, tmp_path, config=config, prober=prober).candidates)
    with Workspace.open(tmp_path) as workspace:
        spent = workspace.ledger.spend()["scripted"]
    assert (spent.answers, spent.missing) == (2 * edges, missing_an_edge * edges)


def interrupt(_request: ProbeRequest) -> float:
    raise KeyboardInterrupt


def test_an_interrupted_build_loses_nothing_that_was_recorded(tmp_path: Path) -> None:
    """Five edges answered, then twenty wanted and interrupted: fifteen are left to ask about."""
    library = world(12)
    built(library, tmp_path, config=with_budget("paper", 5), prober=ScriptedProber(loud))
    with pytest.raises(KeyboardInterrupt):
        built(library, tmp_path, config=with_budget("paper", 20), prober=ScriptedProber(interrupt))
    prober = ScriptedProber(loud)
    resumed = built(library, tmp_path, config=with_budget("paper", 20), prober=prober)
    assert len(prober.asked) == 3 * 15
    assert resumed.n_frontier == 20
    assert np.sum(resumed.reliability.states == EDGE_STATES.index(CONFIRMED)) == 20


def test_a_new_prompt_version_replaces_the_answers_to_the_old_one(tmp_path: Path) -> None:
    """What the same prober once said to other words does not count; another prober's answers would."""
    library, config = world(12), sparse("default")
    built(library, tmp_path, config=config, prober=ScriptedProber(lambda _: 0.0))
    prober = ScriptedProber(loud, prompt_version="2")
    result = built(library, tmp_path, config=config, prober=prober)
    assert len(prober.asked) == 3 * len(result.candidates)
    assert result.reliability.value == pytest.approx(0.8)


class Curt(ScriptedProber):
    """Answers one request too few."""

    def answer(self, requests: Sequence[ProbeRequest]) -> list[ProbeAnswer]:
        return super().answer(requests)[1:]


def test_a_prober_must_answer_each_request(tmp_path: Path) -> None:
    """Answers that cannot be told apart are recorded nowhere."""
    with pytest.raises(ProbeError, match=r"Prober 'scripted' gave \d+ answers to \d+ probes"):
        built(world(12), tmp_path, prober=Curt(loud))
    with Workspace.open(tmp_path) as workspace:
        assert workspace.ledger.spend() == {}


def test_a_query_is_compared_with_full_names(tmp_path: Path) -> None:
    """People ask by name, whatever signals leave out."""
    library, config = world(12), build_config()
    encoder = fitted(library, config)
    index = built(library, tmp_path, config=config, encoder=encoder).index
    texts = [f"{skill.name}: {skill.description}" for skill in library.skills]
    assert index.vectors.tolist() == encoder.encode(texts).tolist()
    assert index.names.find("run skill-05").tolist() == [5]


def test_progress_tells_the_steps_in_order(tmp_path: Path) -> None:
    """Each step says that it begins; embedding, the longest, how far it is."""
    library, config = world(12), build_config()
    told: list[tuple[str, int, int]] = []
    with Workspace.create(tmp_path / "new") as workspace:
        build(
            library,
            workspace=workspace,
            encoder=fitted(library, config),
            prober=ScriptedProber(loud),
            config=config,
            progress=lambda *step: told.append(step),
        )
    assert [step for step, _, _ in told] == ["relations", "embed", "candidates", "probe", "calibrate"]
    assert told[1] == ("embed", 26, 26)
