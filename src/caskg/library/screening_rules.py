"""The phrases that screening searches for, each kind with the words that it cannot do without."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from caskg.library.diagnostics import Code

_WITHIN = r"(?:(?:all|any|every|the|of|my|your|its|these|those|other)\s+){0,3}"
_EARLIER = r"(?:all|your|previous|prior|above|earlier|preceding|existing|original|system|safety|foregoing)"
_RULES = r"(?:instructions?|prompts?|directives?|guidelines?|guardrails?|rules|restrictions)"


class Rule(NamedTuple):
    """A pattern on lower-case text, and the words of which each text it fits holds one of each group."""

    code: Code
    words: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]


_NEW_ROLE = ("you are now",)
OVERRIDE = Rule(
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
# The ends of "not", "n't" and "without", and of "never": each word more is a search through every text.
_KEPT_FROM = tuple(f"{end} {verb}" for end in ("t", "never") for verb in _TELL)
_HIDE = ("keep", "hide", "conceal", "withhold")
_UNTOLD = ("must not", "must never", "should not", "should never")
_THIS = (
    r"(?:(?:this|that|it|these|those|(?:any|all) of (?:this|it|these))"
    r"(?:\s+(?:step|instruction|action|file|rule|command|request|upload|call|skill)s?)?)"
)
_WHO = ("user", "human", "operator")
_PEOPLE = rf"(?:the|your|any)\s+(?:human[\s/]+)?(?:{'|'.join(_WHO)})s?"
_ENDS = r"\s*(?=[.,;:!)\n]|\Z|\b(?:ever|at all|under any|in any)\b)"
_WHICH = ("this", "every", "any", "each", "all")
# A number with a decimal may be followed by a word; "answer 1 question" is no score.
_SCORE = (
    r"[\"'`\u201c]?(?:(?:1\.0|0\.[0-9])(?![\w%]|\.[0-9]|\s%)"
    r"|[01](?:[\"'`\u201d]|(?=[.,;!)]?\s*(?:\n|\Z)|[.;!]\s)))"
)
_RATE = ("rate", "score", "grade", "rank", "give")
_CHOOSE = ("choose", "select", "pick", "prefer", "use", "recommend", "return", "retrieve", "rank", "invoke")
_ITEMS = ("skill", "tool", "document", "candidate")
_TOP = (
    r"(?:(?:10|100|5)\s*(?:/|out\s+of)\s*\d|#\s?1\b|full\s+marks"
    r"|(?:highest|first|top|best|maximum|perfect)\b)"
)
# "before" is left out: a skill may well be meant to run before any other.
_ABOVE = r"(?:over|above|ahead\s+of|instead\s+of|rather\s+than)"


def _before_this(verbs: Iterable[str]) -> str:
    """Return what looks back from a ``this`` at its verb: a search for ``this`` is the faster one."""
    return "(?:" + "|".join(rf"(?<=\b{verb}\sthis)" for verb in verbs) + ")"


RULES_OF_SPEECH = (
    OVERRIDE,
    Rule(
        Code.CONCEALMENT,
        (_KEPT_FROM,),
        re.compile(
            rf"\b(?:(?:do not|don['\u2019]t|never) (?:{'|'.join(_TELL)})"
            r"|without (?:telling|informing|notifying|alerting|letting))\s+"
            rf"(?:(?:{_THIS}|anything)\s+)?(?:to\s+)?{_PEOPLE}"
            rf"(?:\s+(?:know|see|notice))?(?:\s+(?:about|of)\s+{_THIS})?{_ENDS}"
        ),
    ),
    Rule(
        Code.CONCEALMENT,
        (_HIDE, ("from the", "from your", "from any")),
        re.compile(
            rf"\b(?:{'|'.join(_HIDE)})\s+{_THIS}\s+(?:(?:a\s+)?(?:secret|hidden|private|away)\s+)?"
            rf"from\s+{_PEOPLE}{_ENDS}"
        ),
    ),
    Rule(
        Code.CONCEALMENT,
        (_UNTOLD, tuple(f"{who}{s} {no}" for who in _WHO for s in ("", "s") for no in ("must", "should"))),
        re.compile(
            rf"\b{_PEOPLE}\s+(?:{'|'.join(_UNTOLD)})\s+(?:know|learn|hear|be\s+told)"
            rf"(?:\s+(?:about|of))?\s+{_THIS}{_ENDS}"
        ),
    ),
    Rule(
        Code.CHAT_MARKUP,
        (("<|", "[inst]", "<<sys>>"),),
        re.compile(
            r"<\|(?:im_start|im_end|system|user|assistant|start_header_id|end_header_id|eot_id|endoftext)\|>"
            r"|\[/?inst\]|<</?sys>>"
        ),
    ),
    Rule(
        Code.SCORE_STEERING,
        (("answer", "respond", "reply"),),
        re.compile(
            r"\b(?:answer|respond|reply)\s+(?:only\s+|always\s+)?(?:with\s+)?(?:an?\s+)?(?:score\s+(?:of\s+)?)?"
            rf"{_SCORE}"
        ),
    ),
    Rule(
        Code.SCORE_STEERING,
        (tuple(f"{verb} {which}" for verb in ("rate", "score") for which in _WHICH),),
        re.compile(
            rf"\b(?:rate|score)\s+(?:{'|'.join(_WHICH)})\s+(?:\w+\s+){{1,4}}(?:as|with|at)\s+{_SCORE}"
        ),
    ),
    Rule(
        Code.SCORE_STEERING,
        (("</skill", '"score"', "'score'"),),
        re.compile(
            r"\{\s*[\"']score[\"']\s*:\s*[\"']?(?:[01](?:\.[0-9]+)?|cannot tell)[\"']?\s*\}"
            r"|</skill(?:-\w+)?>"
        ),
    ),
    Rule(
        Code.SCORE_STEERING,
        (tuple(f"this {item}" for item in _ITEMS),),
        re.compile(
            rf"this(?:{_before_this(_RATE)}\s+(?:{'|'.join(_ITEMS)})\s+(?:(?:as|with|at|an?|the)\s+){{0,2}}{_TOP}"
            rf"|{_before_this(_CHOOSE)}\s+(?:{'|'.join(_ITEMS)})\s+{_ABOVE}\s+"
            r"(?:(?:any|all|every)(?:\s+of\s+the)?(?:\s+the)?\s+others?|everything|anything)\b)"
        ),
    ),
)
_DOWNLOADERS = ("curl", "wget", "iwr", "irm", "invoke-")
_DOWNLOAD = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)"
_SHELL = r"(?:/\S{0,40}/)?(?:ba|z|da|k|fi)?sh"
_INTERPRETER = r"(?:/\S{0,40}/)?(?:python[\d.]{0,5}|node|nodejs|ruby|perl|php|lua|pwsh|powershell)"
_UNPACK = r"(?:tee|cat|base64|gunzip|zcat|gzip|xz|sed|tr|head|tail|openssl)"
_AS_ROOT = r"(?:sudo\s+(?:-\w+\s+(?:root\s+)?){0,3})?"
PIPED = Rule(
    Code.PIPE_TO_SHELL,
    ((*_DOWNLOADERS, "new-object"), ("|", "iex", "invoke-expression")),
    re.compile(
        rf"\b{_DOWNLOAD}\s[^\n|;]{{1,300}}+(?:(?<=\\)\n[^\n|;]{{1,300}}+){{0,3}}"
        rf"(?:\|\s*{_AS_ROOT}{_UNPACK}\b[^\n|;]{{0,100}}+){{0,3}}\|\s*"
        rf"{_AS_ROOT}(?:(?:/\S{{0,40}}/)?env\s+(?:\S{{1,80}}\s+)?)?"
        rf"(?:{_SHELL}(?![^\s`\"')])|iex\b|invoke-expression\b"
        rf"|{_INTERPRETER}(?:\s+--?(?=[\s`\"')]|\Z)|(?=\s*(?:[\n`\"');&]|\Z))))"
        rf"|\b(?:iex|invoke-expression)\s*\(+\s*(?:{_DOWNLOAD}|new-object)\s"
    ),
)
SUBSTITUTED = Rule(
    Code.PIPE_TO_SHELL,
    (
        ("<(", "$(", *(f"`{name}" for name in _DOWNLOADERS)),
        tuple(f"{begin}{name}" for begin in ("(", "( ", "`") for name in _DOWNLOADERS),
    ),
    re.compile(
        rf"(?:(?:\b(?:eval|source|{_SHELL})|(?<!\S)\.)\s+(?:-\w+\s+){{0,2}}(?:<\s*)?[\"']?(?:<\(|\$\(|`)"
        rf"|\b{_INTERPRETER}\s+(?:-\w+\s+){{0,2}}(?:<\s*)?[\"']?(?:<\(|\$\())\s*{_DOWNLOAD}\s"
    ),
)
