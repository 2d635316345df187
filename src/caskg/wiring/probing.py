"""Opens the probing of a workspace by a language model."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caskg.config import BuildConfig, Profile, Reading, build_config
from caskg.errors import UsageError
from caskg.store.workspace import Workspace
from caskg.wiring.building import BuildReport, build_workspace
from caskg.wiring.encoders import encoder_of
from caskg.wiring.places import default_roots

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
    """A workspace whose graph is up to date, ready to be asked about.

    Attributes:
        poll: Who is asked about what.
        report: What the judge check said of this model and wording; None = it was never made.
        counts_all: Every answer counts as 1, whatever the judge check says: the profile ``paper``.
    """

    poll: "Poll"
    report: "JudgeReport | None"
    counts_all: bool

    def require_worth(self) -> None:
        """Refuse to pay for answers that would not be used.

        Raises:
            UsageError: The judge check says so.
        """
        if self.report is None or self.report.units or self.counts_all:
            return
        msg = (
            f"The judge check found that answers of {self.poll.prober.prober_id} in the wording "
            f"{self.poll.prober.wording.value!r} are worth nothing, so nothing was asked: choose another "
            "model or wording."
        )
        raise UsageError(msg)


def open_probing(
    workspace: Workspace,
    chat: "ChatModel",
    options: ProbeOptions,
    *,
    progress: Progress = lambda _step, _done, _of: None,
) -> Probing:
    """Build what has changed since the current version, and find what may be asked about it.

    Args:
        workspace: Its last build says which folders, profile and encoder.
        chat: Answers.
        options: How it is asked, and about how much.
        progress: Told where the building is.

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
    from caskg.schema import SkillLibrary

    publish(workspace, progress=progress)
    version = workspace.current()
    config = build_config(str(version.meta["profile"]))
    library = SkillLibrary(skills=tuple(version.skills))
    asking = with_budget(config, n_skills=len(library), budget=options.budget, policy=options.policy)
    wording = options.wording or _wording(chat, config.profile, ledger=workspace.ledger)
    most = options.answer_tokens or MAX_ANSWER_TOKENS
    prober = LlmProber(chat, wording=Wording(wording), max_tokens=most)
    encoder = encoder_of(version)
    induced = induce(library, workspace=workspace, encoder=encoder, config=config, progress=progress)
    report = known_report(prober, ledger=workspace.ledger)
    poll = Poll(
        induced=induced,
        config=asking,
        ledger=workspace.ledger,
        prober=prober,
        judge=LlmProber(chat, wording=Wording.JUDGE, max_tokens=most) if options.judge else None,
        hidden=workspace.switches.disabled(),
        arms=Arms(near=options.near, both_orders=options.both_orders),
        rates=_rates(prober, report, config, workspace.ledger) if options.adaptive else None,
    )
    return Probing(
        poll=poll,
        report=report,
        counts_all=not config.evidence.by_source,
    )


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
    profile = str(workspace.current().meta["profile"])
    return build_workspace(
        workspace, default_roots(workspace), profile=profile, reading=reading, progress=progress
    )


def _rates(
    prober: "LlmProber", report: "JudgeReport | None", config: BuildConfig, ledger: "Ledger"
) -> "AnswerRates":
    """Return how a model answers; without that, or where it cannot decide, nobody knows when to stop."""
    from caskg.judging import known_rates

    rates = known_rates(ledger)(prober.prober_id, prober.prompt_version)
    if not config.evidence.by_source:
        msg = "The profile paper counts all answers: adaptive probing is for the profile default."
    elif rates is None or report is None:
        msg = (
            "Adaptive probing needs to know how the model answers in the wording "
            f"{prober.wording.value!r}: run `caskg judge-check` first; of need it cannot be known."
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
