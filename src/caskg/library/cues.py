"""What the words around a mention say: a need, what comes next, a contrast, or nothing.

"Run `x` first" makes x a need, "then hand over to `x`" what comes next, and "not
for that, use `x`" a contrast, which is never a need. The words next to the mention
decide, then its sentence, then the heading of its section. Words are English; a
mention in another language is a bare mention.
"""

import re
from typing import NamedTuple

from caskg.library.headings import Topic
from caskg.library.hedges import is_for_some_cases, is_indispensable, is_taken_back, without_lack
from caskg.schema import ReferenceRole

_NAMED = r"(?:`[^`]+`|\*\*[^*]+\*\*|\[[^\]]*\]\([^)]*\)|[@/]?\w+(?:-\w+)+)"
_AND = r"\s*(?:,\s*(?:and|or)?|/|&|\+|\band\b|\bor\b)\s*"
NAMED = re.compile(_NAMED)
"""What looks like the name of a skill."""
_NOTED = r"(?:\s*\([^()`]{0,60}\))?"  # "`a` (heats the water), `b`"
_LISTED_BEFORE = re.compile(rf"(?:{_NAMED}{_NOTED}{_AND})+$")
_LISTED_AFTER = re.compile(rf"^(?:{_AND}{_NAMED})+")
_CHOICE = re.compile(r"(?<![\w-])or(?![\w-])")
_ONE_OF = re.compile(  # "one of these is required:"
    r"\b(?:one|any) of(?: these| those| them| the following)?(?: \w+){0,3}:?\s*$|\beither\b[^,;.]*$",
    re.IGNORECASE,
)
_ANOTHER_BEFORE = re.compile(rf"{_NAMED}\W*(?:\band\W+)?$")

# Words that may stand between a cue and the mention.
_FILLER = (
    "the|a|an|both|your|its|this|it|you|have|has|been|already|straight|back|please|agent|skills?|step|run|running|use"
    "|using|apply|applying|call|calling|invoke|invoking|load|loading|read|reading|follow|following|do|doing"
    "|complete|completing|finish|finishing|perform|performing|carry|carrying|out|open|opening|start|starting|see"
    "|described|go|goes|to|on|with|through|via|by|in|of|from"
    "|outputs?|results?|plans?|reports?|analys[ei]s|findings|drafts?|data|files?"
)


def _before(*phrases: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(phrases)})[:,]?(?:\s+(?:{_FILLER})){{0,3}}:?\s*[\"'(\[]*$", re.IGNORECASE
    )


def _after(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"^[^\w|]*(?:skills?\b\W*)?(?:{'|'.join(phrases)})", re.IGNORECASE)


