"""Skills for tests, in one line each."""

import hashlib
from collections.abc import Sequence

from caskg.schema import Parameter, Reference, ReferenceKind, Section, Skill, SkillFields, SkillLibrary


def make_skill(
    skill_id: str,
    description: str = "",
    *,
    name: str | None = None,
    body: str = "",
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    fields: SkillFields | None = None,
) -> Skill:
    """Return a skill whose name is the last part of its id, unless given."""
    name = name if name is not None else skill_id.rsplit("/", 1)[-1]
    if fields is None:
        fields = SkillFields(
            inputs=None if inputs is None else tuple(Parameter(name=text) for text in inputs),
            outputs=None if outputs is None else tuple(Parameter(name=text) for text in outputs),
        )
    text = "\x00".join([name, description, body, repr(fields)])
    return Skill(
        id=skill_id,
        name=name,
        description=description,
        body=body,
        sections=(Section(title="", level=0, text=body),) if body else (),
        fields=fields,
        content_hash=hashlib.blake2b(text.encode(), digest_size=16).hexdigest(),
        path=f"/nowhere/{skill_id}/SKILL.md",
    )


def make_library(*skills: Skill) -> SkillLibrary:
    """Return a library of *skills*, sorted by id as the parser sorts them."""
    return SkillLibrary(skills=tuple(sorted(skills, key=lambda skill: skill.id)))


def reference(target: str, kind: ReferenceKind = ReferenceKind.NAME) -> Reference:
    """Return a mention of *target*."""
    return Reference(target=target, kind=kind, evidence=f"see {target}")
