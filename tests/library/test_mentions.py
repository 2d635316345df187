"""Mentions: what names a skill, and what the words around it say."""

from dataclasses import replace

import pytest

from caskg.library.headings import Topic, topic_of
from caskg.library.mentions import Passage, name_key, names_in
from caskg.schema import Reference, ReferenceKind, ReferenceRole, Section
from factories import make_skill

KNOWN = {"x-y", "a-b", "c-d", "pdf", "landing-page-generator"}
MENTION, NEED, USE, NEXT = ReferenceRole
CONTRAST = None


def names(text: str, topic: Topic | None = None) -> list[str]:
    return [key for key, _ in Passage(text, topic).names(KNOWN)]


def said_of(key: str, text: str, topic: Topic | None = None) -> list[ReferenceRole | None]:
    found = [reference for name, reference in Passage(text, topic).names(KNOWN) if name == key]
    return [None if said.kind is ReferenceKind.CONTRAST else said.role for said in found]


def links(text: str, topic: Topic | None = None) -> list[Reference]:
    return list(Passage(text, topic).links())


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    "text",
    [
        "it is `x-y` here",
        "it is **x-y** here",
        "it is **`X-Y`:** here",
        "it is @x-y here",
        "it is /x-y here",
        "it is `/x-y` here",
        "it is [[x-y]] here",
        "the x-y skill",
        "it has X-Y skills",
        "use x-y for it",
        "(see x-y)",
        "go through x-y",
        "load the x-y",
        "- x-y: does it",
        "- x-y",
        "x-y must come before it",
        "| a | x-y | b |",
        "x-y, a-b and c-d first",
    ],
)
def test_joined_words_that_name_a_skill(text: str) -> None:
    """Marked, said to be a skill, pointed at, or at the head of an entry."""
    assert names(text)[:1] == ["x-y"]


@pytest.mark.parametrize(
    "text",
    [
        "an x-y palette",
        "we x-y the budget",
        "X-Y at the head",
        "- x-y palettes are nice",
        "run scripts/x-y now",
        "run x-y.py now",
        "run x-y/ now",
        "see https://e.org/x-y",
        "see e.org/@x-y/z",
        "use --x-y now",
        "use x-y-z now",
        "use a-x-y now",
        "use x-y(1)",
        "use x-y=1",
        "use x-y:latest",
        "use me@x-y",
        "`npm run x-y`",
        "```\nuse x-y\n```",
        "~~~\n`x-y`",
    ],
)
def test_joined_words_that_do_not(text: str) -> None:
    """Ordinary words, paths, files, addresses, options, code."""
    assert names(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "use the pdf skill",
        "the `pdf` skill",
        "the skill `pdf`",
        "skills: **pdf**, `x-y`",
        "[[pdf]]",
        "ask @pdf",
        "Run `pdf` first.",
        "Requires **pdf**.",
        "then hand over to `pdf`",
        "Not for tables: use `pdf`.",
    ],
)
def test_a_single_word_names_a_skill_where_the_text_says_so(text: str) -> None:
    """Otherwise `go`, `build` and `search` would be skills everywhere."""
    assert names(text)[:1] == ["pdf"]


@pytest.mark.parametrize(
    "text", ["use `pdf` here", "**Pdf:** a format", "a pdf", "skills that read any `pdf`", "/pdf"]
)
def test_a_single_word_is_a_word_elsewhere(text: str) -> None:
    """Also where a skill is spoken of further away."""
    assert names(text) == []


def test_among_related_skills_a_single_word_at_the_head_is_a_name() -> None:
    """Or after the words that lead the list in; not in what is said about another."""
    assert names("- `pdf` - reads", Topic.RELATED) == ["pdf"]
    assert names("- **pdf**: reads", Topic.RELATED) == ["pdf"]
    assert names("Works well with: `x-y`, `pdf`", Topic.RELATED) == ["x-y", "pdf"]
    assert names("- `x-y` - reads any `pdf` there is", Topic.RELATED) == ["x-y"]
    assert names("- `pdf` - reads", Topic.INPUTS) == []


def test_a_name_with_spaces_is_a_phrase() -> None:
    """It counts as a single word does."""
    assert names("the **Landing Page Generator** skill") == ["landing-page-generator"]
    assert names("a **Landing Page Generator**") == []


def test_the_label_of_a_link_is_left_to_the_link() -> None:
    """The path says who is meant, even where the label says another."""
    assert names("see [x-y](../a-b/SKILL.md) and [`x-y`](x/SKILL.md)") == []
    assert names("see [`x-y`](https://e.org)") == ["x-y"]


def test_a_name_repeated_without_end_is_heard_thirty_times() -> None:
    """A file of a megabyte must not take minutes."""
    assert len(names("`x-y`\n\n" * 40 + "`a-b`")) == 31


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("X-y", "x-y"),
        (" `a b` ", "a-b"),
        ("a_b", "a_b"),
        ("Cafe\u0301", "café"),
        ("x/SKILL.md", "x"),
        ("STRASSE", "strasse"),
    ],
)
def test_the_key_of_a_name(name: str, key: str) -> None:
    """Case, markup, kind of space and Unicode form do not matter."""
    assert name_key(name) == key


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    "text",
    [
        "Run `x-y` first.",
        "First, run `x-y`.",
        "Run `x-y` and `a-b` first.",
        "`a-b`, `x-y`, and `c-d` must come before this.",
        "Read [it] in `x-y` for the basics first, then go on.",
        "Use `x-y` before you start.",
        "Clean it with `x-y` beforehand.",
        "This requires `x-y`.",
        "It needs the output of `x-y`.",
        "Depends on: `x-y`",
        "After running the `x-y` skill, come back.",
        "Once `x-y` has finished, go on.",
        "This builds on `a-b` and `x-y`.",
        "The table, as produced by `x-y`.",
        "The number that tells what `x-y` did.",
        "Means come from `x-y`.",
        "`x-y` is required.",
        "See `x-y`; do that first, since it is dirty.",
        "- `x-y`: use before this one",
        "Not for raw data; clean it with `x-y` first.",
        "Run `x-y` first if there is none.",
    ],
)
def test_needs(text: str) -> None:
    """T7, T8: what has to come before, whichever side the word stands on."""
    assert said_of("x-y", text) == [NEED]


