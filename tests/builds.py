"""Whole builds for tests: a small world, a prober and an encoder that are watched, SKILL.md files."""

import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

from caskg.config import BuildConfig, build_config
from caskg.graph.inputs import signal_texts
from caskg.library.lsa import LsaEncoder
from caskg.library.texts import without_mentions
from caskg.pipeline import build
from caskg.protocols import Encoder, Prober
from caskg.published import Build
from caskg.schema import (
    Candidates,
    Parameter,
    ProbeAnswer,
    ProbeRequest,
    SkillFields,
    SkillGraph,
    SkillLibrary,
    VectorArray,
)
from caskg.store.workspace import Workspace
from factories import make_library, make_skill

VERBS = ("read", "find", "fetch", "convert", "archive", "verify")
THINGS = ("tide table", "engine log", "seed list", "choir plan", "bridge survey", "harvest map", "ferry bill")

Rule = Callable[[ProbeRequest], float | None]


class ScriptedProber:
    """Answers by a rule, as a language model asked in separate prompts; keeps what it was asked."""

    def __init__(
        self, rule: Rule, *, prober_id: str = "scripted", prompt_version: str = "1", calls: int = 1
    ) -> None:
        self.rule = rule
        self.prober_id = prober_id
        self.prompt_version = prompt_version
        self.calls = calls
        self.asked: list[ProbeRequest] = []

    def answer(self, requests: Sequence[ProbeRequest]) -> list[ProbeAnswer]:
        self.asked += requests
        return [self._answer(self.rule(request)) for request in requests]

    def _answer(self, score: float | None) -> ProbeAnswer:
        reason = "cannot tell" if score is None else None
        return ProbeAnswer(score=score, source_id=self.prober_id, missing_reason=reason, calls=self.calls)


class CountingEncoder:
    """Passes texts on to another encoder, and keeps them."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.texts: list[str] = []

    @property
    def fingerprint(self) -> str:
        return self.encoder.fingerprint

    def encode(self, texts: Sequence[str]) -> VectorArray:
        self.texts += texts
        return self.encoder.encode(texts)


def world(
    n_skills: int = 42,
    *,
    name: Callable[[int], str] = lambda at: f"skill-{at:02d}",
    skill_id: Callable[[int], str] = lambda at: f"shelf/{at:02d}",
) -> SkillLibrary:
    """Return skills of six verbs and seven things that feed, presuppose, repair and mention one another.

    Args:
        n_skills: How many, even.
        name: What each is called; mentions of it follow.
        skill_id: Where each lies.
    """
    skills = []
    for at in range(n_skills):
        verb, thing = VERBS[at % len(VERBS)], THINGS[at // len(VERBS)]
        other = name((at * 11 + 5) % n_skills)
        recovery = f"If the {thing} draft is lost, run `{other}` again."
        sentences = {
            at % 9 == 1: f"Not for other villages; use `{other}`.",
            at % 7 == 0: recovery,
            at % 5 == 0: f"Run `{other}` first.",
        }
        stated = SkillFields(
            inputs=(Parameter(name=f"{thing} draft"),) if at % 2 else None,
            outputs=(Parameter(name=f"{thing} draft"),) if at % 3 == 0 else None,
            preconditions=(f"`{other}` is done", f"the {thing} lies ready") if at % 5 == 0 else None,
            effects=(f"the {thing} lies on the desk",) if at % 4 == 0 else None,
            recovery=(recovery,) if at % 7 == 0 else None,
        )
        description = f"{verb} the {thing} of village {at}"
        body = sentences.get(True, "")
        skills.append(make_skill(skill_id(at), description, name=name(at), body=body, fields=stated))
    return make_library(*skills)


def fitted(library: SkillLibrary, config: BuildConfig) -> LsaEncoder:
    """Return the built-in encoder, fitted on what signals compare."""
    compared = library if config.signals.names_in_text else without_mentions(library)
    return LsaEncoder.fit(signal_texts(compared, config=config.signals))


def built(
    library: SkillLibrary,
    folder: Path,
    *,
    config: BuildConfig | None = None,
    encoder: Encoder | None = None,
    prober: Prober | None = None,
    paid: Prober | None = None,
) -> Build:
    """Build *library* with the workspace in *folder*, an old one or a new one."""
    config = config or build_config()
    with Workspace.open_or_create(folder) as workspace:
        return build(
            library,
            workspace=workspace,
            encoder=encoder or fitted(library, config),
            prober=prober,
            config=config,
            paid=paid,
        )


def by_content(
    edges: Candidates | SkillGraph, library: SkillLibrary
) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return all numbers of each edge by the contents of its ends, wherever these stand."""
    hashes = [skill.content_hash for skill in library.skills]
    ends = [(hashes[i], hashes[j]) for i, j in pairs(edges)]
    ignored = ("n_skills", "source", "target", "signals")
    columns = [getattr(edges, each.name).tolist() for each in fields(edges) if each.name not in ignored]
    return dict(zip(ends, zip(*columns, strict=True), strict=True))


def pairs(edges: Candidates | SkillGraph) -> list[tuple[int, int]]:
    """Return the positions of source and target of each edge."""
    return list(zip(edges.source.tolist(), edges.target.tolist(), strict=True))


def write_skill(
    root: Path,
    skill_id: str,
    description: str,
    body: str = "",
    *,
    name: str | None = None,
    requires: str | None = None,
    tags: str | None = None,
) -> Path:
    """Write a SKILL.md and return its path; the skill is named like its folder, unless given."""
    path = root / skill_id / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    name = name or path.parent.name
    stated = {"caskg-requires": requires, "tags": tags}
    metadata = "".join(f"  {key}: {value}\n" for key, value in stated.items() if value)
    metadata = f"metadata:\n{metadata}" if metadata else ""
    front = f"name: {name}\ndescription: {json.dumps(description, ensure_ascii=False)}\n{metadata}"
    path.write_text(f"---\n{front}---\n\n# {name}\n\n{body}\n", encoding="utf-8")
    return path
