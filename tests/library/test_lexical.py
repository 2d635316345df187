"""The tokenizer is a table of readings; BM25 is held to its equation and to a brute-force oracle."""

from collections.abc import Sequence
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caskg.library.lexical import (
    TOKEN_BYTES,
    Bm25Index,
    count_matrix,
    lookup,
    token_matrix,
    tokenize,
)

DOCUMENTS = [["boil", "water", "boil"], ["boil", "egg"], ["send", "invoice", "egg", "x"], []]

documents_of_few_tokens = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=8)
law = settings(deadline=None, max_examples=60)  # a busy machine is no failure
queries = st.lists(st.sampled_from("abcdefgh"), max_size=6)


# ---------------------------------------------------------------- tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Boiling WATER boils", ["boil", "water", "boil"]),
        ("ci/cd", ["ci", "cd"]),
        ("snake_case-name v2.1", ["snake", "case", "name", "v2", "1"]),
        ("c++ C# F# g++", ["c++", "c#", "f#", "g++"]),
        ("page#part heading# notepad++", ["page", "part", "head", "notepad"]),
        ("c++17", ["c++", "17"]),
        ("x+y", ["x", "y"]),
        ("getURLs", ["get", "url", "geturl"]),
        ("S3Bucket", ["s3", "bucket", "s3bucket"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("A1B2C3", ["a1b2c3"]),
        ("eBook", ["book", "ebook"]),
        ("utf8 k8s 2024", ["utf8", "k8s", "2024"]),
        ("PDFs CSVs", ["pdf", "csv"]),
        ("css dns", ["css", "dns"]),
        ("don't it's we'll you\u2019ve can't", []),
        ("user's t-test", ["user", "test"]),
        ("naïve Straße ÉTÉ", ["naïv", "strass", "été"]),
        ("ｆｕｌｌ ﬁle ①", ["full", "file", "1"]),  # noqa: RUF001 - the compatibility forms are the point
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("привет мир", ["привет", "мир"]),
        ("", []),
        ("--- !!! \n\t", []),
    ],
)
def test_words_are_folded_split_stopped_and_stemmed(text: str, tokens: list[str]) -> None:
    """Each row is a reading that people's queries rely on."""
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("部署应用程序", ["部署", "署应", "应用", "用程", "程序", *"部署应用程序"]),
        ("猫", ["猫"]),
        ("猫犬", ["猫犬", "猫", "犬"]),
        ("使用API测试", ["使用", "使", "用", "api", "测试", "测", "试"]),
        ("データ", ["デー", "ータ"]),
        ("ﾃﾞｰﾀ", ["デー", "ータ"]),
        ("한국어 문서", ["한국", "국어", "문서"]),
        ("ไทย", ["ไท", "ทย"]),
        ("𠀀𠀁𠀂", ["𠀀𠀁", "𠀁𠀂", *"𠀀𠀁𠀂"]),
        ("你好，世界", ["你好", "你", "好", "世界", "世", "界"]),  # noqa: RUF001 - a full-width comma, as people type it
    ],
)
def test_a_run_without_spaces_gives_pairs_and_han_characters(text: str, tokens: list[str]) -> None:
    """As one token an unbroken Chinese query would match nothing; a Han character is a word."""
    assert tokenize(text) == tokens


def test_a_camel_case_name_is_found_by_its_lower_case_spelling() -> None:
    """People write "github" for "GitHub"; the parts alone would miss it."""
    assert set(tokenize("github")) <= set(tokenize("GitHub"))


def test_stop_words_go_however_they_are_inflected() -> None:
    """A stem that is a stop word says as little as the stop word."""
    assert tokenize("The THE wants being ins") == []


def test_a_long_word_is_cut_at_a_character() -> None:
    """A vocabulary is 40 bytes wide; half a character would not decode."""
    (token,) = tokenize("я" * 30)
    assert token == "я" * 20
    (token,) = tokenize("1" + "я" * 30)
    assert token == "1" + "я" * 19


def test_a_hostile_run_is_read_in_bounded_pieces() -> None:
    """A megabyte without a space must not become one cached key."""
    assert tokenize("9" * 600) == ["9" * TOKEN_BYTES] * 3
    assert len(tokenize("猫" * 300)) == (255 + 256) + (43 + 44)


@law
@given(st.text())
def test_any_text_gives_tokens_that_fit_a_vocabulary(text: str) -> None:
    """Whatever a file holds, an index can be built from it."""
    tokens = tokenize(text)
    assert all(tokens)
    vocabulary, counts = count_matrix([tokens])
    assert counts.sum() == len(tokens)
    assert (lookup(vocabulary, tokens) >= 0).all()