_CONTRAST_BEFORE = _before(
    r"instead of|rather than|unlike|alternatives? to|versus|vs\.?|compared (?:to|with)|confused with",
    r"(?:alternative|(?:an|the )other (?:option|way))(?: (?:to|for) (?:this|it))? is",
    r"(?:alternatively|as an? alternative|alternatives?:|another option:?)"
    r"(?: (?:to|for) (?:this|it)(?: skill)?)?"
    r"(?:,? (?:(?:you|one) (?:can|could|may|might) (?:also )?)?(?:run|try|take|consider|use|is))?",
    r"equivalents? (?:of|to|is)",
    r"similar to|prefer|replaces|supersedes|(?:in favou?r|successor) of",
    r"(?:different|differs|distinct) from|do not|don't|never|overlaps? with|belongs? (?:in|to)",
    r"(?:work|job|task|case) (?:for|of)|for (?:that|those|these|them),?(?: (?:take|try|prefer|consult))?",
)
_CONTRAST_AFTER = _after(
    r"(?:instead(?! of)|for (?:that|those|these|them)|(?:as an? )?alternative(?:ly)?|(?:is|are) better)\b",
    r"(?:is|are) (?:an?|the|another) (?:\w+ )?(?:alternative|substitute|replacement|option|way|equivalent)\b",
    r"(?:does|do|serves?|covers?) the same\b|(?:can|could|may|might) (?:also )?be used instead(?! of)\b",
)
_CONTRAST_SENTENCE = re.compile(
    r"\b(?:not (?:for|when|if|intended|meant|suited|suitable|applicable)|do(?:es)? not (?:use|cover|handle)"
    r"|don't use|isn't for|out of scope)\b",
    re.IGNORECASE,
)
_LIMITS_AFTER = re.compile(r"\bnot (?:for|as|when)\b", re.IGNORECASE)
_POINTS_ELSEWHERE = re.compile(r"^\W*(?:use|see|try|take|prefer|for)\b", re.IGNORECASE)
_NEED_BEFORE = _before(
    r"requires?|required|needs?|depends? on|dependent on|relies on|prerequisites?|pre-?conditions?",
    r"(?:builds?|expands?|elaborates?) (?:up)?on|on top of|downstream of|dependenc(?:y|ies)",
    r"(?:(?<!\w )|(?<=this )|(?<=skill )|(?<=one ))follows(?: up on)?",
    r"assum(?:es?|ed)(?: that)?|(?:make (?:sure|certain)|ensure)(?: that)?",
    r"must have been \w+ (?:with|by|using|in)",
    r"(?:downloaded|fetched|collected|extracted|logged|recorded) by|required (?:sub-?)?skills?",
    r"must (?:already )?have (?:already )?(?:executed|run|done|completed|used)",
    r"wait(?:s|ing)? (?:for|until)|until|(?:previous|prior|preceding) (?:step|skill|phase|stage)s?(?: is)?",
    r"preceded by|(?:first|only) after",
    r"based on|after|once|as soon as|first|extends|(?:starts?|comes?|inputs?|outputs?|results?) from",
    r"(?:continu\w+|resum\w+|(?:pick|tak|carr|go)\w* (?:\w+ ){0,2}(?:up|over|on))(?: \w+)? from",
    r"inputs?:(?:(?!\bto\b)[^:;]){1,80} from",
    r"(?:inputs?|outputs?|results?) of",
    r"(?:first (?:step|thing|task)(?: to do)?|(?:step|phase|stage) (?:1|one))(?: is|:)",
    r"^\W*(?:before|prior to)\b[^,:;`*\[]{1,60}\**[,:](?: (?:you|please|must|should|have to|finish|work))*",
    r"(?:takes?|reads|uses|needs|receives?|consumes?|accepts?|expects?)(?:(?!\bto\b)[^,:;]){1,40} from",
    r"(?:produced|made|created|written|prepared|generated|built|exported|provided) (?:by|in|with|as in)",
)
_NEED_AFTER = _after(
    r"(?:(?>\w+(?:['-]\w+)*)[^\w|]+){0,4}"  # no two ways to part words, or it takes for ever
    r"(?:beforehand\b|before (?:this|you|using|running|starting|any|it|continuing)\b"
    r"|first(?=\W*$|\s?[^\w\s-]| (?:to|and|if|when|since|as|so|then|for)\b))",
    r"before(?=\W*$)|(?:\u2192|[-=]+>|then(?: (?:run|use))?) this\b",
    r"(?:(?:is|are) (?:required|needed|a prerequisite)|(?:use|run)d? before)\b",
    r"(?:must|has to|have to) (?:already )?(?:be|come|have|run|exist|precede)\b|precedes? this\b",
    r"should (?:already have|have already)",
    r"(?:use )?(?:as )?(?:the |a )?foundation\b|is (?:the first step|step (?:1|one))(?=\W*$)",
)
_GIVEN_AFTER = _after(  # "`x` writes the table that this skill reads"
    r"(?:produces|creates|writes|generates|provides|gives|delivers|supplies|prepares|exports|makes|feeds|hands)\b"
    r"(?:(?!\b(?:if|when|unless)\b)[^.;]){0,60}"
    r"\b(?:this skill|this one|that this|(?:the|its|our) input|(?:needed|used|read) here)\b",
    r"(?:builds(?! (?:up)?on)|collects|defines|maintains|owns|lays|sets|passes|leads|routes)\b"
    r"(?:(?!\b(?:if|when|unless|but|while|and this)\b)[^.,;]){0,60}"
    r"\bthis (?:skill|one)\b(?!'s [^.,;]*\bfeeds\b)",
    r"(?:routes|points|leads|hands (?:\w+ ){0,2}(?:over|off)|feeds(?: in)?) (?:to )?here\b",
    r"(?:(?:is|are|as) )?(?:the|an?) (?:\w+ ){0,3}(?:prerequisite|basis|foundation|groundwork|source|input)"
    r" (?:of|for|to) (?:this|what follows)\b",
)
_MADE_AFTER = _after(
    r"(?:wrote|writes|produced|produces|created|creates|made|makes|generated|generates|exported|prepared|saved"
    r"|logged|recorded|collected|fetched|downloaded|gives|leaves|left|found|finds|returned|returns|did"
    r"|ends|ended|stops|stopped|finishes|finished)\b"
)
_THAT_BEFORE = re.compile(r"\b(?:that|which|what|where)(?:\s+the)?\s*$", re.IGNORECASE)
_SERVES = _before(
    r"(?:used|needed|required|called|consumed|read) by|prerequisites? (?:for|of)",
    r"skills (?:(?:that|which|will) )*(?:use|read|need|reference|consume|build on|depend on) (?:it|this)",
    r"(?:is|are|becomes?|serves? as|as) (?:the |an? )?(?:inputs?|basis|foundation|groundwork) (?:of|for|to)",
)
_WHEN_DONE = re.compile(
    r"^\W*(?:(?:after|upon|following)\b[^,:;`]{0,40}\b(?:this|that|it|these|above|complet\w+|finish\w*)\b"
    r"[^,:;`]{0,20}[,:]"
    r"|(?:once|as soon as)\b[^,:;`]{1,60},"
    r"|when\b[^,:;`]{0,40}\b(?:done|complet\w+|finish\w*|over)\b[^,:;`]{0,20}[,:]"
    r"|(?:on|upon) completion\b[,:]?"
    r"|(?:at the end|in the end|as (?:the|a) last step|finally|lastly|last)\b[,:]?)"
    r"\s+[^,;]{0,80}$",
    re.IGNORECASE,
)
_NEED_NOT = r"(?! (?:have|need|want) to\b)"  # "you do not have to run `x` before this" is no order
_DO_NOT = _before(
    rf"(?<!we )(?<!i )(?:do not|don't|never|must not){_NEED_NOT}(?: (?:start|begin|open|enter))?"
)
_NOT_YET = re.compile(  # "do not run `x` until this is done"
    r"^\W*(?:until|before)\b[^.;]{0,40}\b(?:this|it|that|everything|done|finished|completed?)\b",
    re.IGNORECASE,
)
_YOUR_NEED = re.compile(r"\byou (?:\w+ )?(?:need|want|require)\b", re.IGNORECASE)
_WAITS = _after(  # "`x` needs this first"
    rf"(?:cannot|can't|(?:must|should|does|do)(?: not|n't)|never){_NEED_NOT} \w+\b[^.;]{{0,20}}"
    r"\b(?:until|before|without) (?:this|it)\b",
    r"(?:needs|requires) (?:this|it)\b[^.;]{0,20}\bfirst\b",
)
_NEXT_BEFORE = _before(
    r"then|next(?! to)|next step(?: is)?(?: usually| often)?",
    r"precedes?|followed by|afterwards?|after (?:this|that|it|which)|upstream of|leads? to",
    r"(?:continue|go on|carry on|follow(?: on)?|proceed)s? (?:to|with)|(?:move|go)s? on to",
    r"follow(?:ing)?(?: (?:this|it))? up (?:on|with|by|in|using)",
    r"hand-?offs? to|(?:hand|pass|forward)(?:s|es|ed)? (?:\w+ ){0,2}?(?:over|off|on)? ?to|feeds?(?: into)?",
    r"(?:prepares?|ready|(?:prepares?|paves?|lays?|clears?|sets?) the \w+) for|unlocks?|unblocks?",
    r"(?:comes |runs |use )?before|inputs? (?:for|to)",
)
_NEXT_AFTER = _after(
    r"(?:is|comes|runs|goes) next\b|next(?=\W*$)|takes over\b|afterwards?\b|picks (?:\w+ )?up\b",
    r"(?:is )?(?:the )?(?:\w+ ){0,2}next (?:step|stage|phase)\b",
    r"(?:depends? on|needs?|requires?|uses?|reads?|takes?|consumes?|expects?|receives?|builds? on"
    r"|(?:is )?(?:the |a )?(?:\w+ )?consumer of)\b[^.;]{0,40}"
    r"\b(?:(?:of|from|by) this\b|(?:\w+ed|\w+en|made|built|found) here\b"
    r"|this (?:skill |one )?(?:makes|produces|creates|writes|builds|gives|leaves|made|produced|wrote)\b)",
    r"(?:continues|carries on|goes on|resumes|starts|begins) (?:from (?:here|this)|where this)\b",
    r"(?:must (?:only )?be run|comes|runs|goes)(?: \w+)? after this\b",
    r"(?:use|run) after\b"
    r"|(?:(?:depends|relies|builds) on|follows|needs|requires|uses|reads|expects) (?:this|it|these)\b",
)
_THIS_THEN = re.compile(r"\bthis (?:skill|one)\s*(?:\u2192|[-=]+>)\W*$")
_BOLD_LABEL = re.compile(r"\*\*([^*]+?)(?::\*\*|\*\*:)")
_POINTER = _before(
    r"use|using|see|also|run|load|invoke|apply|call|read|follow|via|through|try|take|consult|install",
    r"recommend|(?:pairs?|combines?|works?) with",
    r"(?:switch|route|redirect|refer|defer|turn|delegate|escalate|transition)s? to",
)
_CONSUMES = re.compile(  # "- `x`: consumes tables"
    r"(?=\W*[\u2014\u2013:-])\W*+(?:can )?consumes?\b", re.IGNORECASE
)
_TOLD = _before(r"do|use|run|load|invoke|apply|call|read|follow|try|take|install")
_PLAINLY = _before(
    r"requires?|required|depends? on|relies on|prerequisites?|builds? on",
    r"hand-?offs? to|(?:hand|pass)(?:s|es|ed)? (?:\w+ ){0,2}?(?:over|off|on)? ?to",
)
_SEE = re.compile(r"\b(?:see(?: also)?|cf\.?)\W*$", re.IGNORECASE)
_SKILL_BEFORE = re.compile(r"\bskills?\W*$", re.IGNORECASE)
_SKILL_AFTER = re.compile(r"\W*skills?\b", re.IGNORECASE)
_LEAD_IN = re.compile(r"[\W\d]*(?:[^:|]*:)?\W*")  # nothing but a list marker, or "works well with:"
_DESCRIBES = re.compile(
    r"(?!(?:skills?|agents?|to|for|and|or|in|on|at|by|with|from|when|if|as|then|first|before|after|instead|is|are"
    r"|next|extensively|only)\b)[a-z]+"
)
_TO_DO = re.compile(
    r"\b(?:needs?|needed|wants?|have|how|able|trying) to\s*$", re.IGNORECASE
)  # "x-y" is a verb
_STANDS_ALONE = re.compile(r"\s*(?:$|[-\u2013\u2014:(|,.])")

