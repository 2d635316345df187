"""Commands that run what they fetch or decode, unseen: the patterns that screening searches for."""

import re

from caskg.library.diagnostics import Code
from caskg.library.screening_base import Rule, Rules, word_of

_DOWNLOADERS = ("curl", "wget", "iwr", "irm", "invoke-")
_FETCHERS = (
    *("curl", "wget", "iwr", "invoke-", "new-object", "base64"),
    *("irm http", *(f"{before}irm " for before in (" ", "\n", "`", "("))),  # "confirm" is a common word
)
_DOWNLOAD = rf"{word_of('curl', 'wget', 'iwr', 'irm', 'invoke-webrequest', 'invoke-restmethod')}(?:\.exe)?"
_PATH = r"(?:/\S{0,40}/)?"
_SHELL = rf"{_PATH}(?:ba|z|da|k|fi|a|tc|c)?sh"
_INTERPRETER = rf"{_PATH}(?:python[\d.]{{0,5}}|node|nodejs|ruby|perl|php|lua|pwsh|powershell)"
_UNPACK = r"(?:tee|cat|base64|gunzip|zcat|gzip|xz|sed|tr|head|tail|openssl)"
_AS_ROOT = r"(?:(?:sudo|doas)\s+(?:-\w+\s+(?:root\s+)?){0,3})?"
# What runs the command after it; its options may have a value. Variables may be set before.
_RUNNER = (
    r"(?:\w+=(?:\"[^\"\n]{0,80}\"|[^\s\"]{0,80})\s+){0,3}"
    rf"(?:{_PATH}(?:sudo|doas|nohup|time|nice|exec|command|setsid|stdbuf|timeout|busybox|env|xargs)\s+"
    r"(?:-\S{1,40}\s+(?:\w{1,20}\s+)??|\w+=\S{1,80}\s+|\d\w{0,9}\s+){0,3}){0,3}"
)
_AFTER = r"(?=[\s`\"');&|<>}\]]|[.,:!](?!\w)|\Z)"
# What a quotation holds is no end of a command; an apostrophe within a word opens none.
_ARGUMENTS = (
    r"[^\n|;\"']{0,300}+(?:(?:\"[^\"\n]{0,300}+\"|(?<!\w)'[^'\n]{0,300}+'|[\"'])[^\n|;\"']{0,300}+){0,8}+"
)
_PIPE = r"\|&?(?:\s|\\\n){0,20}"
_INTO_SHELL = (
    rf"(?:{_PIPE}{_AS_ROOT}{_UNPACK}\b[^\n|;]{{0,100}}+){{0,3}}{_PIPE}{_RUNNER}"
    rf"(?:{_SHELL}{_AFTER}|iex\b|invoke-expression\b"
    rf"|{_INTERPRETER}(?:\s+--?(?=[\s`\"')]|\Z)|(?=\s{{0,20}}(?:[\n`\"');&>]|\Z))))"
)
_DECODE = rf"{word_of('base64')}\s+(?:-\w\s+)?(?:-d|--decode)\b"
_FLAGS = r"(?:-\w+\s+){0,2}(?:<{1,3}\s*)?"
_PIPES = (
    Rule(
        Code.PIPE_TO_SHELL,
        (("|", "iex", "invoke-expression"), (*_DOWNLOADERS, "new-object")),
        re.compile(
            rf"{_DOWNLOAD}\s{_ARGUMENTS}(?:(?<=\\)\n{_ARGUMENTS}){{0,3}}{_INTO_SHELL}"
            rf"|{word_of('iex', 'invoke-expression')}\s*\(+\s*(?:{_DOWNLOAD}|new-object)\s"
        ),
    ),
    Rule(
        Code.PIPE_TO_SHELL,
        (
            ("<(", "$(", *(f"`{name}" for name in _DOWNLOADERS)),
            (*(f"{begin}{name}" for begin in ("(", "( ", "`") for name in _DOWNLOADERS), "base64"),
        ),
        re.compile(
            rf"(?:(?:\b(?:eval|source|{_SHELL})|(?<!\S)\.)\s+{_FLAGS}[\"']?(?:<\(|\$\(|`)"
            rf"|\b{_INTERPRETER}\s+{_FLAGS}[\"']?(?:<\(|\$\())\s*"
            rf"(?:{_DOWNLOAD}\s|{_ARGUMENTS}{_PIPE}{_DECODE})"
        ),
    ),
    Rule(Code.PIPE_TO_SHELL, (("base64",), ("|",)), re.compile(rf"{_DECODE}{_ARGUMENTS}{_INTO_SHELL}")),
)
_FILE = r"[\w./~${}-]*[\w}]"
# A command that fetches, what it says its file is, and what runs a file.
FETCH = Rule(
    Code.PIPE_TO_SHELL, (_FETCHERS,), re.compile(rf"{_DOWNLOAD}\s(?:\\\n|[^\n;|&`]|&(?!&)){{0,400}}+")
)
COMMANDS = Rules(*_PIPES, FETCH)
"""Rules on commands: of ``FETCH`` one has to look at what is done with the file."""
KEPT_AS = re.compile(
    rf"(?:\s-\w*o|\s--output(?:-document)?|\s-outfile|\s\d?>{{1,2}})[\s=]*[\"']?(?:\./)?({_FILE})(?![\w:])"
    rf"|https?://[^\s\"'|;&)]*/([\w.-]*\w)"
)
RUN = re.compile(
    rf"(?:[\n;&`]|\bthen\s)\s*(?:[$#>]\s+)?{_RUNNER}(?:(?:{_SHELL}|{_INTERPRETER}|source|\.)\s+(?:-\S+\s+){{0,3}}[\"']?(?:\./)?"
    rf"|[\"']?(?:\./|(?=[/~$])))({_FILE})"
)
LOOKED_AT = re.compile(
    r"\b(?:sha\d{0,3}sum|shasum|md5sum|gpg|cosign|less|more|cat|head|sed|verify|check|inspect|review|read|diff)\b"
)
