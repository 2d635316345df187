"""The short things that skills state, as token sets: inputs, outputs, effects, preconditions, recoveries.

Part of `inputs`: the first step of the graph half. What is written once in a
thousand documents is kept once, and scored once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from caskg.graph.roles import without_verb
from caskg.library.lexical import tokenize
from caskg.schema import BoolArray, FloatArray, IntArray, SkillFields

SparseRows = csr_array[np.float64, tuple[int, int]]
TokenSet = tuple[str, ...]  # sorted, without repetitions

FIELDS = ("inputs", "outputs", "gives", "presupposes", "recovery")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statements:
    """Token sets of the short things that skills state, such as the names of their inputs.

    Attributes:
        sets: The distinct token sets, none empty, as rows of shape ``(n_sets, n_tokens)``: the root of
            what each token weighs, 1 where all weigh the same.
        telling: The same sets without the parts of compound words, see `whole_words`.
        rows: The set of each statement, grouped by skill, shape ``(n_statements,)``.
        start: Where the statements of each skill begin, and the end of all; shape ``(n_skills + 1,)``.
    """

    sets: SparseRows
    telling: SparseRows
    rows: IntArray
    start: IntArray

    @property
    def count(self) -> IntArray:
        """How many statements each skill makes, shape ``(n_skills,)``; 0 for one that is silent."""
        return np.diff(self.start)

    @property
    def sizes(self) -> FloatArray:
        """What the tokens of each set weigh together, shape ``(n_sets,)``; their number where all weigh 1."""
        sizes: FloatArray = self.sets.multiply(self.sets).sum(axis=1)
        return sizes

    def weighed(self, weights: FloatArray) -> "Statements":
        """Return the statements by their telling tokens, each of its weight, >= 0."""
        return replace(self, sets=self.telling.multiply(np.sqrt(weights)).tocsr())


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFields:
    """What skills state about themselves.

    Attributes:
        inputs: Names of inputs.
        outputs: Names of outputs, or what the skill's own name says it gives.
        by_name: Where it is its name, shape ``(n_skills,)``.
        gives: Names of outputs, and effects.
        presupposes: Preconditions.
        recovery: Failures and recoveries.
    """

    inputs: Statements
    outputs: Statements
    by_name: BoolArray
    gives: Statements
    presupposes: Statements
    recovery: Statements


def stated_texts(fields: SkillFields) -> dict[str, Sequence[str]]:
    """Return the texts of each field of `StatedFields`."""
    inputs = [parameter.name for parameter in fields.inputs or ()]
    outputs = [parameter.name for parameter in fields.outputs or ()]
    return {
        "inputs": inputs,
        "outputs": outputs,
        "gives": [*outputs, *(fields.effects or ())],
        "presupposes": fields.preconditions or (),
        "recovery": fields.recovery or (),
    }


def stated_sets(fields: SkillFields) -> dict[str, list[TokenSet]]:
    """Return the distinct token sets of each field; a text without tokens states nothing."""
    return {
        name: list(dict.fromkeys(tokens for text in texts if (tokens := token_set(text))))
        for name, texts in stated_texts(fields).items()
    }


def given_by(name: str) -> list[TokenSet]:
    """Return what a name says a skill gives: its tokens without the verb."""
    tokens = tuple(sorted(set(without_verb(name))))
    return [tokens] if tokens else []


def token_set(*texts: str) -> TokenSet:
    """Return the tokens of *texts*, sorted, each once."""
    return tuple(sorted({token for text in texts for token in tokenize(text)}))


def whole_words(tokens: TokenSet) -> TokenSet:
    """Return the tokens without the parts of a compound word that is there too: it tells once what it tells.

    >>> whole_words(("metric", "press", "word", "wordpress"))
    ('metric', 'wordpress')
    """
    parts = {
        part
        for token in tokens
        for head in tokens
        if token.startswith(head) and token[len(head) :] in tokens
        for part in (head, token[len(head) :])
    }
    return tuple(token for token in tokens if token not in parts)


def statements(
    by_skill: Sequence[Sequence[TokenSet]], row: Mapping[TokenSet, int], matrix: SparseRows, *, telling: int
) -> Statements:
    """Put statements into arrays.

    Args:
        by_skill: The token sets of each skill.
        row: Where each token set stands in *matrix*.
        matrix: Token sets as 0/1 rows.
        telling: How many rows after a set its whole words stand.
    """
    rows = np.array([row[tokens] for skill in by_skill for tokens in skill], dtype=np.int64)
    used, rows = np.unique(rows, return_inverse=True)
    start = np.cumsum([0, *(len(skill) for skill in by_skill)])
    return Statements(sets=matrix[used], telling=matrix[used + telling], rows=rows, start=start)
