"""What tests of prompts, the paid prober and the judge share."""

from collections.abc import Callable

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
