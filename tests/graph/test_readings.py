"""What counts as an answer, and what does not."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caskg.graph.prompts import SCORES
from caskg.graph.readings import UNFINISHED, Reading, expected_score, read_score
from caskg.schema import ChatAnswer
from graph.llm_cases import said


@pytest.mark.parametrize(("written", "score"), SCORES.items())
def test_every_offered_score_is_read(written: str, score: float) -> None:
    """As text, as a number, within a block of code, with space around."""
    for text in (
        said(written),
        f'{{"score": {written}}}',
        f" {said(written)}\n",
        f"```json\n{said(written)}\n```",
    ):
        assert read_score(text) == Reading(score=score), text


def test_the_scores_are_eleven_tenths() -> None:
    """0, 0.1 ... 1."""
    assert list(SCORES) == ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"]
    assert list(SCORES.values()) == [tenth / 10 for tenth in range(11)]


def test_a_number_may_be_written_with_a_point() -> None:
    """1.0 is the number 1."""
    assert read_score('{"score": 1.0}').score == 1.0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"score": "0.75"}', 'The score "0.75" is none of those that were offered.'),
        ('{"score": "1.0"}', 'The score "1.0" is none of those that were offered.'),
        ('{"score": 0.55}', "The score 0.55 is none of those that were offered."),
        ('{"score": 0.70000001}', "The score 0.70000001 is none of those that were offered."),
        ('{"score": -0.1}', "The score -0.1 is none of those that were offered."),
        ('{"score": 10}', "The score 10 is none of those that were offered."),
        ('{"score": true}', "The score true is none of those that were offered."),
        ('{"score": null}', "The score null is none of those that were offered."),
        ('{"score": NaN}', "The score NaN is none of those that were offered."),
        ('{"score": ["1"]}', 'The score ["1"] is none of those that were offered.'),
        ('{"score": {"score": "1"}}', 'The score [["score", "1"]] is none of those that were offered.'),
        ('{"score": "cannot tell"}', "The model cannot tell."),
        ('{"score": "1"} it is', 'The answer is no JSON: {"score": "1"} it is.'),
        ('{"score": "0"}\n{"score": "1"}', 'The answer is no JSON: {"score": "0"} {"score": "1"}.'),
        ('Of {A, B} so: {"score": "1"}', 'The answer is no JSON: {A, B} so: {"score": "1"}.'),
        ('<think>{"score": "1"}</think>', "The answer is no JSON: ."),
        ('<think>{"score": "1"}</think>No idea.', "The answer is no JSON: No idea.."),
        ('{"score": "1"', 'The answer is no JSON: {"score": "1".'),
        ("", "The answer is no JSON: ."),
        ("x" * 60, f"The answer is no JSON: {'x' * 60}."),
        ("a\nb " + "x" * 100, "The answer is no JSON: a b " + "x" * 56 + "...."),
    ],
)  # fmt: skip
def test_anything_else_is_missing_with_its_reason(text: str, reason: str) -> None:
    """Never 0.5."""
    assert read_score(text) == Reading(missing_reason=reason)


@pytest.mark.parametrize(
    "before",
    [
        "The score: ",
        "I compare both.\n\n",
        '<think>Is it {1}, or\n{"score": "0"}?</think>\n\n',
        "Hm. So 0?</think>\n",  # the template opened it
        "<thinking>a</thinking><reasoning>b {}</reasoning>",
        "<THINK>a < b</THINK>",
        "[THINK]a[/THINK]",
        "◁think▷a◁/think▷",
        "<think></think>",
        "<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>",
    ],
)
def test_an_answer_is_found_after_what_leads_up_to_it(before: str) -> None:
    """With a block of code around it or without; a score that was thought of is none."""
    for text in (
        f"{before}{said('0.7')}",
        f"{before}\n```json\n{said('0.7')}\n```\n",
        f"{before}```{said('0.7')}```",
    ):
        assert read_score(text) == Reading(score=0.7), text


@pytest.mark.parametrize(
    "text",
    ["<think>Hm", f"<think>Is it {said('1')}", f"<think>a</think><reasoning>{said('1')}", "[THINK]\n{"],
)
def test_a_thought_without_end_is_no_answer(text: str) -> None:
    """Not even where it is cut just after a score."""
    assert read_score(text) == Reading(missing_reason=UNFINISHED)
    assert expected_score(ChatAnswer(text=text, token_logprobs=(((text, 0.0),),))).score is None


@pytest.mark.parametrize(
    "text",
    [
        '{"score": "1", "why": "so"}',
        '{"score": "0", "score": "1"}',
        '{"Score": "1"}',
        "{}",
        "[]",
        '[["score", "1"]]',
        '"score"',
        "0.7",
    ],
)
def test_another_shape_is_missing(text: str) -> None:
    """One field, once, and nothing beside it."""
    assert read_score(text).missing_reason == f"The answer is no object with a score alone: {text}."


@given(st.text())
def test_no_text_ends_the_reader(text: str) -> None:
    """It has a score or a reason, exactly one of them."""
    for wrapped in (text, json.dumps({"score": text}), f'{{"score": {text}}}'):
        reading = read_score(wrapped)
        assert (reading.score is None) == (reading.missing_reason is not None)


def test_nesting_without_end_is_no_json() -> None:
    """Python's reader gives up with an error of its own."""
    assert "no JSON" in str(read_score("[" * 200_000).missing_reason)


Place = tuple[tuple[str, float], ...]


