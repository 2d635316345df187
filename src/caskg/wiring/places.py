"""Where things are: workspaces, folders of skills, the config file; what the last build says of itself."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caskg.config import Profile
from caskg.errors import LibraryError, UsageError
from caskg.store.workspace import Workspace

WORKSPACE_NAME = ".caskg"
WORKSPACE_VARIABLE = "CASKG_WORKSPACE"
CONFIG_VARIABLE = "CASKG_CONFIG"
SKILL_FOLDERS = (
    ".claude/skills",
    ".agents/skills",
    ".codex/skills",
    ".cursor/skills",
)
"""Where hosts keep skills, below the current folder and below the home folder."""


def default_workspace() -> Path:
    """Return ``$CASKG_WORKSPACE``, else the nearest ``.caskg`` upwards, else ``.caskg`` here."""
    if named := os.environ.get(WORKSPACE_VARIABLE):
        return Path(named)
    here = Path.cwd()
    near = (folder / WORKSPACE_NAME for folder in (here, *here.parents))
    return next((path for path in near if path.is_dir()), here / WORKSPACE_NAME)


def default_roots(workspace: Workspace) -> list[Path]:
    """Return the folders of the last build, else those of hosts. Raises as `host_folders` does."""
    previous = current_meta(workspace)
    return [Path(root) for root in previous["roots"]] if previous else host_folders()


def default_profile(workspace: Workspace) -> str:
    """Return the profile of the last build, else ``default``."""
    previous = current_meta(workspace)
    return str(previous["profile"] if previous else Profile.DEFAULT)


def host_folders() -> list[Path]:
    """Return those of `SKILL_FOLDERS` that exist.

    Raises:
        LibraryError: There are none.
    """
    bases = dict.fromkeys([Path.cwd(), Path.home()])
    found = [base / folder for base in bases for folder in SKILL_FOLDERS if (base / folder).is_dir()]
    if not found:
        names = ", ".join(SKILL_FOLDERS)
        msg = f"No folder of skills was named, and there is none of {names} here or at home: name one."
        raise LibraryError(msg)
    return found


def example_skills() -> Path:
    """Return the folder of the example library, in a wheel or in a checkout.

    Raises:
        LibraryError: This installation has none.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "examples" / "skills", package.parents[1] / "examples" / "skills"):
        if folder.is_dir():
            return folder
    msg = "This installation holds no example skills: install the wheel, or use a checkout."
    raise LibraryError(msg)


def config_file() -> Path:
    """Return ``$CASKG_CONFIG``, else ``caskg/config.toml`` where this user keeps configuration.

    Raises:
        UsageError: There is no file where ``$CASKG_CONFIG`` says: the default would ask somebody else.
    """
    if named := os.environ.get(CONFIG_VARIABLE):
        if not Path(named).exists():
            msg = f"There is no file where ${CONFIG_VARIABLE} says: mend it, or unset it."
            raise UsageError(msg)
        return Path(named)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "caskg" / "config.toml"


def current_meta(workspace: Workspace) -> Mapping[str, Any] | None:
    """Return what the current version says of itself, which is known even where its files are damaged."""
    return next((version.meta for version in workspace.versions() if version.current), None)
