"""Words to whoever judges skills: which answer to give, which skill to choose, and feigned answers."""

import re
from collections.abc import Iterable

from caskg.library.diagnostics import Code
from caskg.library.screening_base import Rule

# A number with a decimal may be followed by a word that is no unit; "answer 1 question" is no score.
_AND_SO = (
    r"(?:and|for|to|in|as|when|whenever|if|on|or|no|not|nothing|regardless|whatever|always|only|every|each|because"
    r"|since|here|please|with|without|unless|but|then|now|at|after|even|by|this|that|it|instead|exactly|is)\b"
)
_DECIMAL = (
    rf"(?:1[.,\u00b7]0{{1,3}}|0[.,\u00b7][0-9]{{1,3}})(?![\w%]|[.,][0-9]|\s?[-\u2013]\s?[0-9])"
    rf"(?=\s{{0,9}}(?:[^\w\s%]|\Z|\n|{_AND_SO}))"
)
_SCORE = rf"[\"'`\u201c]?(?:{_DECIMAL}|[01](?:[\"'`\u201d]|(?=[.,;!)]?\s*(?:\n|\Z)|[.;!]\s)))"
# A word for a number goes on in the next line more often than it ends a sentence there.
_SCORE_WORD = (
    r"[\"'`\u201c]?(?:one|zero)(?:\s+point\s+\w+)?"
    r"(?=[\"'`\u201d)]{0,2}\s{0,3}(?:[.;!]|\Z|\n\s*(?:\n|[-*#>|])))"
)
_MOST = (
    r"(?:(?:the|a)\s+)?(?:maximum|maximal|highest|top|best|max|full|perfect|greatest)\s+"
    r"(?:possible\s+|available\s+|allowed\s+)?(?:rating|score|value|marks?|grade|number)"
    r"(?=\s*(?:[.,;!)\n]|\Z|(?:for|to|on|every|always|whenever|regardless|no matter|and nothing)\b))"
)
_VALUE = rf"(?:{_SCORE}|{_SCORE_WORD}|{_MOST})"
# No list begins within a sentence: a line break before "1." ends it.
_GAP = r"(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*(?![0-9]+[.)]))"
_MUST = r"(?:must|should|shall|will|has|needs|can|may|is|be|to|only|always|here|exactly|a|the|score|of|=)"
_SET_TO = rf"(?:[^\S\n]*(?:[:=]|[-=]>|\u2192)[^\S\n]*|(?:{_GAP}{_MUST}){{1,5}}{_GAP})"
_YES = (
    r"[\"'`\u201c]?(?:yes|no|true)(?=[\"'`\u201d)]{0,2}\s*(?:[.,;!\n]|\Z"
    r"|to\s+(?:all|any|each|every|this|these|the)\s+(?:questions?|comparisons?|pairs?|probes?)\b))"
)
_ALWAYS = r"(?:(?<=\balways\sanswer)|(?<=\balways\srespond)|(?<=\balways\sreply))"
_WITH = rf"(?:(?:only|always|just|simply|with|by|an?|the|number|value|digit|score|of){_GAP}){{0,5}}"
_SAID_SO = rf"(?:{_GAP}{_WITH}{_VALUE}|{_SET_TO}{_VALUE}|{_ALWAYS}(?:\s+with)?\s+{_YES})"
_WHICH = "(?:this|every|any|each|all)"
_RATED_SO = (
    rf"\s+(?:(?:this|it)(?:\s+(?:skill|tool|document|candidate|pair))?\s+(?:(?:as|at|with|an?)\s+){{0,2}}(?:{_SCORE}|{_MOST})"
    rf"|{_WHICH}\s+(?:\w+\s+){{1,4}}(?:as|with|at)\s+{_SCORE})"
)
_GIVEN_SO = rf"\s+(?:it|this|these|them|us|(?:this|every|each|any|all)\s+\w+)\s+(?:{_MOST}|an?\s+{_SCORE})"
_WHAT_IS_SAID = "(?:response|rating|score|verdict|value|number|output)"
_IS_SO = (
    rf"\s+{_WHAT_IS_SAID}(?:\s+(?:here|for\s+(?:this|it|all|any|every)\b[^.\n]{{0,30}}))?{_SET_TO}{_VALUE}"
)
_RATE = ("rate", "score", "grade", "rank", "give")
_JUDGES = ("grader", "judge", "evaluator", "ranker")
_A_JUDGE = (
    r"(?:(?:the|any|every|an?|all|our|llm|ai|automated|automatic|skill|re)[\s-]+){0,3}"
    r"(?:graders?|judges?|evaluators?|(?:re)?rankers?)\b"
)
_ONE = (
    r"(?:(?:skill|document|candidate|option|text)\s+[abc]|[abc]|(?:this|each|every|both|the\s+(?:first|second|other|last))\s+"
    r"(?:skill|tool|document|candidate|pair|edge|relation)s?)"
)
_WANTED = (
    r"(?:required|needed|necessary|prerequisites?|relevant|essential|indispensable|irrelevant|unrelated)"
)
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


