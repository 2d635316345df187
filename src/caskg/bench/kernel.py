"""Three small jobs that say how fast a machine is today: read every time beside them."""

import json
import sqlite3
import statistics
import time
from collections.abc import Callable

import numpy as np


def cpu_ms(task: Callable[[], object]) -> float:
    """Return the CPU milliseconds of one call."""
    start = time.process_time()
    task()
    return 1000 * (time.process_time() - start)


def kernel() -> dict[str, float]:
    """Return the CPU milliseconds of a matrix product, of inserts into SQLite, and of reading JSON."""
    matrix = np.random.default_rng(0).standard_normal((500, 500)).astype(np.float32)
    document = json.dumps([{"id": at, "text": "word " * 20} for at in range(5000)])

    def inserts() -> None:
        with sqlite3.connect(":memory:") as database:
            database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
            database.executemany("INSERT INTO t VALUES (?, ?)", ((at, "text" * 8) for at in range(50_000)))

    tasks = {
        "matmul_500_ms": lambda: matrix @ matrix,
        "sqlite_50k_inserts_ms": inserts,
        "json_5k_ms": lambda: json.loads(document),
    }
    return {name: round(statistics.median(cpu_ms(task) for _ in range(9)), 3) for name, task in tasks.items()}
