"""TF-IDF is held to its equation by hand-computed rows and a brute-force oracle."""

from collections.abc import Sequence
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caskg.library.tfidf import TfidfModel, character_ngrams

documents_of_few_tokens = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=6)


def oracle(documents: Sequence[Sequence[str]], document: Sequence[str]) -> dict[bytes, float]:
    """One row as its equation reads."""
    known = {token for other in documents for token in other}
    weights = {}
    for token in known & set(document):
        df = sum(token in other for other in documents)
        idf = 1 + log((1 + len(documents)) / (1 + df))
        weights[token.encode()] = (1 + log(document.count(token))) * idf
    length = sqrt(sum(weight**2 for weight in weights.values()))
    return {token: weight / length for token, weight in weights.items()}


def test_a_row_worked_out_by_hand() -> None:
    """N = 2: "a" has df 1, idf 1 + log(3/2); "b" has df 2, idf 1; twice "b" weighs 1 + log 2."""
    model = TfidfModel.fit([["a", "b"], ["b"]])
    terms, weights = model.row(["b", "unknown", "a", "b"])
    a, b = 1 + log(1.5), 1 + log(2)
    assert terms.tolist() == [0, 1]
    assert weights == pytest.approx(np.array([a, b]) / sqrt(a * a + b * b))


@settings(deadline=None, max_examples=60)
@given(documents_of_few_tokens, st.lists(st.sampled_from("abcdefgh"), max_size=8))
def test_rows_are_those_of_the_equation(documents: list[list[str]], document: list[str]) -> None:
    """Unknown tokens weigh nothing; what is left is a unit row, in the order of the vocabulary."""
    model = TfidfModel.fit(documents)
    terms, weights = model.row(document)
    found = dict(zip(model.vocabulary[terms].tolist(), weights.tolist(), strict=True))
    assert found == pytest.approx(oracle(documents, document))
    assert terms.tolist() == sorted(terms.tolist())


def test_the_matrix_has_the_rows() -> None:
    """`transform` is `row` for many, an empty document a row of zeros."""
    model = TfidfModel.fit([["a", "b"], ["b"]])
    matrix = model.transform([["b"], [], ["x"], ["a", "b"]])
    assert matrix.shape == (4, 2)
    terms, weights = model.row(["a", "b"])
    assert matrix.toarray()[3, terms].tolist() == weights.tolist()
    assert matrix.toarray()[:3].tolist() == [[0, 1], [0, 0], [0, 0]]
    assert model.transform([]).shape == (0, 2)


def test_the_vocabulary_keeps_the_most_widespread_terms_and_breaks_ties_by_byte_order() -> None:
    """Most widespread means in most documents: "d" stands most often, but in one only."""
    documents = [["c", "b", "d", "d", "d"], ["c", "a"], ["c", "b", "e"]]
    for size, kept in [
        (1, [b"c"]),
        (2, [b"b", b"c"]),
        (3, [b"a", b"b", b"c"]),
        (9, [b"a", b"b", b"c", b"d", b"e"]),
    ]:
        model = TfidfModel.fit(documents, max_terms=size)
        assert model.vocabulary.tolist() == kept
    full = TfidfModel.fit(documents)
    cut = TfidfModel.fit(documents, max_terms=2)
    assert cut.idf.tolist() == full.idf[[1, 2]].tolist()


def test_no_terms_at_all_make_a_model() -> None:
    """A library in which no text has a token."""
    model = TfidfModel.fit([[], []])
    assert model.row(["a"])[0].tolist() == []
    assert model.transform([["a"]]).shape == (1, 0)


def test_a_vocabulary_without_room_is_refused() -> None:
    """It could only encode everything as nothing."""
    with pytest.raises(ValueError, match="max_terms must be at least 1; got 0"):
        TfidfModel.fit([["a"]], max_terms=0)


def test_arrays_round_trip() -> None:
    """What a workspace stores is all there is."""
    model = TfidfModel.fit([["a", "b"], ["b"]])
    again = TfidfModel.from_arrays(model.arrays())
    assert again.row(["a", "b"])[1].tolist() == model.row(["a", "b"])[1].tolist()


def test_character_ngrams_are_the_threes_and_fours_of_each_padded_word() -> None:
    """The padding tells the beginning "car" of "cart" from the end of "scar"."""
    assert character_ngrams(["cart"]) == [" ca", "car", "art", "rt ", " car", "cart", "art "]
    assert character_ngrams(["a", "部署"]) == [" a ", " 部署", "部署 ", " 部署 "]
    assert character_ngrams([]) == []
