"""What screening reports of a text."""

from caskg.library.diagnostics import Findings
from caskg.library.screening import screen


def codes(text: str) -> list[str]:
    """Return the codes of all that is found, in order."""
    findings = Findings("a/SKILL.md")
    screen(text, findings)
    return [found.code for found in findings.all()]
