"""Files that a skill's body says it writes or reads: what one skill hands over to another.

``Save the plan to `plans/{name}/spec.md``` gives a file, ``Read `plans/{name}/spec.md`
first`` takes one. The verb nearest before the path decides; a path that no verb
stands before is neither. Files that a skill brings along (``references/``,
``scripts/``) are its own and are handed to nobody.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from caskg.library.headings import Topic
from caskg.library.markdown import plain
from caskg.library.mentions import Passage
from caskg.schema import Artifact

_MOST_EVIDENCE = 300  # characters
_FARTHEST = 300  # characters before a path that are looked at: a line may be as long as the file
_MOST_PATHS = 1000  # that are looked at in one document
_MOST_ARTIFACTS = 40  # of one kind in one document; a file may list paths without end
_OWN_FOLDERS = frozenset(
    ("references", "reference", "scripts", "assets", "templates", "examples", "resources")
)

_ENDINGS = (
    "md|mdx|jsonl?|ya?ml|toml|csv|tsv|txt|html?|xml|sql|docx|xlsx|pptx|pdf|ipynb|parquet|db|svg|drawio|env"
    "|bin|img|iso|zip|tar|t?gz|png|jpe?g|gif|webp|mp[34]|mov|wav|srt|vtt|geojson|np[yz]|h5|onnx|epub|tex|bib|log"
)
_NAMED = re.compile(rf"\.(?:{_ENDINGS})\b", re.IGNORECASE)  # most text names no file, and is passed over
_PATH = re.compile(
    rf"`(?P<code>[^`\s]{{1,150}}\.(?:{_ENDINGS}))`"
    rf"|(?<![\w/`.(\]-])(?P<bare>(?:[\w.@{{}}<>*$-]+/){{0,8}}[\w.@{{}}<>*$-]{{1,80}}\.(?:{_ENDINGS}))(?![\w`/.-]?\w)",
    re.IGNORECASE,
)
_GIVES = re.compile(
    r"(?<!-)\b(?:creat|writ|sav|generat|produc|output|export|stor|emit|persist|deliver|append|record"
    r"|leav)(?:e|es|ed|ing|s|ten)?\b"
    r"|\b(?:wrote|puts?|putting|logged|fill(?:s|ed|ing)? in"
    r"|plac(?:ed|ing|es?(?= (?:it|them|the|this|an?|your|all|each)\b)))\b"
    r"|\bresults?\W{0,4}:\W*$"
    r"|\b(?:lands?|appears?|goes|ends? up|(?:it|they|results?|output) (?:is|are)|find (?:it|the results?))"
    r" (?:in|into|to|at|under)(?: the(?: file| folder)?)?\W*$"
    r"|^\W*log(?:s|ging)? (?=[^:]*$)",
    re.IGNORECASE,
)
_REDIRECTED = re.compile(r"[\w\"')\]}] (?:\| ?tee|\d?>{1,2}) $")  # in code, `list > notes/list.md`
_TAKES = re.compile(
    r"\b(?:read|load|check|open|consult|requir|pars|import|review|need|tak|accept|us|follow|input|ingest|consum|inspect|expect|examin|cross-check"
    r"|from|given|based on|look up|if there)(?:e|es|s|ed|ing)?\b"
    r"|\b(?:convert|pass|feed|upload|flash|play|render|print|send|attach|sign|process|analy[sz]|summari[sz]|merg|validat"
    r"|translat|transcrib|publish|deploy)(?:e?s|e|ed|ing)?(?: the| your| each| file| image)*\s*$",
    re.IGNORECASE,
)
_BY_TOPIC = {Topic.OUTPUTS: True, Topic.INPUTS: False, Topic.PRECONDITIONS: False}
_NOT = re.compile(
    r"\b(?:never|not|n't|don't|avoid|without|rather than|instead of|stop \w+ing|nobody|no one"
    r"|(?:previous|former|earlier|older) (?!step|phase|stage)\w+ (?:\w+ed|wrote|read|made))\b",
    re.IGNORECASE,
)
_IF_THERE = re.compile(
    r"\W*(?:already |must |should )*(?:exists?|is (?:present|there|missing))\b", re.IGNORECASE
)
_IS_MADE = re.compile(
    r"\W*(?:is|are|gets?|will be) (?:written|created|saved|generated|produced|stored|filled in)\b"
    r"(?! (?:by|with|in) (?!this|it\b))",
    re.IGNORECASE,
)
_IN_CASE = re.compile(r"\b(?:if|when|once|until|after|before|unless|whether)\W*$", re.IGNORECASE)
_LINE = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+|>#]|\d+[.)]\s))|(?<=[.;!?])\s+(?=[A-Z*`])")
_HOLE = re.compile(
    r"\{[^}]*\}+|<[^>]*>|\$\{?\w+\}?|\*+|\[[^\]]*\]|YYYY(?:[-_]?MM)?(?:[-_]?DD)?", re.IGNORECASE
)


class Artifacts(NamedTuple):
    """What a body hands over and what it takes; a file that it does both with is its own."""

    writes: tuple[Artifact, ...]
    reads: tuple[Artifact, ...]


def artifacts(passages: Iterable[Passage]) -> Artifacts:
    """Return the files that sections say they write, and those that they read, each once.

    Where no verb decides, the heading does: a file among the outputs is written, one among the
    inputs or preconditions is read.

    >>> text = "Read `notes/log.md` first. Then write `plans/{day}/Plan.md`."
    >>> [artifact.path for artifact in artifacts([Passage(text)]).writes]
    ['plans/*/plan.md']
    """
    writes: dict[str, Artifact] = {}
    reads: dict[str, Artifact] = {}
    for line, match, otherwise in islice(_paths(passages), _MOST_PATHS):
        path, given = _path_key(match["code"] or match["bare"]), _is_given(line, match, otherwise)
        found = writes if given else reads
        if path and given is not None and path not in found and len(found) < _MOST_ARTIFACTS:
            found[path] = Artifact(path=path, evidence=plain(line)[:_MOST_EVIDENCE])
    both = writes.keys() & reads.keys()
    return Artifacts(
        writes=tuple(writes.values()), reads=tuple(each for path, each in reads.items() if path not in both)
    )


def _paths(passages: Iterable[Passage]) -> Iterator[tuple[str, re.Match[str], bool | None]]:
    """Yield each path with its line, and whether one is written where no verb says it."""
    for passage in passages:
        if _NAMED.search(passage.raw) is None:
            continue
        otherwise = _BY_TOPIC.get(passage.topic) if passage.topic else None
        for line in _LINE.split(passage.text):
            if _NAMED.search(line):
                yield from ((line, match, otherwise) for match in _PATH.finditer(line))


def _is_given(line: str, match: re.Match[str], otherwise: bool | None) -> bool | None:  # noqa: FBT001 - of three values
    """Return whether a path is written, else read, by the words around it; None where nothing says it."""
    left = line[max(0, match.start() - _FARTHEST) : match.start()]
    if _NOT.search(left):
        return None
    if left.count("`") % 2 == 1 and _REDIRECTED.search(left):
        return True
    gives, takes = _last_end(_GIVES, left), _last_end(_TAKES, left)
    if max(gives, takes) >= 0:
        return gives > takes
    if _IS_MADE.match(line, match.end()) and not _IN_CASE.search(left):
        return True
    return False if _IF_THERE.match(line, match.end()) else otherwise


def _path_key(path: str) -> str:
    """Return the form in which paths are compared, empty for one that is the skill's own or names nothing.

    >>> _path_key("./Plans/{name}/Spec.md"), _path_key("references/a.md"), _path_key("{name}.md")
    ('plans/*/spec.md', '', '')
    """
    parts = [part for part in _HOLE.sub("*", path).lower().split("/") if part not in ("", ".", "~", "..")]
    stem = parts[-1].rsplit(".", 1)[0].strip("*-_.") if parts else ""
    if not stem or parts[0] in _OWN_FOLDERS or ":" in path:
        return ""
    return "/".join(parts)


def _last_end(pattern: re.Pattern[str], text: str) -> int:
    return max((found.end() for found in pattern.finditer(text)), default=-1)
