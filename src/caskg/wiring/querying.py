"""Opens the retrievers of a published version."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from caskg.config import RetrieveConfig, retrieve_config
from caskg.inspection import SwitchedRetriever
from caskg.protocols import Encoder, Retriever
from caskg.schema import Skill
from caskg.store.snapshot import Snapshot
from caskg.wiring.encoders import EncoderChoice, encoder_of

if TYPE_CHECKING:
    from caskg.retrieval.seeds import SearchIndex


def open_retriever(version: Snapshot, *, few_queries: bool = False) -> Retriever:
    """Return the retriever of a published version, with the constants of its profile.

    Skills that are disabled in the workspace are hidden, as of the moment of each task.

    Args:
        version: The version.
        few_queries: It will answer a query or two: load less, and take longer over each.

    Raises:
        EncoderError: The version was built with an encoder that is not installed, or with another one.
        DamagedError: A file of the version is not what was written.
    """
    from caskg.published import graph_from
    from caskg.retrieval.retriever import GraphRetriever

    graph = graph_from(version.arrays, n_skills=len(version.ids))
    found = GraphRetriever(graph=graph, **_parts(version, few_texts=few_queries))
    return SwitchedRetriever(retriever=found, switches=version.switches)


def open_flat(version: Snapshot) -> Retriever:
    """Return the flat hybrid over the skills of a published version. Raises as `open_retriever` does."""
    from caskg.baselines.flat import FlatRetriever

    return SwitchedRetriever(retriever=FlatRetriever(**_parts(version)), switches=version.switches)


class _Parts(TypedDict):
    """What every retriever of a version is made of."""

    skills: Sequence[Skill]
    ids: Sequence[str]
    index: "SearchIndex"
    encoder: Encoder
    config: RetrieveConfig


def _parts(version: Snapshot, *, few_texts: bool = False) -> _Parts:
    from caskg.published import index_from

    return _Parts(
        skills=version.skills,
        ids=version.ids,
        index=index_from(version.arrays, knows_meanings=version.meta["encoder"] != EncoderChoice.BUILTIN),
        encoder=encoder_of(version, few_texts=few_texts),
        config=retrieve_config(str(version.meta["profile"])),
    )
