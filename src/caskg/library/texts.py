"""Which text stands for a skill, and what a name may and may not say in it.

Retrieval keeps full names: people ask by name. What signals compare must obey
the renaming laws (method, Section 8): a name that half of the library begins
with says where skills come from, and a name that is left out must not come
back through the texts that mention it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from caskg.library.embed import text_hash
from caskg.schema import Parameter, Skill, SkillFields, SkillLibrary

_NAME_WORD = re.compile(r"[^\W_]+")
_MENTION_WORD = re.compile(r"[\w-]+")


def skill_text(skill: Skill) -> str:
    """Return "name: description", or the half that is there: what encoders and the short index read."""
    return ": ".join(filter(None, (skill.name, skill.description)))


def whole_text(skill: Skill) -> str:
    """Return the whole file as text: name, description and body."""
    return "\n\n".join(filter(None, (skill.name, skill.description, skill.body)))


# ---------------------------------------------------------------- shared beginnings of names


def distinctive_names(names: Sequence[str], *, family_size: int, family_share: float) -> list[str]:
    """Leave out the beginnings that a good part of the names share (renaming law c).

    A word is a family when enough names begin with it, leading words that are
    themselves families not counted. Families only ever add names to one another,
    so they are the same whatever the order of names, and giving a new beginning
    to half of the names changes nothing.

    Args:
        names: The names of a library.
        family_size: Fewest names that make a family, at least 1.
        family_share: Least share of all names that does, in ``[0, 1]``.

    Returns:
        Each name from its first word that is no family; at least its last word stays.

    >>> distinctive_names(["acme-read", "acme-write", "acme", "fly"], family_size=3, family_share=0.5)
    ['read', 'write', 'acme', 'fly']
    """
    words = [_NAME_WORD.findall(name.casefold()) for name in names]
    fewest = max(family_size, family_share * len(names))
    families: set[str] = set()
    while True:
        first = (next((word for word in parts if word not in families), None) for parts in words)
        found = {word for word, count in Counter(first).items() if word is not None and count >= fewest}
        if not found:
            return [_from_first_own_word(name, families) for name in names]
        families |= found


def _from_first_own_word(name: str, families: set[str]) -> str:
    words = list(_NAME_WORD.finditer(name))
    own = next((at for at, word in enumerate(words) if word[0].casefold() not in families), len(words) - 1)
    return name[words[own].start() :] if own > 0 else name


# ---------------------------------------------------------------- mentions left out


def without_mentions(library: SkillLibrary) -> SkillLibrary:
    """Return the library with all mentions of names left out of its texts (renaming law b).

    Every whole word or phrase that is the name of any skill of the library, as
    written there, becomes a blank in descriptions, bodies and sentences. What is
    no text stays: names, ids, references, parameters, tools and tags. These are
    other texts than those that were read, so their content hashes are others too.
    """
    blank = _name_blanker(skill.name for skill in library.skills)
    return replace(library, skills=tuple(_without_mentions(skill, blank) for skill in library.skills))


def _without_mentions(skill: Skill, blank: Callable[[str], str]) -> Skill:
    sections = tuple(
        replace(section, title=blank(section.title), text=blank(section.text)) for section in skill.sections
    )
    return replace(
        skill,
        content_hash=text_hash(f"without mentions {skill.content_hash}"),
        description=blank(skill.description),
        body=blank(skill.body),
        sections=sections,
        fields=_fields_without_mentions(skill.fields, blank),
    )


def _fields_without_mentions(fields: SkillFields, blank: Callable[[str], str]) -> SkillFields:
    def parameters(stated: tuple[Parameter, ...] | None) -> tuple[Parameter, ...] | None:
        return stated and tuple(
            replace(each, description=each.description and blank(each.description)) for each in stated
        )

    def sentences(stated: tuple[str, ...] | None) -> tuple[str, ...] | None:
        # A sentence that was nothing but a name states nothing any more.
        return tuple(text for each in stated or () if (text := blank(each)).strip()) or None

    return replace(
        fields,
        inputs=parameters(fields.inputs),
        outputs=parameters(fields.outputs),
        preconditions=sentences(fields.preconditions),
        effects=sentences(fields.effects),
        recovery=sentences(fields.recovery),
    )


def _name_blanker(names: Iterable[str]) -> Callable[[str], str]:
    """Return a function that replaces each mention of a name by a space, the longest name first.

    One pass over the words of a text, each looked up among the first words of
    names: the time does not depend on how many names there are.
    """
    by_first_word: dict[str, list[str]] = {}
    for name in sorted(set(names), key=len, reverse=True):
        if word := _MENTION_WORD.search(name):
            by_first_word.setdefault(word[0], []).append(name[word.start() :])

    def blank(text: str) -> str:
        pieces, done = [], 0
        for word in _MENTION_WORD.finditer(text):
            names = by_first_word.get(word[0], ()) if word.start() >= done else ()
            mention = next((name for name in names if _stands_at(name, text, word.start())), None)
            if mention is not None:
                pieces.append(text[done : word.start()])
                done = word.start() + len(mention)
        return " ".join([*pieces, text[done:]])

    return blank


def _stands_at(name: str, text: str, start: int) -> bool:
    """Whether *name* is in *text* at *start* and ends there at the end of a word."""
    end = start + len(name)
    return text.startswith(name, start) and not (
        _MENTION_WORD.match(name[-1]) and _MENTION_WORD.match(text[end : end + 1])
    )
