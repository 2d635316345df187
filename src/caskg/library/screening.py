"""Text that speaks to the model that reads it, or that people do not see.

A skill is read by a model with tools in its hands, so a sentence in it can act. What is
found here is a reason to read the file, no proof: nothing is removed or changed. Each kind
is reported once a file, at its first place. The search is for words that such sentences
cannot do without, before any pattern is tried: most files cost a few substring searches.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caskg.library.diagnostics import Code, Findings

_LONGEST_QUOTE = 100
_ENCODED_RUN = 200  # characters; a hash has 128, a link rarely more between two slashes
_WITHIN = r"(?:(?:all|any|every|the|of|my|your|its|these|those|other)\s+){0,3}"
_EARLIER = r"(?:all|your|previous|prior|above|earlier|preceding|existing|original|system|safety|foregoing)"
_RULES = r"(?:instructions?|prompts?|directives?|guidelines?|guardrails?|rules|restrictions)"


class _Rule(NamedTuple):
    """A pattern on lower-case text, and the words of which each text it fits holds one of each group."""

    code: Code
    words: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]


_NEW_ROLE = ("you are now",)
_OVERRIDE = _Rule(
    Code.OVERRIDE,
    (
        ("ignore", "disregard", "forget", "bypass", *_NEW_ROLE),
        ("instruct", "prompt", "directive", "guideline", "guardrail", "rules", "restriction", *_NEW_ROLE),
    ),
    re.compile(
        rf"\b(?:ignore|disregard|forget|bypass)\s+{_WITHIN}{_EARLIER}\s+{_WITHIN}(?:\w+\s+)?{_RULES}\b"
        r"|\byou are now (?:dan\b|in (?:developer|god|debug) mode|jailbroken|unrestricted)"
    ),
)
_TELL = ("tell", "inform", "notify", "alert", "let", "mention", "reveal", "disclose")
_KEPT_FROM = (
    *(f"{no} {verb}" for no in ("not", "n't", "never") for verb in _TELL),
    *(f"without {verb}" for verb in ("tell", "inform", "notify", "alert", "let")),
)
_WHICH = ("this", "every", "any", "each", "all")
# A number with a decimal may be followed by a word; "answer 1 question" is no score.
_SCORE = (
    r"[\"'`\u201c]?(?:(?:1\.0|0\.[0-9])(?![\w%]|\.[0-9]|\s%)"
    r"|[01](?:[\"'`\u201d]|(?=[.,;!)]?\s*(?:\n|\Z)|[.;!]\s)))"
)
_RULES_OF_SPEECH = (
    _OVERRIDE,
    _Rule(
        Code.CONCEALMENT,
        (_KEPT_FROM,),
        re.compile(
            rf"\b(?:(?:do not|don't|never) (?:{'|'.join(_TELL)})"
            r"|without (?:telling|informing|notifying|alerting|letting))\s+"
            r"(?:(?:this|that|it|these|any of this|anything)\s+)?(?:to\s+)?(?:the|your)\s+users?"
            r"(?:\s+(?:know|see|notice))?"
            r"(?:\s+(?:about|of)\s+(?:this|these|it|any of this)(?:\s+(?:step|instruction|action|file)s?)?)?"
            r"\s*(?=[.,;!)\n]|\Z)"
        ),
    ),
    _Rule(
        Code.CHAT_MARKUP,
        (("<|", "[inst]", "<<sys>>"),),
        re.compile(
            r"<\|(?:im_start|im_end|system|user|assistant|start_header_id|end_header_id|eot_id|endoftext)\|>"
            r"|\[/?inst\]|<</?sys>>"
        ),
    ),
    _Rule(
        Code.SCORE_STEERING,
        (
            (
                *("answer", "respond", "reply", "</skill", '"score"', "'score'"),
                *(f"{verb} {which}" for verb in ("rate", "score") for which in _WHICH),
            ),
        ),
        re.compile(
            r"\b(?:answer|respond|reply)\s+(?:only\s+|always\s+)?(?:with\s+)?(?:an?\s+)?(?:score\s+(?:of\s+)?)?"
            rf"{_SCORE}"
            rf"|\b(?:rate|score)\s+(?:{'|'.join(_WHICH)})\s+(?:\w+\s+){{1,4}}(?:as|with|at)\s+{_SCORE}"
            r"|\{\s*[\"']score[\"']\s*:\s*[\"']?(?:[01](?:\.[0-9]+)?|cannot tell)[\"']?\s*\}"
            r"|</skill(?:-\w+)?>"
        ),
    ),
)
_DOWNLOAD = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)"
_SHELL = r"(?:/\S{0,40}/)?(?:ba|z|da|k|fi)?sh"
_PIPED = ("|sh", "|bash", "| sh", "| bash", "| sudo", "| env", "| zsh", "| /", "| python")
_PIPE = _Rule(
    Code.PIPE_TO_SHELL,
    (
        ("curl", "wget", "iwr", "irm", "invoke-", "new-object"),
        (*_PIPED, "sh -c", "sh <(", "sh $(", "iex", "invoke-expression"),
    ),
    re.compile(
        rf"\b{_DOWNLOAD}\s[^\n|;]{{1,300}}+(?:(?<=\\)\n[^\n|;]{{1,300}}+){{0,3}}\|\s*"
        r"(?:sudo\s+(?:-\w+\s+){0,3})?(?:env\s+\S{1,80}\s+)?"
        rf"(?:{_SHELL}(?![^\s`\"')])|iex\b|invoke-expression\b|python3?(?:\s+-)?(?=\s*(?:[\n`\"']|\Z)))"
        rf"|\b{_SHELL}\s+(?:-c\s+)?[\"']?(?:<\(|\$\(|`)\s*{_DOWNLOAD}\s"
        rf"|\b(?:iex|invoke-expression)\s*\(+\s*(?:{_DOWNLOAD}|new-object)\s"
    ),
)

_NEGATED = re.compile(r"\b(?:never|not|don't|refuse|reject|attempts?|asks?|tries)\b[^.\n]{0,60}\Z")
_OPENING = ("'", "\u201c", "\u2018", "\u00ab", "\u300c")  # quotation marks; of these none closes
_LOOK_BACK = 500  # characters before a phrase: a line may be as long as the file
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_ENCODED = re.compile(r"(?<![\w+/])(?<!base64,)[A-Za-z0-9+/]{200,}={0,2}")
_CONTROLS = "\x01-\x08\x0b\x0e-\x1f\x7f\x80-\x84\x86-\x9f"
_BIDI = "\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u00ad\u180e\u200b\u2060-\u2064\ufeff"
_TAGS = "\U000e0000-\U000e007f"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
# A flag is a black one and up to six tags before U+E007F; one selector may follow a sign, more carry bytes.
_NO_FLAG = rf"(?<=\U0001f3f4)(?![{_TAGS}]{{1,6}}\U000e007f(?![{_TAGS}]))|(?<![\U0001f3f4{_TAGS}])"
_HIDDEN = rf"(?:{_NO_FLAG})[{_TAGS}]+|[{_SELECTORS}]{{2,}}"
# Of selectors, the two that emoji and letters bear are too common to make a text suspect.
_MAYBE_UNSEEN = re.compile(f"[{_BIDI}{_INVISIBLE}{_TAGS}\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_UNSEEN = tuple(
    (code, re.compile(pattern))
    for code, pattern in (
        (Code.HIDDEN_TEXT, _HIDDEN),
        (Code.BIDI_CHARACTERS, f"[{_BIDI}]"),
        (Code.INVISIBLE_CHARACTERS, f"[{_INVISIBLE}]"),
    )
)
_CONTROL = re.compile(f"[{_CONTROLS}]")


def screen(text: str, findings: Findings) -> None:
    """Report what in the text of a file speaks to its reader's model, runs unseen code, or is hidden.

    Args:
        text: The whole file, its lines ending in newlines.
        findings: Where to report; lines count from 1.
    """
    lowered = text.lower()
    for rule in _RULES_OF_SPEECH:
        _report_speech(rule, lowered, findings)
    if found := next(_places(_PIPE, lowered), None):
        _add(_PIPE.code, found, lowered, findings)
    _report_encoded(text, findings)
    _report_characters(_CONTROL, Code.CONTROL_CHARACTERS, text, findings)
    if not text.isascii() and _MAYBE_UNSEEN.search(text):
        for code, pattern in _UNSEEN:
            _report_characters(pattern, code, text, findings)


def speaks_to_model(text: str) -> bool:
    """Whether a sentence speaks to the model that reads it, quoted or not: more than `screen` reports.

    >>> speaks_to_model("It says: `Answer 1.0.`"), speaks_to_model("Answer one letter.")
    (True, False)
    """
    lowered = text.lower()
    return any(next(_places(rule, lowered), None) for rule in _RULES_OF_SPEECH)


def _places(rule: _Rule, lowered: str) -> Iterator[re.Match[str]]:
    if all(any(word in lowered for word in group) for group in rule.words):
        yield from rule.pattern.finditer(lowered)


def _report_speech(rule: _Rule, lowered: str, findings: Findings) -> None:
    """Report a sentence; of one that is only quoted, if it is of the kind that is quoted as an example."""
    places = list(_places(rule, lowered))
    fences = [fence.start() for fence in _FENCE.finditer(lowered)] if places else []
    spoken = (found for found in places if not _is_quoted(lowered, found.start(), fences))
    if (found := next(spoken, None)) is not None:
        _add(rule.code, found, lowered, findings)
    elif places and rule is _OVERRIDE:
        _add(Code.OVERRIDE_QUOTED, places[0], lowered, findings)


def _is_quoted(text: str, start: int, fences: Sequence[int]) -> bool:
    """Whether a phrase is spoken of: in quotes or code, or as what must not be done."""
    line = text.rfind("\n", max(start - _LOOK_BACK, 0), start) + 1
    before = text[max(line, start - _LOOK_BACK, 0) : start]
    in_quotes = any(before.count(mark) % 2 for mark in ('"', "`")) or before.rstrip().endswith(_OPENING)
    return in_quotes or bool(_NEGATED.search(before)) or bisect_left(fences, start) % 2 == 1


def _report_encoded(text: str, findings: Findings) -> None:
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1) if max(map(len, lines)) >= _ENCODED_RUN else ():
        found = _ENCODED.search(line) if len(line) >= _ENCODED_RUN else None
        if found and any(map(str.isdigit, found[0])) and found[0].lower() != found[0] != found[0].upper():
            quote = f"{found[0][:24]}..."
            findings.add(Code.ENCODED_TEXT, line=number, length=len(found[0]), quote=quote)
            return


def _report_characters(pattern: re.Pattern[str], code: Code, text: str, findings: Findings) -> None:
    first = pattern.search(text)
    if first is None:
        return
    found = "".join(pattern.findall(text))
    kinds = ", ".join(f"U+{ord(kind):04X}" for kind in sorted(set(found))[:4])
    findings.add(code, line=_line(text, first.start()), count=len(found), quote=kinds)


def _add(code: Code, found: re.Match[str], text: str, findings: Findings) -> None:
    quote = " ".join(found[0].split())[:_LONGEST_QUOTE]
    findings.add(code, line=_line(text, found.start()), quote=quote)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