@pytest.mark.parametrize(
    "text",
    [
        "Then run `x-y`.",
        "Next: `x-y`",
        "This is followed by `x-y`.",
        "When done, hand over to `x-y`.",
        "Hand the result off to `x-y`.",
        "Pass it on to the `x-y` skill.",
        "Carry on with `x-y` directly.",
        "Go on with `x-y`.",
        "Continue with `a-b` and `x-y`.",
        "After that, use `x-y`.",
        "Afterwards, `x-y`.",
        "Run this before `x-y`.",
        "It feeds into `x-y`.",
        "Its table is input for `x-y`.",
        "The result is used by `x-y`.",
        "`x-y` comes next.",
        "`x-y` takes over.",
        "`x-y` needs this.",
        "`x-y` needs this first.",
        "`x-y` cannot start until this is done.",
        "`x-y` must not run before this.",
        "`x-y` reads the report this makes.",
        "Never run `x-y` before this.",
        "Wash it, `x-y` afterwards.",
        "- `x-y`: use after the draft is there",
        "Prepares for `x-y`.",
    ],
)
def test_what_comes_next(text: str) -> None:
    """Here the mentioned skill is the one that depends."""
    assert said_of("x-y", text) == [NEXT]


@pytest.mark.parametrize(
    "text",
    [
        "Not for outages; use `x-y`.",
        "Not for outages, use `x-y` for those first.",
        "NOT for sheets (use `x-y`).",
        "Do not use for sheets. Use `x-y`.",
        "Don't use for sheets. For these, `x-y` is there.",
        "Use `x-y` instead.",
        "Use this instead of `x-y`.",
        "Rather than `x-y`, take this.",
        "Unlike `x-y`, it is quick.",
        "An alternative to `x-y`.",
        "Do not use `x-y`.",
        "Compared with `a-b` or `x-y` it is slow.",
        "Certificates expire: for those take `x-y`.",
        "Ordinary meetings belong in `x-y`.",
        "That is work for `x-y`.",
        "- `x-y` - alternative with more options",
        "- `x-y`: use when writing; NOT for planning.",
        "For API keys use `x-y` instead.",
    ],
)
def test_contrasts(text: str) -> None:
    """T9: "not for X, use Y" is never a need."""
    assert said_of("x-y", text) == [CONTRAST]


@pytest.mark.parametrize(
    "text",
    [
        "Make the invitation with `x-y`.",
        "See `x-y`.",
        "Not for soup. It is good with `x-y`.",
        "It is next to `x-y`.",
        "Use `x-y` instead of guessing.",
        "`x-y`: the first experience of a user",
        "`x-y` - Next.js patterns",
        "Run `a-b`, then `x-y`.",
        "`a-b` requires `x-y`.",
        "The black is gone first. See `x-y`.",
        "| `x-y` | Test first |",
        "run it first\n- `x-y`",
        "run it first\n\n`x-y`",
        "\u274c Run `x-y` first",
        "\U0001f6ab `x-y` first",
        "Don't:\n\n- run `x-y` first",
        "Anti-pattern: run `x-y` first.",
        "**Bad:** run `x-y` first.",
        "Wrong: `x-y` first.",
        "Running `x-y` first would be a mistake.",
        "You may want to run `x-y` first.",
        "I doubt you need `x-y`.",
        "Only if the pieces are wet, run `x-y` first.",
        "Only when it rains, run `x-y` first.",
        "It is a common misconception that `x-y` is required.",
    ],
)
def test_bare_mentions(text: str) -> None:
    """Words about something else, about another skill, of another sentence, entry or cell."""
    assert said_of("x-y", text) == [MENTION]


@pytest.mark.parametrize(
    "text",
    [
        "Make the chart using the `x-y` skill.",
        "Load `x-y` for the tone of voice before writing.",
        "3. Apply `x-y` to each page.",
        "Step 2: Run `x-y`.",
        "Calls `x-y` to send it.",
        "The work goes through `x-y`.",
        "Execute the tasks one at a time following `x-y`.",
        "It is dry. Use `x-y` to wet it.",
    ],
)
def test_uses(text: str) -> None:
    """Its own steps call for the other skill, in every case."""
    assert said_of("x-y", text) == [USE]


@pytest.mark.parametrize(
    "text",
    [
        "If it is dry, use `x-y`.",
        "For a chart use `x-y`.",
        "- Charts: use `x-y`",
        "- A chart is wanted \u2192 use `x-y`",
        "- A chart \u2014 use `x-y`",
        "Look at charts (use `x-y`).",
        "You can use `x-y`.",
        "Use `x-y` when it is dry.",
        "Use `x-y` only with charts.",
        "Use `x-y` for: charts, tables",
        "Use the `x-y` command to start.",
        'The user says "use `x-y`".',
        "This is the format; for charts use `x-y`.",
        "Use `x-y` for the choice; use this once it is made.",
    ],
)
def test_what_is_for_another_case_is_not_used(text: str) -> None:
    """A condition, a label, a choice, a program, somebody's words."""
    assert USE not in said_of("x-y", text)


def test_a_bare_word_that_describes_what_follows_is_no_name() -> None:
    """Hyphens join adjectives too."""
    assert names("Use x-y colours.") == []
    assert names("Use x-y for charts.") == ["x-y"]


def test_a_single_word_that_is_used_may_be_a_program() -> None:
    """A skill may be called as a command is."""
    assert names("Use `pdf` to start.") == []
    assert names("Do `pdf` first.") == ["pdf"]


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        (Topic.USED, USE),
        (Topic.INPUTS, NEED),
        (Topic.PRECONDITIONS, NEED),
        (Topic.NEXT, NEXT),
        (Topic.CONTRAST, CONTRAST),
        (Topic.RECOVERY, MENTION),
        (Topic.OUTPUTS, MENTION),
        (None, MENTION),
    ],
)
def test_the_heading_decides_where_the_sentence_does_not(
    topic: Topic | None, said: ReferenceRole | None
) -> None:
    """A mention among the preconditions is a need."""
    assert said_of("x-y", "The reading is told in `x-y`.", topic) == [said]


def test_what_one_may_see_is_no_need_for_its_heading() -> None:
    """A pointer to more about it."""
    assert said_of("x-y", "A log; see `x-y`.", Topic.INPUTS) == [MENTION]
    assert said_of("x-y", "A log; see also `x-y` for details.", Topic.PRECONDITIONS) == [MENTION]


@pytest.mark.parametrize("text", ["`pdf` must be set.", "**pdf**: put it first.", "The `pdf` is needed."])
def test_a_single_word_in_passing_is_no_name(text: str) -> None:
    """A field, a label, a thing: nobody is told to run it."""
    assert names(text) == []


