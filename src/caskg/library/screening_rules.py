"""The phrases that screening searches for, each kind with the words that it cannot do without."""

import re

from caskg.library.diagnostics import Code
from caskg.library.screening_base import Rule, Rules, word_of
from caskg.library.screening_judge import JUDGING_IN_OTHER_SCRIPTS, RULES_OF_JUDGING

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


_DROPS = ("ignore", "disregard", "forget", "bypass")
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
_BY_STYLE = r"(?!\s+(?:with|by|using)\s+(?:an?\s+)?[!`]*important\b)"  # of a style sheet
_OVERRULED = rf"(?:over(?:rid|rul)|supersed)(?:e|es|ing)\s+{_OWN}\s+(?:\w+\s+)?{_RULES}\b{_BY_STYLE}"
_VOID = (
    rf"\b(?:your|all)\s+(?:(?:the|your|{_EARLIER})\s+){{0,2}}{_RULES}\s+"
    r"(?:(?:no\s+longer|do\s+not)\s+apply"
    r"|(?:are|were|have\s+been)\s+(?:now\s+)?(?:no\s+longer\s+valid|(?:null\s+and\s+)?void|revoked))\b"
    r"(?!\s+(?:if|when|unless|where)\b)"
)
_NO_LIMITS = r"(?:restrictions?|limits|limitations?|filters?|guardrails|censorship)"
_NEW_ROLE = (
    r"(?:\byou are now|\bfrom now on,? you(?: are|['\u2019]re| act as)|\b(?:act|behave) as|\bbecome"
    r"|\bpretend (?:to be|(?:that )?you are))\s+(?:an?\s+|the\s+)?"
    r"(?:dan\b|in (?:developer|god|debug) mode|(?:jailbroken|unrestricted|uncensored|unfiltered)\b"
    rf"|(?:ai|model|assistant|agent)\s+(?:without|with\s+no)\s+(?:any\s+)?(?:\w+\s+)?{_NO_LIMITS}\b)"
)
# "Ignore all previous instructions" in other languages, by what is to be ignored, or by the verb.
_INSTRUCTIONS = (
    "anweisung",
    "instruktion",
    "instructions pr\u00e9c",
    "consignes",
    "instrucciones",
    "instru\u00e7\u00f5es",
    "istruzioni",
)
_IGNORED = (
    r"\b(?:ignorier|missachte|vergiss)\w*\s+(?:alle[ns]?\s+)?(?:(?:die|deine|ihre)\s+)?"
    r"(?:bisherig|vorherig|vorangegangen|vorig|fr\u00fcher|obig)\w*\s+(?:anweisung|instruktion)"
    r"|\b(?:ignore|oublie)[zs]?\s+(?:toutes\s+)?(?:les|tes|vos)\s+(?:instruction|consigne)s?\s+(?:pr\u00e9c\u00e9d|ant\u00e9r)"
    r"|\b(?:ignor|olvid|esque\u00e7|dimentic)\w*\s+(?:tod[ao]s\s+|tutte\s+)?(?:(?:las|as|le|tus|suas)\s+)?"
    r"(?:instrucciones|instru\u00e7\u00f5es|istruzioni)\s+(?:anterior|previ|pr\u00e9vi|precedent)"
)
_TO_IGNORE = (
    "\u5ffd\u7565",
    "\u65e0\u89c6",
    "\u7121\u8996",
    "\u5fd8\u8bb0",
    "\u0438\u0433\u043d\u043e\u0440\u0438\u0440",
    "\u0437\u0430\u0431\u0443\u0434\u044c",
)
_IGNORED_IN_OTHER_SCRIPTS = (
    r"(?:\u5ffd\u7565|\u65e0\u89c6|\u5fd8\u8bb0)[^\u3002\n]{0,6}(?:\u4e4b\u524d|\u4ee5\u4e0a|\u5148\u524d|\u524d\u9762|\u4e0a\u8ff0|\u6b64\u524d)"
    r"[^\u3002\n]{0,6}(?:\u6307\u4ee4|\u6307\u793a|\u63d0\u793a|\u89c4\u5219)"
    r"|(?:\u4ee5\u524d|\u3053\u308c\u307e\u3067|\u4e0a\u8a18|\u524d)\u306e[^\u3002\n]{0,6}(?:\u6307\u793a|\u547d\u4ee4|\u6307\u4ee4|\u30eb\u30fc\u30eb)[^\u3002\n]{0,8}\u7121\u8996"
    r"|(?:\u0438\u0433\u043d\u043e\u0440\u0438\u0440|\u0437\u0430\u0431\u0443\u0434\u044c)\w*\s+(?:\u0432\u0441\u0435\s+)?(?:\u043f\u0440\u0435\u0434\u044b\u0434\u0443\u0449|\u043f\u0440\u0435\u0436\u043d|\u0432\u044b\u0448\u0435)"
    r"\w*\s+(?:\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446|\u0443\u043a\u0430\u0437\u0430\u043d|\u043f\u0440\u0430\u0432\u0438\u043b)"
)
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
        # One rule for each verb: what begins with a word is found as fast as the word.
        *((((verb,), (*_GIVEN, *_BEFORE)), rf"{word_of(verb)}\s+{_DROPPED}") for verb in _DROPS),
        (((" aside",), (*_GIVEN, *_BEFORE)), rf"{word_of('set', 'put')}\s+aside\s+{_DROPPED}"),
        ((_OBEYS, (*_GIVEN, *_BEFORE)), rf"{_STOP_OBEYING}\s+{_DROPPED}{_OF_ITS_OWN}"),
        ((("overrid", "overrul", "supersed"), _GIVEN), _OVERRULED),
        ((("no longer appl", "no longer valid", "do not apply", " void", " revoked"), _GIVEN), _VOID),
        ((("you are now", "from now on", "pretend", "unrestricted", "uncensored", "jailb"),), _NEW_ROLE),
    )
)
_TELL = ("tell", "inform", "notify", "alert", "let", "mention", "reveal", "disclose")
_TELLING = ("telling", "informing", "notifying", "alerting", "letting")
_FORBIDS = ("do not", "don't", "don\u2019t", "never")
_HIDE = ("keep", "hide", "conceal", "withhold")
_UNTOLD = ("must not", "must never", "should not", "should never")
_THIS = (
    r"(?:(?:this|that|it|these|those|(?:any|all) of (?:this|it|these))"
    r"(?:\s+(?:step|instruction|action|file|rule|command|request|upload|call|skill)s?)?)"
)
_WHO = ("user", "human", "operator")
_PEOPLE = rf"(?:the|your|any)\s+(?:human[\s/]+)?(?:{'|'.join(_WHO)})s?"
_TOLD = r"be\s+(?:informed|told|made\s+aware|aware)"
_CLAIM = (
    r"(?![^.\n]*\b(?:until|unless|without|before|if)\b)"  # "that you finished, unless it is so" is honest
)
_DID = r"(?:ran|sent|did|wrote|read|made|took|gave|stole|copied|have|(?!need|want|like)\w+ed)\b"
_OF_DEEDS = rf"\s+(?:that|what|how)\s+you(?:['\u2019]ve)?\s+{_DID}{_CLAIM}"
_ENDS = rf"(?:\s*(?=[.,;:!)\n]|\Z|\b(?:ever|at all|under any|in any)\b)|{_OF_DEEDS})"
_NOTHING_DONE = r"(?!\s*,\s*(?:nothing|no|never|nobody|do not|don't)\b)"
_TURN_MARKS = (
    r"im_(?:start|end|sep)|system|user|assistant|(?:start_|end_)?header(?:_id|_start|_end)?|end_header_id|eo[tm](?:_id)?"
    r"|endoftext|(?:begin|end)[_\u2581]of[_\u2581](?:text|sentence)|start|end|message|channel|return|call|tool_call"
)
_SPOKEN_OF = r"\s+(?:is|are|marks?|means|denotes|stands?|tokens?|ends|begins|separates)\b"