# ---------------------------------------------------------------- vocabularies and matrices


def test_columns_are_in_byte_order_and_rows_in_document_order() -> None:
    """A sorted vocabulary is what makes a look-up a binary search."""
    vocabulary, counts = count_matrix([["é", "b", "b"], [], ["a", "é"]])
    assert [token.decode() for token in vocabulary.tolist()] == ["a", "b", "é"]
    assert vocabulary.dtype == f"S{TOKEN_BYTES}"
    assert counts.toarray().tolist() == [[0, 2, 1], [0, 0, 0], [1, 0, 1]]


def test_a_token_matrix_counts_shared_tokens() -> None:
    """Jaccard and affinity are read off M M^T."""
    matrix = token_matrix([["a", "b", "b", "c"], ["b", "c", "d"], []])
    assert (matrix @ matrix.T).toarray().tolist() == [[3, 2, 0], [2, 3, 0], [0, 0, 0]]


def test_no_documents_make_empty_matrices() -> None:
    """An empty library is refused elsewhere, in words; here it is merely empty."""
    assert token_matrix([]).shape == (0, 0)
    assert token_matrix([[], []]).shape == (2, 0)


def test_a_lookup_finds_each_known_token_and_no_other() -> None:
    """The first, the last, and what would stand before, between and after."""
    vocabulary, _ = count_matrix([["b", "d"]])
    assert lookup(vocabulary, ["a", "b", "c", "d", "e"]).tolist() == [-1, 0, -1, 1, -1]
    assert lookup(vocabulary[:0], ["a"]).tolist() == [-1]
    assert lookup(vocabulary, []).tolist() == []


def test_a_token_wider_than_the_vocabulary_is_refused() -> None:
    """Cut silently, it would match another token."""
    assert lookup(count_matrix([["x" * 40]])[0], ["x" * 40]).tolist() == [0]
    with pytest.raises(ValueError, match="is 41 bytes long: cut tokens to 40 bytes"):
        count_matrix([["ok", "x" * 41]])
    with pytest.raises(ValueError, match="41 bytes"):
        lookup(count_matrix([["a"]])[0], ["x" * 41])


# ---------------------------------------------------------------- BM25


def oracle(documents: Sequence[Sequence[str]], query: Sequence[str], k1: float, b: float) -> list[float]:
    """BM25 as its equation reads, one term and one document at a time."""
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        score = 0.0
        for token in query:
            tf, df = document.count(token), sum(token in other for other in documents)
            if tf:
                idf = log(1 + (len(documents) - df + 0.5) / (df + 0.5))
                score += idf * tf / (tf + k1 * (1 - b + b * len(document) / mean))
        scores.append(score)
    return scores


def test_a_score_worked_out_by_hand() -> None:
    """N = 4, mean length 9/4; "boil" has df 2: idf = log(1 + 2.5 / 2.5), and tf 2 in a text of length 3."""
    scores = Bm25Index.fit(DOCUMENTS).scores(["boil"])
    assert scores == pytest.approx([log(2) * 2 / 3.5, log(2) / (1 + 1.2 * (0.25 + 0.75 * 8 / 9)), 0, 0])


@law
@given(documents_of_few_tokens, queries)
def test_scores_are_those_of_the_equation(documents: list[list[str]], query: list[str]) -> None:
    """Every weight is computed at build time; a query only adds them up."""
    if not any(documents):
        documents = [["a"]]
    assert Bm25Index.fit(documents).scores(query) == pytest.approx(
        oracle(documents, query, 1.2, 0.75), rel=1e-6
    )
    index = Bm25Index.fit(documents, k1=0.4, b=0.0)
    assert index.scores(query) == pytest.approx(oracle(documents, query, 0.4, 0.0), rel=1e-6)


@law
@given(documents_of_few_tokens, queries, st.integers(0, 99))
def test_order_changes_nothing(documents: list[list[str]], query: list[str], seed: int) -> None:
    """Neither the order of documents nor that of the query, to the last bit."""
    order = np.random.default_rng(seed).permutation(len(documents))
    index, shuffled = Bm25Index.fit(documents), Bm25Index.fit([documents[at] for at in order])
    np.testing.assert_array_equal(shuffled.scores(query[::-1]), index.scores(query)[order])
    np.testing.assert_array_equal(shuffled.coverage(query[::-1]), index.coverage(query)[order])


def test_a_token_asked_twice_counts_twice() -> None:
    """As the sum over the query's tokens says."""
    index = Bm25Index.fit(DOCUMENTS)
    twice = index.scores(["egg", "boil", "egg"])
    np.testing.assert_allclose(twice, 2 * index.scores(["egg"]) + index.scores(["boil"]))


