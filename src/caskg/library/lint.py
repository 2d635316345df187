"""All that can be said of a folder of skills, without building anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from caskg.library.duplicates import near_duplicates
from caskg.library.parse import in_order, read_library
from caskg.library.scan import Scan, scan
from caskg.library.strict import strict_findings
from caskg.schema import Diagnostic, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class LintReport:
    """What was found, sorted by path, line and code, and how many files were read."""

    n_files: int
    diagnostics: tuple[Diagnostic, ...]

    def count(self, severity: Severity) -> int:
        """Return how many findings are that bad."""
        return sum(found.severity is severity for found in self.diagnostics)


def lint(roots: Sequence[Path], *, strict: bool = False) -> LintReport:
    """Check the skills below *roots*.

    Args:
        roots: As for a build.
        strict: Also report, as errors, what the format's reference validator refuses.

    Raises:
        LibraryError: No root was given, one does not exist, or one holds no SKILL.md.
    """
    found = scan(roots)
    library = read_library(found)
    diagnostics = [*library.diagnostics, *near_duplicates(library.skills)]
    if strict:
        diagnostics = _raised(diagnostics, _strict(found))
    return LintReport(n_files=len(found.files), diagnostics=in_order(diagnostics))


def _strict(found: Scan) -> list[Diagnostic]:
    return [each for file in found.files for each in strict_findings(file.data, path=file.path)]


def _raised(lenient: Sequence[Diagnostic], strict: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Put what the strict reader refuses in the place of what was said of the same thing."""
    said = {(each.path, each.code) for each in strict}
    return [*strict, *(each for each in lenient if (each.path, each.code) not in said)]
