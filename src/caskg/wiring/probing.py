"""Opens the probing of a workspace by a language model."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caskg.config import BuildConfig, Profile, Reading, build_config
from caskg.errors import UsageError
from caskg.protocols import Encoder
from caskg.schema import SkillLibrary, VectorArray
from caskg.store.workspace import Workspace
from caskg.wiring.building import BuildReport, build_workspace, follow_moves, sound_version
from caskg.wiring.encoders import EncoderChoice, encoder_kind, encoder_name, encoder_to_build
from caskg.wiring.places import current_meta, default_roots

if TYPE_CHECKING:
    from caskg.graph.answer_model import AnswerRates
    from caskg.graph.judge_check import JudgeReport
    from caskg.graph.llm_prober import LlmProber
    from caskg.graph.prompts import Wording
    from caskg.probing import Poll
    from caskg.protocols import ChatModel
    from caskg.store.ledger import Ledger

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeOptions:
    """What may be chosen of a probing.

    Attributes:
        wording: How the model is asked; None = ``paper`` in that profile, else the one that judge
            checks found worth most, else ``control``.
        judge: Ask for opinions besides.
        budget: Most edges that probes ask about; None = B of the profile.
        policy: In which order, see `FrontierPolicy`; None = that of the profile.
        near: Ask the substitution again, with a near alternative.
        both_orders: Ask the reordering again, with the documents in the other order.
        adaptive: Ask no longer than an answer can change something; *near* and *both_orders* are then asked
            where that helps.
        answer_tokens: Most tokens of an answer, at least 1; None = as many as the score takes.
    """

    wording: str | None = None
    judge: bool = False
    budget: int | None = None
    policy: str | None = None
    near: bool = False
    both_orders: bool = False
    adaptive: bool = False
    answer_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Probing:
    """The edges of a library as its files are now, ready to be asked about.

    Attributes:
        poll: Who is asked about what.
        report: What the judge check said of this model and wording; None = it was never made.
        counts_all: Every answer counts as 1, whatever the judge check says: the profile ``paper``.
    """

    poll: "Poll"
    report: "JudgeReport | None"
    counts_all: bool

    @property
    def refusal(self) -> str | None:
        """Why nothing is asked: to pay for answers that would not be used is refused. None = it is asked."""
        if self.report is None or self.report.units or self.counts_all:
            return None
        return (
            f"The judge check found that answers of {self.poll.prober.prober_id} in the wording "
            f"{self.poll.prober.wording.value!r} are worth nothing, so nothing is asked: choose another "
            "model or wording."
        )

    def require_worth(self) -> None:
        """Refuse to pay for answers that would not be used.

        Raises:
            UsageError: The judge check says so.
        """
        if self.refusal:
            raise UsageError(self.refusal)


@contextmanager
def open_probing(
    workspace: Workspace,
    chat: "ChatModel",
    options: ProbeOptions,
    *,
    plan_only: bool = False,
    progress: Progress = lambda _step, _done, _of: None,
) -> Iterator[Probing]:
    """Find what may be asked about the edges of the library, as a build would find them now.

    Nothing is published, and labels and switches stay where they are: they follow skills that were
    moved or renamed in a draft of the workspace.

    Args:
        workspace: Its last build says which folders, profile and encoder.
        chat: Answers.
        options: How it is asked, and about how much.
        plan_only: Nothing will be asked: nothing is written to *workspace*, nor sent to any server.
        progress: Told where the search for edges is.

    Raises:
        NoVersionError: Nothing has been published yet.
        UsageError: The budget or the policy cannot be used.
        CaskgError: As `build_workspace` raises them.
    """
    from caskg.graph.llm_plan import Arms
    from caskg.graph.llm_prober import LlmProber
    from caskg.graph.prompts import MAX_ANSWER_TOKENS, Wording
    from caskg.judging import known_report
    from caskg.pipeline import induce
    from caskg.probing import Poll, with_budget

    config = build_config(_profile(workspace))
    with workspace.draft() as draft:
        if not plan_only:
            draft.vectors = workspace.vectors  # what it takes time, or money, to make is kept
        library, encoder = _as_now(draft, plan_only=plan_only)
        asking = with_budget(config, n_skills=len(library), budget=options.budget, policy=options.policy)
        induced = induce(library, workspace=draft, encoder=encoder, config=config, progress=progress)
        ledger = draft.ledger if plan_only else workspace.ledger
        wording = options.wording or _wording(chat, config.profile, ledger=ledger)
        most = options.answer_tokens or MAX_ANSWER_TOKENS
        prober = LlmProber(chat, wording=Wording(wording), max_tokens=most)
        report = known_report(prober, ledger=ledger)
        poll = Poll(
            induced=induced,
            config=asking,
            ledger=ledger,
            prober=prober,
            judge=LlmProber(chat, wording=Wording.JUDGE, max_tokens=most) if options.judge else None,
            hidden=draft.switches.disabled(),
            arms=Arms(near=options.near, both_orders=options.both_orders),
            rates=_rates(prober, report, config, ledger) if options.adaptive else None,
        )
        yield Probing(poll=poll, report=report, counts_all=not config.evidence.by_source)


def publish(
    workspace: Workspace,
    *,
    reading: Reading | None = None,
    progress: Progress = lambda _step, _done, _of: None,
) -> BuildReport:
    """Build the workspace as the last time, with all that its ledger holds by now.

    Args:
        workspace: Its last build says which folders, profile and encoder.
        reading: How answers of language models are read; None = as the last time.
        progress: Told where the building is.

    Raises:
        NoVersionError: Nothing has been published yet.
        CaskgError: As `build_workspace` raises them.
    """
    return build_workspace(
        workspace, default_roots(workspace), profile=_profile(workspace), reading=reading, progress=progress
    )


class _Unasked:
    """An encoder at a server that is not asked: what the cache does not hold cannot be had."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint

    def encode(self, texts: Sequence[str]) -> VectorArray:
        msg = (
            f"{len(texts):,} texts have no vector yet, and a plan does not ask the server that makes them: "
            "run `caskg build` first."
        )
        raise UsageError(msg)


