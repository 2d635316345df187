"""What a document states about its skill: from front matter, else from sections.

A field the document does not state stays None. Both the specification's keys and
those that authors add are read at the top level and below ``metadata``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from caskg.library.artifacts import artifacts
from caskg.library.headings import Topic, section_topics
from caskg.library.labels import labelled, presupposed
from caskg.library.markdown import Item, list_items, plain
from caskg.library.mentions import Passage
from caskg.library.yaml_entries import Value
from caskg.schema import Parameter, Reference, ReferenceKind, ReferenceRole, Section, SkillFields

_INPUTS = ("inputs", "input")
_OUTPUTS = ("outputs", "output")
_TOOLS = ("allowed-tools",)
_TAGS = ("tags", "keywords")
_REQUIRES = ("caskg-requires",)
OF_SKILLS = ("depends-on", "depends_on", "requires-skills", "required-skills", "required_skills")
"""Keys of front matter whose entries are skills: one that is none of the library is reported."""
_OF_ANYTHING = ("requires", "prerequisites", "needs")
_OF_PACKAGES = ("dependencies",)
_DEPENDS = (*OF_SKILLS, *_OF_ANYTHING, *_OF_PACKAGES)
_READ = frozenset((*_INPUTS, *_OUTPUTS, *_TOOLS, *_TAGS, *_REQUIRES, *_DEPENDS))

_MOST_EVIDENCE = 300  # characters

MOST_LISTED = 1 << 15
"""Characters that are looked through for entries in the sections of one document; real ones have 11,000."""

_LISTED = (Topic.INPUTS, Topic.OUTPUTS, Topic.PRECONDITIONS, Topic.EFFECTS, Topic.RECOVERY)
# What follows the name of a package: "numpy >= 1", "numpy[fast]", "numpy@1", "numpy 1.2".
_VERSION = re.compile(r"(?<=\w)\s*(?:[<>=!~^\[(]|@\d|\sv?\d+\.).*", re.DOTALL)
_FOREIGN = re.compile(r"@[^/]*/|.*://")  # a package of somebody's, an address
_TOOL = re.compile(r"[^\s,(]+(?:\([^)]*\))?")
_PAUSE = re.compile(r"(?<=\S)(?:[,;:.]\s|\s[-\u2013\u2014(])")
_PAUSES = " ,;:.-\u2013\u2014"

_T = TypeVar("_T")


def stated_values(front_matter: Mapping[str, Value]) -> dict[str, Value]:
    """Return the entries that fields are read from; the top level goes before ``metadata``.

    >>> stated_values({"license": "MIT", "metadata": {"tags": "a, b", "author": "c"}})
    {'tags': 'a, b'}
    """
    metadata = front_matter.get("metadata")
    below = metadata if isinstance(metadata, dict) else {}
    return {key: value for key, value in {**below, **front_matter}.items() if key in _READ}


def extract_fields(
    stated: Mapping[str, Value], sections: Sequence[Section], *, description: str = ""
) -> SkillFields:
    """Read the fields of a skill.

    Args:
        stated: See `stated_values`; what front matter states is not read from sections again.
        sections: The body; topics come from the headings, see `headings`.
        description: Searched for references, as the sections are.
    """
    topics = section_topics(sections)
    listed = list(_listed(sections, topics))

    def items(topic: Topic) -> tuple[Item, ...] | None:
        return _some(item for about, text in listed if about is topic for item in list_items(text))

    def texts(topic: Topic) -> tuple[str, ...] | None:
        found = items(topic)
        return None if found is None else tuple(map(str, found))

    def parameters(keys: Sequence[str], topic: Topic) -> tuple[Parameter, ...] | None:
        written = _some(p for key in keys for p in _parameters(stated.get(key, "")) if p.name)
        found = () if written else items(topic) or ()
        return written or _some(_parameter(item) for item in found)

    passages = [Passage(section.text, topic) for section, topic in zip(sections, topics, strict=True)]
    files = artifacts(passages)
    return SkillFields(
        inputs=parameters(_INPUTS, Topic.INPUTS),
        outputs=parameters(_OUTPUTS, Topic.OUTPUTS),
        preconditions=_some(
            (*(texts(Topic.PRECONDITIONS) or ()), *_presupposed(description, sections, topics))
        ),
        effects=texts(Topic.EFFECTS),
        recovery=texts(Topic.RECOVERY),
        writes=files.writes or None,
        reads=files.reads or None,
        tools=_some(tool for key in _TOOLS for tool in _tools(stated.get(key, ""))),
        tags=_some(tag for key in _TAGS for tag in _words(stated.get(key, ""))),
        references=_some(_references(stated, [Passage(description), *passages])),
    )


def listed_length(sections: Sequence[Section]) -> int:
    """Return how long the texts are in which entries are looked for."""
    return sum(len(text) for _, text in _stated(sections, section_topics(sections)))


def _listed(sections: Sequence[Section], topics: Sequence[Topic | None]) -> Iterator[tuple[Topic, str]]:
    """Yield the texts that are looked through for entries, up to the line that reaches `MOST_LISTED`."""
    left = MOST_LISTED
    for topic, text in _stated(sections, topics):
        if left > 0:
            yield topic, text if len(text) <= left else text[:left].rpartition("\n")[0]
            left -= len(text)


def _stated(sections: Sequence[Section], topics: Sequence[Topic | None]) -> Iterator[tuple[Topic, str]]:
    """Yield the texts that state something, by their heading or, elsewhere, below a label."""
    for section, topic in zip(sections, topics, strict=True):
        if topic in _LISTED:
            yield topic, section.text
        elif topic is None:
            yield from labelled(section, of_the_skill=section.level <= 1)


def _presupposed(
    description: str, sections: Sequence[Section], topics: Sequence[Topic | None]
) -> Iterator[str]:
    """Yield the sentences that state a precondition where no heading says so."""
    yield from presupposed(description, of_the_skill=True)
    for section, topic in zip(sections, topics, strict=True):
        if topic is None:
            yield from presupposed(section.text, of_the_skill=section.level <= 1)


def _references(stated: Mapping[str, Value], passages: Sequence[Passage]) -> Iterator[Reference]:
    for key in _REQUIRES:
        for name in _words(stated.get(key, "")):
            evidence = f"{key}: {name}"
            declared = ReferenceKind.DECLARED
            yield Reference(target=name, kind=declared, evidence=evidence, role=ReferenceRole.NEED)
    for key in _DEPENDS:
        yield from _depended(key, stated.get(key, ""))
    for passage in passages:
        yield from passage.links()


def _depended(key: str, value: Value) -> Iterator[Reference]:
    """Yield the names of a list of skills, or of packages: what has a version or an address is no skill.

    Nor is what stands in ``dependencies`` beside such: of packages, some may bear the name of a skill. There
    all have the whole list for evidence (see `references`), elsewhere each has its own entry.
    """
    entries = list(_needed(value))
    names = [(entry, _VERSION.sub("", entry)) for entry in entries if not _FOREIGN.match(entry)]
    listed = ", ".join(entries) if key in _OF_PACKAGES else None
    are_packages = listed is not None and [name for _, name in names] != entries
    for entry, name in names:
        role = ReferenceRole.MENTION if are_packages or entry != name else ReferenceRole.NEED
        evidence = f"{key}: {listed or entry}"[:_MOST_EVIDENCE]
        yield Reference(target=name, kind=ReferenceKind.NAME, evidence=evidence, role=role)


def _needed(value: Value) -> Iterator[str]:
    """Yield the entries of a value such as ``dependencies``.

    A mapping has versions by name, or groups, of which that of the skills counts.

    >>> list(_needed(["tidy-up", {"numpy": ">=1"}]))
    ['tidy-up', 'numpy (>=1)']
    >>> list(_needed({"skills": "a, b", "python": ["c"]}))
    ['a', 'b']
    """
    if isinstance(value, str):
        value = list[Value](_words(value))
    elif isinstance(value, dict):
        stated = [value[key] for key in ("skills", "skill", "name") if key in value]
        if stated:
            yield from (name for each in stated for name in _needed(each))
            return
        value = [f"{name} ({about})" for name, about in value.items() if isinstance(about, str)]
    for each in value:
        if isinstance(each, dict):
            yield from _needed(each)
        elif entry := _text(each):
            yield entry


def _parameters(value: Value) -> Iterator[Parameter]:
    """Read what front matter gives as inputs or outputs: text, a list, or a mapping by name."""
    if isinstance(value, dict):
        for name, about in value.items():
            yield _described(name, about)
    elif isinstance(value, str):
        yield from (_parameter(Item("", part)) for part in _words(value, spaces=False))
    else:
        for entry in value:
            if isinstance(entry, str):
                yield _parameter(Item("", entry))
            elif isinstance(entry, dict) and "name" in entry:
                yield _described(_text(entry["name"]) or "", entry)
            else:
                yield from _parameters(entry)


def _described(name: str, about: Value) -> Parameter:
    if isinstance(about, dict):
        return Parameter(
            name=name, type=_text(about.get("type")), description=_text(about.get("description"))
        )
    return Parameter(name=name, description=_text(about))


def _text(value: Value | None) -> str | None:
    return plain(value) or None if isinstance(value, str) else None


def _parameter(item: Item) -> Parameter:
    """Cut an item into its name and the rest, at the mark its author set or the first pause.

    >>> _parameter(Item("", "Fresh water, about 250 ml"))
    Parameter(name='Fresh water', type=None, description='about 250 ml')
    """
    head, text, kind = item
    if not head:
        pause = _PAUSE.search(text)
        cut = pause.start() if pause else len(text)
        head, text = text[:cut], text[cut:].lstrip(_PAUSES)
    return Parameter(name=head.rstrip("."), type=kind or None, description=text or None)


def _tools(value: Value) -> list[str]:
    """Split at commas and spaces outside parentheses."""
    texts = [value] if isinstance(value, str) else [text for text in value if isinstance(text, str)]
    return [tool for text in texts for tool in _TOOL.findall(text)]


def _words(value: Value, *, spaces: bool = True) -> Iterator[str]:
    """Split text at commas, semicolons and lines, else at spaces; take the texts of a list as they are."""
    if isinstance(value, str):
        parts = re.split(r"[,;\n]", value)
        value = list[Value](value.split() if spaces and len(parts) == 1 else parts)
    return (text for text in map(_text, value) if text)


def _some(found: Iterable[_T]) -> tuple[_T, ...] | None:
    """Return the distinct values in order, None if there are none."""
    return tuple(dict.fromkeys(found)) or None
