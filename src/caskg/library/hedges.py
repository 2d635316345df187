"""What takes the words around a mention back: a denial, the past, a question, somebody else's words.

So does a case in which alone they hold: "if paid in cash, run `x` first" (`is_for_some_cases`).
Beside `cues`, which says what such words mean where they stand as they are. "This
does not depend on `x`" holds the words of a need and is none. A denied absence is a
need all the same: "never run this without `x`".
"""

import re

_OF_IT = (  # "without the result of"
    r"(?:\s+(?:the|a|an|running|using|calling|having|run|you|have|has|had|of|from|by"
    r"|\w+(?= (?:of|from|by)\b))){0,5}\s*$"
)
_INDISPENSABLE = re.compile(  # right before the mention
    r"\b(?:not|\w+n't|never|cannot|nothing|no\b(?! need)|fails?|impossible|useless)\b[^.;`]*"
    rf"\b(?:without|unless|until|before){_OF_IT}",
    re.IGNORECASE,
)
_KEPT = re.compile(  # "do not skip `x`"
    r"\b(?:not|cannot|\w+n't|never|no) (?:skip|omit|bypass|forget|leave out)\w*"
    r"(?: (?:over|the|to|run\w*|us(?:e|ing)))*\s*$",
    re.IGNORECASE,
)
_KEPT_AFTER = re.compile(
    r"^\W*(?:skill\W*)?(?:(?:must|can|may|should)(?: not|not|n't|'t) be (?:skipped|omitted|bypassed|left out)"
    r"|(?:is|are)(?: not|n't) optional)\b",
    re.IGNORECASE,
)
_WITHOUT = re.compile(rf"(?:^\W*|[.:;,\u2014] (?:and |but )?)(?:without|lacking){_OF_IT}", re.IGNORECASE)
_SKIPPED = re.compile(
    rf"\b(?:skip(?:s|ped|ping)?|omit(?:s|ted|ting)?|forget(?:s|ting)?|le(?:ave|aving|ft) out){_OF_IT}",
    re.IGNORECASE,
)
_RUINS = re.compile(
    r"^(?:(?!\bnot\b|n't\b|\bno\b)[^.;])*\b(?:fails?|breaks?|ruins?|spoils?|wrong|impossible|useless|incomplete"
    r"|corrupts?|lost|nothing (?:\w+ )?(?:works?|runs?|helps?))\b",
    re.IGNORECASE,
)
_FAILS = re.compile(
    r"^[^.;]*\b(?:not|\w+n't|cannot|never|none|nothing|nobody|fails?|breaks?|impossible|useless|incomplete|no)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"^\W*(?:skill\W*)?(?:has|have|had|is|was)\b[^.;,]*\b(?:succeeded|finished|done|completed?|run|passed|executed)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:when|once|as soon as|after|until|unless)(?:\s+the)?\s*$", re.IGNORECASE)

_RUN_NOW = re.compile(  # the mention is "@": "if you have not run `x` yet, run it now"
    r"^\W*if\b[^,;]*\b(?:has|have|had|is|was)(?: not|n't)\b[^,;]*,\s*(?:then |please )?"
    r"(?:run|do|complete|start|go|stop|use|call)\b(?: \w+)?(?: (?:first|now|before\b.*)|\W*$)",
    re.IGNORECASE,
)

_LACKS = r"\b(?:no|not|none|\w+n't|never|missing|absent|unless|without|lacks?|empty|unsure|yet)\b"
_ABSENT = rf"(?![^`]*(?:{_LACKS}|\bneeded\b))"
_LACKING = re.compile(
    rf"\b(?:if|when|where)\b(?=[^,;:`]*{_LACKS})(?![^,]*\b(?:want|need|like|prefer))[^,;:`]*+,", re.IGNORECASE
)

_NO_DENIAL = re.compile(
    r"\b(?:not|cannot|\w+n't|never) (?:only|just|forget|skip|omit|miss|fail)\b", re.IGNORECASE
)
_ILL = (
    r"(?:un(?:necessary|needed|wise|helpful|likely)|(?:need|point|sense|use)less|futile|silly|foolish"
    r"|premature|overkill|ill-advised|(?:a )?(?:\w+ )?(?:(?:bad|poor) (?:idea|practice)|mistake|waste|myth"
    r"|misconception))"
)
_DENIED = re.compile(
    r"\b(?:not|\w+n't|never|no longer|without (?:needing|running|using|the need)"
    r"|(?:hardly|scarcely|barely|rarely|seldom|sometimes|occasionally)|whether|even (?:before|after)"
    r"|(?:no|little|(?:hardly|scarcely|barely) any) \w+ (?:to|in|for)(?=[^,]*$)"
    r"|(?:before|after)(?:, \w+)?,? (?:or|and) (?:before|after)|(?:saves?|spares?) (?:you|us|one)"
    rf"|(?:wrong|{_ILL}) (?:to|that|of)"
    r"|none|nobody|no one|nothing|neither|nor|avoid\w*|doubt\w*"
    r"|refrain\w*|skip\w*|stop\w*|refus\w+|uninstall\w*|disabl\w+|remov\w+|delet\w+|obsoletes?|deprecat\w+"
    r"|optional(?:ly)?|against|tried|earlier versions?|until version|back in|last (?:year|month|week)"
    r"|previously|formerly|historically|used to|once (?:required|needed|used)"
    r"|(?:it|we|they|this(?: skill)?) (?:required|needed|depended|relied)(?! (?:sub-?)?skills?)"
    r"|(?:anyone|anybody|whoever|those|people) (?:who )?(?:tells?|says?)"
    r"|(?:false|untrue) that|in theory|imagine\w*|gone are|may need"
    r"|in (?:the )?(?:past|(?:old|olden|early|earlier|former) (?:days|times|versions?|releases?))"
    r"|(?:long|(?:years|months|weeks|some time|a while)) ago|(?:it is|is it) said|(?:rumou?r|legend) has it"
    r"|(?:people|(?:some|many|other)(?: \w+)?|others|one|someone|somebody) (?:might |may |would )?"
    r"(?:thinks?|says?|believes?|claims?|run|use))\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[;:\u2014\u2013]|,\s+(?:but|so|then|and)\b|\bbut\b", re.IGNORECASE)
