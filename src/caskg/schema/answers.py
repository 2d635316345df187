"""What a query gets: a ranking with reasons, and the bundle that an agent reads."""

from collections.abc import Sequence
from dataclasses import dataclass

from caskg.schema.edges import EdgeState, EdgeType
from caskg.schema.library import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeStep:
    """One published edge on the way relevance took, from *source* to *target* as the edge points."""

    source: str
    target: str
    type: EdgeType
    state: EdgeState
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSkill:
    """A skill of the result, and why it is there.

    Attributes:
        skill: The skill.
        score: Its share of the diffused relevance, >= 0; comparable within one ranking only.
        lexical_rank: Its rank among the lexical seeds, from 1; None when it was none.
        semantic_rank: Likewise among the semantic seeds.
        exact_name: The task names it.
        path: The edges that brought it in from a seed, seed first; empty for a seed.
        supports: The dependency and workflow edges from it to other skills of the answer.
    """

    skill: Skill
    score: float
    lexical_rank: int | None = None
    semantic_rank: int | None = None
    exact_name: bool = False
    path: tuple[EdgeStep, ...] = ()
    supports: tuple[EdgeStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The answer to a query: skills in the order to use them, or none and a hint.

    Attributes:
        query: The task text.
        skills: Prerequisites first; empty when the retriever abstained.
        sufficiency: How well the library seems to cover the task, in ``[0, 1]``.
        abstained: Nothing fits.
        hint: What to do when nothing fits, else empty.
        method: Which retriever answered.
    """

    query: str
    skills: Sequence[RankedSkill]
    sufficiency: float
    abstained: bool
    hint: str = ""
    method: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A ranking as one text.

    Attributes:
        text: What the agent reads; at most ``max_chars`` characters.
        included: Ids whose body (perhaps trimmed) is in the text, in order.
        trimmed: Ids of those that were cut.
        left_out: Ids that did not fit with their body.
    """

    text: str
    included: tuple[str, ...]
    trimmed: tuple[str, ...]
    left_out: tuple[str, ...]
