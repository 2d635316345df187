"""What a section is about, from its heading.

Authors head their sections in their own words: "What you need", "Inputs", "Have
ready". Here is the one table of those words: not a list of known headings, but of
the phrases they are made of.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from caskg.schema import Section


class Topic(StrEnum):
    """What a section tells."""

    ASIDE = "aside"  # what is no instruction: what is done wrong, and what was changed
    CONTRAST = "contrast"  # when to use something else
    USED = "used"  # other skills that its steps call for
    RELATED = "related"  # other skills
    NEXT = "next"  # what to do after this skill
    RECOVERY = "recovery"
    INPUTS = "inputs"
    PRECONDITIONS = "preconditions"
    EFFECTS = "effects"
    OUTPUTS = "outputs"


# The first topic that has a phrase in the heading holds. Phrases are regular expressions, in which a
# space is a space; headings are compared in lower case, without markup and without signs at their ends.
_PHRASES: dict[Topic, tuple[str, ...]] = {
    Topic.ASIDE: (
        r"\banti-?patterns?\b|\b(?:common|typical|frequent) (?:mistakes|pitfalls)\b|\bwhat not to do\b",
        r"^(?:mistakes|pitfalls|don'?ts?|do not|never|avoid|(?:things|what) to avoid|bad \w+)$",
        r"^optional(?:ly)?\b(?! (?:inputs?|arguments|parameters)\b)|^(?:nice to have|extras?|bonus)$",
        r"^(?:change ?log|release notes|(?:version |revision )?history|what's new)\b",
    ),
    Topic.CONTRAST: (
        r"when not to|\b(?:do not|don't|not) (?:use|for)\b|out of scope|does not cover|not part of this",
        r"^alternatives?\b|\bvs\b|\binstead\b",
    ),
    Topic.USED: (
        r"\b(?:required|invoked|involved) (?:\w+ )?skills?|\bskills (?:to (?:use|invoke|load)|used|invoked)$",
    ),
    Topic.RELATED: (
        r"\b(?:related|other|companion|complementary|supporting) (?:\w+ )?skills?",
        r"skill chain|^(?:see also|cross-?references?|works well with|related)$",
    ),
    Topic.NEXT: (
        r"^after (?:completion|completing|finishing|this)\b|^(?:used|needed|required) by$",
        r"^(?:next|next steps?|what(?:'s| comes) next|follow-?ups?|hand-?off)$",
    ),
    Topic.RECOVERY: (
        r"\b(?:troubleshoot\w*|troubles?|recover\w*|remed(?:y|ies)|mishaps?|hitch(?:es)?)\b",
        r"\b(?:difficult(?:y|ies)|failures?|fault finding|mending|corrections?|correcting|problems)\b",
        r"^error (?:handling|recovery)|\b(?:go(?:es|ne)?|things?)\b.*\b(?:wrong|awry|astray|amiss)\b",
        r"^(?:if|when|should)\b.*\b(?:not|cannot|can't|fails?|failed|wrong|breaks?|stuck|remains?|blocked)\b",
        r"^(?:if|when|should)\b.*\b(?:missing|trouble|worse|amiss|off|doubtful|misbehaves|slips|happens)\b",
        r"^(?:repairs?|putting it right|dead ends.*|not found|(?:common|known) (?:issues|errors)\b.*)$",
        r"故障|恢复|错误处理|fehlerbehebung|dépannage|solución de problemas|solução de problemas",
    ),
    Topic.INPUTS: (
        r"^(?:(?:required|optional|expected) )?inputs?(?:$| (?:and|to|parameters|requirements|format)\b)",
        r"^(?:(?:input|required|optional|command|script) )?(?:arguments|parameters)$",
        r"\byou(?:'ll| will)? (?:need|want)\b|\byou should have$|\bbe asked for$|\b(?:goes in|to bring)$",
        r"\bhave (?:ready|(?:at|to) hand)$|^(?:needs|given|supplies|ingredients|materials|equipment)$",
        r"^(?:(?:things?|information|items) )?(?:needed|required|wanted)(?: beforehand)?$",
        r"^(?:tools|ingredients) and \w+$",
        r"^(?:gather|bring|take|start)(?: (?:along|with|with you|beforehand|to the task))?$",
        r"输入|所需|^eingaben?$|^entrées?$|^entradas?$",
    ),
    Topic.PRECONDITIONS: (
        r"pre-?conditions?|pre-?requisites?|^before (?:you|any|the|\w+ing)\b|^beforehand$",
        r"^(?:(?:start(?:ing)?|entry|prior) )?conditions?(?: (?:at|for|to)\b.*)?$",
        r"\bstarting (?:state|point)$|^(?:requires?|dependencies|depends on|builds on)$",
        r"^(?:prior|previous|preceding) (?:steps?|skills?)$",
        r"^(?:(?:system|technical|hardware|software|minimum|environment) )?requirements$",
        r"\b(?:checks?|must hold|required|needed|be done|to (?:do|run|check)) first$|\bmust (?:be true|hold)",
        r"^(?:begin|start) only\b|^ready(?: when)?$",
        r"^(?:preliminary|pre-?flight) checks?$|前置条件|前提|voraussetzung(?:en)?|prérequis|requisitos",
    ),
    Topic.EFFECTS: (
        r"^effects?$|^outcomes?$|\bend (?:state|result)$|^finished(?: state)?$",
        r"^(?:final|intended) (?:state|result)$",
        r"post-?conditions?|\b(?:state|situation) (?:afterwards|at the end)$|^afterwards$",
        r"^(?:at the end|(?:at|on) completion)$|^(?:when|once) .*\b(?:done|finished)$",
        r"^(?:done when|completion|definition of done|success criteria)$",
        r"^what is (?:then|achieved|left|there)\b|效果|完成标准",
    ),
    Topic.OUTPUTS: (
        r"^(?:(?:expected|final|required) )?outputs?(?:$| (?:formats?|artifacts?|structure|contract|and)\b)",
        r"^(?:results?|products?|deliverables?|artifacts?|produces?|yields?|gives|delivers|delivered|returns)$",
        r"\byou (?:get|(?:finish|end) (?:up )?with|(?:now|then|will) have|leave behind)$|^then you have$",
        r"^(?:afterwards )?there (?:is|are|will be)$|^(?:finished|end) product$",
        r"^what (?:comes out|it gives|results|exists afterwards)$",
        r"输出|产出|^ausgaben?$|^sorties?$|^salidas?$|^saídas?$",
    ),
}

_PATTERNS = {topic: re.compile("|".join(phrases)) for topic, phrases in _PHRASES.items()}
# How the words of the phrases begin. A heading in ASCII of which no word begins so has none of them.
_BEGINNINGS = {
    topic: frozenset(
        word[:3] for phrase in phrases for word in re.findall(r"[a-z]+", re.sub(r"\\.", " ", phrase))
    )
    for topic, phrases in _PHRASES.items()
}
_WORD = re.compile(r"[a-z]+")
_LONGEST = 60  # characters; a longer heading is a sentence of its own
_SIGNS = re.compile(r"^(?:[\W\d_]|step \d+)+|[\W_]+$")
_PARENTHESIS = re.compile(r"\s*[(\[{].*")


def section_topics(sections: Sequence[Section]) -> list[Topic | None]:
    """Return the topic of each section; a heading that says nothing has that of the one it stands under.

    The title of the document, a heading of the first level that comes first and
    alone, tells nothing of its section.
    """
    levels = [section.level for section in sections if section.level]
    titled = levels[:1] == [1] and levels.count(1) == 1
    topics: list[Topic | None] = []
    above: list[tuple[int, Topic | None]] = [(0, None)]
    for section in sections:
        while above[-1][0] >= section.level > 0:
            above.pop()
        is_title = titled and section.level == 1
        topic = None if is_title or not section.level else topic_of(section.title) or above[-1][1]
        topics.append(topic)
        above.append((section.level, topic))
    return topics


@lru_cache(maxsize=1 << 16)
def topic_of(title: str) -> Topic | None:
    """Return what a section of this heading tells, None where the heading does not say.

    >>> topic_of("2. What you'll need:"), topic_of("If it goes wrong"), topic_of("Steps")
    (<Topic.INPUTS: 'inputs'>, <Topic.RECOVERY: 'recovery'>, None)
    """
    if len(title) > _LONGEST:
        return None
    words = _PARENTHESIS.sub("", title.lower().replace("\u2019", "'"))
    words = " ".join(re.sub(r"[/&]", " and ", _SIGNS.sub("", words)).split())
    begin = {word[:3] for word in _WORD.findall(words)} if words.isascii() else None
    for topic, pattern in _PATTERNS.items():
        may_have = begin is None or not begin.isdisjoint(_BEGINNINGS[topic])
        if may_have and pattern.search(words):
            return topic
    return None