def test_the_sentence_goes_before_the_heading() -> None:
    """And the words next to the mention before the rest of the sentence."""
    assert said_of("x-y", "Use `x-y` instead.", Topic.INPUTS) == [CONTRAST]
    assert said_of("x-y", "Then run `x-y`.", Topic.INPUTS) == [NEXT]
    assert said_of("x-y", "Run `x-y` first.", Topic.CONTRAST) == [NEED]
    assert said_of("x-y", "Use `x-y` instead; then run it first.") == [CONTRAST]


def test_what_comes_next_in_a_recovery_mends() -> None:
    """There it supports this skill: it is no later step of a good run."""
    assert said_of("x-y", "It broke: hand over to `x-y`.", Topic.RECOVERY) == [MENTION]
    assert said_of("x-y", "Run `x-y` first.", Topic.RECOVERY) == [NEED]


def test_a_sentence_may_run_over_lines() -> None:
    """Documents are wrapped."""
    assert said_of("x-y", "Dirty water spoils it, so run\n`x-y`\nfirst.") == [NEED]


def test_the_evidence_is_the_sentence() -> None:
    """As plain words."""
    ((_, reference),) = Passage("One. Run **`x-y`**\n first. Two.").names(KNOWN)
    assert (reference.target, reference.evidence) == ("`x-y`", "Run x-y first.")


def test_evidence_has_at_most_three_hundred_characters() -> None:
    """With the mention in it, however long the line."""
    ((_, reference),) = Passage("l" * 400 + " `x-y` " + "r" * 400).names(KNOWN)
    assert len(reference.evidence) == 300
    assert "x-y" in reference.evidence


# ---------------------------------------------------------------- links


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[it](../x/SKILL.md)", "../x/SKILL.md"),
        ("[it](../x)", "../x"),
        ("[it](../../p/x/references/a.md#part)", "../../p/x/references/a.md"),
        ('[it](../x/SKILL.md "title")', "../x/SKILL.md"),
        ("[it](<../x/SKILL.md>)", "../x/SKILL.md"),
        ("[it](sub/skill.md)", "sub/skill.md"),
        ("read ../x-shared first", "../x-shared"),
        ("read `../x/SKILL.md`.", "../x/SKILL.md"),
        ("see ~/.agent/skills/x/SKILL.md", "~/.agent/skills/x/SKILL.md"),
        ("see /opt/skills/x/SKILL.md,", "/opt/skills/x/SKILL.md"),
    ],
)
def test_links_and_paths(text: str, target: str) -> None:
    """Out of the folder, or to a SKILL.md."""
    (reference,) = links(text)
    assert (reference.target, reference.kind) == (target, ReferenceKind.LINK)


@pytest.mark.parametrize(
    "text",
    [
        "[it](references/a.md)",
        "[it](https://e.org/x/SKILL.md)",
        "[it](#part)",
        "run scripts/../x.py",
        "```\ncat ../x/SKILL.md\n```",
        "wait ... and see",
        "write a SKILL.md",
    ],
)
def test_other_links_are_none_of_ours(text: str) -> None:
    """Own files, the web, code."""
    assert links(text) == []


def test_links_say_what_names_say() -> None:
    """The label belongs to the mention, lists of links are lists."""
    first, second = links("Run [a](../a/SKILL.md) and\n[b](../b/SKILL.md) first.")
    assert (first.role, second.role) == (NEED, NEED)
    assert first.evidence == "Run a and b first."
    (contrast,) = links("Not for soup: see [a](../a/SKILL.md).")
    assert (contrast.kind, contrast.role) == (ReferenceKind.CONTRAST, MENTION)
    (needed,) = links("- [a](../a/SKILL.md)", Topic.PRECONDITIONS)
    assert needed.role is NEED


def test_a_link_repeated_without_end_is_followed_thirty_times() -> None:
    """As names are."""
    assert len(links("[x](../x/SKILL.md)\n\n" * 40)) == 30


def test_of_an_index_the_first_five_hundred_names_are_heard() -> None:
    """A file of nothing but names must not hold up a build."""
    keys = [f"step-{number}" for number in range(600)]
    list_of_them = Section(title="", level=0, text="\n\n".join(keys))
    index = replace(make_skill("index"), description="", sections=(list_of_them,))
    found = names_in(index, known=keys)
    assert [key for key, _ in found] == keys[:500]


def test_what_is_run_before_one_starts_comes_first() -> None:
    """The words "before you start" are about the reader, not about the skill that is named."""
    for text in ("Before you start, run `boil-water`.", "Before starting: use `boil-water`."):
        ((_, found),) = Passage(text).names({"boil-water"})
        assert found.role is ReferenceRole.NEED
    ((_, found),) = Passage("Run this before `boil-water`.").names({"boil-water"})
    assert found.role is ReferenceRole.NEXT


@pytest.mark.parametrize(
    "text",
    [
        "No need to run `x-y` first.",
        "You do not need to run `x-y` before this.",
        "`x-y` aside: it is not necessary to call `x-y` first.",
        "You don't have to run `x-y` first.",
    ],
)
def test_what_is_said_to_be_unnecessary_is_no_need(text: str) -> None:
    """The words around it are those of a need, but for one."""
    assert {found.role for _, found in Passage(text).names({"x-y"})} == {ReferenceRole.MENTION}


@pytest.mark.parametrize(
    "text", ["Similar to `x-y` but for zips.", "For buttons, prefer `x-y`.", "This replaces `x-y`."]
)
def test_what_is_said_to_be_alike_is_a_contrast(text: str) -> None:
    """One of the two is to be used, not one before the other (T9)."""
    ((_, found),) = Passage(text).names({"x-y"})
    assert found.kind is ReferenceKind.CONTRAST


def test_a_bold_label_is_read_as_the_word_it_is() -> None:
    """T7, as it stands in real files."""
    (found,) = Passage("> **PREREQUISITE:** Read `../x-y/SKILL.md` for the flags.").links()
    assert found.role is ReferenceRole.NEED
    (quoted,) = Passage("> Read ../x-y/SKILL.md first for auth and flags.").links()
    assert quoted.role is ReferenceRole.NEED
    ((_, next_one),) = Passage("`x-y` requires this skill.").names({"x-y"})
    assert next_one.role is ReferenceRole.NEXT


# ---------------------------------------------------------------- what takes a cue back


