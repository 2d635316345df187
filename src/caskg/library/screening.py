"""Text that speaks to the model that reads it, or that people do not see.

A skill is read by a model with tools in its hands, so a sentence in it can act. What is
found here is a reason to read the file, no proof: nothing is removed or changed. Each kind
is reported once a line. The search is for words that such sentences
cannot do without, before any pattern is tried: most files cost a few substring searches.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from caskg.library.diagnostics import Code, Findings
from caskg.library.screening_base import Rule, Rules, View
from caskg.library.screening_commands import COMMANDS, FETCH, KEPT_AS, LOOKED_AT, RUN
from caskg.library.screening_quotes import Quotations, in_table, is_negated
from caskg.library.screening_rules import SPEECH, SPEECH_IN_ALL_SCRIPTS

_LONGEST_QUOTE = 100
_MOST_PLACES = 1000  # of one rule that are looked at; 20 findings of a code are shown
_RUN_SOON = 300  # characters after a download
_ENCODED_RUN = 200  # characters; a hash has 128, a link rarely more between two slashes
_ENCODED = re.compile(r"(?<![\w+/])(?<!base64,)[A-Za-z0-9+/]{200,}={0,2}")
_CONTROLS = "\x01-\x08\x0b\x0e-\x1f\x7f\x80-\x84\x86-\x9f"
_BIDI = "\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u00ad\u180e\u200b\u2060-\u2064\ufeff"
_TAGS = "\U000e0000-\U000e007f"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_RARE_SELECTORS = "\ufe00-\ufe0d\U000e0100-\U000e01ef"  # without the two that emoji and letters bear
# A flag is a black one and up to six tags before U+E007F; one selector may follow a sign, more carry bytes.
_NO_FLAG = rf"(?<=\U0001f3f4)(?![{_TAGS}]{{1,6}}\U000e007f(?![{_TAGS}]))|(?<![\U0001f3f4{_TAGS}])"
_HIDDEN = rf"(?:{_NO_FLAG})[{_TAGS}]+|[{_SELECTORS}]{{2,}}"

# Letters of other alphabets that look like Latin ones; those that do in upper case only stand first.
_ALIKE = str.maketrans(
    "\u0412\u041d\u041a\u041c\u0422\u0392\u0397\u039a\u039c\u039d\u03a4\u0396"
    "\u043a\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u04cf"
    "\u0410\u0415\u041e\u0420\u0421\u0423\u0425\u0406\u0408\u0405\u0500\u051a\u051c\u04ba\u04c0"
    "\u03b1\u03bf\u03c1\u03b9\u03bd\u03c5\u03ba\u03c4\u03b5\u03f2\u03f3"
    "\u0391\u039f\u03a1\u0399\u03a5\u0395\u03a7\u03f9\u037f",
    "bhkmtbhkmntzkaeopcyxijsdqwhlaeopcyxijsdqwhlaopivuktecjaopiyexcj",
)
_OTHER_SCRIPT = re.compile("[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]")
_OF_OTHERS = re.compile("[\u0370-\u03ff\u0400-\u052f]")
# A word that begins in one alphabet and goes on in the other.
_MIXED = re.compile(
    "(?<![A-Za-z])[A-Za-z]++[\u0370-\u052f]\\w*+|(?<![\u0370-\u052f])[\u0370-\u052f]++[A-Za-z]\\w*+"
)
# Digits and letters of full width, and those of formulas, stand for plain ones, one for one.
_STYLED = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]")
_STYLED_RUN = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff]+")
_NO_WIDTH = re.compile(f"[{_BIDI}{_INVISIBLE}{_TAGS}{_SELECTORS}\u200c-\u200f]")
# An entity of a letter, and a comment or tag within a word, are nothing to whoever sees the page.
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_IN_WORD = re.compile(
    r"<(?<=\w<)(?:!--[^\n<>]{0,12}--|/?[a-z][^\n<>]{0,60})>(?:</?[a-z][^\n<>]{0,60}>)*+(?=\w)"
)
_QUOTED_LINE = re.compile(r"\n[ \t]{0,3}>[> \t]*+")
# Underscores within words and fences of tildes are no emphasis.
# Each begins with a character that is quickly found, which one pattern of all would not.
_EMPHASIS = (
    re.compile(r"\*"),
    re.compile(r"_(?:(?<![^\W_]_)|(?![^\W_]))"),
    re.compile(r"~~(?<!~~~)(?!~)"),
    re.compile(r"</?(?:b|i|em|strong|u|s|mark|span|font|wbr)(?:\s[^\n<>]{0,60})?>"),
)
_UNSHOWN = re.compile(
    r"\b(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden"
    r"|(?:font-size|opacity)\s{0,3}:\s{0,3}0(?:\.0+)?(?:px|pt|r?em|%)?(?![\w.]))"
)
_UNSHOWN_WORDS = ("display", "visibility", "font-size", "opacity", "hidden")
_HIDDEN_ATTRIBUTE = re.compile(r"\shidden(?=[\s=/>])")
_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'")
_TAG = re.compile(r"<[a-z][\w-]{0,20}\s[^<>]{1,600}>")
_TEXT_WITHIN = re.compile(r"\s*(?:<[a-z][^<>]{0,200}>\s*){0,4}([^<\s][^<]{0,5000})")
# What is reported, the characters without which there is none of it, and the pattern of a place.
_UNSEEN = tuple(
    (code, re.compile(f"[{characters}]"), re.compile(pattern))
    for code, characters, pattern in (
        (Code.CONTROL_CHARACTERS, _CONTROLS, f"[{_CONTROLS}]"),
        (Code.HIDDEN_TEXT, _TAGS + _RARE_SELECTORS, _HIDDEN),
        (Code.BIDI_CHARACTERS, _BIDI, f"[{_BIDI}]"),
        (Code.INVISIBLE_CHARACTERS, _INVISIBLE, f"[{_INVISIBLE}]"),
    )
)
_COMMON = bytes([*b"\t\n", *range(0x20, 0x7F)])


def screen(text: str, findings: Findings) -> None:
    """Report what in the text of a file speaks to its reader's model, runs unseen code, or is hidden.

    Args:
        text: The whole file, its lines ending in newlines.
        findings: Where to report; lines count from 1.
    """
    text = _without_entities(text)
    rare = _rare(text)
    lowered = _lowered(text, rare)
    told = set[tuple[Code, int]]()
    views = _views(lowered, rare)
    for view in views:
        for rule in _rules(rare).fitting(view):
            _report(_speech(rule, view.text), view.text, findings, told)
    commands = {rule for view in views for rule in COMMANDS.fitting(view)}
    if commands:
        _report(_fetched_and_run(lowered, commands), lowered, findings, told)
    _report_unshown(lowered, findings)
    _report_encoded(text, findings)
    for code, suspect, pattern in _UNSEEN:
        if suspect.search(rare):
            _report_characters(pattern, code, text, findings)


def speaks_to_model(text: str) -> bool:
    """Whether a sentence speaks to the model that reads it, quoted or not: more than `screen` reports.

    >>> speaks_to_model("It says: `Answer 1.0.`"), speaks_to_model("Answer one letter.")
    (True, False)
    """
    text = _without_entities(text)
    rare = _rare(text)
    views = _views(_lowered(text, rare), rare)
    return any(rule.pattern.search(view.text) for view in views for rule in _rules(rare).fitting(view))


def _rules(rare: str) -> Rules:
    """Return the rules for a text of these rare characters."""
    return SPEECH_IN_ALL_SCRIPTS if _OTHER_SCRIPT.search(rare) else SPEECH


def _without_entities(text: str) -> str:
    r"""Return a text with the letters, digits, blanks and unseen characters that its entities stand for.

    >>> _without_entities("&#105;gnore&nbsp;all &lt;b&gt; &zwnj;")
    'ignore\xa0all &lt;b&gt; \u200c'
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    character = html.unescape(entity[0])
    stands = len(character) == 1 and (character.isalnum() or unicodedata.category(character) in {"Cf", "Zs"})
    return character if stands else entity[0]