_USE_BEFORE = _before(
    r"us(?:e|es|ing)|run(?:s|ning)?|load(?:s|ing)?|invok(?:e|es|ing)|appl(?:y|ies|ying)|call(?:s|ing)?",
    r"read(?:s|ing)?|(?<!the )follow(?:s|ing)?|via|through|activates?|executes?|consults?|launch(?:es)?",
    r"complet(?:e|es|ing)|finish(?:es|ing)?|perform(?:s|ing)?|carr(?:y|ies|ying) out|go(?:es)? through",
    r"delegates? to|wraps?|orchestrates?|(?<!-)reference(?!:)",
    r"^\W*(?:(?:always|please|first|you|must|should) )*(?:start|begin) (?:off )?(?:with|by)",
)
# Where these stand before the cue, the other skill is for another case, or a choice among several.
_CONDITION = re.compile(
    r"\b(?:if|when(?:ever)?|where|unless|in case|only|should|wants?|needs?|prefer|or|either|optionally|can"
    r"|could|may|might|consider|example|you are|you're|instead|alternatively|users?)\b"
    r"|^\W*(?:for|to(?! (?:begin|start)\b)|in order to)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^\W\d_][^:|(]*?(?:\u2192|[-=]>|\u2014|\u2013|\s-|:|\(|\|)\W*$|[\"\u201c'+]\s*$")
