"""A chat model that answers from a function: for tests and rehearsals, with nothing sent anywhere."""

from collections.abc import Callable, Iterable, Iterator

from caskg.schema import ChatAnswer, ChatRequest

Script = Callable[[ChatRequest], str | ChatAnswer]


class ScriptedChatModel:
    """Implements `caskg.protocols.ChatModel`; keeps what it was asked.

    >>> model = ScriptedChatModel(lambda request: f"to {request.id}")
    >>> [answer.text for _, answer in model.complete_many([ChatRequest(id="a", messages=())])]
    ['to a']
    """

    def __init__(self, script: Script, *, fingerprint: str = "scripted", concurrency: int = 1) -> None:
        """Answer by *script*.

        Args:
            script: Makes the answer; a text counts as one call.
            fingerprint: What the model is called.
            concurrency: How many requests are out at a time; of these the last is answered first.
        """
        self.fingerprint = fingerprint
        self.asked: list[ChatRequest] = []
        self._script = script
        self._concurrency = concurrency

    def complete_many(self, requests: Iterable[ChatRequest]) -> Iterator[tuple[ChatRequest, ChatAnswer]]:
        """Yield each request with its answer."""
        out: list[ChatRequest] = []
        for request in requests:
            self.asked.append(request)
            out.append(request)
            if len(out) == self._concurrency:
                yield self._answered(out.pop())
        while out:
            yield self._answered(out.pop())

    def _answered(self, request: ChatRequest) -> tuple[ChatRequest, ChatAnswer]:
        said = self._script(request)
        return request, said if isinstance(said, ChatAnswer) else ChatAnswer(text=said, calls=1)
