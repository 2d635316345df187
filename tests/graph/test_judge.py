"""A judge's opinions as a signal."""

import numpy as np

from caskg.config import build_config
from caskg.graph.judge import has_opinions, judge_signal, plan_opinions
from caskg.graph.llm_prober import LlmProber
from caskg.graph.probes import probe_key
from caskg.graph.prompts import Wording
from caskg.schema import PROBE_KINDS, Candidates, ProbeAnswer, ProbeKey, ProbeKind
from graph.llm_cases import BOIL, PEEL, SING, scripted

SKILLS = [BOIL, PEEL, SING]
HASHES = [skill.content_hash for skill in SKILLS]
FOUND = Candidates(
    n_skills=3,
    source=np.array([0, 1, 2]),
    target=np.array([1, 2, 0]),
    association=np.full(3, 0.5),
    types=np.zeros(3, dtype=np.int8),
    channels=np.zeros(3, dtype=np.int64),
)


def opinion(score: float | None) -> ProbeAnswer:
    return ProbeAnswer(
        score=score, source_id="llm", missing_reason=None if score is not None else "cannot tell"
    )


def key(i: int, j: int, *, judge: str = "llm", kind: ProbeKind = ProbeKind.OPINION) -> ProbeKey:
    return ProbeKey(HASHES[i], HASHES[j], "", kind, "plain", "judge-1", judge)


def test_only_the_edges_named_are_asked_about() -> None:
    """One question each, under a key of its own kind."""
    requests = plan_opinions(FOUND, np.array([2, 0]), skills=SKILLS)
    assert [(each.source.name, each.target.name) for each in requests] == [("sing", "boil"), ("boil", "peel")]
    judge = LlmProber(scripted(lambda _: "0.6"), wording=Wording.JUDGE)
    answers = dict(zip((probe_key(each, judge) for each in requests), judge.answer(requests), strict=True))
    signal = judge_signal(answers, candidates=FOUND, hashes=HASHES)
    assert signal.active.tolist() == [True, False, True]
    assert signal.value.tolist() == [0.6, 0.0, 0.6]
    assert build_config().signals.weights.judge > 0


def test_several_judges_are_averaged_and_missing_opinions_are_none() -> None:
    """What is no opinion has no part in it, nor one that was given to another prompt."""
    answers = {
        key(0, 1): opinion(0.2),
        key(0, 1, judge="other"): opinion(0.8),
        key(1, 2): opinion(None),
        key(2, 0, kind=PROBE_KINDS[0]): opinion(1.0),
        key(1, 2)._replace(prompt_version="judge-0"): opinion(1.0),
    }
    signal = judge_signal(answers, candidates=FOUND, hashes=HASHES)
    assert signal.value.tolist() == [0.5, 0.0, 0.0]
    assert signal.active.tolist() == [True, False, False]


def test_without_opinions_the_signal_is_active_nowhere() -> None:
    """An absent signal never counts as 0."""
    signal = judge_signal({}, candidates=FOUND, hashes=HASHES)
    assert not signal.active.any()
    assert signal.value.dtype == np.float64


def test_a_judge_is_known_by_its_name() -> None:
    """So a build without one reads no opinions."""
    judge = LlmProber(scripted(lambda _: "1"), wording=Wording.JUDGE).prober_id
    assert has_opinions(["text", judge])
    assert not has_opinions(["text", "llm:m", "llm:m/need", "other/judge"])
