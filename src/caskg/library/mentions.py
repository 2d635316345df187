"""Mentions of other skills in a text: links, paths and names, and where they stand."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import TypeAlias

from caskg.library.cues import (
    NAMED,
    Surroundings,
    is_told_to_run,
    points_at,
    role,
    speaks_of_a_skill,
    surroundings,
)
from caskg.library.headings import Topic, section_topics, topic_of
from caskg.library.markdown import SENTENCE_END, plain, without_fences
from caskg.schema import Reference, ReferenceKind, ReferenceRole, Skill

NamesFound: TypeAlias = Mapping[str, tuple[tuple[str, Reference], ...]]
"""By content hash, the key and the mention of each name that a document holds, in its order."""

_Sentence: TypeAlias = tuple[str, str, str]
"""The sentence before a mention, and the parts of its own before and after it."""

_ORDERS = (ReferenceRole.NEED, ReferenceRole.NEXT)
_TAKEN = (Topic.INPUTS, Topic.PRECONDITIONS)
_MOST_EVIDENCE = 300  # characters
_LONGEST_LABEL = 200
_FARTHEST = 300  # characters from a mention that are looked at: a line may be as long as the file
_MOST_MENTIONS = 30  # of one skill in one passage; a file may repeat a name without end
_MOST_NAMES = 500  # of all skills in one document; of 3,139 real ones none has a hundred

_BLOCK_BEGINS = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d+[.)])\s)|\n(?=[ \t]*[|>#])")
_NOT_SAID = re.compile(r"<!--.*?(?:-->|\Z)|~~[^~\n]+~~", re.DOTALL)  # a comment, and what is struck out
# Lines behind ">" are the author's notes, unless they are signed or the text below calls them a quotation.
_QUOTE = re.compile(r"(?:^[ \t]{0,3}>.*(?:\n|\Z))++", re.MULTILINE)
_SIGNED = re.compile(r"\n[ \t]{0,3}>[> \t*_]*(?:--|[\u2013\u2014\u2015])[ \t*_]*\w.*\s*\Z")
_CITED = re.compile(
    r"\s*(?:this|that|the) (?:quot\w+|advice|claim|statement|is (?:wrong|false|outdated))\b", re.IGNORECASE
)
_PATH = re.compile(
    r"\]\(<?(?P<link>[^()\[\]<>\s]{1,300})[^()\n]{0,100}\)"
    r"|`?(?P<path>(?<![\w/.])(?:\.\./)++[\w./-]*\w|(?<![\w/.:~-])[\w.~-]*(?:/[\w.~-]+)*/SKILL\.md)`?",
    re.IGNORECASE,
)
_MARKED = (
    r"`(?P<code>[^`\n]{1,80})`"
    r"|\*\*(?P<bold>[^*\n]{1,80})\*\*"
    r"|\[\[(?P<wiki>[^\]\n]{1,80})\]\]"
    r"|[@/](?<![\w/.@:#$~-][@/])(?P<sign>\w++(?:-\w++)++)(?![\w/(-]|[.:@=]\w)"
    r"|@(?<![\w/.@:#$~-]@)(?P<at>\w++)(?![\w/(-]|[.:@=]\w)"
)
_BARE = (
    r"|(?<![\w/.@:#$~-])(?P<bare>\w++(?:-\w++)++)(?![\w/(-]|[.:@=]\w)"
    r"|\b(?:the|use|using|via|with)[ ](?P<phrase>\w+)[ ]skill\b"
)
_LABEL_ENDS = re.compile(r"[^\]\n]{0,100}\]\(<?(?:\.\./|[^()\[\]<>\s]{0,300}SKILL\.md)", re.IGNORECASE)
_MARKED_NAME = re.compile(_MARKED)
_NAME = re.compile(_MARKED + _BARE)
_WORD = re.compile(r"[\w-]+")
_ENTRY = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_LEADS_IN = re.compile(  # the last line
    r"(?:^|\n)[> \t]*(?:\*\*(?P<bold>[^*:\n]{1,60}):?\*\*:?|(?P<colon>[^:\n]{1,100}):)\s*$"
)
_SOURCE = re.compile(  # the head of a column that says where a thing in the one before is from
    r"(?:where|who|what)\b.*\b(?:comes?|from|makes?|gives?|provides?|writes?)"
    r"|(?:comes |obtained )?from|source|(?:provid|produc|ma|writt|creat|giv)\w* (?:by|in)",
    re.IGNORECASE,
)
_MARKER = re.compile(r"[\W\d]*")
_RULE = re.compile(r"\|(?=.*--)[\s|:-]+")  # below the heads of the columns
_OF_THIS = re.compile(r"(?:[\W\d]|\b(?:this|skill|one|step)\b)*", re.IGNORECASE)  # the cells before
_AROUND_NAME = " \t`*_@/:.,;\"'"


class Passage:
    """The text of a section, without fenced code, in which mentions are looked up."""

    def __init__(self, text: str, topic: Topic | None = None, *, own: str = "") -> None:
        self.raw = text
        self.topic = topic
        self._own = own  # the key of the skill whose document it is

    @cached_property
    def text(self) -> str:
        """What is said: without fenced code, comments and what is struck out."""
        said = _NOT_SAID.sub("", without_fences(self.raw))
        return _QUOTE.sub(_note, said) if ">" in said else said

    def links(self) -> Iterator[Reference]:
        """Yield the links and paths that lead out of the skill's folder or to a SKILL.md."""
        if not ("](" in self.raw or "../" in self.raw or "SKILL.md" in self.raw):  # most passages have none
            return
        count: Counter[str] = Counter()
        for match in _PATH.finditer(self.text):
            target = re.split("[#?]", match["link"] or match["path"])[0]
            leads_out = target.startswith("../") or target.lower().endswith("skill.md")
            count[target] += 1
            if leads_out and ":" not in target and count[target] <= _MOST_MENTIONS:
                start, end = self._whole_link(match)
                sentence = self._sentence(start, end)
                said = role(self._around(sentence), self._topic_at(start))
                yield _reference(target, ReferenceKind.LINK, said, sentence, self.text[start:end])

    def names(self, known: Container[str]) -> Iterator[tuple[str, Reference]]:
        """Yield (key, reference) for each word that names a skill; *known* are the keys to look for."""
        count: Counter[str] = Counter()
        for match in self._name_pattern(known).finditer(self.text):
            name = match[match.lastgroup or 0]
            key = name_key(name)
            if key not in known or count[key] >= _MOST_MENTIONS:
                continue
            count[key] += 1
            if self._labels_a_link(match):
                continue
            sentence, topic = self._sentence(*match.span()), self._topic_at(match.start())
            around = self._around(sentence)
            if _is_name(name, match.lastgroup, around, topic):
                said = role(around, topic)
                yield key, _reference(name, ReferenceKind.NAME, said, sentence, match[0])

    def _name_pattern(self, known: Container[str]) -> re.Pattern[str]:
        """Looking for bare names takes ten times as long; most passages hold none."""
        keys = (key for part in set(self.text.split()) if "-" in part for key in _bare_keys(part))
        bare = " skill" in self.text or any(key in known for key in keys)
        return _NAME if bare else _MARKED_NAME

    def _labels_a_link(self, match: re.Match[str]) -> bool:
        """Whether it stands in the label of a link to a skill; the link says who is meant."""
        opened = self.text.rfind("[", max(0, match.start() - _LONGEST_LABEL), match.start()) >= 0
        return opened and _LABEL_ENDS.match(self.text, match.end()) is not None

    def _whole_link(self, match: re.Match[str]) -> tuple[int, int]:
        """Return where the link of a match stands, with its label."""
        start = match.start()
        opened = self.text.rfind("[", max(0, start - _LONGEST_LABEL), start) if match["link"] else -1
        return start if opened < 0 else opened, match.end()

    def _around(self, sentence: _Sentence) -> Surroundings:
        """Return what stands around a mention; the skill's own name is "this one" there."""
        if self._own and any(self._own in part.casefold() for part in sentence):
            return surroundings(*(NAMED.sub(self._this, part) for part in sentence))
        return surroundings(*sentence)

    def _this(self, name: re.Match[str]) -> str:
        return "this one" if name_key(name[0]) == self._own else name[0]

    def _topic_at(self, start: int) -> Topic | None:
        """Return what the line that leads the list in says of its entries, else the heading."""
        lead = self._lead(start)
        if not lead or self.topic is Topic.CONTRAST:
            return self.topic
        return topic_of(lead) or self.topic

    def _sentence(self, start: int, end: int) -> _Sentence:
        """Return the sentence before, and the parts of the mention's own before and after it."""
        block = bisect_right(self._blocks, start)
        begin = max(self._blocks[block - 1], start - _FARTHEST)
        right = self.text[end : min(self._blocks[block], end + _FARTHEST)]
        ends = [begin, begin, *(found.end() for found in SENTENCE_END.finditer(self.text, begin, start + 1))]
        stop = SENTENCE_END.search(right)
        previous, left = self.text[ends[-2] : ends[-1]], self.text[ends[-1] : start]
        lead = self._lead(start)
        if lead and _MARKER.fullmatch(left.rpartition("|")[2]):
            left = f"{lead}: "
        return previous, left, right[: stop.start()] if stop else right

    def _lead(self, start: int) -> str:
        """Return the line that leads an entry in, or the head of a column that tells what comes before."""
        block = bisect_right(self._blocks, start) - 1
        lead, begin = self._leads[block], self._blocks[block]
        if not lead.startswith("|"):
            return lead
        row = self.text[begin:start] if start - begin <= _FARTHEST else ""
        *before, _ = NAMED.sub(self._this, row).split("|")
        heads = [each.strip() for each in lead.split("|")]
        head = heads[len(before)] if len(before) < len(heads) else ""
        if _SOURCE.fullmatch(head):
            return next((each for each in heads[: len(before)] if topic_of(each) in _TAKEN), "")
        said = role(surroundings("", f"{head}: ", ""), topic_of(head))
        return head if said in _ORDERS and _OF_THIS.fullmatch(" ".join(before)) else ""

    @cached_property
    def _leads(self) -> list[str]:
        """For each block, the line that leads it in, if it is an entry of a list; of a row, the heads."""
        lead, above, leads = "", "", []
        for begin, end in pairwise(self._blocks):
            block = self.text[begin:end]
            is_entry, is_row = _ENTRY.match(block) is not None, block.lstrip().startswith("|")
            if is_row:
                lead = above if _RULE.fullmatch(block.strip()) else lead if lead.startswith("|") else ""
            elif block.strip() and not is_entry:
                last = _LEADS_IN.search(block)
                lead = (last["colon"] or last["bold"]) if last else ""
            leads.append(lead if is_entry or is_row else "")
            above = block.strip()
        return leads

    @cached_property
    def _blocks(self) -> list[int]:
        """Where paragraphs, list entries and rows begin, and the end."""
        return [0, *(begin.end() for begin in _BLOCK_BEGINS.finditer(self.text)), len(self.text) + 1]


