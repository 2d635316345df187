"""The two profiles: a whole set of constants by name.

* ``paper``: the equations of the paper with its authors' released constants, so
  that anyone can check us against it;
* ``default``: ours, each difference a named switch; chosen on development sets.
"""

from caskg.config.build import (
    Bound,
    BuildConfig,
    EdgeTypeConfig,
    EvidenceConfig,
    FrontierConfig,
    FrontierPolicy,
    Profile,
    PublicationConfig,
    RecallConfig,
    SignalConfig,
    SignalWeights,
    VerifierConfig,
)
from caskg.config.retrieve import DiffusionConfig, Fusion, RetrieveConfig, SeedConfig, Walk
from caskg.errors import UsageError


def build_config(profile: str = Profile.DEFAULT) -> BuildConfig:
    """Return the build constants of a profile.

    Raises:
        UsageError: There is no such profile.

    >>> build_config("paper").recall.total, build_config("paper").publication.scaffold_out
    (12, 4)
    """
    if _profile(profile) is Profile.DEFAULT:
        return BuildConfig()
    return BuildConfig(
        profile=Profile.PAPER,
        signals=SignalConfig(
            weights=SignalWeights(reference=0.0, enabler=0.0, meaning=0.0, ready=0.0, provider=0.0),
            reference_boost=0.0,
            provider_boost=0.0,
            names_as_outputs=False,
            stated_orders=False,
            files_as_outputs=False,
        ),
        recall=RecallConfig(
            bound=Bound.SOURCE,
            lexical=6,
            io=4,
            semantic=4,
            semantic_floor=0.55,
            enabler=0,
            meaning=0,
            provider=0,
            ready=0,
            total=12,
            library_wide=False,
            io_by_likeness=False,
            by_association=False,
        ),
        types=EdgeTypeConfig(information=0.0, likeness=0.0, alternative_first=False),
        frontier=FrontierConfig(probe_all=False, policy=FrontierPolicy.ASSOCIATION),
        evidence=EvidenceConfig(by_source=False),
        verifier=VerifierConfig(enabled=False),
        publication=PublicationConfig(
            blend_mass=None,
            scaffold_in=4,
            scaffold_out=4,
            scaffold_total=4,
            bound_text_only=False,
            alternatives_apart=False,
        ),
    )


def retrieve_config(profile: str = Profile.DEFAULT) -> RetrieveConfig:
    """Return the retrieval constants of a profile.

    Raises:
        UsageError: There is no such profile.

    >>> retrieve_config("paper").diffusion.restart, retrieve_config().diffusion.restart
    (0.2, 0.5)
    """
    if _profile(profile) is Profile.DEFAULT:
        return RetrieveConfig()
    return RetrieveConfig(
        seeds=SeedConfig(fusion=Fusion.RRF, count=5, whole_file=False, shared_vote=False, by_score=False),
        diffusion=DiffusionConfig(
            walk=Walk.RELEASED,
            restart=0.2,
            alternative_weight=1.0,
            sharpness=1.0,
            leak_below=None,
            openness=0.0,
        ),
        rare_words=2.0,
        min_sufficiency=0.0,
        prerequisites_first=False,
    )


def _profile(name: str) -> Profile:
    try:
        return Profile(name)
    except ValueError:
        known = ", ".join(Profile)
        msg = f"Unknown profile {name!r}: choose one of {known}."
        raise UsageError(msg) from None