@pytest.mark.parametrize(
    "text",
    [
        "This does not depend on `x-y`.",
        "This doesn't depend on `x-y`.",
        "It doesn't use `x-y`.",
        "This never calls `x-y`.",
        "Nothing here depends on `x-y`.",
        "This no longer requires `x-y`.",
        "Not dependent on `x-y`.",
        "None of the steps use `x-y`.",
        "Nobody needs `x-y` here.",
        "It isn't necessary to run `x-y` first.",
        "It is unnecessary to run `x-y` first.",
        "You shouldn't run `x-y` first.",
        "`x-y` must not be run first.",
        "Avoid running `x-y` first.",
        "Refrain from running `x-y` first.",
        "You can skip running `x-y` first.",
        "Don't assume `x-y` was run.",
        "Stop using `x-y`.",
        "Refuse to run `x-y`.",
        "Uninstall `x-y` first.",
        "Disable `x-y` before using this skill.",
        "Obsoletes `x-y`; remove it first.",
        "What `x-y` does is out of scope.",
        "Previously this required `x-y`, but no longer.",
        "This used to depend on `x-y`.",
        "Once required `x-y`; now it stands alone.",
        "After `x-y` was deprecated, this was written.",
        "Q: Do I need `x-y`? A: No.",
        "Does `x-y` need to run first? It doesn't.",
        "Many people think `x-y` is required, but it is not.",
        "It is a myth that you must run `x-y` first.",
        'Example of a bad request: "run `x-y` first"',
        "You may optionally run `x-y` first.",
        "In an earlier version, `x-y` had to be run first.",
        "Until version 2, `x-y` was required first.",
        "Back in 2023 we required `x-y` before plotting.",
        "We tried calling `x-y` from here last year.",
        "We decided against using `x-y` here.",
        "Using `x-y` first makes no difference.",
        "Some people run `x-y` first; this one is as good.",
        "You do not have to run `x-y` before this.",
        "You don't have to run `x-y` before this.",
        "We do not run `x-y` before this.",
        "`x-y` does not have to be run before this.",
        "`x-y` doesn't need to run before this.",
        "Some teams run `x-y` first; we do not.",
        "Your colleague may need `x-y` first.",
        "Imagine you ran `x-y` first.",
        "In theory `x-y` first, in practice never.",
        "Gone are the days when `x-y` came first.",
        "One might think `x-y` has to be run first.",
        "It is false that this depends on `x-y`.",
        "Someone claims that you should do `x-y` before this.",
    ],
)
def test_what_is_denied_doubted_quoted_or_past_is_no_need(text: str) -> None:
    """The words of a need, taken back by the words around them."""
    assert not {NEED, NEXT, USE} & set(said_of("x-y", text))


@pytest.mark.parametrize("text", ["<!-- Run `x-y` first. -->", "~~Run `x-y` first.~~"])
def test_comments_and_what_is_struck_out_are_not_said(text: str) -> None:
    """They are not shown to a reader either."""
    assert said_of("x-y", text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Don't run this before `x-y`.",
        "Never run this before `x-y`.",
        "This must not be run before `x-y`.",
        "You cannot start before `x-y`.",
        "Do not use this before `x-y` has finished.",
        "Do not use this skill until `x-y` has finished.",
        "Will not work without `x-y`.",
        "Never run this without running `x-y`.",
        "Fails unless `x-y` has been run.",
        "Wait until `x-y` finishes.",
        "Only run this when `x-y` has succeeded.",
        "You must have already executed `x-y`.",
        "REQUIRED SUB-SKILL: Use `x-y`",
        "Read the report that `x-y` wrote.",
        "`x-y` produces the table that this skill reads.",
        "`x-y` hands its files to this skill.",
        "Previous step: `x-y`",
        "Before you start, make sure `x-y` has been run.",
        "Addresses must have been checked with `x-y`.",
        "It is assumed that `x-y` has filled in the rest.",
        "Takes over where `x-y` leaves off.",
        "Input: the page downloaded by `x-y`.",
        "It reads the hours that `x-y` logged.",
        "Do not forget to run `x-y` first.",
        "This is not slow, but run `x-y` first.",
    ],
)
def test_needs_in_words_of_denial_or_of_what_is_given(text: str) -> None:
    """Nothing goes without it, or it gives what this one takes."""
    assert said_of("x-y", text) == [NEED]


@pytest.mark.parametrize(
    "text",
    [
        "After completing this skill, use `x-y`.",
        "Once done, run `x-y`.",
        "Once complete, run the `x-y` skill.",
        "Once this skill has finished, run `x-y`.",
        "When this is done, use `x-y`.",
        "When done, run `x-y`.",
        "After this, run `x-y`.",
        "After this step, run `x-y`.",
        "After finishing, run `x-y`.",
        "After you finish, use the `x-y` skill.",
        "Upon completion, call `x-y`.",
        "At the end, run `x-y`.",
        "As the last step, run `x-y`.",
        "Last, run `x-y`.",
        "Lastly, use `x-y` on the result.",
        "Finally, invoke `x-y`.",
        "Required by `x-y`.",
        "This is required by `x-y`.",
        "This skill is a prerequisite for `x-y`.",
        "Once the spec is approved, invoke `x-y`.",
        "As soon as the roof is tight, run `x-y`.",
        "What needs an answer is passed on to `x-y`.",
        "Don't run `x-y` until this is done.",
        "Do not call `x-y` before this skill has finished.",
        "The next step is usually `x-y`.",
        "`x-y` picks up from here.",
        "`x-y` must only be run after this.",
        "`x-y` requires the output of this skill.",
        "`x-y` uses the readings from this skill.",
    ],
)
def test_what_follows_once_this_is_done_comes_next(text: str) -> None:
    """A clause about the end of this skill turns the words after it round."""
    assert said_of("x-y", text) == [NEXT]


def test_once_another_is_done_this_one_follows() -> None:
    """The clause is about the other skill."""
    assert said_of("x-y", "Once `x-y` is done, write the report.") == [NEED]
    assert said_of("x-y", "After `x-y`, write the report.") == [NEED]


@pytest.mark.parametrize(
    "text", ["It runs right after `pdf`.", "`pdf` or skip?", "Do not run before `pdf` ends it."]
)
def test_a_single_word_needs_a_plain_cue(text: str) -> None:
    """An ordinary word after "after" is the program, the step or the act."""
    assert names(text) == []


@pytest.mark.parametrize(
    "text", ["Its labels are what `x-y` works from.", "`x-y` gives wrong results if this skill was skipped."]
)
def test_what_the_other_one_works_from_is_no_need_of_this_one(text: str) -> None:
    """The words of a need, of the other skill."""
    assert NEED not in said_of("x-y", text)