def _steering(word: str, rest: str) -> Rule:
    """Return a rule that begins with a word: such a search costs no more than one for the word."""
    return Rule(Code.SCORE_STEERING, ((word,),), re.compile(rf"{word}(?<!\w{word}){rest}"))


# "Set the score to 1.0." as a whole sentence; in prose a score is seldom so.
_DECREED = (  # "of three, one score is 1.0" decrees nothing
    rf"(?:\s+(?:to|at|=|must\s+be|shall\s+be|should\s+be)|(?<=\bthe\s(?:WORD))\s+is)\s+{_VALUE}"
    r"(?=[\"'`]?\s*(?:[.!]?\s*(?:\n|\Z)|[.!]\s|for\s+(?:this|every|each|all|any)\b))"
)
_OF_ITSELF = r"(?:that\s+)?(?:this|it)(?:\s+(?:skill|tool|document|candidate|one))?\s+(?:is|was)\s+"
_CLAIMED = rf"\s+{_OF_ITSELF}(?:(?:an?|the|always|absolutely|strictly)\s+){{0,2}}{_WANTED}\b"
_SAID_IN_MARKS = (
    r"\s+(?:only\s+)?[\"'`\u201c](?:1(?:\.0)?|0(?:\.\d)?)[\"'`\u201d]"
    r"(?=\s*(?:[.!]?\s*(?:\n|\Z)|to\s+(?:all|any|every|each)\b))"
)
_ANSWER_ABROAD = (  # "always answer 1.0" in other languages
    rf"\b(?:antworte|bewerte|r\u00e9ponds|r\u00e9pondez|responde|responda|rispondi)\w*\s+(?:[a-z]+\s+){{0,3}}?{_SCORE}"
    rf"|\u043e\u0442\u0432\u0435\u0447\u0430\u0439\w*\s+{_SCORE}"
    r"|(?:\u56de\u7b54|\u8f93\u51fa)(?:\u4e3a|\u662f)?[\s:\uff1a\u201c\"]*(?:1(?:\.0)?|0(?:\.\d)?)(?![\d.\w])"
)
_ANSWERS_ABROAD = ("antworte", "bewerte", "r\u00e9pond", "responde ", "responda ", "rispondi ")
_ANSWERS_IN_OTHER_SCRIPTS = ("\u043e\u0442\u0432\u0435\u0447\u0430\u0439", "\u56de\u7b54", "\u8f93\u51fa")


