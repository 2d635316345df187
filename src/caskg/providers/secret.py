"""The key to a server: shown in no text but the header that it is for, wherever it was typed."""

import re
from typing import BinaryIO, NoReturn, Self

from caskg.errors import UsageError

LEAST_KEY_CHARS = 8
MOST_KEY_BYTES = 1 << 14
_ESCAPED = re.compile(r"\\+u([0-9a-fA-F]{4})")
_SHAPED = (
    r"(?:sk|pk|rk|gsk|xai|nvapi|pplx|hf|ghp|r8)[-_](?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}"
    r"|AIza[A-Za-z0-9_-]{30,}"
)
_LONG = r"(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32,}"
_LIKE_A_KEY = re.compile(rf"(?<![A-Za-z0-9])(?:{_SHAPED}|{_LONG})")


class Secret:
    """A key to a server. Only `reveal` shows it; it can be copied, and not be pickled."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """Keep *text*, without space around it.

        Raises:
            UsageError: It is empty, or cannot stand in an HTTP header.
        """
        self._text = text.strip()
        if not self._text or not self._text.isascii() or not self._text.isprintable() or " " in self._text:
            msg = "The API key is empty, or holds characters that no key has: check where it is set."
            raise UsageError(msg)

    @classmethod
    def read(cls, file: BinaryIO) -> Self:
        """Read a key from *file*, which holds nothing else.

        Raises:
            UsageError: That is no key.
        """
        content = file.read(MOST_KEY_BYTES + 1)
        try:
            return cls(content.decode("utf-8-sig") if len(content) <= MOST_KEY_BYTES else "")
        except (UnicodeDecodeError, UsageError):
            msg = "The file of the API key must hold the key alone: one line of plain text."
            raise UsageError(msg) from None

    def reveal(self) -> str:
        """Return the key."""
        return self._text

    def scrub(self, text: str) -> str:
        r"""Return *text* without the key, unless that is a short word in place of one, such as ``EMPTY``.

        Of a text that holds it in disguise, parted by blanks or in escapes of JSON, nothing is left.

        >>> key = Secret("sk-0123456789")
        >>> key.scrub("got sk-0123456789."), key.scrub("sk-01\n23456789")
        ('got [key].', '[key]')
        """
        if len(self._text) < LEAST_KEY_CHARS:
            return text
        clean = text.replace(self._text, "[key]")
        bare = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), clean)
        return "[key]" if self._text in "".join(bare.replace("\\n", "").split()) else clean

    def __repr__(self) -> str:
        return "Secret()"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __getstate__(self) -> NoReturn:
        msg = "A key is not written down: it cannot be pickled."
        raise TypeError(msg)


def hide_keys(text: str) -> str:
    """Return *text* with ``[key]`` for what looks like one: by its beginning, or its many mixed characters.

    >>> hide_keys("No such model: sk-proj-0123456789abcdef.")
    'No such model: [key].'
    """
    return _LIKE_A_KEY.sub("[key]", text)
