"""What can be found wrong with a file of skills: a closed set, each with its remedy.

Only an error keeps a skill out of the library; every other finding says what was
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
    MISNAMED = "misnamed"
    # The file is in the library.
    SAME_ID = "same-id"
    SAME_CONTENT = "same-content"
    ENCODING = "encoding"
    NUL_CHARACTERS = "nul-characters"
    NO_FRONT_MATTER = "no-front-matter"
    FRONT_MATTER_UNCLOSED = "front-matter-unclosed"
    READ_IN_PART = "read-in-part"
    YAML_RECOVERED = "yaml-recovered"
    DUPLICATE_KEY = "duplicate-key"
    COMMENT_IN_VALUE = "comment-in-value"
    MARK_IN_VALUE = "mark-in-value"
    KEY_CASE = "key-case"
    KEY_INDENTED = "key-indented"
    UNKNOWN_KEYS = "unknown-keys"
    VALUE_IGNORED = "value-ignored"
    VALUE_JOINED = "value-joined"
    NOT_A_STRING = "not-a-string"
    NAME_MISSING = "name-missing"
    NAME_DIFFERS = "name-differs"
    DESCRIPTION_MISSING = "description-missing"
    DESCRIPTION_LONG = "description-long"
    REFERENCE_UNKNOWN = "reference-unknown"
    FILE_NAME = "file-name"
    NESTED = "nested"
    SAME_NAME = "same-name"
    NEAR_DUPLICATE = "near-duplicate"
    BYTE_ORDER_MARK = "byte-order-mark"
    BLANK_BEFORE = "blank-before"
    RULE_IN_VALUE = "rule-in-value"
    NAME_FORM = "name-form"
    TOOLS_FORM = "tools-form"
    COMPATIBILITY_LONG = "compatibility-long"
    PLACEHOLDER = "placeholder"
    # The text speaks to the model that reads it, or hides something from people.
    OVERRIDE = "override"
    OVERRIDE_QUOTED = "override-quoted"
    CONCEALMENT = "concealment"
    PIPE_TO_SHELL = "pipe-to-shell"
    CHAT_MARKUP = "chat-markup"
    SCORE_STEERING = "score-steering"
    ENCODED_TEXT = "encoded-text"
    HIDDEN_TEXT = "hidden-text"
    BIDI_CHARACTERS = "bidi-characters"
    INVISIBLE_CHARACTERS = "invisible-characters"
    CONTROL_CHARACTERS = "control-characters"
    # Only where the file is held against the reference validator.
    STRICT_YAML = "strict-yaml"
    STRICT_VALUE = "strict-value"


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

_TEXTS: dict[Code, tuple[Severity, str, str]] = {
    Code.UNREADABLE: (_E, "Cannot be read: {reason}.", "{instead}, or remove it."),
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
    Code.MISNAMED: (
        _W,
        "Is called {name!r} and was not read: only a SKILL.md is a skill, and its folder has none.",
        "Call it SKILL.md, if it is meant as one.",
    ),
    Code.SAME_ID: (
        _W,
        "{where} holds a skill with the id {id!r}; this one is called {new!r}.",
        "Rename one folder, or remove one copy.",
    ),
    Code.SAME_CONTENT: (_I, "Has the same content as {other!r}; both are kept.", "Remove one copy."),
    Code.ENCODING: (_W, "Is not plain UTF-8: {problem}.", "Save it as UTF-8."),
    Code.NUL_CHARACTERS: (_W, "Holds {count} NUL characters; they were left out.", "Remove them."),
    Code.NO_FRONT_MATTER: (
        _W,
        "{problem}; its name is the folder's.",
        "Begin the file with `---`, name, description, `---`.",
    ),
    Code.FRONT_MATTER_UNCLOSED: (
        _W,
        "The front matter has no closing `---`; it was read up to {end}.",
        "Close it with a line `---`.",
    ),
    Code.READ_IN_PART: (
        _W,
        "Is larger than what is read in all detail: {what}.",
        "Move reference material into files of its own and link to them.",
    ),
    Code.YAML_RECOVERED: (
        _W,
        "The front matter is not plain YAML ({problem}); {what}.",
        "Write `key: value` with a blank and no tabs; put values that hold a colon, `#` or quotes in quotes; "
        "use no aliases.",
    ),
    Code.DUPLICATE_KEY: (_W, "{key!r} is given twice; the last one holds.", "Remove one."),
    Code.COMMENT_IN_VALUE: (
        _W,
        "YAML ends the value of {key!r} before {quote!r}, as ` #` begins a comment; {what} here.",
        "Put the whole value in quotes, or the comment on a line of its own.",
    ),
    Code.MARK_IN_VALUE: (
        _W,
        "YAML takes {quote!r} before the value of {key!r} for a mark of its own; {what} here.",
        "Put the whole value in quotes.",
    ),
    Code.KEY_CASE: (
        _W,
        "{key!r} is read as {new!r}; other readers may not know it.",
        "Write the key in lower case.",
    ),
    Code.KEY_INDENTED: (
        _W,
        "{key!r} is indented below the value of {above!r}; it is read as a key; others may refuse it.",
        "Begin each key at the beginning of its line.",
    ),
    Code.UNKNOWN_KEYS: (_I, "Keys outside the format: {keys}.", "Move them under `metadata`."),
    Code.VALUE_IGNORED: (_W, "{key!r} should be {expected}; it was not used.", "Rewrite the value."),
    Code.VALUE_JOINED: (
        _W,
        "{key!r} should be text; its parts were joined. Other readers may refuse it.",
        "Put the whole value in quotes.",
    ),
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
        "Has no description; {instead}.",
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
    Code.FILE_NAME: (_I, "Is called {name!r}; some readers know SKILL.md only.", "Call it SKILL.md."),
    Code.NESTED: (
        _I,
        "Lies within the folder of the skill {outer!r}; some readers do not look that deep.",
        "Move its folder beside the other one, if all are to find it.",
    ),
    Code.SAME_NAME: (
        _W,
        "Its name {name!r} is also that of {others}, with other content; some readers keep one only.",
        "Give each a name of its own.",
    ),
    Code.NEAR_DUPLICATE: (
        _I,
        "Shares {share:.0%} of its text with {other!r}; both are kept.",
        "Remove one, or say in both descriptions when to use which.",
    ),
    Code.BYTE_ORDER_MARK: (
        _I,
        "Begins with a byte order mark; some readers then see no front matter.",
        "Save it as UTF-8 without the mark.",
    ),
    Code.BLANK_BEFORE: (
        _I,
        "Does not begin with a plain line `---`; some readers then see no front matter.",
        "Begin the file with `---`.",
    ),
    Code.RULE_IN_VALUE: (
        _I,
        "There is `---` within the front matter; some readers end it there.",
        "Write a dash, or leave it out.",
    ),
    Code.NAME_FORM: (
        _I,
        "Its name {name!r} {problem}; strict readers refuse that.",
        "Use at most 64 lower-case letters, digits and single hyphens.",
    ),
    Code.TOOLS_FORM: (
        _I,
        "`allowed-tools` is {form}; the format knows one line with blanks between the tools.",
        "Write `allowed-tools: One Two`.",
    ),
    Code.COMPATIBILITY_LONG: (
        _I,
        "Its compatibility has {length} characters; the format allows {limit}.",
        "Shorten it.",
    ),
    Code.PLACEHOLDER: (_W, "Its {key} is still that of a template: {value!r}.", "Write your own."),
    Code.OVERRIDE: (
        _W,
        "Tells the reading model to drop its instructions: {quote!r}.",
        "Read the file before you trust it; take the sentence out.",
    ),
    Code.OVERRIDE_QUOTED: (
        _I,
        "Quotes a sentence that tells a model to drop its instructions: {quote!r}.",
        "Nothing, if it is an example of an attack.",
    ),
    Code.CONCEALMENT: (
        _W,
        "Asks the reading model to keep something from its user: {quote!r}.",
        "Read the file before you trust it; take the sentence out.",
    ),
    Code.PIPE_TO_SHELL: (
        _W,
        "Runs what it downloads or decodes, unseen: {quote!r}.",
        "Download to a file, check it, then run it; or name a package.",
    ),
    Code.CHAT_MARKUP: (
        _W,
        "Holds marks that part the turns of a chat: {quote!r}.",
        "Take them out, or put them in a code block.",
    ),
    Code.SCORE_STEERING: (
        _W,
        "Tells a model that judges it what to answer or choose, or feigns the form of its answer: {quote!r}.",
        "Read the file before you trust it; take the sentence out.",
    ),
    Code.ENCODED_TEXT: (
        _W,
        "Holds {length} characters of encoded data, which nobody can read: {quote!r}.",
        "Put data into a file of its own.",
    ),
    Code.HIDDEN_TEXT: (
        _W,
        "Holds {count} characters that people do not see and models read ({quote}).",
        "Read the file before you trust it; remove them.",
    ),
    Code.BIDI_CHARACTERS: (
        _W,
        "Holds {count} characters that turn the direction of text ({quote}).",
        "Remove them: what is shown is not what is read.",
    ),
    Code.INVISIBLE_CHARACTERS: (_I, "Holds {count} invisible characters ({quote}).", "Remove them."),
    Code.CONTROL_CHARACTERS: (_W, "Holds {count} control characters ({quote}).", "Remove them."),
    Code.STRICT_YAML: (
        _E,
        "The format's YAML is simpler than this: {problem}.",
        "Write plain `key: value` lines, each key once; put values with a colon in quotes.",
    ),
    Code.STRICT_VALUE: (_E, "{key!r} should be text.", "Write it as text."),
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

    *details* fill the gaps of its message and remedy.

    >>> diagnostic(Code.DUPLICATE_KEY, "a/SKILL.md", line=3, key="name").message
    "'name' is given twice; the last one holds."
    """
    severity, message, remedy = _TEXTS[code]
    return Diagnostic(
        path=path,
        code=code,
        severity=severity,
        message=message.format(**details),
        remedy=remedy.format(**details),
        line=line,
    )
