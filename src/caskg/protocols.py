"""What CaSKG asks of the outside world, and the one shape of every retriever.

A step receives these as arguments; only `wiring` knows which object stands behind them.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from caskg.schema import ChatAnswer, ChatRequest, ProbeAnswer, ProbeRequest, Ranking, Skill, VectorArray


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors."""

    @property
    def fingerprint(self) -> str:
        """Names the encoder and everything that changes its vectors; equal fingerprints, equal vectors."""
        ...

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return shape ``(len(texts), d)``, float32: unit rows, or zeros for a text it cannot read."""
        ...


@runtime_checkable
class ChatModel(Protocol):
    """Answers chat requests, several at a time."""

    @property
    def fingerprint(self) -> str:
        """Names the model and the settings that change its answers; no address and no key."""
        ...

    def complete_many(self, requests: Iterable[ChatRequest]) -> Iterator[tuple[ChatRequest, ChatAnswer]]:
        """Yield each request with its answer as they come, in any order.

        Requests are pulled lazily, in the caller's thread, while fewer than the model's
        concurrency are out: the caller sees an answer before the request that takes its
        place is pulled, so it can adapt or stop by ending *requests*; what is out then is
        still answered. Closing the iterator cancels what is out.

        A call that fails is an answer with an error.

        Raises:
            ProviderError: No call can succeed: wrong key, no such model, or the endpoint is dead.
        """
        ...


@runtime_checkable
class Prober(Protocol):
    """Answers counterfactual probes (method, Section 4)."""

    @property
    def prober_id(self) -> str:
        """Names the prober and everything that changes its answers, but the prompt version."""
        ...

    @property
    def prompt_version(self) -> str:
        """The version of what it asks; a new version makes old answers stale."""
        ...

    def answer(self, requests: Sequence[ProbeRequest]) -> list[ProbeAnswer]:
        """Return one answer for each request, in order; a failure is a missing answer, never an exception."""
        ...


@runtime_checkable
class StreamingProber(Prober, Protocol):
    """A prober whose answers cost time and money: each can be kept as soon as it is there."""

    def words_of(self, request: ProbeRequest) -> Hashable:
        """Return what the words of a question follow from: equal only where the same would be asked."""
        ...

    def stream(self, requests: Iterable[ProbeRequest]) -> Iterator[tuple[ProbeRequest, ProbeAnswer]]:
        """Yield each request with its answer as they come, in any order; requests are pulled lazily.

        Raises:
            ProviderError: No call to the model can succeed.
        """
        ...


@runtime_checkable
class BulkReader(Protocol):
    """A sequence of skills that lie elsewhere: many are read faster at once than one by one."""

    def read(self, positions: Sequence[int]) -> Sequence[Skill]:
        """Return the skills at *positions*, in order."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds skills for a task; ours, the baselines and the controls are all this."""

    def retrieve(
        self, query: str, *, k: int = 8, have: Collection[str] = (), exclude: Collection[str] = ()
    ) -> Ranking:
        """Rank at most *k* skills for *query*.

        Args:
            query: The task, as plain text.
            k: Most skills to return, at least 1.
            have: Ids of skills the caller has loaded; never returned, and nothing is lost by that.
            exclude: Ids the caller must not see; they appear nowhere in the answer.
        """
        ...