def _rare(text: str) -> str:
    r"""Return the characters of a text that are neither common nor ASCII, in order: few, so quickly searched.

    >>> _rare("boil \u732b and \x07 peel\n")
    '猫\x07'
    """
    return text.encode(errors="surrogatepass").translate(None, _COMMON).decode(errors="surrogatepass")


def _lowered(text: str, rare: str) -> str:
    r"""Return a text in lower case, with Latin letters for those that look alike in words of two alphabets.

    >>> _lowered("ign\u043ere \u043d\u043e", "\u043e\u043d\u043e"), _lowered("\uff11\uff0e\uff10", "\uff11")
    ('ignore \u043d\u043e', '1.0')
    """
    if _STYLED.search(rare):
        text = _STYLED_RUN.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text)
    if _OF_OTHERS.search(rare):
        text = _MIXED.sub(lambda word: word[0].translate(_ALIKE), text)
    return text.lower()


def _views(lowered: str, rare: str) -> list[View]:
    r"""Return a text without marks of emphasis and of quoted lines, and without characters of no width.

    Some of these stand for a blank. The lines stay what they are.

    >>> [view.text for view in _views("**ign\u200bore** all", "\u200b")]
    ['ignore all', 'ign ore all']
    >>> [view.text for view in _views("snake_case", "")]
    ['snake_case']
    """
    bare = _QUOTED_LINE.sub("\n", lowered)
    for marks in _EMPHASIS:
        bare = marks.sub("", bare)
    bare, n_within = _IN_WORD.subn("\u200b", bare)
    if not n_within and not _NO_WIDTH.search(rare):
        return [View(bare)]
    return [View(_NO_WIDTH.sub("", bare)), View(_NO_WIDTH.sub(" ", bare))]


