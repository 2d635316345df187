"""Configuration to objects: the only place that picks providers.

Heavy parts are imported where they are used: a query needs neither parser nor graph half.
"""

from caskg.wiring.building import BuildReport, Progress, build_workspace
from caskg.wiring.chats import open_chat
from caskg.wiring.encoders import EncoderChoice, encoder_for, encoder_of
from caskg.wiring.places import (
    CONFIG_VARIABLE,
    SKILL_FOLDERS,
    WORKSPACE_NAME,
    WORKSPACE_VARIABLE,
    config_file,
    default_profile,
    default_roots,
    default_workspace,
    example_skills,
    host_folders,
)
from caskg.wiring.probing import ProbeOptions, Probing, open_probing, publish
from caskg.wiring.querying import open_flat, open_retriever

__all__ = [
    "CONFIG_VARIABLE",
    "SKILL_FOLDERS",
    "WORKSPACE_NAME",
    "WORKSPACE_VARIABLE",
    "BuildReport",
    "EncoderChoice",
    "ProbeOptions",
    "Probing",
    "Progress",
    "build_workspace",
    "config_file",
    "default_profile",
    "default_roots",
    "default_workspace",
    "encoder_for",
    "encoder_of",
    "example_skills",
    "host_folders",
    "open_chat",
    "open_flat",
    "open_probing",
    "open_retriever",
    "publish",
]