# ---------------------------------------------------------------- lists, alternatives, cases


@pytest.mark.parametrize(
    "text",
    [
        "Requires both `a-b` and `x-y`.",
        "Requires `x-y` but no longer `a-b`.",
        "Requires `x-y`, but not `a-b`.",
        "Depends on: `a-b` (optional), `x-y`",
        "Dependencies: `a-b`, `x-y`.",
        "Dependency: `x-y`",
        "Precondition: `x-y`",
        "If you have not run `x-y` yet, run it now.",
        "If `x-y` hasn't been run, do that first.",
        "It is essential that you complete `x-y` before.",
        "Follows `x-y`.",
        "- Follows `x-y`.",
        "This skill follows `x-y`.",
        "First `a-b`, then `x-y`, then this.",
        "`a-b` \u2192 `x-y` -> this",
        "If there is no table, run `x-y` first.",
        "Run `x-y` first if it is missing.",
        "You will have to run `x-y` first.",
        "Only after `x-y` is this of use.",
        "It may be needed, so run `x-y` first.",
        "Load this required skill: `x-y`",
    ],
)
def test_needs_beside_what_takes_them_back(text: str) -> None:
    """The denial is of another name, the case is that something lacks, the order runs on to this one."""
    assert said_of("x-y", text) == [NEED]


@pytest.mark.parametrize(
    "text",
    [
        "Requires `x-y` or `a-b`.",
        "Requires `a-b` or `x-y`.",
        "Requires `a-b`, `x-y`, or `c-d`.",
        "Requires `x-y` (optional).",
        "Requires `a-b` but no longer `x-y`.",
        "Use `x-y` or `a-b` to draw it.",
        "In version 1 this required `x-y`; version 2 stands alone.",
        "Had we required `x-y`, nobody would come.",
        "For example, a chain might say: run `x-y` first.",
        "A chain could read: run `x-y` first.",
        "It is a common mistake to run `x-y` first.",
        "Running `x-y` first is a waste of time.",
        "You could run `x-y` first, though hardly anyone bothers.",
        "Ignore anyone who tells you to run `x-y` first.",
        "Only the French branch requires `x-y`.",
        "If paid in cash, run `x-y` first.",
        "The rest is easy. In case it rains, run `x-y` first.",
        "Say so: if it rains, run `x-y` first.",
        "Run `x-y` first if it rains.",
        "Requires `x-y` only if it rains.",
        "After `x-y` it is too late to stir.",
        "If you have run `x-y`, run it again.",
        "If you have not run `x-y`, so much the better.",
        "`a-b` needs `x-y` first.",
        "`a-b` relies on `x-y` before this.",
    ],
)
def test_what_is_needed_in_a_case_or_by_another_is_no_need(text: str) -> None:
    """One of several will do, somebody else says so, or it is another skill that needs it."""
    assert not {NEED, NEXT, USE, None} & set(said_of("x-y", text))


def test_a_case_under_when_not_to_use_is_a_contrast() -> None:
    """A plain need there is one all the same."""
    assert said_of("x-y", "Use `x-y` first if it rains.", Topic.CONTRAST) == [CONTRAST]


@pytest.mark.parametrize(
    "text", ["- `x-y` (optional)", "- `x-y` if it rains", "- `a-b` or `x-y`", "One of:\n\n- `a-b`\n- `x-y`"]
)
def test_an_alternative_among_the_preconditions_is_no_need(text: str) -> None:
    """The heading says that something of it is needed, the entry what."""
    assert said_of("x-y", text, Topic.PRECONDITIONS) == [MENTION]
    assert said_of("x-y", "- `x-y` if there is none", Topic.PRECONDITIONS) == [NEED]


def test_one_of_several_that_come_next_does_come_next() -> None:
    """An order holds for each, where a need does not."""
    assert said_of("x-y", "Continue with `a-b` or `x-y`.") == [NEXT]
    assert said_of("x-y", "If it rains, continue with `x-y`.") == [NEXT]
    assert said_of("x-y", "`x-y` or `a-b`", Topic.NEXT) == [NEXT]


@pytest.mark.parametrize(
    "text",
    [
        "`x-y` relies on this skill.",
        "`x-y` builds on this.",
        "`x-y` comes after this.",
        "`x-y` runs right after this.",
        "Precedes `x-y`.",
        "This skill precedes `x-y`.",
        "`a-b` \u2192 this skill \u2192 `x-y`",
    ],
)
def test_what_this_one_goes_before_comes_next(text: str) -> None:
    """Told from either side."""
    assert said_of("x-y", text) == [NEXT]


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        ("Requires:", NEED),
        ("**Requires**", NEED),
        ("**Requires:**", NEED),
        ("**Requires**:", NEED),
        ("Wash it.\nBefore you start, run these:", NEED),
        ("Its table feeds into:", NEXT),
        ("Next steps:", NEXT),
        ("Do not use:", CONTRAST),
        ("Load:", USE),
        ("See the following:", MENTION),
        ("One of these is required:", MENTION),
        ("Requires either:", MENTION),
        ("It is about:", MENTION),
        ("Requires", MENTION),
        ("Requires: a stove.", MENTION),
        ("`c-d` requires:", MENTION),
    ],
)
def test_the_line_before_a_list_speaks_of_its_entries(lead: str, said: ReferenceRole | None) -> None:
    """It ends with a colon, or is bold; entries are marked or numbered, blank lines or none between them."""
    for text in (f"{lead}\n- `a-b`\n- x-y: heats", f"{lead}\n\n\n1. `a-b`\n\n\n2. `x-y` - heats\n"):
        assert said_of("a-b", text) == said_of("x-y", text) == [said]


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("Anti-patterns", MENTION),
        ("Common mistakes", MENTION),
        ("Don'ts", MENTION),
        ("Things to avoid", MENTION),
        ("Changelog", MENTION),
        ("Steps", NEED),
    ],
)
def test_what_is_done_wrong_or_was_changed_is_no_need(heading: str, said: ReferenceRole | None) -> None:
    """A section of mistakes is full of orders that are none."""
    for text in ("- Running `x-y` first", "- it requires `x-y` now", "When you need `x-y`"):
        assert said_of("x-y", text, topic_of(heading)) == [said]
    assert said_of("x-y", "- When you need `x-y`", topic_of("When not to use")) == [CONTRAST]


