"""Data that lies beside the project and is never committed: real skills, gold sets, recorded games."""

import os
import tarfile
from collections.abc import Collection
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def shared_data(*parts: str) -> Path:
    """Return a file below ``$CASKG_DATA``; without it skip, or fail where ``CASKG_REQUIRE_DATA=1``."""
    path = (ROOT / os.environ.get("CASKG_DATA", "../shared/data")).joinpath(*parts)
    if path.exists():
        return path
    if os.environ.get("CASKG_REQUIRE_DATA") == "1":
        pytest.fail(f"{path} is required and absent: set CASKG_DATA.")
    pytest.skip(f"{path} is absent: set CASKG_DATA to run this.")


def unpack_skills(folder: Path, *, every: int = 1) -> Path:
    """Unpack every *every*-th real skill into *folder*."""
    with tarfile.open(shared_data("skills", "skills.tar.xz")) as archive:
        members = [member for member in archive if member.name.endswith("/SKILL.md")]
        members.sort(key=lambda member: member.name)
        archive.extractall(folder, members=members[::every], filter="data")
    return folder


def unpack_named(folder: Path, names: Collection[str]) -> Path:
    """Unpack the real skills whose folders are so named into *folder*."""
    with tarfile.open(shared_data("skills", "skills.tar.xz")) as archive:
        wanted = [member for member in archive if member.name.endswith("/SKILL.md")]
        chosen = [member for member in wanted if Path(member.name).parent.name in names]
        archive.extractall(folder, members=chosen, filter="data")
    return folder
