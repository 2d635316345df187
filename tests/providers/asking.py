"""Short ways to ask the faulty server, and to say what it answers."""

from collections.abc import Callable
from typing import Any

from caskg.providers.openai_compatible import OpenAIChat
from caskg.providers.secret import Secret
from caskg.providers.settings import ChatOptions, Endpoint, SchemaMode
from caskg.schema import ChatAnswer, ChatRequest
from providers.faulty_server import Answer, Call, FaultyServer

KEY = "sk-planted-0123456789"
SCHEMA = {"type": "object", "properties": {"score": {"enum": [0, 0.5, 1]}}, "required": ["score"]}


def endpoint(server: FaultyServer, **settings: object) -> Endpoint:
    """Return how the server is called: impatiently, unless *settings* say otherwise."""
    fast: dict[str, Any] = {"api_key": Secret(KEY), "timeout_s": 5.0, "backoff_s": 0.01, "max_wait_s": 1.0}
    return Endpoint(base_url=server.url, **(fast | settings))


def chat(server: FaultyServer, options: ChatOptions | None = None, **settings: object) -> OpenAIChat:
    return OpenAIChat(endpoint(server, **settings), options or ChatOptions(model="m"))


def ask(name: str = "0", *, schema: dict[str, Any] | None = None) -> ChatRequest:
    return ChatRequest(id=name, messages=(("system", "Be brief."), ("user", name)), schema=schema)


def asks(n: int) -> list[ChatRequest]:
    return [ask(str(number)) for number in range(n)]


def answer_to(answer: Callable[[Call], Answer], **settings: object) -> tuple[ChatAnswer, FaultyServer]:
    """Return what one request by schema gets from a server that answers so."""
    with FaultyServer(answer) as server:
        options = ChatOptions(model="m", schema_mode=SchemaMode.JSON_SCHEMA)
        model = OpenAIChat(endpoint(server, **settings), options)
        return next(model.complete_many([ask(schema=SCHEMA)]))[1], server


def in_turn(*answers: Answer) -> Callable[[Call], Answer]:
    """Answer the first call with the first, and so on; from then on with the last."""
    return lambda call: answers[min(call.number, len(answers) - 1)]