_NUMBERED = re.compile(r"\W*(?:(?:step|phase|stage|part)\s*)?\d+\w?\b[^:]{0,60}:\W*$", re.IGNORECASE)
_CONDITION_AFTER = _after(
    r"(?:if|when|only|or|where|instead|alongside|for (?:more|other|further|anything|general|non))\b|for\s*:",
    r"(?:commands?|tools?|flags?|options?|methods?|functions?|mcp|cli|api|librar(?:y|ies)|packages?)\b",
    r".*[;,] (?:then )?use this\b",
)
_CLAUSE_ENDS = re.compile(r"[;\u2014\u2013]\s*")

_TOPIC_ROLES = {
    Topic.USED: ReferenceRole.USE,
    Topic.INPUTS: ReferenceRole.NEED,
    Topic.PRECONDITIONS: ReferenceRole.NEED,
    Topic.NEXT: ReferenceRole.NEXT,
}
_NO_STEPS = (Topic.RELATED, Topic.NEXT, Topic.RECOVERY)
"""Sections in which "use x" is no step of the skill's own."""


class Surroundings(NamedTuple):
    """The text around a mention, without other skills listed beside it.

    Attributes:
        previous: The sentence before.
        left: Its own sentence up to it.
        right: Its own sentence from it on.
        choice: Whether it is one of several of which one will do.
    """

    previous: str
    left: str
    right: str
    choice: bool = False


