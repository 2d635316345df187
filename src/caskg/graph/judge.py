"""The opinion of a language model that refines the association A (method, Section 2).

Stands beside `candidates`: of the edges that `ask_judge` names it is asked how
strongly the source supports the target, one question an edge. An opinion is a
signal like any other, phi_judge; it is no evidence of a probe. Opinions are asked
and kept as answers to probes are, under the kind ``opinion``.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from caskg.graph.llm_plan import plan_wording
from caskg.graph.llm_prober import is_llm
from caskg.graph.prompts import Wording, prompt_version
from caskg.schema import Candidates, IntArray, ProbeAnswer, ProbeKey, ProbeKind, ProbeRequest, Signal, Skill


def plan_opinions(candidates: Candidates, asked: IntArray, *, skills: Sequence[Skill]) -> list[ProbeRequest]:
    """Return the question about each edge *asked*, positions in *candidates* as `ask_judge` returns them."""
    edges = candidates.source[asked], candidates.target[asked]
    none = np.full(len(asked), -1)
    return plan_wording(edges, skills=skills, substitutes=none, wording=Wording.JUDGE)


def has_opinions(prober_ids: Iterable[str]) -> bool:
    """Return whether a judge is among the probers."""
    return any(is_llm(name) and name.endswith(f"/{Wording.JUDGE}") for name in prober_ids)


def judge_signal(
    answers: Mapping[ProbeKey, ProbeAnswer], *, candidates: Candidates, hashes: Sequence[str]
) -> Signal:
    """Gather opinions into the signal phi_judge; where several judges have one, their mean.

    Args:
        answers: Whatever was said of edges of C; only opinions count, given on the prompt in use.
        candidates: C.
        hashes: The content hash of each skill.

    Returns:
        Over all edges of C, in ``[0, 1]``; not active where no judge has an opinion.
    """
    said: dict[tuple[str, str], list[float]] = {}
    for key, answer in answers.items():
        in_use = key.kind is ProbeKind.OPINION and key.prompt_version == prompt_version(Wording.JUDGE)
        if in_use and answer.score is not None:
            said.setdefault((key.source_hash, key.target_hash), []).append(answer.score)
    ends = zip(candidates.source.tolist(), candidates.target.tolist(), strict=True)
    opinions = [said.get((hashes[i], hashes[j]), []) for i, j in ends]
    return Signal(
        value=np.array([sum(each) / max(len(each), 1) for each in opinions], dtype=np.float64),
        active=np.array([bool(each) for each in opinions], dtype=np.bool_),
    )
