"""The cache of text vectors, so that an unchanged text is embedded once.

A vector that is damaged counts as not cached: it is computed and written again.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from caskg.schema import VectorArray
from caskg.store.database import Database, json_list
from caskg.store.rows import checksum


class StoredVectors:
    """Vectors by the encoder's fingerprint and the hash of the text."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, fingerprint: str, hashes: Sequence[str]) -> dict[str, VectorArray]:
        """Return the vectors that are known, each read-only float32 of shape ``(d,)``."""
        rows = self._database.read(
            "SELECT hash, vector, checksum FROM vectors "
            "WHERE fingerprint = ? AND hash IN (SELECT value FROM json_each(?))",
            (fingerprint, json_list(hashes)),
        )
        return {
            key: np.frombuffer(data, dtype="<f4")
            for key, data, stored in rows
            if stored == checksum(fingerprint, key, data=data)
        }

    def put(self, fingerprint: str, vectors: Mapping[str, VectorArray]) -> None:
        """Keep *vectors*, in place of what was kept under the same hashes."""
        rows = ((key, np.asarray(vector, dtype="<f4").tobytes()) for key, vector in vectors.items())
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                ((fingerprint, key, data, checksum(fingerprint, key, data=data)) for key, data in rows),
            )

    def forget(self, fingerprint: str) -> None:
        """Remove the vectors of an encoder that makes others by now."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM vectors WHERE fingerprint = ?", (fingerprint,))
