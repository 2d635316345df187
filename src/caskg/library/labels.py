"""What prose states outside the sections that are headed for it: under a label, or in a sentence.

``**Prerequisites:**`` above a list is as good as a heading of that name, and "Requires a running
database" says of the skill what such a list would. What an example shows is stated of nothing.
"""

import re
from collections.abc import Iterator, Sequence

from caskg.library.headings import Topic, topic_of
from caskg.library.markdown import SENTENCE_END, plain, without_fences
from caskg.schema import Section

_LONGEST = 200  # characters of a sentence
_EXAMPLES = re.compile(r"\b(?:examples?|samples?|demo|templates?)\b", re.IGNORECASE)
# Few words are labels of the skill itself: "Before publishing:" leads in a list of checks, "Result:" a story.
_LABEL = (
    r"(?:(?:expected|required) )?"
    r"(?:inputs?|outputs?|prerequisites?|preconditions?|deliverables|effects|postconditions)"
)
# Without one of these there is no label, in any case of its letters but a mix; most sections have none.
_MAY_LABEL = (
    *("put:", "puts:", "put**", "puts**", "PUT", "requisite", "REQUIS", "econdition", "tcondition", "CONDIT"),
    *("eliverables", "ELIVER", "ffects:", "ffects**", "FFECTS"),
)
_ENTRIES = r"(?:\n[ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]|(?<=[ \t])\S).*)+"
_LABELLED = re.compile(
    rf"\n[ \t]*(?:\*\*(?P<bold>{_LABEL}):?\*\*:?[ \t]*(?P<same>\w.*)?|(?P<label>{_LABEL}):)[ \t]*(?=\n|\Z)"
    rf"(?:\n[ \t]*(?=\n))?(?P<list>{_ENTRIES})?",
    re.IGNORECASE,
)
_STATE = (
    r"(?:running|installed|connected|configured|set up|signed in|logged in|available|reachable|mounted"
    r"|unlocked|enabled|authenticated|authori[sz]ed|deployed|switched on|online)"
)
_OF_YOU = rf"(?:you|the user) (?:must|need to|have to) (?:already )?be {_STATE}\b.*"
_OF_THIS_SKILL = re.compile(
    rf"this skill (?:requires|presupposes|assumes)\b(?! (?:no|nothing|only if)\b).*|{_OF_YOU}",
    re.IGNORECASE | re.DOTALL,
)
# Without one of these there is no such sentence, of the skill and elsewhere.
_MAY_TELL = (
    "equires",
    "resupposes",
    "ssumes",
    "must ",
    "eed to ",
    "eeds to ",
    "ave to ",
    "as to ",
    "REQUIRES",
    "MUST ",
)
_MAY_SPEAK_OF_IT = (
    *("kill requires", "kill presupposes", "kill assumes", "ou must ", "ou need to ", "ou have to "),
    *("ser must ", "ser need to ", "ser have to ", "kill REQUIRES", "ou MUST "),
)
_OF_WHAT_IS_TOLD = re.compile(
    r"(?:(?:this(?: skill)?|it) )?(?:requires|presupposes|assumes)\b:?(?! (?:no|nothing|only if)\b).*"
    rf"|{_OF_YOU}|[^,;:]{{3,80}} (?:must|needs? to|ha(?:s|ve) to) (?:already )?be (?:already )?{_STATE}\b.*",
    re.IGNORECASE | re.DOTALL,
)
_BLOCK = re.compile(r"\n[ \t]*(?:\n|(?=[-*+>|#]|\d))")


def labelled(section: Section, *, of_the_skill: bool) -> Iterator[tuple[Topic, str]]:
    r"""Yield what stands under a label in the text of a section, and what the label says it is.

    Args:
        section: Has no heading that says it.
        of_the_skill: Whether it tells of the skill as a whole; else only preconditions are the skill's, and
            inputs and outputs those of a part.

    >>> text = "**Prerequisites:**\n\n- a kettle\n\nPour.\n\n**Output:** tea"
    >>> brewing = Section(title="", level=0, text=text)
    >>> list(labelled(brewing, of_the_skill=True))
    [(<Topic.PRECONDITIONS: 'preconditions'>, '\n- a kettle'), (<Topic.OUTPUTS: 'outputs'>, 'tea')]
    """
    if not _holds(section.text, _MAY_LABEL) or _EXAMPLES.search(section.title):
        return
    text = f"\n{section.text}"
    if not _LABELLED.search(text):  # to leave fences out takes longer
        return
    for found in _LABELLED.finditer(without_fences(text)):
        topic, stated = topic_of(found["bold"] or found["label"]), found["same"] or found["list"]
        if topic and stated and (of_the_skill or topic is Topic.PRECONDITIONS):
            yield topic, stated


def presupposed(text: str, *, of_the_skill: bool) -> Iterator[str]:
    """Yield the sentences that say what must be so before a skill can do its work.

    Args:
        text: The description, or the text of a section.
        of_the_skill: Whether it tells of the skill as a whole; else its sentences must say so.

    >>> list(presupposed("Brews tea. Requires hot water. It requires no milk.", of_the_skill=True))
    ['Requires hot water.']
    >>> list(presupposed("Requires a pot. This skill requires fire.", of_the_skill=False))
    ['This skill requires fire.']
    """
    if not _holds(text, _MAY_TELL if of_the_skill else _MAY_SPEAK_OF_IT):
        return
    pattern = _OF_WHAT_IS_TOLD if of_the_skill else _OF_THIS_SKILL
    for block in _BLOCK.split(without_fences(text)):
        for sentence in SENTENCE_END.split(block):
            words = plain(sentence).lstrip("-*+> ")
            if len(words) <= _LONGEST and pattern.fullmatch(words):
                yield words


def _holds(text: str, words: Sequence[str]) -> bool:
    for word in words:  # noqa: SIM110 - asked of each section, so without a generator
        if word in text:
            return True
    return False
