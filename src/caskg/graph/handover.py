"""Files that one skill writes and another reads: pairs in which something is handed over.

Part of `inputs`. Two paths mean the same file when their names are equal and so
are the folders right above, where both have one; a name alone must be made of two
words, because every project has a ``config.yaml``. A file that many skills write is
a habit of the trade, not a handover.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from caskg.library.mentions import name_key
from caskg.schema import Artifact, IntArray, Skill

MOST_WRITERS = 4
"""Most skills that may write a file of one name, for it to be handed over."""

_BETWEEN_WORDS = re.compile(r"[\W_]+")


def handed_over(skills: Sequence[Skill]) -> IntArray:
    """Return the pairs of which the source writes a file that the target reads.

    As sorted codes ``source * n_skills + target``.
    """
    writers = _writers(skills)
    codes = {
        source * len(skills) + target
        for target, skill in enumerate(skills)
        for read in skill.fields.reads or ()
        for source, written in writers.get(_file_name(read), ())
        if source != target and is_same_file(written, read)
    }
    return np.array(sorted(codes), dtype=np.int64)


def _writers(skills: Sequence[Skill]) -> dict[str, list[tuple[int, Artifact]]]:
    """Return who writes each file name that is handed over, by position, and how they say it.

    Where a file bears the name of a writer, the others tell of what that one writes.
    """
    found: defaultdict[str, list[tuple[int, Artifact]]] = defaultdict(list)
    for number, skill in enumerate(skills):
        for artifact in skill.fields.writes or ():
            found[_file_name(artifact)].append((number, artifact))
    for name, writers in found.items():
        stem = name.rsplit(".", 1)[0]
        namesakes = [each for each in writers if name_key(skills[each[0]].name) == stem]
        found[name] = namesakes or writers
    return {name: each for name, each in found.items() if len({n for n, _ in each}) <= MOST_WRITERS}


def shared_files(source: Skill, target: Skill) -> Iterator[tuple[Artifact, Artifact]]:
    """Yield what the source writes and the target reads, as they say it."""
    for written in source.fields.writes or ():
        for read in target.fields.reads or ():
            if is_same_file(written, read):
                yield written, read


def is_same_file(written: Artifact, read: Artifact) -> bool:
    """Whether two paths mean one file.

    >>> def file(path: str) -> Artifact:
    ...     return Artifact(path=path, evidence="")
    >>> is_same_file(file("a/*/spec.md"), file("a/*/spec.md")), is_same_file(file("spec.md"), file("spec.md"))
    (True, False)
    >>> is_same_file(file(".notes/brand-voice.md"), file("brand-voice.md"))
    True
    """
    if _file_name(written) != _file_name(read):
        return False
    above, below = _folder(written), _folder(read)
    if above and below:
        return above == below
    stem = _file_name(read).rsplit(".", 1)[0]
    return len([word for word in _BETWEEN_WORDS.split(stem) if word]) > 1


def _file_name(artifact: Artifact) -> str:
    return artifact.path.rpartition("/")[2]


def _folder(artifact: Artifact) -> str:
    return artifact.path.rpartition("/")[0].rpartition("/")[2]
