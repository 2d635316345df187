"""Names and descriptions that a template came with and nobody has replaced."""

import re
from typing import Literal

_SLOT = r"<[^<>]+>|\[[^\[\]]+\]|\{\{?[^{}]*\}?\}"
_ASKS = r"insert|your|describe|specific|triggering|what|when|add|one[- ]line|brief|short|expert in"
_PATTERNS = {
    "name": re.compile(
        rf"{_SLOT}|(?:my-|your-|the-|new-|sample-|example-)?skill(?:-name|-template|-\d+)?"
        r"|(?:your-)?name|template(?:-skill)?|untitled(?:-skill)?|todo|tbd|xxx",
        re.IGNORECASE,
    ),
    "description": re.compile(
        rf"(?:{_SLOT}|\[?(?:todo|tbd|fixme|xxx)\b.*|lorem ipsum.*|\.\.\."
        r"|(?:your |a |the |insert |add |enter |write )*(?:brief |short |clear |skill )*description"
        r"(?: of (?:what )?(?:the|this|your) skill(?: does)?)?(?: goes)?(?: here)?"
        r"|replace (?:this )?with (?:a |your )*description.*)[.!]?"
        rf"|.*[\[<](?:{_ASKS})\b[^\[\]<>]*\s[^\[\]<>]*[\]>].*",
        re.IGNORECASE | re.DOTALL,
    ),
}


def is_placeholder(key: Literal["name", "description"], value: str) -> bool:
    """Whether a value is template text as a whole, or has a slot that asks to be filled.

    >>> is_placeholder("name", "skill-name"), is_placeholder("name", "name-a-skill")
    (True, False)
    >>> is_placeholder("description", "Your description here."), is_placeholder("description", "[a] is b")
    (True, False)
    """
    return _PATTERNS[key].fullmatch(value) is not None