def test_the_line_before_a_list_is_not_heard_further() -> None:
    """After the list, within an entry that says something itself, or where what is not for it is told."""
    assert said_of("x-y", "Requires:\n- `a-b`\n\n`x-y` is there.") == [MENTION]
    assert said_of("x-y", "Requires:\n- `a-b`\n\nThe rest:\n- `x-y`") == [MENTION]
    assert said_of("x-y", "Requires:\n- a stove, as in `x-y`") == [NEED]
    assert said_of("x-y", "Load:\n- a stove, as in `x-y`") == [MENTION]
    assert said_of("x-y", "- `x-y`\n- `a-b`") == [MENTION]
    assert said_of("x-y", "Prerequisites:\n- the weather of `x-y`", Topic.CONTRAST) == [CONTRAST]


def test_the_evidence_of_an_entry_holds_the_line_before_the_list() -> None:
    """Without it nobody sees why."""
    ((_, reference),) = Passage("Its table feeds into:\n\n- `x-y`\n").names(KNOWN)
    assert reference.evidence == "Its table feeds into: x-y"
    (link,) = links("Requires:\n- [it](../x/SKILL.md)")
    assert (link.evidence, link.role) == ("Requires: it", NEED)


def test_its_own_name_is_this_skill() -> None:
    """A document may speak of itself by name; of another, it says what that one needs."""
    text = "`a-b` \u2192 **Own-One** \u2192 `c-d`. `x-y` needs own-one."
    own = dict(Passage(text, own="own-one").names(KNOWN))
    assert {key: found.role for key, found in own.items()} == {"a-b": NEED, "c-d": NEXT, "x-y": NEXT}
    assert own["x-y"].evidence == "x-y needs own-one."
    assert {found.role for _, found in Passage(text).names(KNOWN)} == {MENTION}


def test_a_verb_joined_by_a_hyphen_is_no_name() -> None:
    """What somebody needs to do."""
    assert names("When you need to x-y plans before this.") == []
    assert names("Hand over to x-y.") == ["x-y"]


def test_a_sentence_begins_with_its_mention() -> None:
    """What the one before denies is not denied of it."""
    assert said_of("x-y", "It is not dry. `x-y` is required.") == [NEED]
    assert said_of("x-y", "It is not so that `x-y` is required.") == [MENTION]


# ---------------------------------------------------------------- kinds of needs that prose states


@pytest.mark.parametrize(
    "text",
    [
        "Before using this skill, complete `x-y`.",
        "Before you use this, you should finish `x-y`.",
        "- **Before anything else**, run `x-y`.",
        "Before you start, work through `x-y`.",
        "Prior to this: please do `x-y`.",
        "Takes the report from `x-y`.",
        "It uses the `plan.md` from `x-y`.",
        "Needs the plan from the `x-y` skill.",
        "Step 1 is `x-y`.",
        "The first step is to run `x-y`.",
        "Phase one: `x-y`",
        "`x-y` is step 1.",
        "`x-y` is the first step.",
        "This skill follows up on `x-y`.",
        "- `x-y`: use as the foundation before writing",
        "- `x-y` - Foundation skill: colours",
        "If the table does not exist, run `x-y` first.",
        "If not, run the `x-y` skill first.",
        "It reads files (e.g. tables) made by `x-y`.",
        "There is no table, so run `x-y` first.",
        "It rarely changes, so run `x-y` first.",
        "Reads inputs such as tables, so run `x-y` first.",
        "Run `x-y` first if needed.",
    ],
)
def test_needs_told_by_place_source_or_lack(text: str) -> None:
    """What goes before, where a thing comes from, and what is to be done where something lacks."""
    assert said_of("x-y", text) == [NEED]


@pytest.mark.parametrize(
    "text",
    [
        "Before `a-b`, run `x-y`.",
        "`a-b` takes the report from `x-y`.",
        "Takes the user from zero to `x-y`.",
        "It needs to be kept from `x-y`.",
        "`x-y` is the first step of `a-b`.",
        "Filenames must start with `x-y`.",
        "You can start with `x-y`.",
        "Start by asking about `x-y`.",
        "If needed, use `x-y`.",
        "If you do not want charts, use `x-y`.",
        "If you don't like it, run `x-y` first.",
    ],
)
def test_words_alike_that_tell_no_need(text: str) -> None:
    """They speak of another skill, of a case, or of something else."""
    assert said_of("x-y", text) == [MENTION]


@pytest.mark.parametrize(
    "text", ["Always start with `x-y`.", "Begin by loading `x-y`.", "If there is no table, use `x-y`."]
)
def test_where_it_starts_and_what_makes_up_for_a_lack_is_used(text: str) -> None:
    """Steps of its own."""
    assert said_of("x-y", text) == [USE]


@pytest.mark.parametrize(
    "text",
    ["Follow up on `x-y`.", "Follow this up with `x-y`.", "When done, follow up using `x-y`."],
)
def test_what_one_follows_up_with_comes_next(text: str) -> None:
    """Told to the reader; "this follows up on `x`" tells of the skill itself."""
    assert said_of("x-y", text) == [NEXT]


@pytest.mark.parametrize(
    "text",
    [
        "It would be wrong to run `x-y` first.",
        "It is unwise to run `x-y` first.",
        "It is a bad idea to run `x-y` first.",
        "Running `x-y` first is premature.",
        "There is no reason to run `x-y` first.",
        "No reason to run `x-y`.",
        "It makes no sense to run `x-y` first.",
        "There is little point in running `x-y` first.",
        "There is hardly any need to run `x-y` first.",
        "No need for `x-y` first.",
        "Run this before or after `x-y`.",
        "It runs before, during, or after `x-y`.",
        "Hardly ever requires `x-y`.",
        "This rarely depends on `x-y`.",
        "Seldom needs `x-y`.",
        "Sometimes requires `x-y`.",
        "It is unlikely to need `x-y`.",
        "Saves you from running `x-y` first.",
        "Works without the need to run `x-y` first.",
        "Works even before `x-y`.",
        "It does not matter whether `x-y` has run first.",
        "Example: requires `x-y`.",
        "E.g. run `x-y` first.",
        "Skills (e.g. `x-y`) must run first.",
        "Skills such as `x-y` must run first.",
        "Skills like the `x-y` must run first.",
        "If there is no table, do not bother to run `x-y` first.",
    ],
)
def test_what_is_judged_ill_rare_indifferent_or_an_example_is_no_need(text: str) -> None:
    """Whatever order the words speak of."""
    assert said_of("x-y", text) == [MENTION]