def _profile(workspace: Workspace) -> str:
    """Return that of the last build, which is known even where its files are damaged."""
    return str((current_meta(workspace) or workspace.current().meta)["profile"])


def _as_now(draft: Workspace, *, plan_only: bool) -> tuple[SkillLibrary, Encoder]:
    """Return the library as its files are now, and the encoder that a build of it would use."""
    from caskg.library.parse import parse_library
    from caskg.library.scan import scan

    previous = sound_version(draft)
    found = scan(default_roots(draft))
    if previous and previous.meta.get("library") == found.digest:
        library = SkillLibrary(skills=tuple(previous.skills))
    else:
        library = parse_library(found)
        follow_moves(draft, library, previous)
    kind = encoder_kind(EncoderChoice.AUTO, current_meta(draft))
    if plan_only and kind == EncoderChoice.REMOTE:
        return library, _Unasked(encoder_name(kind))
    return library, encoder_to_build(kind, library, previous, vectors=draft.vectors)


def _rates(
    prober: "LlmProber", report: "JudgeReport | None", config: BuildConfig, ledger: "Ledger"
) -> "AnswerRates":
    """Return how a model answers; without that, or where it cannot decide, nobody knows when to stop."""
    from caskg.graph.prompts import Wording
    from caskg.judging import known_rates

    rates = known_rates(ledger)(prober.prober_id, prober.prompt_version)
    if not config.evidence.by_source:
        msg = "The profile paper counts all answers: adaptive probing is for the profile default."
    elif prober.wording is not Wording.PAPER:
        msg = (
            f"Adaptive probing is for the wording 'paper', not {prober.wording.value!r}: the answers of "
            "control share that on the intact context, so one error in it would count three times, and need "
            "has one question. Run `caskg judge-check --wording paper`, then probe with `--wording paper`."
        )
    elif rates is None or report is None:
        msg = (
            "Adaptive probing needs to know how the model answers in the wording "
            f"{prober.wording.value!r}: run `caskg judge-check` first."
        )
    elif report.units == 1:
        msg = (
            "The judge check found that all answers of this model to an edge are one opinion, which decides "
            "nothing: adaptive probing would stop at once."
        )
    else:
        return rates
    raise UsageError(msg)


def _wording(chat: "ChatModel", profile: Profile, *, ledger: "Ledger") -> "Wording":
    """Return ``paper`` in that profile, else what judge checks of this model say."""
    from caskg.graph.prompts import Wording
    from caskg.judging import best_wording, known_reports

    if profile is Profile.PAPER:
        return Wording.PAPER
    return best_wording(known_reports(chat, ledger=ledger))
