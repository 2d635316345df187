"""What stands, and what it is worth."""

from collections.abc import Mapping

import pytest

from caskg.graph.contrast import COHERENCE, NEAR, PLAIN_NEAR
from caskg.graph.sources import (
    UNCHECKED_UNITS,
    SourceUse,
    is_outdated,
    never_checked,
    one_voice,
    standing,
    uses,
)
from caskg.schema import ProbeAnswer, ProbeKey, ProbeKind
from factories import make_skill

BOIL, PEEL, SING, KNIT = (make_skill(name) for name in ("boil", "peel", "sing", "knit"))
NOW = {(BOIL.content_hash, PEEL.content_hash): SING.content_hash}
MODEL = "llm:m"


def key(
    kind: ProbeKind = ProbeKind.REMOVAL,
    *,
    substitute: str = "",
    arm: str = COHERENCE,
    prompt: str = "control-1",
    prober: str = MODEL,
) -> ProbeKey:
    return ProbeKey(BOIL.content_hash, PEEL.content_hash, substitute, kind, arm, prompt, prober)


def said(score: float | None = 0.5, source_id: str = MODEL) -> ProbeAnswer:
    reason = "cannot tell" if score is None else None
    return ProbeAnswer(score=score, source_id=source_id, missing_reason=reason)


def stands(*keys: ProbeKey, versions: Mapping[str, str] | None = None) -> list[ProbeKey]:
    return list(
        standing({each: said(source_id=each.prober_id) for each in keys}, NOW, versions=versions or {})
    )


def voices(*keys: ProbeKey, score: float | None = 0.5) -> list[ProbeKey]:
    return list(one_voice({each: said(score, each.prober_id) for each in keys}))


def test_a_substitution_stands_while_its_substitute_is_asked_about() -> None:
    """Whoever answered; another one was edited, or is gone."""
    now = key(ProbeKind.SUBSTITUTION, substitute=SING.content_hash)
    before = now._replace(substitute_hash=KNIT.content_hash)
    free = now._replace(arm="plain", prompt_version="text-3", prober_id="text")
    stale = before._replace(arm="plain", prompt_version="text-3", prober_id="text")
    assert stands(now, before, free, stale) == [now, free]
    assert list(standing({now: said()}, {})) == []


def test_a_near_alternative_is_no_far_substitute() -> None:
    """It is chosen by itself, and kept."""
    near = key(ProbeKind.SUBSTITUTION, substitute=KNIT.content_hash, arm=NEAR)
    plain = near._replace(arm=PLAIN_NEAR, prompt_version="paper-1")
    assert stands(near, plain) == [near, plain]


@pytest.mark.parametrize(
    ("prompt", "prober", "stand"),
    [
        ("control-1", MODEL, True),
        ("paper-1", MODEL, True),
        ("need-1", f"{MODEL}/need", True),
        ("judge-1", f"{MODEL}/judge", True),
        ("control-0", MODEL, False),
        ("control-0", "another", True),
    ],
)
def test_a_model_stands_by_the_prompts_in_use(prompt: str, prober: str, stand: bool) -> None:  # noqa: FBT001 - of the table
    """Those of another prober are not ours to judge."""
    assert stands(key(prompt=prompt, prober=prober)) == [key(prompt=prompt, prober=prober)] * stand


def test_another_prober_stands_by_the_prompts_it_is_asked_with() -> None:
    """The versions that are given say so; they decide nothing about a language model."""
    free, model = key(prompt="text-3", prober="text"), key()
    assert stands(free, versions={"text": "text-3"}) == [free]
    assert stands(free, versions={"text": "text-4"}) == []
    assert stands(model, versions={MODEL: "control-0"}) == [model]


def test_where_one_voice_counts_it_is_that_of_the_model() -> None:
    """On the edges that it scored; where it could not tell the free prober is heard."""
    model, free = key(), key(arm="plain", prompt="text-3", prober="text")
    assert voices(model, free) == [model]
    assert voices(model, free, score=None) == [model, free]
    elsewhere = free._replace(target_hash=KNIT.content_hash)
    assert voices(model, free, elsewhere) == [model, elsewhere]
    for beside in (ProbeKind.INTACT, ProbeKind.OPINION):
        assert voices(key(beside), free) == [key(beside), free]


def test_an_answer_on_a_text_that_is_gone_is_outdated() -> None:
    """Or on a prompt of ours that is gone; a substitute that was not asked for is not missing."""
    known = frozenset({BOIL.content_hash, PEEL.content_hash, SING.content_hash})
    asked = key(ProbeKind.SUBSTITUTION, substitute=SING.content_hash)
    assert not is_outdated(asked, known)
    assert not is_outdated(key(), known)
    for text in (BOIL, PEEL, SING):
        assert is_outdated(asked, known - {text.content_hash})
    assert not is_outdated(key(), known - {SING.content_hash})
    assert is_outdated(key(prompt="control-0"), known)
    assert not is_outdated(key(prompt="control-0", prober="another"), known)


def test_what_a_model_said_is_counted_by_source() -> None:
    """Scores of the three probes: no controls, no opinions, nothing that is missing, no other prober."""
    elsewhere = key()._replace(target_hash=KNIT.content_hash)
    answers = {
        key(): said(),
        key(ProbeKind.REORDERING): said(),
        key(ProbeKind.INTACT): said(),
        key(ProbeKind.OPINION): said(),
        elsewhere: said(),
        elsewhere._replace(kind=ProbeKind.REORDERING): said(None),
        key(prober="text"): said(source_id="text"),
    }
    assert uses(answers, worth=lambda _name, _prompt: 2) == {
        MODEL: SourceUse(units=2, checked=True, prompts=("control-1",), n_edges=2, n_answers=3)
    }
    assert uses({}, worth=never_checked) == {}


def test_a_model_that_was_never_checked_is_one_opinion() -> None:
    """Its units are known where its check is."""
    found = uses({key(): said()}, worth=never_checked)[MODEL]
    assert (found.units, found.checked) == (1, False) == (UNCHECKED_UNITS, False)


def test_of_several_wordings_the_worst_counts() -> None:
    """One that was never checked is worth one opinion beside one that is worth three."""
    answers = {key(): said(), key(prompt="paper-1", arm="plain"): said()}
    checks = {"control-1": 3, "paper-1": 0}
    worst = uses(answers, worth=lambda _name, prompt: checks[prompt])[MODEL]
    assert (worst.units, worst.checked, worst.prompts) == (0, True, ("control-1", "paper-1"))
    half = uses(answers, worth=lambda name, prompt: {(MODEL, "control-1"): 3}.get((name, prompt)))[MODEL]
    assert (half.units, half.checked) == (1, False)
    none = uses(answers, worth=lambda _name, prompt: {"paper-1": 0}.get(prompt))[MODEL]
    assert (none.units, none.checked) == (0, False)
