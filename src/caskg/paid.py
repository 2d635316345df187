"""Ask a paid prober, and keep every answer before anything else happens.

Beside `pipeline`, which asks the free one. What the ledger holds is never asked
again, so a run that was killed goes on where it stopped and pays only for what
was out at that moment.
"""

from collections.abc import Iterator, Mapping, Sequence

from caskg.errors import ProbeError
from caskg.graph.contrast import NEAR
from caskg.graph.inputs import GraphInputs
from caskg.graph.llm_plan import PLAIN, Arms, near_alternatives, plan_wording, unfit_to_stand_in
from caskg.graph.probes import choose_substitutes, keep_substitutes, probe_key
from caskg.graph.prompts import Wording
from caskg.protocols import StreamingProber
from caskg.schema import BoolArray, Candidates, IntArray, ProbeAnswer, ProbeKey, ProbeRequest, Skill
from caskg.store.ledger import Ledger

SYNC_EVERY_S = 1.0
"""Answers of how many seconds a power cut may cost: to wait for the disk after each would hold up calls."""

ONCE = Arms()
"""One question a probe."""

EVERY = Arms(near=True, both_orders=True)
"""All that can be asked of a probe."""


def plan_paid(  # noqa: PLR0913 - what is asked about, the library it is part of, and how
    edges: tuple[IntArray, IntArray],
    *,
    inputs: GraphInputs,
    candidates: Candidates,
    skills: Sequence[Skill],
    ledger: Ledger,
    wording: Wording,
    arms: Arms = ONCE,
    hidden: BoolArray | None = None,
) -> list[ProbeRequest]:
    """Return what *wording* asks of each edge, with substitutes that are chosen once and kept from then on.

    The far ones are those of the free prober, but that a text which speaks to its reader, and a
    skill that is hidden, stand in for none: one that was chosen before is chosen anew.

    Args:
        edges: Sources and targets, each of shape ``(n_edges,)``.
        inputs: The library as arrays.
        candidates: C: a neighbour of the target is no far substitute.
        skills: The skills that the edges number.
        ledger: Where choices are kept.
        wording: Which questions.
        arms: Which of them twice.
        hidden: Skills whose text is not sent, shape ``(n_skills,)``; None = none.
    """
    unfit = unfit_to_stand_in(skills)
    if hidden is not None:
        unfit = unfit | hidden
    vectors, ranks = inputs.vectors, inputs.tie_break
    everywhere = candidates.source, candidates.target
    chosen = {PLAIN: choose_substitutes(*edges, vectors, linked=everywhere, tie_break=ranks, unfit=unfit)}
    if arms.near:
        chosen[NEAR] = near_alternatives(edges, vectors, tie_break=ranks, unfit=unfit)
    hashes = [skill.content_hash for skill in skills]
    kept = _kept_substitutes(edges, chosen, hashes=hashes, unfit=unfit, ledger=ledger)
    return plan_wording(
        edges,
        skills=skills,
        substitutes=kept[PLAIN],
        wording=wording,
        near=kept.get(NEAR),
        both_orders=arms.both_orders,
    )


def _kept_substitutes(
    edges: tuple[IntArray, IntArray],
    chosen: Mapping[str, IntArray],
    *,
    hashes: Sequence[str],
    unfit: BoolArray,
    ledger: Ledger,
) -> dict[str, IntArray]:
    """Return the substitutes by arm: as recorded where these are fit, else as *chosen*, which is recorded."""
    barred = {content for content, out in zip(hashes, unfit, strict=True) if out}
    known, new = ledger.substitutes(), dict[tuple[str, str, str], str]()
    kept = {}
    for arm, choice in chosen.items():
        before = {(i, j): x for (i, j, of), x in known.items() if of == arm and x not in barred}
        kept[arm] = keep_substitutes(before, choice, source=edges[0], target=edges[1], hashes=hashes)
        rows = zip(edges[0].tolist(), edges[1].tolist(), kept[arm].tolist(), strict=True)
        new |= {(hashes[i], hashes[j], arm): hashes[x] for i, j, x in rows if x >= 0}
    ledger.record_substitutes({key: x for key, x in new.items() if known.get(key) != x})
    return kept


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