_EXAMPLE = re.compile(
    r"[\u274c\u2717\u2718\u26d4\U0001f6ab]|\b(?:anti-?patterns?|bad|wrong|incorrect|mistakes?|myths?|don'?ts?):"
    r"|\b(?:for (?:example|instance)\b|examples?:|e\.g\b[^)]*$|(?:such as|like)(?: the)?$"
    r"|(?:might|could|would) (?:say|read)\b)",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^[^.;]{0,80}?(?:\b(?:must|should|need|is|are|was|will|can|does|do|did) ?(?:not|n't)\b"
    r"|\b(?:no longer|but not)\b(?! [`*@/\[])"
    rf"|\b(?:is|are|was|be) (?:optional|deprecated|out of scope|obsolete|up to you|a matter of \w+|{_ILL})\b"
    r"|^\W*(?:was|were|has been|had been|got) (?:left out|skipped|omitted|forgotten|missed)\b"
    r"|\bmakes? no difference\b|\btoo late\b|\?)|^\W*optional\b",
    re.IGNORECASE,
)
_CASE_BEFORE = re.compile(
    rf"(?:^\W*|[.:;\u2014] )(?:only )?(?:if|in case)\b{_ABSENT}|^\W*only (?:the|in|for|some|when)\b"
    r"|\byou (?:can|could|might|may)\b(?! only| not)",
    re.IGNORECASE,
)
_CASE_AFTER = re.compile(
    rf"^\W*(?:skill\W*)?(?:first\b\W*)?(?:only )?(?:if|in case)\b{_ABSENT}", re.IGNORECASE
)
_REPORTED = re.compile(
    r"\b(?:wrote|thought|believed|swore|(?<!as )said|(?:insist|claim|complain|assert)(?:s|ed)|argu(?:es|ed))"
    r"(?: that\b|[:,])|^\W*according to (?:an?|some|many)\b",
    re.IGNORECASE,
)
_QUOTES = re.compile('["\u201c\u201d]')


def is_indispensable(left: str, right: str) -> bool:
    """Whether nothing goes without the mentioned skill: "do not start before `x`", "when `x` has finished".

    >>> is_indispensable("Never run this without", "."), is_indispensable("It works without", ".")
    (True, False)
    """
    if _is_quoted(left, right):
        return False
    return (
        _INDISPENSABLE.search(left) is not None
        or _KEPT.search(left) is not None
        or _KEPT_AFTER.match(right) is not None
        or (_WITHOUT.search(left) is not None and _FAILS.match(right) is not None)
        or (_SKIPPED.search(left) is not None and _RUINS.match(right) is not None)
        or (_WHEN.search(left) is not None and _DONE.match(right) is not None)
        or _RUN_NOW.match(f"{left}@{right}") is not None
    )


def is_for_some_cases(left: str, right: str) -> bool:
    """Whether the words about the mention hold in a case only: not where the case is that something lacks.

    >>> is_for_some_cases("If paid in cash, run", "first."), is_for_some_cases("If there is no tea, run", "")
    (True, False)
    """
    return _CASE_BEFORE.search(left) is not None or _CASE_AFTER.match(right) is not None


def without_lack(left: str) -> str:
    """Return the words without a clause that says what lacks: what is to be done then is a need.

    >>> without_lack("If there is no tea, run"), without_lack("If it rains, run")
    (' run', 'If it rains, run')
    """
    return _LACKING.sub("", left)


def is_taken_back(left: str, right: str) -> bool:
    """Whether the sentence denies, doubts, quotes or remembers what its words about the mention say.

    >>> is_taken_back("This does not depend on", "."), is_taken_back("Do not forget to run", "first.")
    (True, False)
    """
    clause = _CLAUSE.split(_NO_DENIAL.sub("", without_lack(left)))[-1]
    return (
        _is_quoted(left, right)
        or _DENIED.search(clause) is not None
        or _DENIED_AFTER.match(right) is not None
    )


def _is_quoted(left: str, right: str) -> bool:
    """Whether the mention stands in somebody else's words, or in an example."""
    quoted = len(_QUOTES.findall(left)) % 2 == 1 and _QUOTES.search(right) is not None
    return quoted or _EXAMPLE.search(left) is not None or _REPORTED.search(left) is not None
