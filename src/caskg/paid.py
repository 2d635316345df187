"""Ask a paid prober, and keep every answer before anything else happens.

Beside `pipeline`, which asks the free one. What the ledger holds is never asked
again, so a run that was killed goes on where it stopped and pays only for what
was out at that moment.
"""

from collections.abc import Iterator, Sequence

from caskg.errors import ProbeError
from caskg.graph.probes import probe_key
from caskg.protocols import StreamingProber
from caskg.schema import ProbeAnswer, ProbeKey, ProbeRequest
from caskg.store.ledger import Ledger


def open_requests(
    requests: Sequence[ProbeRequest], *, prober: StreamingProber, ledger: Ledger
) -> dict[ProbeKey, ProbeRequest]:
    """Return the requests that have no score yet, each question once: what `ask_paid` would send."""
    keyed = {probe_key(request, prober): request for request in requests}
    known = ledger.answers(keyed)
    return {key: request for key, request in keyed.items() if key not in known or known[key].score is None}


def ask_paid(
    requests: Sequence[ProbeRequest], *, prober: StreamingProber, ledger: Ledger
) -> Iterator[tuple[ProbeKey, ProbeAnswer]]:
    """Ask what has no score in the ledger yet; yield each answer once it is recorded, as they come.

    What a limit kept from being sent has no answer, and is asked by the next run.

    Raises:
        ProbeError: The prober answered something that was not asked, or twice.
        ProviderError: No call to the model can succeed.
    """
    waiting = open_requests(requests, prober=prober, ledger=ledger)
    for request, answer in prober.stream(list(waiting.values())):
        key = probe_key(request, prober)
        if waiting.pop(key, None) is None:
            msg = f"Prober {prober.prober_id!r} answered a probe that was not asked, or twice."
            raise ProbeError(msg)
        ledger.record([(key, answer)])
        yield key, answer
