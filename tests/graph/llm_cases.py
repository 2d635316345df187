"""What tests of prompts, the paid prober and the judge share."""

from collections.abc import Callable
from functools import cache

from caskg.graph.labelled_set import PairKind, labelled_set
from caskg.graph.prompts import skill_text
from caskg.providers.scripted import ScriptedChatModel
from caskg.schema import ChatRequest, ProbeKey, ProbeKind, Skill
from factories import make_skill

BOIL = make_skill("boil", "Boils eggs", body="Eight minutes.", outputs=["boiled egg"])
PEEL = make_skill("peel", "Peels eggs", body="Under water.", inputs=["boiled egg"])
SING = make_skill("sing", "Sings a song", body="Breathe in.")


def said(score: str) -> str:
    """Return an answer as it is asked for."""
    return f'{{"score": "{score}"}}'


def scripted(
    rule: Callable[[str], str], *, fingerprint: str = "m", concurrency: int = 1
) -> ScriptedChatModel:
    """Return a model that answers by the last message."""

    def script(request: ChatRequest) -> str:
        return said(rule(request.messages[-1][1]))

    return ScriptedChatModel(script, fingerprint=fingerprint, concurrency=concurrency)


def key(kind: ProbeKind, arm: str, *, source: Skill = BOIL, target: Skill = PEEL) -> ProbeKey:
    """Return the key of an answer without a substitute."""
    return ProbeKey(source.content_hash, target.content_hash, "", kind, arm, "control-1", "llm:m")


@cache
def _true_pairs() -> frozenset[tuple[str, str]]:
    pairs = labelled_set()
    return frozenset(
        (skill_text(pairs.skills[i]), skill_text(pairs.skills[j]))
        for i, j, kind in zip(pairs.source.tolist(), pairs.target.tolist(), pairs.kinds, strict=True)
        if kind is PairKind.PREREQUISITE
    )


def knowing(request: ChatRequest) -> str:
    """Answer by the truth about the two documents shown as A and B."""
    text = request.messages[-1][1]
    parts = text.split('label="')
    one, other = (part[4:].split("\n</skill-")[0] for part in parts[1:3])
    edge = (one, other) in _true_pairs()
    if "This is a plan" not in text:
        return said("1" if edge else "0")
    if "first A, then B" in text:
        return said("1" if edge else "0.5")
    return said("0" if edge else "0.5")
