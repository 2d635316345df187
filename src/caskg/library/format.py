"""What the Agent Skills format allows in front matter, stated once for lenient and strict reading."""

import unicodedata
from collections.abc import Iterator

KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
MAX_NAME = 64  # characters
MAX_DESCRIPTION = 1024  # characters
MAX_COMPATIBILITY = 500  # characters


def normal_name(name: str) -> str:
    """Return a name, or a folder's, in the form in which the two are compared."""
    return unicodedata.normalize("NFKC", name.strip())


def name_problems(name: str) -> Iterator[str]:
    """Say what is wrong with the form of a name; letters of all scripts are allowed.

    >>> list(name_problems("Brew_Tea")), list(name_problems("茶-2"))
    (['is not in lower case', 'holds other characters than letters, digits and hyphens'], [])
    """
    name = normal_name(name)
    if len(name) > MAX_NAME:
        yield f"has {len(name)} characters"
    if name != name.lower():
        yield "is not in lower case"
    if name.startswith("-") or name.endswith("-"):
        yield "begins or ends with a hyphen"
    if "--" in name:
        yield "has two hyphens in a row"
    if not all(letter.isalnum() or letter == "-" for letter in name):
        yield "holds other characters than letters, digits and hyphens"
