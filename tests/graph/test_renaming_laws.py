"""The renaming laws of the method (Section 8) for candidates: what things are called must not matter."""

from dataclasses import replace

import numpy as np
import pytest

from caskg.config import BuildConfig, build_config
from caskg.graph.candidates import find_candidates
from caskg.schema import Candidates, ReferenceKind, ResolvedReference, Skill
from factories import make_skill
from graph.graph_cases import WORDS, edges, encoded, needs, random_skills, read

SEED = 17


def described(found: Candidates, skills: list[Skill]) -> dict[tuple[str, str], tuple[float, int, int]]:
    """Return what C says of each pair of contents, whatever the positions."""
    keys = [(skills[i].content_hash, skills[j].content_hash) for i, j in edges(found)]
    values = zip(found.association.tolist(), found.types.tolist(), found.channels.tolist(), strict=True)
    return dict(zip(keys, values, strict=True))


def mentioned(skills: list[Skill], order: list[int]) -> list[ResolvedReference]:
    """Return the same five references among skills that stand in another order."""
    place = {skill: at for at, skill in enumerate(order)}
    kinds = [ReferenceKind.NAME, ReferenceKind.LINK, ReferenceKind.CONTRAST, ReferenceKind.DECLARED]
    return [
        needs(place[at], place[(at * 7 + 3) % len(skills)], kinds[at % 4]) for at in range(0, len(skills), 12)
    ]


@pytest.mark.parametrize("profile", ["paper", "default"])
def test_law_a_ids_and_folder_order_change_nothing(profile: str) -> None:
    """Ids renamed and skills shuffled: the same edges with the same values, ties included."""
    config = build_config(profile)
    rng = np.random.default_rng(SEED)
    skills = random_skills(rng, 60)
    order = rng.permutation(60).tolist()
    renamed = [replace(skills[at], id=f"moved/{60 - place}") for place, at in enumerate(order)]
    before = encoded(skills, config=config.signals, references=mentioned(skills, list(range(60))))
    after = encoded(renamed, config=config.signals, references=mentioned(skills, order))
    first = described(find_candidates(before, config=config), skills)
    assert first == described(find_candidates(after, config=config), renamed)
    assert len(first) > 60


@pytest.mark.parametrize("profile", ["paper", "default"])
def test_law_b_names_left_out_of_the_texts_may_be_replaced(profile: str) -> None:
    """Names replaced consistently, also where recoveries mention them: every array stays as it was."""
    config = build_config(profile)
    config = replace(config, signals=replace(config.signals, names_in_text=False))

    def library(prefix: str) -> Candidates:
        rng = np.random.default_rng(SEED)
        skills = [
            make_skill(
                skill.id,
                skill.description,
                name=f"{prefix}-{at}",
                fields=replace(skill.fields, recovery=(f"If lost, run {prefix}-{(at + 1) % 60}.",)),
            )
            for at, skill in enumerate(random_skills(rng, 60))
        ]
        references = [
            replace(needs((at + 1) % 60, at), evidence=f"If lost, run {prefix}-{(at + 1) % 60}.")
            for at in range(0, 60, 5)
        ]
        return find_candidates(encoded(skills, config=config.signals, references=references), config=config)

    first, second = library("find"), library("zebra")
    for name in ("source", "target", "association", "types", "channels"):
        assert getattr(first, name).tolist() == getattr(second, name).tolist()
    assert first.signals["repair"].active.sum() == second.signals["repair"].active.sum() > 0


def share_within(skills: list[Skill], half: set[int], config: BuildConfig) -> float:
    """Return the share of edges that stay within one half of the library."""
    found = find_candidates(encoded(skills, config=config.signals), config=config)
    return float(np.mean([i in half and j in half for i, j in edges(found)]))


@pytest.mark.parametrize("profile", ["paper", "default"])
def test_law_c_a_common_prefix_does_not_draw_skills_together(profile: str) -> None:
    """A random half is called "acme-corp-...": no larger share of edges lies within it (trap 6)."""
    config = build_config(profile)
    rng = np.random.default_rng(SEED)
    skills = random_skills(rng, 60)
    half = set(rng.permutation(60)[:30].tolist())
    prefixed = [
        make_skill(skill.id, skill.description, name=f"acme-corp-{skill.name}", fields=skill.fields)
        if at in half
        else skill
        for at, skill in enumerate(skills)
    ]
    assert share_within(prefixed, half, config) == share_within(skills, half, config)
    naive = replace(config, signals=replace(config.signals, family_size=61))
    assert share_within(prefixed, half, naive) > share_within(skills, half, naive)


def test_words_of_the_cases_are_no_roles() -> None:
    """Random texts must not get roles from their nouns, or the laws would test less than they say."""
    inputs = read(*(make_skill(word) for word in WORDS))
    assert inputs.roles.tolist() == [-1] * len(WORDS)
