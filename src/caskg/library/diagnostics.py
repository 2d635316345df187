"""What can be found wrong with a file of skills: a closed set, each with its remedy.

Only an error keeps a file out of the library; every other finding says what was
read instead, so that nothing is dropped silently.
"""

from enum import StrEnum

from caskg.schema import Diagnostic, Severity


class Code(StrEnum):
    """The codes of all diagnostics of a library."""

    # The file is not in the library.
    UNREADABLE = "unreadable"
    TOO_LARGE = "too-large"
    NOT_TEXT = "not-text"
    EMPTY = "empty"
    LINK_OUTSIDE = "link-outside"
    SAME_FILE = "same-file"
    FOLDER_SKIPPED = "folder-skipped"
    # The file is in the library.
    SAME_ID = "same-id"
    SAME_CONTENT = "same-content"
    ENCODING = "encoding"
    NUL_CHARACTERS = "nul-characters"
    NO_FRONT_MATTER = "no-front-matter"
    FRONT_MATTER_UNCLOSED = "front-matter-unclosed"
    YAML_RECOVERED = "yaml-recovered"
    DUPLICATE_KEY = "duplicate-key"
    UNKNOWN_KEYS = "unknown-keys"
    VALUE_IGNORED = "value-ignored"
    NOT_A_STRING = "not-a-string"
    NAME_MISSING = "name-missing"
    NAME_DIFFERS = "name-differs"
    DESCRIPTION_MISSING = "description-missing"
    DESCRIPTION_LONG = "description-long"
    REFERENCE_UNKNOWN = "reference-unknown"


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

_TEXTS: dict[Code, tuple[Severity, str, str]] = {
    Code.UNREADABLE: (_E, "Cannot be read: {reason}.", "Give read permission, or remove it."),
    Code.TOO_LARGE: (
        _E,
        "Has {size} bytes; at most {limit} are read.",
        "Move reference material into files of its own and link to them.",
    ),
    Code.NOT_TEXT: (
        _E,
        "Is not text: {share:.0%} of its characters cannot be read.",
        "Save it as UTF-8, or remove it.",
    ),
    Code.EMPTY: (_E, "Holds no text.", "Write the skill, or remove the file."),
    Code.LINK_OUTSIDE: (
        _E,
        "Links to {target}, which lies outside the folders that were given; not followed.",
        "Give the folder it leads to as well.",
    ),
    Code.SAME_FILE: (_I, "Leads to {target}, which is read already.", "Nothing; it is read once."),
    Code.FOLDER_SKIPPED: (_I, "Folders of this name are not searched.", "Give the folder itself."),
    Code.SAME_ID: (
        _W,
        "Another folder holds a skill with the id {id!r}; this one is called {new!r}.",
        "Rename one folder, or remove one copy.",
    ),
    Code.SAME_CONTENT: (_I, "Has the same content as {other!r}; both are kept.", "Remove one copy."),
    Code.ENCODING: (_W, "Is not plain UTF-8: {problem}.", "Save it as UTF-8."),
    Code.NUL_CHARACTERS: (_W, "Holds {count} NUL characters; they were left out.", "Remove them."),
    Code.NO_FRONT_MATTER: (
        _W,
        "Does not begin with front matter; its name is the folder's.",
        "Begin the file with `---`, name, description, `---`.",
    ),
    Code.FRONT_MATTER_UNCLOSED: (
        _W,
        "The front matter has no closing `---`; it was read up to the first blank line or heading.",
        "Close it with a line `---`.",
    ),
    Code.YAML_RECOVERED: (
        _W,
        "The front matter is not plain YAML ({problem}); {what}.",
        "Put values that hold a colon, `#` or quotes in quotes; use no aliases.",
    ),
    Code.DUPLICATE_KEY: (_W, "{key!r} is given twice; the last one holds.", "Remove one."),
    Code.UNKNOWN_KEYS: (_I, "Keys outside the format: {keys}.", "Move them under `metadata`."),
    Code.VALUE_IGNORED: (_W, "{key!r} should be {expected}; it was not used.", "Rewrite the value."),
    Code.NOT_A_STRING: (
        _I,
        "Other readers take {key} {value!r} for something else than text; here it is text.",
        "Put it in quotes.",
    ),
    Code.NAME_MISSING: (_W, "Has no name; the folder's, {name!r}, is used.", "Add `name:`."),
    Code.NAME_DIFFERS: (
        _I,
        "Its name is {name!r}, its folder is {folder!r}.",
        "Give both the same name: some readers go by the folder.",
    ),
    Code.DESCRIPTION_MISSING: (
        _W,
        "Has no description; the first paragraph is used.",
        "Add `description:`: what it does, and when to use it.",
    ),
    Code.DESCRIPTION_LONG: (
        _I,
        "Its description has {length} characters; readers may cut it after {limit}.",
        "Shorten it.",
    ),
    Code.REFERENCE_UNKNOWN: (
        _W,
        "Refers to {target!r}, which is not in the library.",
        "Add that skill, or correct the name or path.",
    ),
}


class Findings:
    """Collects the diagnostics of one file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._found: list[Diagnostic] = []

    def add(self, code: Code, *, line: int | None = None, **details: object) -> None:
        """Add a finding; *details* fill the gaps of its message."""
        self._found.append(diagnostic(code, self._path, line=line, **details))

    def all(self) -> tuple[Diagnostic, ...]:
        """Return what was found, in the order in which it was."""
        return tuple(self._found)


def diagnostic(code: Code, path: str, *, line: int | None = None, **details: object) -> Diagnostic:
    """Return the diagnostic *code* of the file at *path*.

    *details* fill the gaps of its message.

    >>> diagnostic(Code.DUPLICATE_KEY, "a/SKILL.md", line=3, key="name").message
    "'name' is given twice; the last one holds."
    """
    severity, message, remedy = _TEXTS[code]
    return Diagnostic(
        path=path,
        code=code,
        severity=severity,
        message=message.format(**details),
        remedy=remedy,
        line=line,
    )
