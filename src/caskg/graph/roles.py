"""What a skill does in a workflow: one of eight generic verb classes (method, Section 8).

Used by the structural signal: reading comes before finding, finding before
acquiring, everything before verifying. The verbs are plain English, of no
domain and no benchmark; a skill that uses none of them has no role.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache

import numpy as np

from caskg.library.lexical import tokenize
from caskg.schema import CodeArray, FloatArray


class Role(StrEnum):
    """A verb class. Arrays hold the position in this order, `NO_ROLE` where there is none."""

    READ = "read"
    OBSERVE = "observe"
    FIND = "find"
    ACQUIRE = "acquire"
    PREPARE = "prepare"
    TRANSFORM = "transform"
    STORE = "store"
    VERIFY = "verify"


ROLES: tuple[Role, ...] = tuple(Role)
NO_ROLE = -1

VERBS: Mapping[Role, str] = {
    Role.READ: "read parse load decode scan ingest",
    Role.OBSERVE: """
        observe watch monitor look see view notice measure inspect track listen sense analyze diagnose""",
    Role.FIND: """
        find search locate discover detect identify query lookup browse seek explore list select choose
        research investigate""",
    Role.ACQUIRE: """
        acquire get fetch take collect obtain retrieve download gather pick receive extract pull capture""",
    Role.PREPARE: """
        prepare setup set install configure initialize plan arrange enable start assemble schedule define
        design authenticate connect""",
    Role.TRANSFORM: """
        transform convert change translate edit generate create build make write merge mix combine modify
        format compute calculate process render split sort filter rewrite refactor compress compile encode
        adapt implement develop optimize improve integrate automate migrate upgrade fix repair""",
    Role.STORE: """
        store save put place keep archive upload export publish backup record deliver submit deploy send
        share""",
    Role.VERIFY: """
        verify check test validate confirm review audit assert ensure prove evaluate assess compare""",
}
"""The verbs of each role; no verb has two."""

STRONG_PAIRS: tuple[tuple[Role, Role], ...] = (
    (Role.READ, Role.OBSERVE),
    (Role.READ, Role.FIND),
    (Role.OBSERVE, Role.FIND),
    (Role.FIND, Role.ACQUIRE),
    (Role.FIND, Role.PREPARE),
    (Role.FIND, Role.TRANSFORM),
    (Role.FIND, Role.STORE),
    (Role.ACQUIRE, Role.PREPARE),
    (Role.ACQUIRE, Role.TRANSFORM),
    (Role.ACQUIRE, Role.STORE),
    (Role.PREPARE, Role.TRANSFORM),
    (Role.TRANSFORM, Role.STORE),
)
SUPPORT_PAIRS: tuple[tuple[Role, Role], ...] = (
    (Role.PREPARE, Role.VERIFY),
    (Role.TRANSFORM, Role.VERIFY),
    (Role.STORE, Role.VERIFY),
)


def role_of(*texts: str) -> Role | None:
    """Return the role of the first role verb of the first text that has one, else None.

    >>> role_of("report-pdf", "Converts a report and saves it.")
    <Role.TRANSFORM: 'transform'>
    """
    roles = _role_by_token()
    found = (roles[token] for text in texts for token in tokenize(text) if token in roles)
    return next(found, None)


def without_verb(name: str) -> list[str]:
    """Return the tokens of a name without its first role verb: what the skill is about.

    >>> without_verb("get-current-date")
    ['current', 'date']
    """
    tokens = tokenize(name)
    verb = next((at for at, token in enumerate(tokens) if token in _role_by_token()), len(tokens))
    return tokens[:verb] + tokens[verb + 1 :]


def role_codes(roles: Iterable[Role | None]) -> CodeArray:
    """Return positions in `ROLES`, `NO_ROLE` for None."""
    return np.array([NO_ROLE if role is None else ROLES.index(role) for role in roles], dtype=np.int8)


def pair_scores(*, strong: float, support: float) -> FloatArray:
    """Return the table of role pairs: ``table[source role, target role]``, 0 where there is no pair.

    Shape ``(9, 9)``: the last row and column stand for `NO_ROLE`, so that -1 finds them.

    >>> pair_scores(strong=0.78, support=0.68)[ROLES.index(Role.STORE), ROLES.index(Role.VERIFY)]
    np.float64(0.68)
    """
    table = np.zeros((len(ROLES) + 1, len(ROLES) + 1))
    for pairs, score in ((STRONG_PAIRS, strong), (SUPPORT_PAIRS, support)):
        for source, target in pairs:
            table[ROLES.index(source), ROLES.index(target)] = score
    return table


@cache
def _role_by_token() -> Mapping[str, Role]:
    return {tokenize(verb)[0]: role for role, verbs in VERBS.items() for verb in verbs.split()}
