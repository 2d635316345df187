"""Every number of the method, with its symbol, default and range; the profiles ``paper`` and ``default``."""

from caskg.config.build import (
    IO_CONTAINED,
    IO_SHARED,
    MENTIONED,
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
from caskg.config.profiles import build_config, retrieve_config
from caskg.config.retrieve import (
    RELEASED_REVERSE,
    DiffusionConfig,
    Fusion,
    RetrieveConfig,
    SeedConfig,
    Walk,
)

__all__ = [
    "IO_CONTAINED",
    "IO_SHARED",
    "MENTIONED",
    "RELEASED_REVERSE",
    "Bound",
    "BuildConfig",
    "DiffusionConfig",
    "EdgeTypeConfig",
    "EvidenceConfig",
    "FrontierConfig",
    "FrontierPolicy",
    "Fusion",
    "Profile",
    "PublicationConfig",
    "RecallConfig",
    "RetrieveConfig",
    "SeedConfig",
    "SignalConfig",
    "SignalWeights",
    "VerifierConfig",
    "Walk",
    "build_config",
    "retrieve_config",
]