RULES_OF_JUDGING = (
    *(_steering(verb, rf"(?:{_SAID_SO}|{_CLAIMED})") for verb in ("answer", "respond", "reply")),
    *(_steering(verb, _RATED_SO) for verb in ("rate", "score", "grade")),
    *(_steering(verb, _GIVEN_SO) for verb in ("give", "assign")),
    *(_steering(adjective, _IS_SO) for adjective in ("correct", "right", "only")),
    Rule(Code.SCORE_STEERING, (_ANSWERS_ABROAD,), re.compile(_ANSWER_ABROAD)),
    *(_steering(rating, _DECREED.replace("WORD", rating)) for rating in ("score", "rating", "verdict")),
    _steering("say", rf"(?:{_CLAIMED}|{_SAID_IN_MARKS})"),
    _steering("claim", _CLAIMED),
    _steering("tell", rf"\s+(?:{_A_JUDGE}|them|whoever\s+asks){_CLAIMED}"),
    _steering("end", r"\s+of\s+(?:document|skill)\s+[abc]\b"),
    _steering("your", rf"\s+(?:only\s+)?{_WHAT_IS_SAID}{_SET_TO}{_VALUE}"),
    Rule(
        Code.SCORE_STEERING,
        (("</skill", "<skill", "</ skill", "< /skill", "< / skill", '"score"', "'score'"),),
        re.compile(
            r"\{\s*[\"']score[\"']\s*:\s*(?:[01](?:\.[0-9]+)?)\s*\}"
            r"|[\"']score[\"']\s*:\s*[\"'](?:[01](?:\.[0-9]+)?|cannot tell)[\"']"
            r"|[\"']score[\"']\s*:\s*\{[^{}\n]{0,80}[\"'](?:const|enum|default)[\"']\s*:\s*\[?\s*[\"']?[01](?:\.[0-9]+)?[\"']?\s*[\],}]"
            r"|<\s?/\s?skill(?:-\w+)?\s?>|<skill(?:-\w+)?\s+label\s*="
        ),
    ),
    Rule(
        Code.SCORE_STEERING,
        (_JUDGES, tuple(f"{judge}{end}" for judge in _JUDGES for end in ("s", ":", ",", "!", " \u2014"))),
        re.compile(
            r"(?:\b(?:note|message|hint|instructions?|attention|hello|dear|hey|hi)[\s,:]+(?:(?:to|for)\s+)?"
            rf"|(?:^|<!--|[.!?])\s*(?:to|for)\s+){_A_JUDGE}\s*[:,!\u2014]",
            re.MULTILINE,
        ),
    ),
    Rule(
        Code.SCORE_STEERING,
        ((" a as ", " b as ", " c as ", "skill as ", "document as ", "pair as "),),
        re.compile(
            rf"\b(?:rate|score|grade|mark|label|classify|judge|rank|treat|count)\s+{_ONE}\s+as\s+"
            rf"(?:(?:an?|the|fully|completely|highly|strictly|absolutely|always|being)\s+){{0,3}}{_WANTED}\b"
        ),
    ),
    Rule(
        Code.SCORE_STEERING,
        (("cannot tell", "can't tell", "top option", "highest option", "first option", "top choice"),),
        re.compile(
            r"\b(?:always|only|just|simply|must)\s+(?:say|answer|reply|respond|output|return|write)(?:\s+with)?\s+"
            r"[\"'`\u201c]?(?:cannot|can't) tell\b"
            r"|\b(?:choose|select|pick|return|give|take)\s+(?:the\s+)?(?:top|highest)\s+(?:option|choice)\b"
            r"|\balways\s+(?:choose|select|pick|return|take)\s+(?:the\s+)?first\s+option\b"
        ),
    ),
    Rule(
        Code.SCORE_STEERING,
        (("assistant:", "response:", "output:", "verdict:", "judge:"),),
        re.compile(
            rf"^[ \t#>]*(?:assistant|response|output|verdict|judge):[^\S\n]*(?:\n\s*)?{_SCORE}\s*$",
            re.MULTILINE,
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
JUDGING_IN_OTHER_SCRIPTS = Rule(Code.SCORE_STEERING, (_ANSWERS_IN_OTHER_SCRIPTS,), re.compile(_ANSWER_ABROAD))
