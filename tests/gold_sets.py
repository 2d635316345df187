"""Two small gold sets as files, for tests."""

import json
import lzma
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Rows = Sequence[Mapping[str, Any]]

KITCHEN: Rows = [
    {
        "id": "boil-water",
        "description": "Boils water in a kettle or a pot.",
        "outputs": [{"name": "boiling water", "type": "liquid", "description": "at 100 degrees"}],
    },
    {
        "id": "brew-tea",
        "description": "Brews a pot of black or green tea from leaves.",
        "inputs": {"boiling water": {"type": "liquid"}, "tea leaves": {"description": "loose"}},
        "keywords": ["drinks"],
    },
    {
        "id": "cook-pasta",
        "description": "Cooks dried pasta in salted water until it is firm.",
        "inputs": {"boiling water": {}},
        "tools": [{"name": "sieve"}],
    },
    {"id": "fill-kettle", "description": "Fills the kettle at the tap.", "domain": ["kitchen"]},
    {"id": "wash-dishes", "description": "Washes plates, pots and cutlery by hand."},
    {"id": "dry-dishes", "description": "Dries plates and cutlery with a clean towel."},
]
KITCHEN_TASKS: Rows = [
    {
        "id": "t1",
        "query": "brew green tea from leaves",
        "gold": ["brew-tea", "boil-water"],
        "main": "brew-tea",
    },
    {"id": "t2", "query": "make a cup of black tea", "gold": ["boil-water", "brew-tea"], "main": "brew-tea"},
    {"id": "t3", "query": "cook pasta for two", "gold": ["cook-pasta", "boil-water"], "main": "cook-pasta"},
    {
        "id": "t4",
        "query": "clean the plates and the pots",
        "gold": ["wash-dishes", "dry-dishes", "wash-dishes"],
    },
]
KITCHEN_EDGES: Rows = [
    {"source": "boil-water", "target": "brew-tea"},
    {"source": "boil-water", "target": "cook-pasta"},
    {"source": "boil-water", "target": "brew-tea", "type": "again"},
    {"source": "wash-dishes", "target": "wash-dishes"},
    {"source": "wash-dishes", "target": "dry-dishes"},
]
KITCHEN_MASK: Rows = [{"source": "fill-kettle", "target": "boil-water"}]

OFFICE: Rows = [
    {"id": "send-invoice", "description": "Writes an invoice for a customer and sends it by mail."},
    {"id": "file-receipts", "description": "Files receipts by month in the archive."},
    {"id": "book-train", "description": "Books a train ticket with a seat."},
]
OFFICE_TASKS: Rows = [
    {"id": "o1", "query": "bill the customer for the work", "gold": ["send-invoice"]},
    {"id": "o2", "query": "get me a train ticket", "gold": ["book-train"]},
]


def write(folder: Path, stem: str, rows: Rows, *, packed: bool = False) -> None:
    """Write rows as JSON lines, perhaps packed."""
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path = folder / f"{stem}.jsonl{'.xz' if packed else ''}"
    path.write_bytes(lzma.compress(data) if packed else data)


def write_kitchen(folder: Path) -> Path:
    """Write the set with edges and a mask, packed."""
    folder.mkdir(exist_ok=True)
    parts = {"library": KITCHEN, "tasks": KITCHEN_TASKS, "edges": KITCHEN_EDGES, "mask": KITCHEN_MASK}
    for part, rows in parts.items():
        write(folder, f"kitchen_{part}", rows, packed=True)
    return folder


def write_both(folder: Path) -> Path:
    """Write both sets; the second has neither edges nor a mask."""
    write_kitchen(folder)
    write(folder, "office_library", OFFICE)
    write(folder, "office_tasks", OFFICE_TASKS)
    return folder
