"""Mentions of other skills in a text: links, paths and names, and where they stand."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

from caskg.library.cues import is_told_to_run, points_at, role, speaks_of_a_skill, surroundings
from caskg.library.headings import Topic, section_topics
from caskg.library.markdown import SENTENCE_END, plain, without_fences
from caskg.schema import Reference, ReferenceKind, ReferenceRole, Skill

NamesFound: TypeAlias = Mapping[str, tuple[tuple[str, Reference], ...]]
"""By content hash, the key and the mention of each name that a document holds, in its order."""

_MOST_EVIDENCE = 300  # characters
_LONGEST_LABEL = 200
_FARTHEST = 300  # characters from a mention that are looked at: a line may be as long as the file
_MOST_MENTIONS = 30  # of one skill in one passage; a file may repeat a name without end

_BLOCK_BEGINS = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d+[.)])\s)|\n(?=[ \t]*[|>#])")
_NOT_SAID = re.compile(r"<!--.*?(?:-->|\Z)|~~[^~\n]+~~", re.DOTALL)  # a comment, and what is struck out
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
_AROUND_NAME = " \t`*_@/:.,;\"'"


class Passage:
    """The text of a section, without fenced code, in which mentions are looked up."""

    def __init__(self, text: str, topic: Topic | None = None) -> None:
        self.raw = text
        self.topic = topic

    @cached_property
    def text(self) -> str:
        """What is said: without fenced code, comments and what is struck out."""
        return _NOT_SAID.sub("", without_fences(self.raw))

    def links(self) -> Iterator[Reference]:
        """Yield the links and paths that lead out of the skill's folder or to a SKILL.md."""
        if not any(sign in self.raw for sign in ("](", "../", "SKILL.md")):  # most passages have none
            return
        count: Counter[str] = Counter()
        for match in _PATH.finditer(self.text):
            target = re.split("[#?]", match["link"] or match["path"])[0]
            leads_out = target.startswith("../") or target.lower().endswith("skill.md")
            count[target] += 1
            if leads_out and ":" not in target and count[target] <= _MOST_MENTIONS:
                yield self._reference(target, ReferenceKind.LINK, *self._whole_link(match))

    def names(self, known: Container[str]) -> Iterator[tuple[str, Reference]]:
        """Yield (key, reference) for each word that names a skill; *known* are the keys to look for."""
        count: Counter[str] = Counter()
        for match in self._name_pattern(known).finditer(self.text):
            name = match[match.lastgroup or 0]
            key = name_key(name)
            if key not in known or count[key] >= _MOST_MENTIONS:
                continue
            count[key] += 1
            if not self._labels_a_link(match) and self._is_name(name, match):
                yield key, self._reference(name, ReferenceKind.NAME, *match.span())

    def _name_pattern(self, known: Container[str]) -> re.Pattern[str]:
        """Looking for bare names takes ten times as long; most passages hold none."""
        hyphenated = (part for part in self.text.split() if "-" in part)
        words = (word for part in hyphenated for word in _WORD.findall(part) if "-" in word)
        bare = " skill" in self.text or any(name_key(word.strip("-")) in known for word in words)
        return _NAME if bare else _MARKED_NAME

    def _is_name(self, name: str, match: re.Match[str]) -> bool:
        """Whether the name of a skill is meant as one, and not as the ordinary word it may be."""
        if match.lastgroup in {"wiki", "sign", "at", "phrase"}:
            return True
        around = surroundings(*self._sentence(*match.span()))
        if speaks_of_a_skill(around, self.topic):
            return True
        if match.lastgroup in {"code", "bold"}:  # one word may be a program: the words around it decide
            joined = "-" in name and " " not in name
            return joined or role(around) is None or is_told_to_run(around)
        return match.lastgroup == "bare" and name == name.lower() and points_at(around)

    def _labels_a_link(self, match: re.Match[str]) -> bool:
        """Whether it stands in the label of a link to a skill; the link says who is meant."""
        opened = self.text.rfind("[", max(0, match.start() - _LONGEST_LABEL), match.start()) >= 0
        return opened and _LABEL_ENDS.match(self.text, match.end()) is not None

    def _whole_link(self, match: re.Match[str]) -> tuple[int, int]:
        """Return where the link of a match stands, with its label."""
        start = match.start()
        opened = self.text.rfind("[", max(0, start - _LONGEST_LABEL), start) if match["link"] else -1
        return start if opened < 0 else opened, match.end()

    def _reference(self, target: str, kind: ReferenceKind, start: int, end: int) -> Reference:
        sentence = self._sentence(start, end)
        said = role(surroundings(*sentence), self.topic)
        evidence = sentence[1][-_MOST_EVIDENCE // 2 :] + self.text[start:end] + sentence[2]
        return Reference(
            target=target,
            kind=ReferenceKind.CONTRAST if said is None else kind,
            evidence=plain(evidence)[:_MOST_EVIDENCE],
            role=said or ReferenceRole.MENTION,
        )

    def _sentence(self, start: int, end: int) -> tuple[str, str, str]:
        """Return the sentence before, and the parts of the mention's own before and after it."""
        block = bisect_right(self._blocks, start)
        left = self.text[max(self._blocks[block - 1], start - _FARTHEST) : start]
        right = self.text[end : min(self._blocks[block], end + _FARTHEST)]
        ends = [0, 0, *(found.end() for found in SENTENCE_END.finditer(left))]
        stop = SENTENCE_END.search(right)
        return left[ends[-2] : ends[-1]], left[ends[-1] :], right[: stop.start()] if stop else right

    @cached_property
    def _blocks(self) -> list[int]:
        """Where paragraphs, list entries and rows begin, and the end."""
        return [0, *(begin.end() for begin in _BLOCK_BEGINS.finditer(self.text)), len(self.text) + 1]


def passages(skill: Skill) -> list[Passage]:
    """Return the texts of a document in which names are looked up: the description and each section."""
    sections = zip(skill.sections, section_topics(skill.sections), strict=True)
    titled = (Passage(f"{section.title}\n\n{section.text}", topic) for section, topic in sections)
    return [Passage(skill.description), *titled]


def names_in(skill: Skill, *, known: Container[str]) -> tuple[tuple[str, Reference], ...]:
    """Return the key and the mention of each name in the prose of a document; *known* are the keys."""
    return tuple(found for passage in passages(skill) for found in passage.names(known))


def find_names(skills: Iterable[Skill], *, known: Container[str]) -> NamesFound:
    """Look each document through for names, equal ones once."""
    return {
        content: names_in(skill, known=known)
        for content, skill in {skill.content_hash: skill for skill in skills}.items()
    }


def name_key(name: str) -> str:
    """Return the form in which names are compared.

    >>> name_key("**Landing Page Generator:**"), name_key("@tidy-up/")
    ('landing-page-generator', 'tidy-up')
    """
    name = name.strip(_AROUND_NAME).casefold().removesuffix("/skill.md")
    return "-".join((name if name.isascii() else unicodedata.normalize("NFC", name)).split())
