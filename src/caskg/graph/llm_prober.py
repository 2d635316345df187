"""The paid prober: puts probes to a language model and reads what it says (method, Section 4).

Stands beside `text_prober` and answers the requests that `llm_plan` makes, through
`prompts` and `readings`.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence

from caskg.graph.prompts import MAX_ANSWER_TOKENS, Wording, chat_request, prompt_version, words_of
from caskg.graph.readings import UNTOLD, cut_off, expected_score, read_score
from caskg.protocols import ChatModel
from caskg.schema import ChatAnswer, ChatRequest, ProbeAnswer, ProbeRequest

_PREFIX = "llm:"


def is_llm(prober_id: str) -> bool:
    """Return whether a prober is a language model that was asked with our prompts.

    >>> is_llm("llm:m/need"), is_llm("text")
    (True, False)
    """
    return prober_id.startswith(_PREFIX)


class LlmProber:
    """Implements `caskg.protocols.StreamingProber` with a chat model and a wording.

    ``paper`` and ``control`` of one model are one source; ``need`` is a source of its own, worth
    one opinion as it asks one question an edge; ``judge`` is no evidence.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        wording: Wording = Wording.CONTROL,
        expected: bool = False,
        max_tokens: int = MAX_ANSWER_TOKENS,
    ) -> None:
        """Put questions to *model*.

        Args:
            model: Answers them.
            wording: Which questions.
            expected: Take the mean score by the log-probabilities, where the model gives them.
            max_tokens: Most tokens of an answer, what a model thinks before it answers included.
        """
        self._model = model
        self._wording = wording
        self._expected = expected
        self._max_tokens = max_tokens

    @property
    def prober_id(self) -> str:
        """Names the model, how it is read, and its wording where that is an opinion of its own."""
        own = f"/{self._wording}" if self._wording in (Wording.NEED, Wording.JUDGE) else ""
        return f"{_PREFIX}{self._model.fingerprint}{'/expected' if self._expected else ''}{own}"

    @property
    def prompt_version(self) -> str:
        """The version of its wording."""
        return prompt_version(self._wording)

    @property
    def wording(self) -> Wording:
        """Which questions it asks."""
        return self._wording

    @property
    def max_tokens(self) -> int:
        """Most tokens of an answer."""
        return self._max_tokens

    def answer(self, requests: Sequence[ProbeRequest]) -> list[ProbeAnswer]:
        """Return one answer for each request, in order."""
        numbers = {id(request): number for number, request in enumerate(requests)}
        if len(numbers) < len(requests):
            msg = "The same request was given twice: ask each once."
            raise ValueError(msg)
        found = {numbers[id(request)]: answer for request, answer in self.stream(requests)}
        return [found[number] for number in range(len(requests))]

    def words_of(self, request: ProbeRequest) -> Hashable:
        """Return what the words of a question follow from; edges may share a changed plan, for one."""
        return words_of(request, wording=self._wording)

    def stream(self, requests: Iterable[ProbeRequest]) -> Iterator[tuple[ProbeRequest, ProbeAnswer]]:
        """Yield each request with its answer as they come; requests are pulled lazily."""
        out: dict[str, ProbeRequest] = {}
        for asked, said in self._model.complete_many(self._chats(requests, out)):
            score = reason = None
            if said.text is None:
                reason = said.error
            else:
                reading = expected_score(said) if self._expected else read_score(said.text)
                score, reason = reading.score, reading.missing_reason
            if said.cut_off and score is None and reason != UNTOLD:
                reason = cut_off(self._max_tokens)
            answer = ProbeAnswer(
                score=score,
                source_id=self.prober_id,
                missing_reason=reason,
                calls=said.calls,
                tokens=said.prompt_tokens + said.completion_tokens,
                transcript=_transcript(said),
            )
            yield out.pop(asked.id), answer

    def _chats(self, requests: Iterable[ProbeRequest], out: dict[str, ProbeRequest]) -> Iterator[ChatRequest]:
        """Put each request into words, and keep it in *out* until its answer comes."""
        for number, request in enumerate(requests):
            out[str(number)] = request
            yield chat_request(
                request, wording=self._wording, request_id=str(number), max_tokens=self._max_tokens
            )


def _transcript(said: ChatAnswer) -> str | None:
    """Return what was said, and below it what the server would not be told."""
    if said.text is None or not said.left_out:
        return said.text
    return f"{said.text}\n[asked without {', '.join(said.left_out)}, which the server refuses]"