_RULES_OF_SPEECH = (
    *RULES_OF_OVERRIDE,
    Rule(Code.OVERRIDE, (_INSTRUCTIONS,), re.compile(_IGNORED)),
    *(
        Rule(
            Code.CONCEALMENT,
            (_WHO, tuple(f"{begin} {verb}" for verb in verbs)),
            re.compile(
                rf"{word_of(begin)} (?:{'|'.join(verbs)})\s+(?:(?:{_THIS}|anything)\s+)?(?:to\s+)?{_PEOPLE}"
                rf"(?:\s+(?:know|see|notice))?(?:\s+(?:about|of)\s+{_THIS})?{_NOTHING_DONE}{_ENDS}"
            ),
        )
        for begin, verbs in (*((each, _TELL) for each in _FORBIDS), ("without", _TELLING))
    ),
    *(
        Rule(
            Code.CONCEALMENT,
            ((verb,), ("from the", "from your", "from any")),
            re.compile(
                rf"{word_of(verb)}\s+(?:{_THIS}\s+(?:(?:a\s+)?(?:secret|hidden|private|away)\s+)?"
                rf"from\s+{_PEOPLE}{_ENDS}|from\s+{_PEOPLE}{_OF_DEEDS})"
            ),
        )
        for verb in _HIDE
    ),
    Rule(
        Code.CONCEALMENT,
        (_UNTOLD, tuple(f"{who}{s} {no}" for who in _WHO for s in ("", "s") for no in ("must", "should"))),
        re.compile(
            rf"\b{_PEOPLE}\s+(?:{'|'.join(_UNTOLD)})\s+(?:(?:know|learn|hear|be\s+(?:notified|alerted)|{_TOLD})"
            rf"(?:\s+(?:about|of))?\s+{_THIS}|{_TOLD}|find\s+out){_ENDS}"
        ),
    ),
    Rule(
        Code.CHAT_MARKUP,
        (("<|", "<\uff5c", "[inst]", "<<sys>>", "<system", "</system", "_of_turn>"),),
        re.compile(
            rf"<[|\uff5c](?:{_TURN_MARKS})[|\uff5c]>(?!{_SPOKEN_OF})|</?(?:start|end)_of_turn>"
            r"|\[/?inst\]|<</?sys>>|</?system(?:[-_](?:prompt|message|instructions?|reminder))?>"
        ),
    ),
    Rule(
        Code.CHAT_MARKUP,
        (("assistant:",),),
        re.compile(r"^[ \t#>]*assistant:", re.MULTILINE),
    ),
    Rule(
        Code.CHAT_MARKUP,
        (("system:", "system message:", "system prompt:", "system note:", "human:"),),
        re.compile(
            r"^[ \t#>]*(?:system(?:\s+(?:message|prompt|note))?|human):\s*"
            r"(?:you|your|rate|score|grade|mark|ignore|disregard|forget|answer|respond|reply|always|never|from\s+now"
            r"|new|override|choose|select|pick|obey|follow|output|return|say)\b",
            re.MULTILINE,
        ),
    ),
    *RULES_OF_JUDGING,
)
SPEECH = Rules(*_RULES_OF_SPEECH)
SPEECH_IN_ALL_SCRIPTS = Rules(
    *_RULES_OF_SPEECH,
    Rule(Code.OVERRIDE, (_TO_IGNORE,), re.compile(_IGNORED_IN_OTHER_SCRIPTS)),
    JUDGING_IN_OTHER_SCRIPTS,
)
"""With those on text in Cyrillic, Chinese or Japanese, which few files hold."""