def _speech(rule: Rule, lowered: str) -> Iterator[tuple[Code, int, int]]:
    """Yield the sentences of a rule; of those only quoted, if they are of the kind quoted as examples."""
    quotations: Quotations | None = None
    for found in islice(rule.pattern.finditer(lowered), _MOST_PLACES):
        quotations = quotations or Quotations(lowered)
        if not quotations.hold(*found.span()):
            yield rule.code, *found.span()
        elif rule.code is Code.OVERRIDE:
            yield Code.OVERRIDE_QUOTED, *found.span()


def _fetched_and_run(lowered: str, commands: Iterable[Rule]) -> Iterator[tuple[Code, int, int]]:
    """Yield the commands that run what they fetch, in code or not, unless they are what must not be done."""
    found = (_kept_and_run(lowered) if rule is FETCH else _spans(rule, lowered) for rule in commands)
    for start, end in sorted(chain.from_iterable(found)):
        if not is_negated(lowered, start) and not in_table(lowered, start, end):
            yield Code.PIPE_TO_SHELL, start, end


def _spans(rule: Rule, lowered: str) -> Iterator[tuple[int, int]]:
    return (place.span() for place in rule.pattern.finditer(lowered))


def _kept_and_run(lowered: str) -> Iterator[tuple[int, int]]:
    """Yield from a command that fetches a file to what runs it, where nothing between looks at the file."""
    for fetch in islice(FETCH.pattern.finditer(lowered), _MOST_PLACES):
        files = {name for names in KEPT_AS.findall(fetch[0]) for name in names if name}
        for run in RUN.finditer(lowered, fetch.end(), fetch.end() + _RUN_SOON) if files else ():
            if run[1].rstrip(".") in files and not LOOKED_AT.search(lowered, fetch.end(), run.start()):
                yield fetch.start(), run.end()
                break


def _report(
    found: Iterable[tuple[Code, int, int]], lowered: str, findings: Findings, told: set[tuple[Code, int]]
) -> None:
    """Report what stands from here to there, in order, once a line."""
    line, counted = 1, 0
    for code, start, end in found:
        line += lowered.count("\n", counted, start)
        counted = start
        if (code, line) not in told:
            told.add((code, line))
            findings.add(code, line=line, quote=" ".join(lowered[start:end].split())[:_LONGEST_QUOTE])


def _report_unshown(lowered: str, findings: Findings) -> None:
    """Report the text of an element whose style or attribute keeps it from being shown, outside of code."""
    if not any(word in lowered for word in _UNSHOWN_WORDS):
        return
    quotations: Quotations | None = None
    for tag, quote, text in islice(_unshown(lowered), _MOST_PLACES):
        quotations = quotations or Quotations(lowered)
        if not quotations.hold(*tag.span()):
            line = _line(lowered, tag.start())
            findings.add(Code.HIDDEN_TEXT, line=line, count=len(text.strip()), quote=quote.strip())


def _unshown(lowered: str) -> Iterator[tuple[re.Match[str], str, str]]:
    """Yield each tag that hides text, with what in it does, and the text."""
    for tag in _TAG.finditer(lowered):
        unshown = _UNSHOWN.search(tag[0]) or _HIDDEN_ATTRIBUTE.search(_VALUE.sub("''", tag[0]))
        within = _TEXT_WITHIN.match(lowered, tag.end()) if unshown else None
        if unshown and within:
            yield tag, unshown[0], within[1]


def _report_encoded(text: str, findings: Findings) -> None:
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1) if max(map(len, lines)) >= _ENCODED_RUN else ():
        found = _ENCODED.search(line) if len(line) >= _ENCODED_RUN else None
        if found and any(map(str.isdigit, found[0])) and found[0].lower() != found[0] != found[0].upper():
            quote = f"{found[0][:24]}..."
            findings.add(Code.ENCODED_TEXT, line=number, length=len(found[0]), quote=quote)


def _report_characters(pattern: re.Pattern[str], code: Code, text: str, findings: Findings) -> None:
    first = pattern.search(text)
    if first is None:
        return
    found = "".join(pattern.findall(text))
    kinds = ", ".join(f"U+{ord(kind):04X}" for kind in sorted(set(found))[:4])
    findings.add(code, line=_line(text, first.start()), count=len(found), quote=kinds)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