def answer(score: str, *places: dict[str, float], head: str = '{"score": "', tail: str = '"}') -> ChatAnswer:
    """Return an answer with the probability of each token, the chosen one first."""
    logprobs = (
        ((head, 0.0),),
        *(tuple((token, math.log(p)) for token, p in place.items()) for place in places),
        ((tail, 0.0),),
    )
    return ChatAnswer(text=head + score + tail, token_logprobs=logprobs)


def test_the_expected_score_weighs_the_alternatives() -> None:
    """0.8 with .75, and 0.2 with .25: .8 * .75 + .2 * .25 = .65."""
    one_token = answer("0.8", {"0.8": 0.75, "0.2": 0.25})
    assert expected_score(one_token).score == pytest.approx(0.65)


def test_a_score_of_several_tokens_is_a_path() -> None:
    """0 (.8, else 1), then the point (1), then 7 (.5, else 3): .2 * 1 + .8 * .5 * .7 + .8 * .5 * .3."""
    path = answer("0.7", {"0": 0.8, "1": 0.2}, {".": 1.0}, {"7": 0.5, "3": 0.5})
    assert expected_score(path).score == pytest.approx(0.2 + 0.28 + 0.12)


def test_an_alternative_that_may_become_several_scores_is_parted_among_them() -> None:
    """Instead of 1 (.5) a 0 that nobody went on from: 0, 0.1 ... 0.9, on average .45."""
    assert expected_score(answer("1", {"1": 0.5, "0": 0.5})).score == pytest.approx(0.5 + 0.225)


def test_an_alternative_that_closes_the_value_is_that_score() -> None:
    """After 0 a quotation mark (.25) in the place of the point: the score 0."""
    closed = answer("0.9", {"0": 1.0}, {".": 0.75, '"': 0.25}, {"9": 1.0})
    assert expected_score(closed).score == pytest.approx(0.9 * 0.75)


def test_what_might_have_followed_a_whole_score_counts() -> None:
    """0 was closed (.75), and might have gone on to 0.1 ... 0.9 (.25), on average .5."""
    places = {'"}': 0.75, ".": 0.25}
    closing = tuple((token, math.log(p)) for token, p in places.items())
    zero = ChatAnswer(text=said("0"), token_logprobs=((('{"score": "', 0.0),), (("0", 0.0),), closing))
    assert expected_score(zero).score == pytest.approx(0.125)


def test_a_token_may_begin_before_the_value() -> None:
    """As where the quotation mark and the digit are one; another beginning is no score."""
    glued = ChatAnswer(
        text=said("0.4"),
        token_logprobs=(
            (('{"score": ', 0.0),),
            (
                ('"0.4', math.log(0.5)),
                ('"0.6', math.log(0.25)),
                ("0.6", math.log(0.2)),
                ('"', math.log(0.05)),
            ),
            (('"}', 0.0),),
        ),
    )
    assert expected_score(glued).score == pytest.approx((0.4 * 0.5 + 0.6 * 0.25) / 0.75)


def test_what_is_no_score_has_no_part_in_the_mean() -> None:
    """Neither "cannot tell" nor letters."""
    assert expected_score(answer("0.8", {"0.8": 0.5, "cannot": 0.4, "x": 0.1})).score == 0.8


@pytest.mark.parametrize("kept", ["", '<think>Is it {"score": "1"}?</think>\n', "The score: \n"])
def test_the_probabilities_are_those_of_the_answer_and_not_of_a_thought(kept: str) -> None:
    """Whether a server leaves thoughts in the text or keeps them apart, it may give their tokens too."""
    thought = (("<think>",), ("Is it ",), ('{"score": "',), ("1",), ('"}?',), ("</think>",), ("\n",))
    places = answer("0.8", {"0.8": 0.75, "0.2": 0.25}).token_logprobs
    of_thoughts = tuple(((token, -2.0), ("0.1", -0.1)) for (token,) in thought)
    for before in (of_thoughts, (((kept, -1.0),),), ()):
        found = ChatAnswer(
            text=kept + said("0.8"), token_logprobs=(*before, *places, (("<|im_end|>", -3.0),))
        )
        assert expected_score(found).score == pytest.approx(0.65)


def test_a_token_may_reach_from_the_words_before_into_the_answer() -> None:
    """It is compared from its own beginning."""
    first, second = ((':\n{"score": "0.4', 0.5), (':\n{"score": "0.6', 0.5))
    glued = tuple((token, math.log(p)) for token, p in (first, second))
    found = ChatAnswer(text=f"So:\n{said('0.4')}", token_logprobs=((("So", 0.0),), glued, (('"}', 0.0),)))
    assert expected_score(found).score == pytest.approx(0.5)


@pytest.mark.parametrize(
    "places",
    [
        ((("other", 0.0), ("0.2", -1.0)),),  # not the tokens of this answer
        ((), (('{"score": "0.8"}', 0.0),)),  # one that could not be read
        ((('{"score": "', 0.0),), (("0.8", -9999.0),), (('"}', 0.0),)),  # forced by a grammar
    ],
)
def test_where_the_probabilities_say_nothing_the_written_score_stands(places: tuple[Place, ...]) -> None:
    """Rather than an error, or a mean of something else."""
    assert expected_score(ChatAnswer(text=said("0.8"), token_logprobs=places)) == Reading(score=0.8)


def test_without_probabilities_it_is_the_score_that_was_written() -> None:
    """And an unreadable answer stays missing, whatever the probabilities."""
    assert expected_score(ChatAnswer(text=said("0.3"))) == Reading(score=0.3)
    assert expected_score(answer("cannot tell", {"cannot tell": 0.6, "1": 0.4})).score is None
    assert expected_score(ChatAnswer(text=None, error="gone")).score is None