def _note(quote: re.Match[str]) -> str:
    """Return the lines behind ">" where they are the author's, nothing where they are somebody else's."""
    is_cited = _SIGNED.search(quote[0]) or _CITED.match(quote.string, quote.end())
    return "" if is_cited else quote[0]


def _is_name(name: str, group: str | None, around: Surroundings, topic: Topic | None) -> bool:
    """Whether the name of a skill is meant as one, and not as the ordinary word it may be."""
    if group in {"wiki", "sign", "at", "phrase"} or speaks_of_a_skill(around, topic):
        return True
    if group in {"code", "bold"}:  # one word may be a program: the words around it decide
        joined = "-" in name and " " not in name
        return joined or role(around) is None or is_told_to_run(around)
    is_noted = topic in _TAKEN and around.left.endswith("(") and around.right.startswith(")")
    return group == "bare" and name == name.lower() and (is_noted or points_at(around))


def _reference(
    target: str, kind: ReferenceKind, said: ReferenceRole | None, sentence: _Sentence, mention: str
) -> Reference:
    evidence = f"{sentence[1][-_MOST_EVIDENCE // 2 :]}{mention}{sentence[2]}"
    return Reference(
        target=target,
        kind=ReferenceKind.CONTRAST if said is None else kind,
        evidence=plain(evidence)[:_MOST_EVIDENCE],
        role=said or ReferenceRole.MENTION,
    )


