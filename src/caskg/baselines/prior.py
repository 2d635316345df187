"""What a graph says without the task: its unpersonalised PageRank, alone or mixed into the flat hybrid.

A graph can look useful because it always brings in the same few popular skills. Then this
baseline, which needs no edge at query time, is as good.
"""

from collections.abc import Sequence

import numpy as np

from caskg.baselines.flat import FlatRetriever
from caskg.config import DiffusionConfig, RetrieveConfig
from caskg.protocols import Encoder
from caskg.retrieval.diffusion import Transition, personalized_pagerank, transition
from caskg.retrieval.seeds import SearchIndex
from caskg.schema import FloatArray, Skill, SkillGraph

TELEPORT = 0.15
"""Chance of going on at any skill; the usual one of PageRank."""

_ONE = 1.0 + 1e-9  # but for rounding


def graph_prior(graph: SkillGraph, config: DiffusionConfig) -> FloatArray:
    """Return the PageRank of each skill when relevance starts everywhere alike.

    Args:
        graph: The published graph.
        config: Which way relevance walks, and how much of it a weak row loses.

    Returns:
        Shape ``(n_skills,)``, > 0, sum 1.
    """
    everywhere = np.full(graph.n_skills, 1.0 / graph.n_skills)
    step = transition(graph, config)
    return personalized_pagerank(step, everywhere, restart=TELEPORT, tolerance=config.tolerance)


class PriorRetriever(FlatRetriever):
    """The flat hybrid with a part of a prior that is the same for every task; a `Retriever`."""

    method = "prior"

    def __init__(
        self,
        *,
        skills: Sequence[Skill],
        ids: Sequence[str],
        index: SearchIndex,
        encoder: Encoder,
        config: RetrieveConfig,
        prior: FloatArray,
    ) -> None:
        """Join the parts of one published version; the others as for `FlatRetriever`.

        Args:
            skills: The skills by position.
            ids: Their ids, by position.
            index: What a query is compared with.
            encoder: The encoder that made the vectors of *index*.
            config: Everything that decides what a query returns.
            prior: Its part in the relevance, shape ``(n_skills,)``, >= 0, sum at most 1; what is
                missing to 1 is the task's part.

        Raises:
            ValueError: *prior* is out of range, or as for `FlatRetriever`.
        """
        if np.any(prior < 0) or prior.sum() > _ONE:
            msg = f"prior must be >= 0 and sum to at most 1, not to {prior.sum()}."
            raise ValueError(msg)
        super().__init__(skills=skills, ids=ids, index=index, encoder=encoder, config=config)
        self._prior = prior

    def _relevance(self, start: FloatArray, step: Transition) -> FloatArray:  # noqa: ARG002 - nothing walks
        return self._prior + max(0.0, 1.0 - float(self._prior.sum())) * start