def surroundings(previous: str, left: str, right: str) -> Surroundings:
    """Join lines, and drop what is listed beside the mention: "`a`, `b` and `c` first" is "`c` first"."""
    before, after = _LISTED_BEFORE.search(left), _LISTED_AFTER.match(right)
    choice = any(listed is not None and _CHOICE.search(listed[0]) is not None for listed in (before, after))
    choice = choice or _ONE_OF.search(left[: before.start()] if before else left) is not None
    left, right = left[: before.start()] if before else left, right[after.end() :] if after else right
    left = _BOLD_LABEL.sub(r"\1:", left)  # "**Prerequisite:** read" is "Prerequisite: read"
    return Surroundings(previous, " ".join(left.split()), " ".join(right.split()), choice)


def role(around: Surroundings, topic: Topic | None = None) -> ReferenceRole | None:
    """Return what a mention says of the order, None where it says that the two are alternatives.

    >>> role(surroundings("", "Run ", " first."))
    <ReferenceRole.NEED: 'need'>
    >>> role(surroundings("", "Then hand over to ", "."))
    <ReferenceRole.NEXT: 'next'>
    >>> role(surroundings("", "Not for soup; use ", ".")) is None
    True
    """
    left, right = around.left, around.right
    if (_DO_NOT.search(left) and _NOT_YET.match(right)) or _WAITS.match(right):
        return ReferenceRole.NEXT
    if _CONTRAST_BEFORE.search(left) or _CONTRAST_AFTER.search(right):
        return None
    if is_indispensable(left, right):
        return ReferenceRole.NEED
    taken_back = topic is Topic.ASIDE or is_taken_back(left, right)
    close = None if taken_back else _close_role(around)
    if close is ReferenceRole.NEXT and topic is Topic.RECOVERY:
        return ReferenceRole.MENTION  # it comes next to mend this
    elsewhere = topic is Topic.CONTRAST and _YOUR_NEED.search(left)
    if close is ReferenceRole.NEED and (elsewhere or _is_for_some_cases(around)):
        close, taken_back = None, True
    if close is None and (topic is Topic.CONTRAST or _is_contrast(around)):
        return None
    return close or (ReferenceRole.MENTION if taken_back else _by_place(around, topic))


