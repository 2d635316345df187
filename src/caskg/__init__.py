"""CaSKG: counterfactual-causal skill graphs for scalable agent skill retrieval.

>>> from caskg import retrieve_config
>>> retrieve_config("paper").diffusion.restart
0.2

Names are imported when they are first used, so that ``import caskg`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caskg.config import BuildConfig, RetrieveConfig, build_config, retrieve_config
    from caskg.errors import CaskgError
    from caskg.library.parse import load_library
    from caskg.protocols import Encoder, Retriever
    from caskg.retrieval.bundle import render
    from caskg.schema import Bundle, Ranking, Skill
    from caskg.store.workspace import Workspace
    from caskg.wiring import build_workspace, open_retriever

__version__ = "0.1.0"

__all__ = [
    "BuildConfig",
    "Bundle",
    "CaskgError",
    "Encoder",
    "Ranking",
    "RetrieveConfig",
    "Retriever",
    "Skill",
    "Workspace",
    "build_config",
    "build_workspace",
    "load_library",
    "open_retriever",
    "render",
    "retrieve_config",
]

_HOME = {
    "BuildConfig": "caskg.config",
    "Bundle": "caskg.schema",
    "CaskgError": "caskg.errors",
    "Encoder": "caskg.protocols",
    "Ranking": "caskg.schema",
    "RetrieveConfig": "caskg.config",
    "Retriever": "caskg.protocols",
    "Skill": "caskg.schema",
    "Workspace": "caskg.store.workspace",
    "build_config": "caskg.config",
    "build_workspace": "caskg.wiring",
    "load_library": "caskg.library.parse",
    "open_retriever": "caskg.wiring",
    "render": "caskg.retrieval.bundle",
    "retrieve_config": "caskg.config",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    if name not in _HOME:
        msg = f"module 'caskg' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
