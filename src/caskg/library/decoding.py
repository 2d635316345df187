"""From the bytes of a file to its text, whatever wrote them."""

import re

from caskg.library.diagnostics import Code, Findings

_MOST_UNREADABLE = 0.1  # share of characters above which a file is no text
_CONTROLS = bytes([*range(0x01, 0x09), *range(0x0E, 0x20), 0x7F])
_NO_UTF_8 = re.compile("[\\udc80-\\udcff]+")  # how Python shows bytes that are none
# Encoding, mark, which bytes of a Latin letter are not zero. The mark of UTF-32 begins as that of UTF-16.
_WIDE = (
    ("utf-32-le", b"\xff\xfe\0\0", (True, False, False, False)),
    ("utf-32-be", b"\0\0\xfe\xff", (False, False, False, True)),
    ("utf-16-le", b"\xff\xfe", (True, False)),
    ("utf-16-be", b"\xfe\xff", (False, True)),
)


def decode(data: bytes, findings: Findings) -> str | None:
    r"""Return the text of a file, or None if it holds none; its lines end in ``\n``.

    UTF-8, UTF-16 or UTF-32, with or without a byte order mark. A byte that does not fit is
    read as Windows-1252 where it stands alone, as an accented letter does, else
    replaced; NUL characters are left out; all with a diagnostic.

    >>> decode(b"\xef\xbb\xbfcaf\xe9\r\n", Findings("x"))
    'café\n'
    """
    text = _decoded(data, findings)
    if text.startswith("\ufeff"):
        findings.add(Code.BYTE_ORDER_MARK, line=1)
        text = text.lstrip("\ufeff")  # more than one, where a marked file was marked again
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if nul := text.count("\0"):
        findings.add(Code.NUL_CHARACTERS, line=text.count("\n", 0, text.find("\0")) + 1, count=nul)
        text = text.replace("\0", "")
    if not text.strip():
        findings.add(Code.EMPTY)
        return None
    raw = text.encode(errors="surrogatepass")
    share = (len(raw) - len(raw.translate(None, _CONTROLS)) + text.count("\ufffd")) / len(text)
    if share > _MOST_UNREADABLE:
        findings.add(Code.NOT_TEXT, share=share)
        return None
    return text


def _decoded(data: bytes, findings: Findings) -> str:
    encoding = _encoding(data)
    if encoding != "utf-8":
        findings.add(Code.ENCODING, line=1, problem=f"it is {encoding.upper()}")
        return data.decode(encoding, errors="replace").removeprefix("\ufeff")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    text = data.decode(errors="surrogateescape")
    runs = _NO_UTF_8.findall(text)
    guessed = sum(len(run) == 1 for run in runs)
    lost = sum(map(len, runs)) - guessed
    counted = ((guessed, "were read as Windows-1252"), (lost, "were replaced"))
    problem = ", ".join(f"{count} bytes {what}" for count, what in counted if count)
    findings.add(Code.ENCODING, line=line, problem=problem)
    return _NO_UTF_8.sub(_foreign, text)


def _foreign(run: re.Match[str]) -> str:
    if len(run[0]) > 1:
        return "\ufffd" * len(run[0])
    return run[0].encode(errors="surrogateescape").decode("cp1252", errors="replace")


def _encoding(data: bytes) -> str:
    """Return the encoding that a mark, or the zeros of the first Latin letters, tell."""
    for encoding, mark, letter in _WIDE:
        places = [*range(0, len(data[:8]) - len(letter) + 1, len(letter))]
        zeros = [tuple(map(bool, data[at : at + len(letter)])) == letter for at in places]
        if data.startswith(mark) or (zeros and all(zeros)):
            return encoding
    return "utf-8"
