"""Answers read through the answer model."""

import numpy as np
import pytest

from caskg.config import VerifierConfig, build_config
from caskg.graph.answer_model import EDGE, NONE, AnswerRates, Answers, minds
from caskg.graph.calibrate import assess
from caskg.graph.modelled import Rates, answers_by_source, modelled_scores, never_measured, scores_of
from caskg.graph.probes import collect_scores
from caskg.schema import Candidates, FloatArray, ProbeAnswer, ProbeKey, ProbeKind
from factories import make_skill
from graph.graph_cases import read

N = 8
SKILLS = [make_skill(f"skill-{at}") for at in range(N + 1)]
HASHES = [skill.content_hash for skill in SKILLS]
SOURCE, TARGET = np.arange(N), np.full(N, N)
CHANCES = np.array([[[0.9, 0.01, 0.09]] * 3, [[0.09, 0.01, 0.9]] * 3])
CHANCES[EDGE, 2] = [0.3, 0.1, 0.6]
RATES = AnswerRates(chances=CHANCES, missing=0.05)


def answer(
    row: int,
    score: float | None,
    *,
    kind: ProbeKind = ProbeKind.REMOVAL,
    arm: str = "plain",
    who: str = "llm:m",
) -> tuple[ProbeKey, ProbeAnswer]:
    key = ProbeKey(HASHES[row], HASHES[N], "", kind, arm, "1", who)
    reason = "cannot tell" if score is None else None
    return key, ProbeAnswer(score=score, source_id=who, missing_reason=reason)


SAID = dict(
    [
        *(answer(row, 0.0) for row in range(1, N - 1)),
        answer(0, 1.0),
        answer(0, 0.9, kind=ProbeKind.REORDERING),
        answer(0, 0.7, kind=ProbeKind.REORDERING, arm="swapped"),
        answer(1, None, kind=ProbeKind.REORDERING),
    ]
)


def gathered_of(said: dict[ProbeKey, ProbeAnswer], rates: Rates) -> dict[str, Answers]:
    return answers_by_source(said, rates=rates, source=SOURCE, target=TARGET, hashes=HASHES)


def test_every_arm_is_a_question() -> None:
    """With the chances of its probe; what is missing was not asked."""
    (gathered,) = gathered_of(SAID, lambda *_: RATES).values()
    assert gathered.effects.shape == (N, 3)
    assert gathered.chances.shape == (2, 3, 3)
    assert sorted(gathered.effects[0].tolist()) == [0.7, 0.9, 1.0]
    assert gathered.asked.sum(axis=1).tolist() == [3, *[1] * (N - 2), 0]
    assert gathered.chances[EDGE][:, 2].tolist() == [0.9, 0.6, 0.6]
    assert gathered.missing == 0.05


def test_who_was_never_measured_is_counted() -> None:
    """Also where only one of its prompts was not."""
    assert gathered_of(SAID, never_measured) == {}
    other = dict([answer(0, 1.0, who="llm:n")])
    found = gathered_of(SAID | other, lambda who, _: RATES if who == "llm:m" else None)
    assert list(found) == ["llm:m"]


def test_the_score_is_the_chance_of_an_edge() -> None:
    """The same in every column, so that all units are used; none where nobody answered."""
    (gathered,) = gathered_of(SAID, lambda *_: RATES).values()
    scores = scores_of(gathered, lambda _rows: None, config=VerifierConfig())
    told = gathered.asked.any(axis=1)
    assert np.isnan(scores[~told]).all()
    assert scores.shape == (N, 3)
    assert np.array_equal(scores[:, 0], scores[:, 2], equal_nan=True)
    mind = minds(
        type(gathered)(
            effects=gathered.effects[told],
            asked=gathered.asked[told],
            chances=gathered.chances,
            missing=gathered.missing,
        ),
        known=None,
        config=VerifierConfig(),
    )
    assert scores[told, 1] == pytest.approx(mind[:, EDGE] / (mind[:, EDGE] + mind[:, NONE]))
    assert scores[0, 0] > 0.95
    assert scores[1:-1, 0].max() < 0.1


@pytest.mark.parametrize("modelled", [False, True])
def test_what_is_said_of_one_edge_moves_others_only_through_the_model(modelled: bool) -> None:  # noqa: FBT001 - a case
    """Counted, an edge has what its own answers give it; the model's prior is learnt from all of them."""

    def reliability(said: dict[ProbeKey, ProbeAnswer]) -> FloatArray:
        (gathered,) = gathered_of(said, lambda *_: RATES).values()
        scores = scores_of(gathered, lambda _rows: None, config=VerifierConfig())
        if not modelled:
            (scores,) = collect_scores(said, source=SOURCE, target=TARGET, hashes=HASHES).values()
        config, nobody = build_config().evidence, np.zeros(N, dtype=np.int8)
        units, asked = {"llm:m": 3.0}, np.ones(N, dtype=np.bool_)
        return assess({"llm:m": scores}, labels=nobody, config=config, frontier=asked, units=units).value

    honest = reliability(SAID)
    steered = reliability(SAID | dict(answer(row, 1.0) for row in range(1, 4)))
    assert (steered[1:4] > honest[1:4]).all()
    assert np.array_equal(steered[4:], honest[4:]) == (not modelled)
    assert max(steered.max(), honest.max()) <= 0.8  # three units


def test_candidates_get_the_scores_of_their_edges() -> None:
    """By source; what signals tell of them is used."""
    candidates = Candidates(
        n_skills=N + 1,
        source=SOURCE,
        target=TARGET,
        association=np.full(N, 0.5),
        types=np.zeros(N, dtype=np.int8),
        channels=np.zeros(N, dtype=np.int64),
    )
    inputs = read(*SKILLS, vectors=np.ones((N + 1, 1), dtype=np.float32))
    found = modelled_scores(
        SAID,
        rates=lambda *_: RATES,
        candidates=candidates,
        inputs=inputs,
        hashes=HASHES,
        config=build_config(),
    )
    (gathered,) = gathered_of(SAID, lambda *_: RATES).values()
    alone = scores_of(gathered, lambda _rows: None, config=VerifierConfig())
    assert list(found) == ["llm:m"]
    assert found["llm:m"] == pytest.approx(alone, nan_ok=True)  # too few answers to learn from
