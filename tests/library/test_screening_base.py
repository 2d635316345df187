"""Which rules may fit a text is what a search for each of their words would say."""

from hypothesis import given
from hypothesis import strategies as st

from caskg.library.screening_base import View
from caskg.library.screening_commands import COMMANDS
from caskg.library.screening_rules import SPEECH, SPEECH_IN_ALL_SCRIPTS

ALL = (COMMANDS, SPEECH, SPEECH_IN_ALL_SCRIPTS)
WORDS = sorted({word for rules in ALL for rule in rules for group in rule.words for word in group})


@given(
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=9)), max_size=12),
    st.sampled_from(["", " ", "\n"]),
)
def test_a_rule_fits_where_one_word_of_each_group_stands(words: list[str], between: str) -> None:
    """Within other words too, at the beginning and the end, and in any script."""
    text = between.join(words)
    for rules in ALL:
        searched = [
            rule for rule in rules if all(any(word in text for word in group) for group in rule.words)
        ]
        assert list(rules.fitting(View(text))) == searched
