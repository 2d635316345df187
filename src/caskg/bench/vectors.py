"""An encoder that remembers, on disk, so that every method and every run embeds a text once."""

from collections.abc import Sequence

from caskg.library.embed import MemoryVectorCache, VectorCache, embed_texts
from caskg.protocols import Encoder
from caskg.schema import VectorArray


class RememberingEncoder:
    """An `Encoder` in front of another one: memory first, then the cache, then the encoder.

    Attributes:
        n_characters: Of all texts it was asked about, remembered or not.
    """

    def __init__(self, encoder: Encoder, cache: VectorCache) -> None:
        """Put a cache before an encoder.

        Args:
            encoder: Makes the vectors that the cache does not hold.
            cache: Keeps them between runs.
        """
        self._encoder = encoder
        self._cache = cache
        self._memory = MemoryVectorCache()
        self.n_characters = 0

    @property
    def fingerprint(self) -> str:
        """That of the encoder behind: its vectors are the same."""
        return self._encoder.fingerprint

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return what the encoder behind would, shape ``(len(texts), d)``."""
        self.n_characters += sum(map(len, texts))
        return embed_texts(texts, _Behind(self._encoder, self._cache), self._memory)


class _Behind:
    """The cache and the encoder, as an `Encoder` that the memory asks."""

    def __init__(self, encoder: Encoder, cache: VectorCache) -> None:
        self._encoder = encoder
        self._cache = cache

    @property
    def fingerprint(self) -> str:
        return self._encoder.fingerprint

    def encode(self, texts: Sequence[str]) -> VectorArray:
        return embed_texts(texts, self._encoder, self._cache)
