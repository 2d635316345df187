"""The phrases that screening searches for, each kind with the words that it cannot do without."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from caskg.library.diagnostics import Code


def _word(*words: str) -> str:
    """Return a pattern of words; to look back from each is faster than to look for a boundary first."""
    return "(?:" + "|".join(rf"{word}(?<!\w{word})" for word in words) + ")"


_WITHIN = r"(?:(?:all|any|every|the|of|my|your|its|these|those|other)\s+){0,3}"
_EARLIER = (
    r"(?:all|your|previous|previously|prior|above|earlier|preceding|existing"
    r"|original|system|safety|foregoing)"
)
# A prompt that is shown on a screen is a shell's.
_PROMPTS = (
    r"prompts?(?!\s+(?:(?:shown|displayed|printed)\s+)?(?:in|on|of|by)\s+(?:the|your|a)\s+"
    r"(?:terminal|shell|console|screen|window)\b)"
)
_RULES = rf"(?:instructions?|{_PROMPTS}|directives?|guidelines?|guardrails?|rules|restrictions)"
_BEFORE_NOW = r"(?:above|before(?:\s+this)?|so\s+far|earlier|previously)"
_SAID = (
    r"(?:that\s+)?(?:(?:is|was|were|came|has\s+been|you\s+were|you\s+have\s+been)\s+)?"
    r"(?:(?:told|given|said|written|stated)\s+)?"
)
_CLAUSE_ENDS = r"(?=\s*(?:[.,;:!)\n]|\Z|(?:and|then)\b))"


class Rule(NamedTuple):
    """A pattern on lower-case text, and the words of which each text it fits holds one of each group."""

    code: Code
    words: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]


_DROP = rf"(?:{_word('ignore', 'disregard', 'forget', 'bypass')}|{_word('set', 'put')}\s+aside)"
_STOP_OBEYING = (
    r"(?:\b(?:stop|cease|quit)\s+(?:following|obeying|heeding|complying\s+with|adhering\s+to)"
    r"|(?:\b(?:not|never)|n['\u2019]t|\bno\s+longer)\s+"
    r"(?:follow|obey|heed|comply\s+with|adhere\s+to|(?:be\s+)?bound\s+by))"
)
# What a page or file says is another's: not to follow that is advice.
_OF_ITS_OWN = r"(?!\s+(?:\w+\s+)?(?:in|inside|from|within|embedded|found|contained|that|which)\b)"
_DROPPED = (
    rf"(?:{_WITHIN}{_EARLIER}\s+{_WITHIN}(?:\w+\s+)?{_RULES}\b"
    rf"|(?:{_WITHIN}{_RULES}|everything|anything|all(?:\s+of)?(?:\s+(?:this|that|it))?|what(?:ever)?)\s+"
    rf"{_SAID}{_BEFORE_NOW}{_CLAUSE_ENDS})"
)
# Rules of a project are overridden every day; those that a model was given are not.
_OWN = r"(?:(?:all|any|the|of|your)\s+){0,3}(?:your|previous|prior|earlier|safety)"
_OVERRULED = rf"(?:over(?:rid|rul)|supersed)(?:e|es|ing)\s+{_OWN}\s+(?:\w+\s+)?{_RULES}\b"
_VOID = (
    rf"\b(?:your|all)\s+(?:(?:the|your|{_EARLIER})\s+){{0,2}}{_RULES}\s+"
    r"(?:(?:no\s+longer|do\s+not)\s+apply"
    r"|(?:are|were|have\s+been)\s+(?:now\s+)?(?:no\s+longer\s+valid|(?:null\s+and\s+)?void|revoked))\b"
)
_NO_LIMITS = r"(?:restrictions?|limits|limitations?|filters?|guardrails|censorship)"
_NEW_ROLE = (
    r"(?:\byou are now|\bfrom now on,? you(?: are|['\u2019]re| act as)|\b(?:act|behave) as|\bbecome"
    r"|\bpretend (?:to be|(?:that )?you are))\s+(?:an?\s+|the\s+)?"
    r"(?:dan\b|in (?:developer|god|debug) mode|(?:jailbroken|unrestricted|uncensored|unfiltered)\b"
    rf"|(?:ai|model|assistant|agent)\s+(?:without|with\s+no)\s+(?:any\s+)?(?:\w+\s+)?{_NO_LIMITS}\b)"
)
_DROPS = ("ignore", "disregard", "forget", "bypass", " aside")
_OBEYS = (
    "not follow",
    "n't follow",
    "never follow",
    "longer follow",
    "p following",
    " obey",
    " comply with",
    "bound by",
)
_GIVEN = ("instruct", "prompt", "directive", "guideline", "guardrail", "rules", "restriction")
_BEFORE = ("above", "before", "so far", "earlier", "previously")
RULES_OF_OVERRIDE = tuple(
    Rule(Code.OVERRIDE, words, re.compile(pattern))
    for words, pattern in (
        ((_DROPS, (*_GIVEN, *_BEFORE)), rf"{_DROP}\s+{_DROPPED}"),
        ((_OBEYS, (*_GIVEN, *_BEFORE)), rf"{_STOP_OBEYING}\s+{_DROPPED}{_OF_ITS_OWN}"),
        ((("overrid", "overrul", "supersed"), _GIVEN), _OVERRULED),
        ((("no longer appl", "no longer valid", "do not apply", " void", " revoked"), _GIVEN), _VOID),
        ((("you are now", "from now on", "pretend", "unrestricted", "uncensored", "jailb"),), _NEW_ROLE),
    )
)
_TELL = ("tell", "inform", "notify", "alert", "let", "mention", "reveal", "disclose")
# The ends of "not", "n't" and "without", and of "never": each word more is a search through every text.
_KEPT_FROM = tuple(f"{end} {verb}" for end in ("t", "never") for verb in _TELL)
_DO_NOT = _word("do not", "don't", "don\u2019t", "never")
_HIDE = ("keep", "hide", "conceal", "withhold")
_UNTOLD = ("must not", "must never", "should not", "should never")
_THIS = (
    r"(?:(?:this|that|it|these|those|(?:any|all) of (?:this|it|these))"
    r"(?:\s+(?:step|instruction|action|file|rule|command|request|upload|call|skill)s?)?)"
)
_WHO = ("user", "human", "operator")
_PEOPLE = rf"(?:the|your|any)\s+(?:human[\s/]+)?(?:{'|'.join(_WHO)})s?"
_TOLD = r"be\s+(?:informed|told|made\s+aware|aware)"
_ENDS = r"\s*(?=[.,;:!)\n]|\Z|\b(?:ever|at all|under any|in any)\b)"
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
    rf"\s+(?:(?:this|it)\s+(?:(?:as|at|with|an?)\s+){{0,2}}(?:{_SCORE}|{_MOST})"
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


RULES_OF_SPEECH = (
    *RULES_OF_OVERRIDE,
    Rule(
        Code.CONCEALMENT,
        (_WHO, _KEPT_FROM),
        re.compile(
            rf"(?:{_DO_NOT} (?:{'|'.join(_TELL)})"
            rf"|{_word('without')} (?:telling|informing|notifying|alerting|letting))\s+"
            rf"(?:(?:{_THIS}|anything)\s+)?(?:to\s+)?{_PEOPLE}"
            rf"(?:\s+(?:know|see|notice))?(?:\s+(?:about|of)\s+{_THIS})?{_ENDS}"
        ),
    ),
    Rule(
        Code.CONCEALMENT,
        (_HIDE, ("from the", "from your", "from any")),
        re.compile(
            rf"{_word(*_HIDE)}\s+{_THIS}\s+(?:(?:a\s+)?(?:secret|hidden|private|away)\s+)?"
            rf"from\s+{_PEOPLE}{_ENDS}"
        ),
    ),
    Rule(
        Code.CONCEALMENT,
        (_UNTOLD, tuple(f"{who}{s} {no}" for who in _WHO for s in ("", "s") for no in ("must", "should"))),
        re.compile(
            rf"\b{_PEOPLE}\s+(?:{'|'.join(_UNTOLD)})\s+(?:(?:know|learn|hear|be\s+(?:notified|alerted)|{_TOLD})"
            rf"(?:\s+(?:about|of))?\s+{_THIS}|{_TOLD}){_ENDS}"
        ),
    ),
    Rule(
        Code.CHAT_MARKUP,
        (("<|", "[inst]", "<<sys>>", "<system", "</system"),),
        re.compile(
            r"<\|(?:im_start|im_end|system|user|assistant|start_header_id|end_header_id|eot_id|endoftext)\|>"
            r"|\[/?inst\]|<</?sys>>|</?system(?:[-_](?:prompt|message|instructions?|reminder))?>"
        ),
    ),
    *(_steering(verb, _SAID_SO) for verb in ("answer", "respond", "reply")),
    *(_steering(verb, _RATED_SO) for verb in ("rate", "score", "grade")),
    *(_steering(verb, _GIVEN_SO) for verb in ("give", "assign")),
    *(_steering(adjective, _IS_SO) for adjective in ("correct", "right", "only")),
    _steering("your", rf"\s+(?:only\s+)?{_WHAT_IS_SAID}{_SET_TO}{_VALUE}"),
    Rule(
        Code.SCORE_STEERING,
        (("</skill", "<skill", '"score"', "'score'"),),
        re.compile(
            r"\{\s*[\"']score[\"']\s*:\s*(?:[01](?:\.[0-9]+)?)\s*\}"
            r"|[\"']score[\"']\s*:\s*[\"'](?:[01](?:\.[0-9]+)?|cannot tell)[\"']"
            r"|</skill(?:-\w+)?>|<skill(?:-\w+)?\s+label\s*="
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
        Code.CHAT_MARKUP,
        (("assistant:", "human:"),),
        re.compile(r"^[ \t#>]*(?:assistant|human):", re.MULTILINE),
    ),
    Rule(
        Code.CHAT_MARKUP,
        (("system:", "system message:", "system prompt:", "system note:"),),
        re.compile(
            r"^[ \t#>]*system(?:\s+(?:message|prompt|note))?:\s*"
            r"(?:you|your|rate|score|grade|mark|ignore|disregard|forget|answer|respond|reply|always|never|from\s+now"
            r"|new|override|choose|select|pick|obey|follow|output|return|say)\b",
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
_DOWNLOADERS = ("curl", "wget", "iwr", "irm", "invoke-")
FETCHERS = (
    *("curl", "wget", "iwr", "invoke-", "new-object", "base64"),
    *("irm http", *(f"{before}irm " for before in (" ", "\n", "`", "("))),  # "confirm" is a common word
)
"""Without one of these nothing is fetched or decoded."""
_DOWNLOAD = rf"{_word('curl', 'wget', 'iwr', 'irm', 'invoke-webrequest', 'invoke-restmethod')}(?:\.exe)?"
_PATH = r"(?:/\S{0,40}/)?"
_SHELL = rf"{_PATH}(?:ba|z|da|k|fi|a|tc|c)?sh"
_INTERPRETER = rf"{_PATH}(?:python[\d.]{{0,5}}|node|nodejs|ruby|perl|php|lua|pwsh|powershell)"
_UNPACK = r"(?:tee|cat|base64|gunzip|zcat|gzip|xz|sed|tr|head|tail|openssl)"
_AS_ROOT = r"(?:(?:sudo|doas)\s+(?:-\w+\s+(?:root\s+)?){0,3})?"
# What runs the command after it; its options may have a value.
_RUNNER = (
    rf"(?:{_PATH}(?:sudo|doas|nohup|time|nice|exec|command|setsid|stdbuf|timeout|busybox|env)\s+"
    r"(?:-\S{1,40}\s+(?:\w{1,20}\s+)??|\w+=\S{1,80}\s+|\d\w{0,9}\s+){0,3}){0,3}"
)
_AFTER = r"(?=[\s`\"');&|<>}\]]|[.,:!](?!\w)|\Z)"
# What a quotation holds is no end of a command; an apostrophe within a word opens none.
_ARGUMENTS = (
    r"[^\n|;\"']{0,300}+(?:(?:\"[^\"\n]{0,300}+\"|(?<!\w)'[^'\n]{0,300}+'|[\"'])[^\n|;\"']{0,300}+){0,8}+"
)
_PIPE = r"\|&?\s{0,20}"
_INTO_SHELL = (
    rf"(?:{_PIPE}{_AS_ROOT}{_UNPACK}\b[^\n|;]{{0,100}}+){{0,3}}{_PIPE}{_RUNNER}"
    rf"(?:{_SHELL}{_AFTER}|iex\b|invoke-expression\b"
    rf"|{_INTERPRETER}(?:\s+--?(?=[\s`\"')]|\Z)|(?=\s{{0,20}}(?:[\n`\"');&>]|\Z))))"
)
_DECODE = rf"{_word('base64')}\s+(?:-\w\s+)?(?:-d|--decode)\b"
_FLAGS = r"(?:-\w+\s+){0,2}(?:<{1,3}\s*)?"
RULES_OF_PIPES = (
    Rule(
        Code.PIPE_TO_SHELL,
        (("|", "iex", "invoke-expression"), (*_DOWNLOADERS, "new-object")),
        re.compile(
            rf"{_DOWNLOAD}\s{_ARGUMENTS}(?:(?<=\\)\n{_ARGUMENTS}){{0,3}}{_INTO_SHELL}"
            rf"|{_word('iex', 'invoke-expression')}\s*\(+\s*(?:{_DOWNLOAD}|new-object)\s"
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
FETCH = re.compile(rf"{_DOWNLOAD}\s(?:\\\n|[^\n;|&`]|&(?!&)){{0,400}}+")
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
