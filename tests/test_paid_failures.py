"""One question of a run fails, in every way there is: what becomes of it, the others, and the next run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caskg.graph.llm_plan import plan_wording
from caskg.graph.llm_prober import LlmProber
from caskg.graph.prompts import Wording
from caskg.paid import ask_paid, to_ask
from caskg.providers.openai_compatible import OpenAIChat
from caskg.providers.settings import ChatOptions, Endpoint
from caskg.schema import ProbeKey
from caskg.store.workspace import Workspace
from graph.llm_cases import BOIL, PEEL, SING
from interfaces.test_probe import FAILURES, Respond, opinion
from providers.faulty_server import Answer, Call, FaultyServer, fails

EDGES = np.array([0, 1]), np.array([1, 2])
PLAN = plan_wording(EDGES, skills=[BOIL, PEEL, SING], substitutes=np.array([2, 0]), wording=Wording.CONTROL)
ENDS_THE_RUN = ("a wrong key", "no such model", "a redirect to another host")
PASSING = {name: failure for name, failure in FAILURES.items() if name not in ENDS_THE_RUN}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.create(tmp_path / "ws") as opened:
        yield opened


def victim(failure: Respond, *, for_calls: int = 100) -> Respond:
    """Fail as told with the fourth question, and the same again for so many calls; else give an opinion."""
    asked: list[Any] = []

    def answer(call: Call) -> Answer:
        if call.number == 3:
            asked.append(call.body["messages"])
        fail = call.body["messages"] in asked and call.number < 3 + for_calls
        return failure(call) if fail else opinion(call)

    return answer


def ask(workspace: Workspace, respond: Respond) -> tuple[dict[ProbeKey, float | None], list[str], int]:
    """Return the scores that stand after a run, why one is missing, and how many calls were received."""
    with FaultyServer(respond) as server:
        patient = Endpoint(
            base_url=server.url, concurrency=1, timeout_s=0.3, max_attempts=3, backoff_s=0, max_wait_s=1
        )
        prober = LlmProber(OpenAIChat(patient, ChatOptions(model="m")))
        answers = dict(ask_paid(PLAN, prober=prober, ledger=workspace.ledger))
        assert len(to_ask(PLAN, prober=prober, ledger=workspace.ledger)) == sum(
            answer.score is None for answer in answers.values()
        )
    why = [answer.missing_reason for answer in answers.values() if answer.missing_reason]
    return {key: answer.score for key, answer in answers.items()}, why, len(server.calls)


@pytest.mark.parametrize("failure", PASSING.values(), ids=PASSING)
def test_it_is_missing_with_its_reason_and_all_that_is_asked_again(
    tmp_path: Path, workspace: Workspace, failure: Respond
) -> None:
    """Never one half; the others have the scores that they would have had."""
    with Workspace.create(tmp_path / "undisturbed") as other:
        undisturbed, none, n_calls = ask(other, opinion)
    assert (none, n_calls) == ([], 8)
    first, why, _ = ask(workspace, victim(failure))
    (missing,) = (key for key, score in first.items() if score is None)
    assert len(why) == 1
    assert why[0]
    assert {**first, missing: undisturbed[missing]} == undisturbed
    again, none, n_calls = ask(workspace, opinion)
    assert (again, none, n_calls) == ({missing: undisturbed[missing]}, [], 1)


@pytest.mark.parametrize(
    "failure",
    [
        lambda _: fails(500),
        lambda _: fails(429, headers={"Retry-After": "0.05"}),
        FAILURES["never an answer"],
        FAILURES["closed in the middle"],
        FAILURES["a slow trickle"],
    ],
    ids=["500", "429", "never an answer", "closed in the middle", "a slow trickle"],
)
def test_what_passes_is_tried_again_within_the_run(workspace: Workspace, failure: Respond) -> None:
    """Twice, and then it is answered: two calls more, nothing is missing."""
    scores, why, n_calls = ask(workspace, victim(failure, for_calls=2))
    assert (len(scores), None in scores.values(), why, n_calls) == (8, False, [], 10)