def passages(skill: Skill) -> list[Passage]:
    """Return the texts of a document in which names are looked up: the description and each section."""
    sections = zip(skill.sections, section_topics(skill.sections), strict=True)
    own = name_key(skill.name)
    titled = (Passage(f"{section.title}\n\n{section.text}", topic, own=own) for section, topic in sections)
    return [Passage(skill.description, own=own), *titled]


def names_in(skill: Skill, *, known: Container[str]) -> tuple[tuple[str, Reference], ...]:
    """Return the key and the mention of each name in the prose of a document; *known* are the keys.

    Of a document that mentions more than 500, the first: it is an index, and no list of needs.
    """
    found = (name for passage in passages(skill) for name in passage.names(known))
    return tuple(islice(found, _MOST_NAMES))


def find_names(skills: Iterable[Skill], *, known: Container[str]) -> NamesFound:
    """Look each document through for names, equal ones once."""
    return {
        content: names_in(skill, known=known)
        for content, skill in {skill.content_hash: skill for skill in skills}.items()
    }


@lru_cache(maxsize=1 << 16)
def _bare_keys(part: str) -> tuple[str, ...]:
    """Return the keys of the hyphenated words in what stands between blanks."""
    return tuple(name_key(word.strip("-")) for word in _WORD.findall(part) if "-" in word)


@lru_cache(maxsize=1 << 16)
def name_key(name: str) -> str:
    """Return the form in which names are compared.

    >>> name_key("**Landing Page Generator:**"), name_key("@tidy-up/")
    ('landing-page-generator', 'tidy-up')
    """
    name = name.strip(_AROUND_NAME).casefold().removesuffix("/skill.md")
    return "-".join((name if name.isascii() else unicodedata.normalize("NFC", name)).split())
