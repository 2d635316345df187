"""The key to a server: shown in no text but the header that it is for, wherever it was typed."""

import html
import re
from base64 import b64encode
from typing import BinaryIO, NoReturn, Self
from urllib.parse import unquote

from caskg.errors import UsageError

LEAST_KEY_CHARS = 8
"""A shorter one is hidden as it stands, in no disguise, and only if it holds a digit: ``EMPTY`` is a word."""

MOST_KEY_BYTES = 1 << 14
_PIECE, _STRIDE = 12, 4  # so a run of 15 characters of a key holds a piece of it
_LEAST_SHORT = 4
_ESCAPED = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([/n]))")
_LEAST_WORD = 16  # characters of a key that may stand for no word though it holds no digit
_SHAPED = (
    r"(?:sk|pk|rk|gsk|xai|nvapi|pplx|hf|ghp|r8|tgp_v1)[-_](?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}"
    r"|(?:fw_|csk-|or-v1-)(?=[A-Za-z]*[0-9])[A-Za-z0-9]{16,}"  # no more: models begin so
    r"|AIza[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_.-]+"
)
_LONG = r"(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32,}"
_BARE = (
    r"(?:(?<![\w./:@+-])|(?<=--))(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{32,}"
    r"(?![\w/@+-]|[.:]\w)"
)
"""In one letter case too, as some servers' keys are, but no hash within a path, an address or a name."""
_LIKE_A_KEY = re.compile(rf"(?<![A-Za-z0-9])(?:{_SHAPED}|{_LONG}|{_BARE})")


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

        Of a text that holds it in disguise nothing is left: parted by blanks, in escapes of JSON, HTML or
        an address, in other letter case, in base64, or a run of 15 of its characters.

        >>> key = Secret("sk-0123456789/abc")
        >>> key.scrub("got sk-0123456789/abc."), key.scrub("sk-01\n23456789%2FABC"), key.scrub("sk-0123")
        ('got [key].', '[key]', 'sk-0123')
        """
        if len(self._text) < LEAST_KEY_CHARS:
            short = len(self._text) >= _LEAST_SHORT and any(map(str.isdigit, self._text))
            return text.replace(self._text, "[key]") if short else text
        clean = text.replace(self._text, "[key]")
        bare = _bare(clean)
        return "[key]" if any(piece in bare for piece in self._pieces()) else clean

    def is_in(self, text: str) -> bool:
        """Return whether *text* is the key or holds it; a word in place of one may stand in any text.

        >>> Secret("sk-0123456789").is_in("org/sk-0123456789:x"), Secret("ollama").is_in("http://ollama")
        (True, False)
        """
        digits = any(map(str.isdigit, self._text))
        if len(self._text) < (LEAST_KEY_CHARS if digits else _LEAST_WORD):
            return text.strip() == self._text
        return self.scrub(text) != text

    def _pieces(self) -> list[str]:
        """Return what tells of the key wherever it stands in a bare text: it, or pieces of its forms."""
        forms = self._text, b64encode(self._text.encode()).decode().rstrip("=")
        return [
            form[start : start + _PIECE].casefold()
            for form in forms
            for start in range(0, max(1, len(form) - _PIECE + 1), _STRIDE)
        ]

    def __repr__(self) -> str:
        return "Secret()"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __getstate__(self) -> NoReturn:
        msg = "A key is not written down: it cannot be pickled."
        raise TypeError(msg)


def _bare(text: str) -> str:
    """Return *text* in lower case, without blanks and escapes of JSON, HTML and addresses."""
    text = _ESCAPED.sub(_unescaped, html.unescape(unquote(text)))
    return "".join(text.split()).casefold()


def _unescaped(code: re.Match[str]) -> str:
    digits = code[1] or code[2]
    return chr(int(digits, 16)) if digits else code[3].replace("n", " ")


def hide_keys(text: str) -> str:
    """Return *text* with ``[key]`` for what looks like one: by its beginning, or its many mixed characters.

    Of letters in one case and digits it is one where it stands alone, as a hash seldom does.

    >>> hide_keys("No such model: sk-proj-0123456789abcdef.")
    'No such model: [key].'
    """
    return _LIKE_A_KEY.sub("[key]", text)


def refuse_key(name: str, value: str) -> None:
    """Refuse a *value* that looks like a key.

    Raises:
        UsageError: It does; the message does not repeat it.
    """
    if hide_keys(value) != value:
        msg = f"{name} looks like an API key, and is not repeated: name what it should be."
        raise UsageError(msg)