# ---------------------------------------------------------------- tables


@pytest.mark.parametrize(
    ("head", "row", "said"),
    [
        ("Requires", "`x-y`", NEED),
        ("Prerequisites | Notes", "x-y | warm", NEED),
        ("Step | Depends on", "1 | `x-y`", NEED),
        ("Skill | Needs", "this skill | a-b, `x-y`", NEED),
        ("Skill | Needs", "own-one | `x-y`", NEED),
        ("Notes | Next step", " | `x-y`", NEXT),
        ("Use this instead", "`x-y`", MENTION),
        ("Requires | Notes", "warmth | `x-y`", MENTION),
        ("Skill | Requires", "`a-b` | `x-y`", MENTION),
        ("Case | Requires", "rain | `x-y`", MENTION),
        ("Load", "`x-y`", MENTION),
        ("Requires", "`x-y` (optional)", MENTION),
    ],
)
def test_the_head_of_a_column_speaks_of_its_cells(head: str, row: str, said: ReferenceRole) -> None:
    """Where the row is this skill's: the cells before hold no other one, and no case."""
    passage = Passage(f"Look:\n\n| {head} |\n|---|:-:|\n| - | - |\n | {row} |\n", own="own-one")
    assert [found.role for key, found in passage.names(KNOWN) if key == "x-y"] == [said]


def test_only_a_table_has_heads_and_only_its_rows() -> None:
    """A row of signs makes a table of two rows; it ends with the next line of text."""
    assert said_of("x-y", "| Requires |\n| `x-y` |") == [MENTION]
    assert said_of("x-y", "| Requires |\n|---|\n| `a-b` |\n\nSo:\n\n| `x-y` |") == [MENTION]
    assert said_of("x-y", "| Requires |\n|---|\n| `a-b` |\n\n- `x-y`") == [MENTION]
    assert said_of("x-y", f"| Requires | {'Notes |' * 200}\n|---|\n| {'- ' * 147}`x-y` |") == [NEED]
    assert said_of("x-y", f"| Requires | {'Notes |' * 200}\n|---|\n| {'- ' * 150}`x-y` |") == [MENTION]


# ---------------------------------------------------------------- more ways to say what one builds on


@pytest.mark.parametrize(
    "text",
    [
        "You cannot skip `x-y`.",
        "Never skip running the `x-y` skill.",
        "Do not leave out `x-y`.",
        "`x-y` must not be skipped.",
        "`x-y` skill can't be left out.",
        "`x-y` isn't optional.",
        "Without `x-y` this fails.",
        "It is late; without `x-y`, none of it works.",
        "Lacking the `x-y`, nothing here can be trusted.",
        "As soon as `x-y` has finished, start here.",
        "As soon as the `x-y` skill is done, go on.",
        "Continue from `x-y`.",
        "It resumes directly from `x-y`.",
        "Pick the work up from `x-y`.",
        "Carries on from the draft of `x-y`.",
        "Picks up where `x-y` left off.",
        "Resume where `x-y` ended.",
        "Works on what `x-y` found.",
        "Builds upon the plan of `x-y`.",
        "Expands on the findings of `x-y`.",
        "Based on the analysis of `x-y`.",
        "It runs on top of `x-y`.",
        "Downstream of `x-y`.",
        "Input: a list, the goldens and a plan from `x-y`.",
        "`x-y` must already exist.",
        "`x-y` has to be complete.",
        "`x-y` should already have run.",
        "- `x-y`: owns the plan and the list this skill reads",
        "`x-y` lays the ground for this skill.",
        "`x-y` sets this skill's table.",
        "`x-y` routes here.",
        "`x-y` hands its list over to here.",
        "- `x-y` \u2014 the only valid source for this skill",
        "`x-y` is the basis for this.",
        "`x-y` makes the table used here.",
    ],
)
def test_what_this_one_builds_on_or_cannot_do_without_is_needed(text: str) -> None:
    """No omission is allowed, the work goes on from it, or it makes what is used here."""
    assert said_of("x-y", text) == [NEED]


@pytest.mark.parametrize(
    "text",
    [
        "It is the input of `x-y`.",
        "The table serves as input for `x-y`.",
        "This is the foundation for `x-y`.",
        "Becomes a basis of `x-y`.",
        "Skills that depend on this: `x-y`",
        "These skills will use it: `x-y`",
        "Forward the list to `x-y`.",
        "The list then goes to `x-y`.",
        "Prepares the ground for `x-y`.",
        "This unlocks `x-y`.",
        "Start here before opening `x-y`.",
        "Do not start `x-y` until this is done.",
        "`x-y` is the next step.",
        "- `x-y` \u2014 the only valid next stage after approval",
        "`x-y` continues from here.",
        "`x-y` starts where this ends.",
        "`x-y` reads the plan written here.",
        "`a-b` and `x-y` consume the lists this skill builds.",
        "`x-y` is the main consumer of the lists this skill makes.",
        "- `x-y`: consumes the lists",
        "- `x-y` \u2014 can consume lists",
    ],
)
def test_what_goes_on_from_this_one_comes_next(text: str) -> None:
    """It is given something, waits, or goes on from here."""
    assert said_of("x-y", text) == [NEXT]


@pytest.mark.parametrize(
    "text",
    [
        "You can skip `x-y`.",
        "`x-y` may be skipped.",
        "`x-y` is not to be skipped lightly.",
        'Somebody may write "do not skip `x-y`".',
        "For example, never run this without `x-y`.",
        "Do not skip lunch; `x-y` is elsewhere.",
        "Without `x-y` this works. It never fails.",
        "It runs without `x-y`, none the worse.",
        "Continue from the menu and choose `x-y`.",
        "Input: from lists to `x-y`.",
        "`x-y` should have a name.",
        "`x-y` owns prices, this skill owns colours.",
        "`x-y` builds tables and this skill does not.",
        "`x-y` defines its terms while this skill has none.",
        "`x-y` owns the list this skill's data feeds.",
        "`x-y` is the source of trouble.",
        "- Cross-reference `x-y`.",
        "Reference: `x-y`",
        "The `x-y` consumes memory.",
        "Skills like this: `x-y`",
    ],
)
def test_words_like_those_of_building_that_tell_no_need(text: str) -> None:
    """A choice, somebody else's words, or two that stand side by side."""
    assert said_of("x-y", text) == [MENTION]


