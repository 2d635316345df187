"""What a build and a query cost on real skills, beside a calibration kernel of the same run.

    python benchmarks/speed.py [--local 1000 3139] [--builtin 1000 3139 10000] [--out FILE]

Builds libraries of these sizes with each of the two encoders: from nothing, again with nothing changed, with
one file edited, and, with the local encoder, in a new workspace that holds nothing but the vectors. Beyond
the number of real skills, each comes several times, in folders of other names and with another last line.

Reads ``skills/skills.tar.xz`` below ``$CASKG_DATA`` (default ``../shared/data``). All times are CPU seconds
(user + system) of a child process unless a name says wall; memory is its peak resident set. On a machine
that does other work CPU seconds stay comparable, wall seconds do not; the kernel's times say how fast it was.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from caskg.bench.kernel import cpu_ms, kernel

QUERIES = (
    "deploy a container to a kubernetes cluster and watch the rollout",
    "write a press release about a new product",
    "clean a csv file and draw a chart of the monthly totals",
    "review a pull request for security problems",
    "translate the user interface into Spanish",
    "set up continuous integration for a Rust project",
)
DATA = Path(os.environ.get("CASKG_DATA", "../shared/data"))
CASKG = [sys.executable, "-m", "caskg"]


def main() -> None:
    """Measure, print, and write the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--local", type=int, nargs="*", default=[1000, 3139])
    options.add_argument("--builtin", type=int, nargs="*", default=[1000, 3139, 10_000])
    options.add_argument("--out", type=Path, default=Path("benchmarks/results/speed.json"))
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        skills = unpack(Path(folder) / "all")
        figures = {
            "machine": {"python": platform.python_version(), "cpus": os.cpu_count()},
            "kernel": kernel(),
            "runs": [
                measure(skills, size, Path(folder), encoder)
                for encoder, sizes in (("local", chosen.local), ("builtin", chosen.builtin))
                for size in sizes
            ],
        }
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=1))


def unpack(folder: Path) -> list[Path]:
    """Unpack the real skills; return their folders, sorted."""
    with tarfile.open(DATA / "skills" / "skills.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return sorted(path.parent for path in folder.rglob("SKILL.md"))


def measure(skills: list[Path], size: int, scratch: Path, encoder: str) -> dict[str, Any]:
    """Build a library of *size* skills, evenly spaced through all, and query it."""
    library, workspace = scratch / f"library-{size}", scratch / f"{encoder}-{size}"
    copied = copy_skills(skills, size, library)
    build = [*CASKG, "build", str(library), "--encoder", encoder, "-q", "-w"]
    builds = {name: child([*build, str(workspace)]) for name in ("build", "build_unchanged")}
    workspace_mb = sum(path.stat().st_size for path in workspace.rglob("*") if path.is_file()) / 1e6
    with (copied[0] / "SKILL.md").open("a", encoding="utf-8") as file:
        file.write("\nOne line more.\n")
    builds["build_one_edited"] = child([*build, str(workspace)])
    if encoder == "local":
        copy_vectors(workspace, new := scratch / f"vectors-{size}")
        builds["build_all_but_embedding"] = child([*build, str(new)])
    cold = [child([*CASKG, "query", "-w", str(workspace), text]) for text in QUERIES]
    warm = json.loads(
        subprocess.run(
            [sys.executable, __file__, "--warm", str(workspace)], capture_output=True, check=True
        ).stdout
    )
    return {
        "encoder": encoder,
        "skills": size,
        **builds,
        "query_cold": {key: statistics.median(run[key] for run in cold) for key in cold[0]},
        "query_warm": warm,
        "workspace_mb": round(workspace_mb, 1),
    }


def copy_skills(skills: list[Path], size: int, library: Path) -> list[Path]:
    """Copy *size* skills, evenly spaced through all, into *library*; return their folders."""
    copied = []
    for at in range(size):
        source, again = skills[at * len(skills) // size], size > len(skills)
        folder = library / (f"{source.name}-{at}" if again else source.name)
        shutil.copytree(source, folder, dirs_exist_ok=True)
        if again:
            with (folder / "SKILL.md").open("a", encoding="utf-8") as file:
                file.write(f"\nNumber {at}.\n")
        copied.append(folder)
    return copied


def copy_vectors(workspace: Path, new: Path) -> None:
    """Make a workspace that holds no version, only the vectors of *workspace*."""
    from caskg.store.workspace import Workspace

    Workspace.open_or_create(new).close()
    with closing(sqlite3.connect(new / "caskg.sqlite")) as database:
        database.execute("ATTACH ? AS old", (str(workspace / "caskg.sqlite"),))
        with database:
            database.execute("INSERT INTO vectors SELECT * FROM old.vectors")


def child(command: list[str]) -> dict[str, float]:
    """Run a command to its end; return its CPU seconds, wall seconds and peak memory."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        message = f"{' '.join(command)} ended with status {status}."
        raise RuntimeError(message)
    return {
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 3),
        "wall_s": round(time.perf_counter() - start, 3),
        "peak_mb": round(usage.ru_maxrss / 1024, 1),
    }


def warm_queries(workspace: str) -> dict[str, float]:
    """Return the median CPU milliseconds of a query in a running process, of old and new tasks."""
    from caskg.store.workspace import Workspace
    from caskg.wiring import encoder_of, open_retriever

    with Workspace.open(workspace) as opened:
        version = opened.current()
        retriever, encoder = open_retriever(version), encoder_of(version)
        for text in QUERIES:
            retriever.retrieve(text)
            encoder.encode([text])
        embedding = [cpu_ms(partial(encoder.encode, [text])) for text in QUERIES * 10]
        whole = [cpu_ms(partial(retriever.retrieve, text)) for text in QUERIES * 10]
        new = [
            version.skills[at].description[:100] for at in range(0, len(version.ids), len(version.ids) // 60)
        ]
        given = {text: encoder.encode([text]) for text in [*QUERIES, *new] if text}
        with patch.object(type(encoder), "encode", lambda _, texts: given[texts[0]]):
            rest = [cpu_ms(partial(retriever.retrieve, text)) for text in new if text]
            known = [cpu_ms(partial(retriever.retrieve, text)) for text in QUERIES * 10]
    return {
        "embed_ms": round(statistics.median(embedding), 3),
        "query_ms": round(statistics.median(whole), 3),
        "vector_given_ms": round(statistics.median(known), 3),
        "vector_given_new_task_ms": round(statistics.median(rest), 3),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--warm"]:
        print(json.dumps(warm_queries(sys.argv[2])))
    else:
        main()
