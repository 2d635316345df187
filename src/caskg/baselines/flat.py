"""The flat hybrid: words and meanings fused, and no graph. What is left of CaSKG without its edges."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from caskg.config import RetrieveConfig
from caskg.protocols import Encoder
from caskg.retrieval.retriever import GraphRetriever
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import Skill, SkillGraph


class FlatRetriever(GraphRetriever):
    """Finds the skills that the rankings of a task alone put first; a `Retriever`.

    It is the graph retriever over a graph without edges, where relevance stays with the
    seeds: same rankings, same fusion, same gate, same names first. The seeds that a graph
    needs to begin with are few; here they are the whole answer, so none is cut off.
    """

    method = "flat"

    def __init__(
        self,
        *,
        skills: Sequence[Skill],
        ids: Sequence[str],
        index: SearchIndex,
        encoder: Encoder,
        config: RetrieveConfig,
    ) -> None:
        """Join the parts of one published version. Arguments and errors are those of `GraphRetriever`."""
        every_candidate = 2 * config.seeds.lexical + config.seeds.semantic
        super().__init__(
            skills=skills,
            ids=ids,
            index=index,
            graph=_without_edges(len(ids)),
            encoder=encoder,
            config=replace(config, seeds=replace(config.seeds, count=every_candidate)),
        )


def _without_edges(n_skills: int) -> SkillGraph:
    ends, numbers, codes = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0, dtype=np.int8)
    return SkillGraph(
        n_skills=n_skills,
        source=ends,
        target=ends,
        weight=numbers,
        association=numbers,
        reliability=numbers,
        types=codes,
        states=codes,
    )
