"""Small libraries as arrays, and the formulas of the signals written down a second time, on Python sets."""

import hashlib
from collections.abc import Sequence
from math import sqrt

import numpy as np

from caskg.config import SignalConfig
from caskg.graph.inputs import GraphInputs, graph_inputs, signal_parameters, signal_texts
from caskg.library.duplicates import NearDuplicates
from caskg.library.lexical import tokenize
from caskg.library.sequences import StatedOrder
from caskg.schema import (
    Candidates,
    FloatArray,
    IntArray,
    Parameter,
    ReferenceKind,
    ResolvedReference,
    Signal,
    Skill,
    SkillFields,
    SkillLibrary,
    VectorArray,
)
from factories import make_skill

WORDS = ("amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island", "jungle", "kelp")
VERBS = ("parse", "watch", "find", "fetch", "plan", "convert", "archive", "verify", "about")


def unit(rows: Sequence[Sequence[float]] | FloatArray) -> VectorArray:
    """Return the rows at length 1; rows of zeros stay."""
    vectors = np.array(rows, dtype=np.float64)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1.0), dtype=np.float32)


def read(
    *skills: Skill,
    vectors: VectorArray | None = None,
    references: Sequence[ResolvedReference] = (),
    duplicates: Sequence[NearDuplicates] = (),
    orders: Sequence[StatedOrder] = (),
    parameters: VectorArray | None = None,
    config: SignalConfig | None = None,
) -> GraphInputs:
    """Return the arrays of *skills*, in this order; without *vectors* no two texts are alike."""
    if vectors is None:
        vectors = np.eye(len(skills), dtype=np.float32)
    library, config = SkillLibrary(skills=skills), config or SignalConfig()
    return graph_inputs(
        library,
        vectors,
        references,
        parameters=parameters,
        duplicates=duplicates,
        orders=orders,
        config=config,
    )


def ends(*pairs: tuple[int, int]) -> tuple[IntArray, IntArray]:
    """Return sources and targets."""
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def all_pairs(n: int) -> tuple[IntArray, IntArray]:
    """Return every pair, loops included."""
    return np.divmod(np.arange(n * n), n)


def signal(*values: float | None) -> Signal:
    """Return a signal; None where it is not active, with a value that must not count."""
    return Signal(
        value=np.array([0.99 if value is None else value for value in values]),
        active=np.array([value is not None for value in values]),
    )


def listed(signal: Signal) -> list[float | None]:
    """Return the values of a signal, None where it is not active."""
    return [
        round(value, 9) if on else None
        for value, on in zip(signal.value.tolist(), signal.active.tolist(), strict=True)
    ]


def needs(source: int, target: int, kind: ReferenceKind = ReferenceKind.NAME) -> ResolvedReference:
    """Return a reference of the target to the source."""
    return ResolvedReference(source=source, target=target, kind=kind, evidence="see there")


def edges(candidates: Candidates) -> list[tuple[int, int]]:
    """Return the pairs of C."""
    return list(zip(candidates.source.tolist(), candidates.target.tolist(), strict=True))


def encode(texts: Sequence[str]) -> VectorArray:
    """Return bags of hashed words as unit vectors: what a text gets depends on that text alone."""
    rows = np.zeros((len(texts), 32))
    for row, text in enumerate(texts):
        for token in tokenize(text):
            rows[row, hashlib.blake2b(token.encode()).digest()[0] % 32] += 1.0
    return unit(rows)


def encoded(
    skills: Sequence[Skill], *, config: SignalConfig, references: Sequence[ResolvedReference] = ()
) -> GraphInputs:
    """Return the arrays of *skills* with the vectors of their own texts."""
    library = SkillLibrary(skills=tuple(skills))
    vectors = encode(signal_texts(library, config=config))
    parameters = encode(signal_parameters(library, config=config))
    return graph_inputs(library, vectors, references, parameters=parameters, config=config)


def random_skills(rng: np.random.Generator, n: int) -> list[Skill]:
    """Return skills with few words, many ties, and fields that about half of them state."""

    def words(most: int) -> list[str]:
        return [str(word) for word in rng.choice(WORDS, size=rng.integers(1, most + 1))]

    def maybe(items: list[str]) -> tuple[str, ...] | None:
        return tuple(items) if rng.random() < 0.6 else None

    def parameters() -> tuple[Parameter, ...] | None:
        names = maybe([" ".join(words(3)) for _ in range(rng.integers(1, 4))])
        return None if names is None else tuple(Parameter(name=name) for name in names)

    def fields() -> SkillFields:
        return SkillFields(
            inputs=parameters(),
            outputs=parameters(),
            preconditions=maybe([" ".join(words(4))]),
            effects=maybe([" ".join(words(4))]),
            recovery=maybe([" ".join(words(6))]),
            tools=maybe(words(1)),
            tags=maybe(words(1)),
        )

    return [
        make_skill(
            f"s{at:02d}",
            " ".join([str(rng.choice(VERBS)), *words(6)]),
            name=f"{rng.choice(WORDS)}-{rng.choice(WORDS)}",
            fields=fields(),
        )
        for at in range(n)
    ]


# ---------------------------------------------------------------- oracles


def bag(*texts: str) -> set[str]:
    """Return the tokens of some texts."""
    return {token for text in texts for token in tokenize(text)}


def text_bag(skill: Skill) -> set[str]:
    """Return T_i."""
    return bag(skill.name, skill.description, *(skill.fields.tools or ()), *(skill.fields.tags or ()))


def jaccard_of(left: set[str], right: set[str]) -> float:
    """Return the Jaccard of two sets."""
    return len(left & right) / len(left | right)


def affinity_of(left: set[str], right: set[str]) -> float:
    """Return shared tokens over the geometric mean of the sizes."""
    return len(left & right) / sqrt(len(left) * len(right))


def name_match_of(left: set[str], right: set[str]) -> float:
    """Return phi_io of two parameter names."""
    if not left & right:
        return 0.0
    if left == right:
        return 1.0
    if left <= right or right <= left:
        return 0.85
    return max(0.5, jaccard_of(left, right))


def io_of(source: Skill, target: Skill) -> float | None:
    """Return phi_io, None where it is not active; names never stand for outputs."""
    outputs = [bag(parameter.name) for parameter in source.fields.outputs or ()]
    inputs = [bag(parameter.name) for parameter in target.fields.inputs or ()]
    return max((name_match_of(out, into) for out in outputs for into in inputs), default=None)


def enabler_of(source: Skill, target: Skill) -> float | None:
    """Return the enabler signal, None where it is not active."""
    outputs = [parameter.name for parameter in source.fields.outputs or ()]
    given = [bag(text) for text in (*outputs, *(source.fields.effects or ()))]
    wanted = [bag(text) for text in target.fields.preconditions or ()]
    if source.fields.inputs:
        return None
    return max((affinity_of(give, want) for give in given for want in wanted), default=None)