def test_what_is_to_be_referred_to_is_used() -> None:
    """A step of its own."""
    assert said_of("x-y", "Reference `x-y` for the tone before writing.") == [USE]


# ---------------------------------------------------------------- steps, sources and skipping


@pytest.mark.parametrize(
    "text",
    [
        "1. Complete `x-y`.",
        "2. Finish the `x-y` skill.",
        "As a first step, carry out `x-y`.",
        "To begin, perform `x-y`.",
        "Begin by carrying out `x-y`.",
    ],
)
def test_a_step_that_completes_another_uses_it(text: str) -> None:
    """Whatever the word for doing it is."""
    assert said_of("x-y", text) == [USE]


@pytest.mark.parametrize(
    "text",
    [
        "Prior step: `x-y`",
        "Preceding skill is `x-y`.",
        "Preceded by: `x-y`",
        "Prerequisite skill: x-y",
        "Prerequisite skills: `x-y`",
        "The first thing to do is `x-y`.",
        "Make certain that `x-y` has been run.",
        "`x-y` must precede this.",
        "`x-y` precedes this one.",
        "Never start this without the result of `x-y`.",
        "Do not begin before you have the output of `x-y`.",
        "Without the table from `x-y` there is nothing to do.",
        "Skipping `x-y` makes all of this fail.",
        "If you skip `x-y`, nothing works.",
        "Omitting the result of `x-y` leads to wrong sums.",
        "Leaving out `x-y` spoils the rest.",
        "> **Note**: requires `x-y`.",
        "> [!IMPORTANT]\n> Run `x-y` first.",
        "| Prerequisite | Where it comes from |\n|---|---|\n| a table | `x-y` |",
        "| Input | Form | Source |\n|---|---|---|\n| rows | csv | `x-y` |",
        "| Needed | Provided by |\n|---|---|\n| a table | x-y |",
    ],
)
def test_what_goes_before_is_given_or_may_not_be_skipped_is_needed(text: str) -> None:
    """In a sentence, a label, a note, or a table that says where things come from."""
    assert said_of("x-y", text) == [NEED]


@pytest.mark.parametrize(
    "text",
    [
        "Skipping `x-y` does not matter.",
        "Skipping `x-y` is fine; nothing fails.",
        "If you skip `x-y`, no harm is done and the sums are not wrong.",
        "| Output | Source |\n|---|---|\n| rows | `x-y` |",
        "| Input | Notes |\n|---|---|\n| rows | `x-y` |",
        "| Source | Input |\n|---|---|\n| `x-y` | rows |",
        "| Input |\n|---|\n| rows | `x-y` |",
        "Then `x-y` was left out; go and do it.",
        "The reviewer wrote: you need `x-y` first.",
        "My colleague insisted that one must run `x-y` first.",
        "According to an old guide, run `x-y` first.",
        "It is said that you need `x-y` first.",
        "Rumour has it that `x-y` is required.",
        "Once, long ago, one needed `x-y` first.",
        "In the old days you had to run `x-y` first.",
        "Running `x-y` first is a matter of taste.",
        "`x-y` first is up to you.",
    ],
)
def test_what_somebody_said_or_what_does_no_harm_is_no_need(text: str) -> None:
    """Nor is what was, what is left to the reader, and a source of something else."""
    assert said_of("x-y", text) == [MENTION]


def test_as_said_above_is_the_author_speaking() -> None:
    """Only "X said:" is somebody else."""
    assert said_of("x-y", "As said, run `x-y` first.") == [NEED]
    assert said_of("x-y", "The guide said: run `x-y` first.") == [MENTION]


@pytest.mark.parametrize(
    "text",
    [
        "> Always run `x-y` first.\n\nThis quote is wrong.",
        "> Always run `x-y` first.\nThat advice is old.",
        "> You must run `x-y` first.\n> Always.\n> \u2014 a page on the web",
        "> You must run `x-y` first.\n> -- *somebody*\n\nHe was wrong.",
    ],
)
def test_a_quotation_that_is_signed_or_called_one_is_not_said(text: str) -> None:
    """The words are somebody else's."""
    assert names(text) == []


def test_other_lines_behind_a_sign_are_the_authors_notes() -> None:
    """A dash within them signs nothing, and what stands below says what it is."""
    assert said_of("x-y", "> Run `x-y` first \u2014 always.\n\nThis is why.") == [NEED]
    assert said_of("x-y", "> - run `x-y` first\n") == [NEED]
    assert said_of("x-y", "It said:\n\n> a\n> -- b\n\nRun `x-y` first.") == [NEED]


@pytest.mark.parametrize(
    "text",
    [
        "An alternative is `x-y`.",
        "The other way is `x-y`.",
        "Another option for this is `x-y`.",
        "`x-y` is an alternative.",
        "`x-y` is another way to do it.",
        "`x-y` does the same.",
        "`x-y` serves the same purpose.",
        "`x-y` can also be used instead.",
        "Alternatively, use `x-y`.",
        "Alternatively, you can run `x-y` first.",
        "As an alternative to this skill, use the `x-y` skill.",
        "Run `x-y` alternatively.",
        "Another option: `x-y`.",
    ],
)
def test_what_does_the_same_is_an_alternative(text: str) -> None:
    """It never carries a need."""
    assert said_of("x-y", text) == [CONTRAST]


def test_a_bare_name_in_parentheses_says_who_sees_to_a_condition() -> None:
    """Elsewhere it is a word."""
    assert said_of("x-y", "You are signed in (x-y).", Topic.PRECONDITIONS) == [NEED]
    assert said_of("x-y", "The table (x-y).", Topic.INPUTS) == [NEED]
    assert names("You are signed in (x-y).") == []
    assert names("You are signed in (by x-y or so).", Topic.PRECONDITIONS) == []


@pytest.mark.parametrize(
    "title", ["Optional", "Optional steps", "Optional prerequisites", "Nice to have", "Extras"]
)
def test_under_a_heading_that_leaves_it_open_nothing_is_needed(title: str) -> None:
    """Not even what a sentence there puts first."""
    assert said_of("x-y", "- Run `x-y` first.", topic_of(title)) == [MENTION]


@pytest.mark.parametrize("title", ["Depends on", "Prior steps", "What must be done first", "Required first"])
def test_a_lone_name_under_what_comes_first_is_needed(title: str) -> None:
    """The heading is the sentence."""
    assert said_of("x-y", "`x-y`", topic_of(title)) == [NEED]
    assert said_of("x-y", "x-y", topic_of(title)) == [NEED]
