"""A published version as named arrays, and back: what a build leaves for those who query.

`store` keeps arrays without knowing what they mean; here stands what they mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from caskg.library.duplicates import NearDuplicates
from caskg.library.lexical import Bm25Index
from caskg.library.sequences import StatedOrder
from caskg.retrieval.seeds import NameIndex, SearchIndex
from caskg.schema import Candidates, Reliability, Signal, SkillGraph

if TYPE_CHECKING:
    from caskg.graph.sources import SourceUse
    from caskg.graph.verifier import Verifier

Arrays = Mapping[str, NDArray[Any]]
Record = TypeVar("Record", Candidates, Reliability, SkillGraph, Signal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What the offline half found, ready to be published.

    Attributes:
        candidates: C.
        reliability: What the evidence says of C, row for row.
        graph: The published graph.
        index: What queries are compared with.
        duplicates: The skills that share most of their text.
        orders: The skills that some document calls for one after the other.
        n_frontier: |F|, how many edges the prober was asked about.
        verifier: What was learnt from assessed edges; None where learning is off. It is not stored.
        sources: The language models whose answers count, by source id. They are not stored.
    """

    candidates: Candidates
    reliability: Reliability
    graph: SkillGraph
    index: SearchIndex
    duplicates: tuple[NearDuplicates, ...]
    orders: tuple[StatedOrder, ...]
    n_frontier: int
    verifier: "Verifier | None" = None
    sources: "Mapping[str, SourceUse]" = field(default_factory=dict)


def to_arrays(build: Build, *, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return everything of a build that later commands read, by name."""
    arrays = {
        **_pack("candidates", build.candidates),
        **_pack("reliability", build.reliability),
        **_pack("graph", build.graph),
        **prefixed("short", build.index.short.arrays()),
        "vectors": build.index.vectors,
        "tie_break": build.index.tie_break,
        "names": np.frombuffer("\n".join(" ".join(name.split()) for name in names).encode(), dtype=np.uint8),
    }
    if build.index.full is not None:
        arrays |= prefixed("full", build.index.full.arrays())
    for name, signal in build.candidates.signals.items():
        arrays |= _pack(f"signal.{name}", signal)
    return arrays


def graph_from(arrays: Arrays, *, n_skills: int) -> SkillGraph:
    """Return the published graph."""
    return _unpack(SkillGraph, "graph", arrays, n_skills=n_skills)


def candidates_from(arrays: Arrays, *, n_skills: int) -> Candidates:
    """Return C with its signals."""
    names = {name.split(".")[1] for name in arrays if name.startswith("signal.")}
    signals = {name: _unpack(Signal, f"signal.{name}", arrays) for name in sorted(names)}
    return _unpack(Candidates, "candidates", arrays, n_skills=n_skills, signals=signals)


def reliability_from(arrays: Arrays) -> Reliability:
    """Return what the evidence said of C, row for row."""
    return _unpack(Reliability, "reliability", arrays)


def names_from(arrays: Arrays) -> list[str]:
    """Return the names of the skills by position, each on one line."""
    return str(arrays["names"].tobytes(), "utf-8").split("\n")


def index_from(arrays: Arrays, *, knows_meanings: bool) -> SearchIndex:
    """Return what queries are compared with."""
    full = below("full", arrays)
    return SearchIndex(
        names=NameIndex.fit(names_from(arrays)),
        short=Bm25Index.from_arrays(below("short", arrays)),
        full=Bm25Index.from_arrays(full) if full else None,
        vectors=arrays["vectors"],
        tie_break=arrays["tie_break"],
        knows_meanings=knows_meanings,
    )


def _pack(prefix: str, record: Record) -> dict[str, NDArray[Any]]:
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return prefixed(prefix, {name: value for name, value in values.items() if isinstance(value, np.ndarray)})


def _unpack(kind: type[Record], prefix: str, arrays: Arrays, **others: Any) -> Record:  # noqa: ANN401 - fields of any type
    names = [field.name for field in fields(kind) if field.name not in others]
    values: dict[str, Any] = {name: arrays[f"{prefix}.{name}"] for name in names}
    return kind(**values, **others)


def prefixed(prefix: str, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Put a family of arrays under a common name."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def below(prefix: str, arrays: Arrays) -> dict[str, NDArray[Any]]:
    """Return the family that `prefixed` put there."""
    start = f"{prefix}."
    return {name.removeprefix(start): arrays[name] for name in arrays if name.startswith(start)}
