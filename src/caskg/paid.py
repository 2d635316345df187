"""Ask a paid prober, and keep every answer before anything else happens.

Beside `pipeline`, which asks the free one. What the ledger holds is never asked
again, so a run that was killed goes on where it stopped and pays only for what
was out at that moment.
"""

from collections.abc import Iterator, Sequence

from caskg.errors import ProbeError
from caskg.graph.inputs import GraphInputs
from caskg.graph.llm_plan import PLAIN, plan_wording, unfit_to_stand_in
from caskg.graph.probes import choose_substitutes, keep_substitutes, probe_key
from caskg.graph.prompts import Wording
from caskg.protocols import StreamingProber
from caskg.schema import Candidates, IntArray, ProbeAnswer, ProbeKey, ProbeRequest, Skill
from caskg.store.ledger import Ledger

SYNC_EVERY_S = 1.0
"""Answers of how many seconds a power cut may cost: to wait for the disk after each would hold up calls."""


def plan_paid(
    edges: tuple[IntArray, IntArray],
    *,
    inputs: GraphInputs,
    candidates: Candidates,
    skills: Sequence[Skill],
    ledger: Ledger,
    wording: Wording,
) -> list[ProbeRequest]:
    """Return what *wording* asks of each edge, with substitutes that are chosen once and kept from then on.

    They are those of the free prober, but that a text which speaks to its reader stands in
    for none: one that was chosen before is chosen anew.

    Args:
        edges: Sources and targets, each of shape ``(n_edges,)``.
        inputs: The library as arrays.
        candidates: C: a neighbour of the target is no substitute.
        skills: The skills that the edges number.
        ledger: Where choices are kept.
        wording: Which questions.
    """
    unfit = unfit_to_stand_in(skills)
    hashes = [skill.content_hash for skill in skills]
    barred = {content for content, out in zip(hashes, unfit, strict=True) if out}
    everywhere = candidates.source, candidates.target
    chosen = choose_substitutes(
        *edges, inputs.vectors, linked=everywhere, tie_break=inputs.tie_break, unfit=unfit
    )
    before = {(i, j): x for (i, j, arm), x in ledger.substitutes().items() if arm == PLAIN}
    recorded = {pair: x for pair, x in before.items() if x not in barred}
    kept = keep_substitutes(recorded, chosen, source=edges[0], target=edges[1], hashes=hashes)
    rows = zip(edges[0].tolist(), edges[1].tolist(), kept.tolist(), strict=True)
    now = {(hashes[i], hashes[j]): hashes[x] for i, j, x in rows if x >= 0}
    ledger.record_substitutes({(*pair, PLAIN): x for pair, x in now.items() if before.get(pair) != x})
    return plan_wording(edges, skills=skills, substitutes=kept, wording=wording)


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
        ledger.record([(key, answer)], sync_every_s=SYNC_EVERY_S)
        yield key, answer