def test_coverage_is_the_idf_weighted_share_of_distinct_tokens() -> None:
    """N = 4: idf is log 2 at df 2, log(10/3) at df 1, log 10 for an unknown token."""
    coverage = Bm25Index.fit(DOCUMENTS).coverage(["boil", "water", "boil", "zebra"])
    whole = log(2) + log(10 / 3) + log(10)
    assert coverage == pytest.approx([(log(2) + log(10 / 3)) / whole, log(2) / whole, 0, 0])


@law
@given(documents_of_few_tokens, queries)
def test_coverage_is_a_share_and_one_exactly_for_a_document_that_has_all(
    documents: list[list[str]], query: list[str]
) -> None:
    """A threshold at 1 must mean "contains every word"; rounding must not pass it."""
    coverage = Bm25Index.fit(documents).coverage(query)
    assert ((coverage >= 0) & (coverage <= 1)).all()
    complete = [bool(query) and set(query) <= set(document) for document in documents]
    assert (coverage == 1).tolist() == complete


@pytest.mark.parametrize("query", [[], ["zebra"]])
def test_a_query_without_a_known_token_scores_nothing(query: list[str]) -> None:
    """Zeros of the right shape and type, not an error."""
    index = Bm25Index.fit(DOCUMENTS)
    for values in (index.scores(query), index.coverage(query)):
        assert values.dtype == np.float64
        assert values.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("documents", [[], [[]], [[], []]])
def test_documents_without_tokens_make_an_index(documents: list[list[str]]) -> None:
    """A library of files that say nothing can be indexed and matches nothing."""
    index = Bm25Index.fit(documents)
    assert index.scores(["a"]).tolist() == [0] * len(documents)
    assert index.coverage(["a"]).tolist() == [0] * len(documents)


@pytest.mark.parametrize(
    "constants",
    [{"k1": -0.1}, {"k1": float("nan")}, {"k1": float("inf")}, {"b": -0.1}, {"b": 1.1}, {"b": float("nan")}],
)
def test_constants_out_of_range_are_refused(constants: dict[str, float]) -> None:
    """Never clipped: a wrong number is a mistake to hear about."""
    with pytest.raises(ValueError, match="k1 must be finite and >= 0, b within"):
        Bm25Index.fit(DOCUMENTS, **constants)


def test_constants_at_their_bounds_are_used() -> None:
    """k1 = 0 ignores repetitions; b = 1 discounts fully by length."""
    flat = Bm25Index.fit(DOCUMENTS, k1=0.0, b=1.0).scores(["boil"])
    assert flat == pytest.approx([log(2), log(2), 0, 0])
    assert Bm25Index.fit(DOCUMENTS, b=1.0).scores(["boil"]) == pytest.approx(
        oracle(DOCUMENTS, ["boil"], 1.2, 1.0)
    )


@pytest.mark.parametrize("length", [255, 256, 257])
@pytest.mark.parametrize("tail", ["", "++", "#", "\u0301", "\u00e9", " b", "_b", "\u732b"])
def test_a_plain_word_is_cut_like_any_other(length: int, tail: str) -> None:
    """Words of plain letters take a short cut; one letter of another kind before them takes it away."""
    word = "q" * length + tail
    other = "\u00e9" + word[1:]
    assert tokenize(word)[1:] == tokenize(other)[1:]
    assert len(tokenize(word)) == len(tokenize(other))


@law
@given(
    st.lists(st.text(st.characters(exclude_categories=["M"]), max_size=20)), st.sampled_from(" \n.,_-/|\x1f")
)
def test_signs_of_ascii_part_words(words: list[str], sign: str) -> None:
    """A text may be cut there before anything else is done with it."""
    assert tokenize(sign.join(words)) == [token for word in words for token in tokenize(word)]


def test_an_index_survives_being_written_and_mapped_read_only(tmp_path: Path) -> None:
    """A query opens the arrays of a workspace without reading or copying them."""
    index = Bm25Index.fit(DOCUMENTS)
    for name, array in index.arrays().items():
        np.save(tmp_path / name, array, allow_pickle=False)
    mapped = {path.stem: np.load(path, mmap_mode="r") for path in tmp_path.iterdir()}
    again = Bm25Index.from_arrays(mapped)
    query = ["egg", "boil", "zebra"]
    np.testing.assert_array_equal(again.scores(query), index.scores(query))
    np.testing.assert_array_equal(again.coverage(query), index.coverage(query))
    assert again.n_documents == len(DOCUMENTS)
    assert {name: array.dtype for name, array in again.arrays().items() if name in ("rows", "weights")} == {
        "rows": np.dtype(np.int32),
        "weights": np.dtype(np.float32),
    }