def _by_place(around: Surroundings, topic: Topic | None) -> ReferenceRole:
    """Return what a step, or the heading it stands under, says of a mention."""
    said = ReferenceRole.MENTION
    if topic not in _NO_STEPS and _uses(around.left, around.right):
        said = ReferenceRole.USE
    elif topic and not _SEE.search(around.left):
        said = _TOPIC_ROLES.get(topic, said)
    is_needed = said in (ReferenceRole.USE, ReferenceRole.NEED)
    return ReferenceRole.MENTION if is_needed and _is_for_some_cases(around) else said


def _is_for_some_cases(around: Surroundings) -> bool:
    """Whether a need holds in a case only, or one of several will do."""
    return around.choice or is_for_some_cases(around.left, around.right)


def _is_contrast(around: Surroundings) -> bool:
    """Whether the sentence, or the one before, says what the skill is not for."""
    previous, left, right = around[:3]
    elsewhere = _CONTRAST_SENTENCE.search(previous) and _POINTS_ELSEWHERE.search(left)
    return bool(elsewhere or _CONTRAST_SENTENCE.search(left) or _LIMITS_AFTER.search(right))


def is_told_to_run(around: Surroundings) -> bool:
    """Whether a single word is what somebody is to run first or next, and not what it says in passing."""
    told = _TOLD.search(around.left) is not None and _close_role(around) is not None
    return told or _precedes(_PLAINLY, around.left)


def speaks_of_a_skill(around: Surroundings, topic: Topic | None = None) -> bool:
    """Whether an ordinary word is said to be a skill: "the x skill", or listed among related skills."""
    if topic in (Topic.RELATED, Topic.USED) and _LEAD_IN.fullmatch(around.left):
        return True
    return bool(_SKILL_BEFORE.search(around.left) or _SKILL_AFTER.match(around.right))


def points_at(around: Surroundings) -> bool:
    """Whether a bare word joined by hyphens is meant as a name: "use x-y", "- x-y: ...", "x-y first"."""
    left, right = around.left, around.right
    if _LEAD_IN.fullmatch(left.rpartition("|")[2]) and _STANDS_ALONE.match(right):
        return True
    if _TO_DO.search(left):
        return False
    if _CONTRAST_BEFORE.search(left) or _close_role(around) is not None:
        return True
    return _POINTER.search(left) is not None and not _DESCRIBES.match(right)  # "use high-contrast colours"


def _close_role(around: Surroundings) -> ReferenceRole | None:
    left, right = around.left, around.right
    if _precedes(_SERVES, left) or _WHEN_DONE.match(left):
        return ReferenceRole.NEXT
    need = _NEED_BEFORE.search(left)
    if need is not None and _ANOTHER_BEFORE.search(left[: need.start()]):
        return None  # of the skill named before
    given = _GIVEN_AFTER.search(right) or (_THAT_BEFORE.search(left) and _MADE_AFTER.search(right))
    if given or _NEED_AFTER.search(right) or need is not None:
        return ReferenceRole.NEED
    taken = _NEXT_AFTER.search(right) or (_LEAD_IN.fullmatch(left) and _CONSUMES.match(right))
    if taken or _precedes(_NEXT_BEFORE, left) or _THIS_THEN.search(left):
        return ReferenceRole.NEXT
    return None


def _uses(left: str, right: str) -> bool:
    """Whether the skill's own steps call for the mentioned one, in every case: "make the chart with `x`"."""
    left = without_lack(left)
    cue = _USE_BEFORE.search(left)
    if cue is None or _CONDITION_AFTER.search(right):
        return False
    head = left[: cue.start()]
    labelled = _LABEL.search(head) and not _NUMBERED.search(head)
    clause = _CLAUSE_ENDS.split(head)[-1]
    return not (labelled or _CONDITION.search(clause) or _ANOTHER_BEFORE.search(head))


def _precedes(cue: re.Pattern[str], left: str) -> bool:
    """Whether a cue stands right before the mention and does not speak of a skill named before it."""
    found = cue.search(left)
    return found is not None and not _ANOTHER_BEFORE.search(left[: found.start()])
