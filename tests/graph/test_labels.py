"""Labels by authors, and labels as pairs of positions."""

from caskg.graph.labels import author_labels, labelled_pairs
from caskg.schema import Label, LabelSource, ReferenceKind, ResolvedReference, Verdict
from factories import make_skill

BOIL, BREW, PEEL = (make_skill(name) for name in ("boil", "brew", "peel"))


def reference(kind: ReferenceKind) -> ResolvedReference:
    return ResolvedReference(source=0, target=1, kind=kind, evidence="caskg-requires: boil")


def test_only_what_is_declared_is_a_label() -> None:
    """It confirms, on the texts of today, with the words of the author."""
    others = [reference(kind) for kind in ReferenceKind if kind is not ReferenceKind.DECLARED]
    (label,) = author_labels([BOIL, BREW], [*others, reference(ReferenceKind.DECLARED)])
    assert label == Label(
        source=BOIL.id,
        target=BREW.id,
        verdict=Verdict.CONFIRM,
        given_by=LabelSource.AUTHOR,
        source_hash=BOIL.content_hash,
        target_hash=BREW.content_hash,
        note="caskg-requires: boil",
    )


def test_a_label_on_a_skill_that_is_gone_is_no_pair() -> None:
    """Either end; the others stand in their order."""
    (label,) = author_labels([BOIL, BREW], [reference(ReferenceKind.DECLARED)])
    assert labelled_pairs([PEEL, BREW, BOIL], [label]).tolist() == [[2, 1]]
    assert labelled_pairs([BOIL, PEEL], [label]).shape == (0, 2)
    assert labelled_pairs([BREW, PEEL], [label]).shape == (0, 2)
