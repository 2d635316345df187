"""What skills give and take, by meaning: how close an output of one comes to an input of another.

Part of `inputs`; `signals` and `recall` read it. Words miss that ``book_details`` is what
``book_info`` asks for; the vectors of "name: description" do not. A parameter such as ``metadata`` is
close to something of every skill. So closeness is counted from what is usual:

    f_ij = max over p of j of  max(0, c_ip - mean of c_kp over skills k)
    c_ip = max over o of i of  cos(o, p)

A skill that states no outputs gives what its own text says; and so do all where less than a fifth
state any: a few short outputs would come closer to everything than whole texts do, and need not be
encoded.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caskg.graph.spread import Groups, best_scores, blocks
from caskg.schema import FloatArray, IntArray, Parameter, Skill, VectorArray

MOST_ASKED = 1024
"""Most skills that are asked what is usual: enough for a mean, and few enough for large libraries."""

_FEW = 0.2  # share of the skills below which stated outputs do not count

_DECIMALS = 6  # of a closeness, so that the order in which a sum is taken decides no tie


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """What is given and taken, as vectors.

    Attributes:
        given: Distinct unit vectors, or zeros, of what skills give, shape ``(n_given, d)``.
        taken: Of what they take, shape ``(n_taken, d)``.
        gives: Which of *given* each skill gives: at least one.
        takes: Which of *taken* each skill takes.
        usual: How close the average skill comes to each of *taken*, shape ``(n_taken,)``.
    """

    given: FloatArray
    taken: FloatArray
    gives: Groups
    takes: Groups
    usual: FloatArray


def parameter_texts(skills: Sequence[Skill]) -> list[str]:
    """Return what is encoded of inputs and outputs, "name: description": each text once, sorted."""
    stated = [skill.fields.inputs or () for skill in skills]
    if outputs_count(skills):
        stated += [skill.fields.outputs or () for skill in skills]
    return sorted({_text(parameter) for parameters in stated for parameter in parameters})


def outputs_count(skills: Sequence[Skill]) -> bool:
    """Return whether what skills give is what they state: where a fifth of them state it."""
    return sum(skill.fields.outputs is not None for skill in skills) >= _FEW * len(skills)


def read_flow(
    skills: Sequence[Skill], own: VectorArray, parameters: VectorArray | None, *, tie_break: IntArray
) -> Flow:
    """Read what skills give and take.

    Args:
        skills: A library.
        own: Shape ``(n_skills, d)``: the vectors of their own texts.
        parameters: Those of `parameter_texts`; None = they are not compared: nobody takes anything.
        tie_break: Decides who is asked what is usual.

    Raises:
        ValueError: There are not as many *parameters* as texts.
    """
    texts = [] if parameters is None else parameter_texts(skills)
    parameters = own[:0] if parameters is None else parameters
    if len(parameters) != len(texts):
        msg = (
            f"{len(texts)} parameters need as many vectors, got {len(parameters)}: encode `parameter_texts`."
        )
        raise ValueError(msg)
    row = {text: at for at, text in enumerate(texts)}

    def rows(stated: Sequence[Parameter] | None) -> list[int]:
        found = (row.get(_text(parameter)) for parameter in stated or ())
        return list(dict.fromkeys(at for at in found if at is not None))

    vectors = np.concatenate([parameters, own]).astype(np.float64)
    taken, takes = _grouped([rows(skill.fields.inputs) for skill in skills])
    counted = outputs_count(skills)
    outputs = [skill.fields.outputs if counted else None for skill in skills]
    given, gives = _grouped([rows(stated) or [len(texts) + at] for at, stated in enumerate(outputs)])
    asked = np.argsort(tie_break)[:MOST_ASKED]
    return Flow(
        given=vectors[given],
        taken=vectors[taken],
        gives=gives,
        takes=takes,
        usual=_usual(vectors[given], vectors[taken], gives, asked),
    )


def feeding(flow: Flow, rows: IntArray, *, into: bool) -> FloatArray:
    """Return f between a run of consecutive skills (rows) and every skill (columns).

    Args:
        flow: What is given and taken.
        rows: The skills that take; with *into* False, those that give.
        into: Whether the rows take.

    Returns:
        Shape ``(len(rows), n_skills)``, in ``[0, 2]``; 0 where the one who should take takes nothing.
    """

    def from_taken(taken: IntArray) -> FloatArray:
        return _above(flow.taken[taken] @ flow.given.T, flow.usual[taken, None])

    def from_given(given: IntArray) -> FloatArray:
        return _above(flow.given[given] @ flow.taken.T, flow.usual)

    if into:
        return best_scores(flow.takes, flow.gives, rows, score=from_taken)
    return best_scores(flow.gives, flow.takes, rows, score=from_given)


def pair_feeding(flow: Flow, source: IntArray, target: IntArray) -> FloatArray:
    """Return f of each pair, shape ``(n_pairs,)``; see `feeding`."""
    found = np.zeros(len(source))
    order = np.argsort(target, kind="stable")
    n_skills = len(flow.takes.count)
    for rows in blocks(np.full(n_skills, n_skills)):
        first, end = np.searchsorted(target[order], [rows[0], rows[-1] + 1])
        pairs = order[first:end]
        pairs = pairs[flow.takes.count[target[pairs]] > 0]
        if len(pairs):
            found[pairs] = feeding(flow, rows, into=True)[target[pairs] - rows[0], source[pairs]]
    return found


def _text(parameter: Parameter) -> str:
    return ": ".join(filter(None, (parameter.name, parameter.description)))


def _grouped(by_skill: Sequence[Sequence[int]]) -> tuple[IntArray, Groups]:
    """Return what is used, ascending, and which of it each skill has."""
    used, rows = np.unique(
        np.array([at for skill in by_skill for at in skill], dtype=np.int64), return_inverse=True
    )
    return used, Groups(rows=rows, start=np.cumsum([0, *map(len, by_skill)]))


def _usual(given: FloatArray, taken: FloatArray, gives: Groups, asked: IntArray) -> FloatArray:
    """Return how close the average of the skills *asked* comes to each of *taken*."""
    entries = [np.arange(gives.start[skill], gives.start[skill + 1]) for skill in np.sort(asked).tolist()]
    usual = np.zeros(len(taken))
    if not entries:
        return usual
    theirs = given[gives.rows[np.concatenate(entries)]]
    first = np.cumsum([0, *map(len, entries[:-1])])
    for block in blocks(np.full(len(taken), len(theirs))):
        usual[block] = np.maximum.reduceat(taken[block] @ theirs.T, first, axis=1).mean(axis=1)
    return usual


def _above(closeness: FloatArray, usual: FloatArray) -> FloatArray:
    return np.maximum(closeness - usual, 0.0).round(_DECIMALS)
