"""A library as the arrays that signals compare (method, Sections 1 and 2).

First step of the graph half: everything that reads text is done here, once;
`signals` and `recall` only count and multiply. A skill is a position in the
library throughout.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from caskg.config import SignalConfig
from caskg.graph.flow import Flow, outputs_count, parameter_texts, read_flow
from caskg.graph.handover import handed_over
from caskg.graph.providers import Provision, find_providers
from caskg.graph.roles import ROLES, Role, role_codes, role_of
from caskg.graph.statements import (
    FIELDS,
    SparseRows,
    StatedFields,
    given_by,
    stated_sets,
    statements,
    token_set,
    whole_words,
)
from caskg.library.duplicates import NearDuplicates
from caskg.library.lexical import token_matrix, tokenize
from caskg.library.sequences import StatedOrder
from caskg.library.texts import distinctive_names
from caskg.schema import (
    CodeArray,
    IntArray,
    ReferenceKind,
    ReferenceRole,
    ResolvedReference,
    Skill,
    SkillFields,
    SkillLibrary,
    VectorArray,
)

LENGTH_TOLERANCE = 1e-3
"""How far the length of a vector may be from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionedPairs:
    """Pairs of skills in which one mentions the other, as sorted codes ``source * n_skills + target``.

    Attributes:
        needs: The target declares, links to or names the source as something other than a contrast.
        ordered: Those of *needs* that the author declares, or whose text says which comes first or is used.
        repairs: A recovery of the target declares, links to or names the source.
        contrasts: One says "not for this, use the other"; in both directions.
    """

    needs: IntArray
    ordered: IntArray
    repairs: IntArray
    contrasts: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphInputs:
    """A library as arrays.

    Attributes:
        vectors: Shape ``(n_skills, d)``: unit rows, or zeros for a text the encoder cannot read.
        tokens: T_i as 0/1 rows, shape ``(n_skills, n_tokens)``: name, description, tools and tags.
        stated: What the documents state.
        flow: What they give and take, by meaning.
        provision: Who gives an input of whom.
        roles: Positions in `ROLES`, or `NO_ROLE`; shape ``(n_skills,)``.
        mentions: Who mentions whom.
        stated_order: Pairs that a third document calls for one after the other, as sorted codes.
        handed: Pairs of which the source writes a file that the target reads, as sorted codes
            ``source * n_skills + target``.
        duplicates: Pairs that share most of their text, in both directions, as sorted codes
            ``source * n_skills + target``.
        same_text: Skills of one text have one number, shape ``(n_skills,)``.
        tie_break: Ranks by a hash of the text, shape ``(n_skills,)``: content decides between
            equal scores, so that neither ids nor the order of files matter.
    """

    vectors: VectorArray
    tokens: SparseRows
    stated: StatedFields
    flow: Flow
    provision: Provision
    roles: CodeArray
    mentions: MentionedPairs
    stated_order: IntArray
    handed: IntArray
    duplicates: IntArray
    same_text: IntArray
    tie_break: IntArray

    @property
    def n_skills(self) -> int:
        """N."""
        return len(self.roles)

    @property
    def sizes(self) -> IntArray:
        """|T_i|, shape ``(n_skills,)``."""
        return np.diff(self.tokens.indptr)


def graph_inputs(  # noqa: PLR0913 - each is what another step has found
    library: SkillLibrary,
    vectors: VectorArray,
    references: Sequence[ResolvedReference],
    *,
    parameters: VectorArray | None = None,
    duplicates: Sequence[NearDuplicates] = (),
    orders: Sequence[StatedOrder] = (),
    config: SignalConfig,
) -> GraphInputs:
    """Read everything that signals compare.

    Args:
        library: The skills.
        vectors: Shape ``(n_skills, d)``: the encoded `signal_texts`.
        references: The mentions whose skill was found.
        parameters: The encoded `signal_parameters`; None = what is given and taken
            is not compared by meaning.
        duplicates: The skills that share most of their text.
        orders: The skills that some document calls for one after the other.
        config: What names are good for.

    Raises:
        ValueError: A vector is missing, or its length is neither 1 nor 0.
    """
    skills = library.skills
    _check_vectors(vectors, n_skills=len(skills))
    names = signal_names(skills, config=config)
    by_name = [config.names_as_outputs and skill.fields.outputs is None for skill in skills]
    texts = [token_set(name, *_described(skill)) for name, skill in zip(names, skills, strict=True)]
    stated = [
        stated_sets(skill.fields) | ({"outputs": given_by(name)} if named else {})
        for skill, name, named in zip(skills, names, by_name, strict=True)
    ]
    distinct = list(dict.fromkeys(tokens for fields in stated for sets in fields.values() for tokens in sets))
    matrix = token_matrix([*texts, *distinct, *map(whole_words, distinct)])
    row = {tokens: len(texts) + at for at, tokens in enumerate(distinct)}
    tie_break = _content_ranks(skills)
    roles = role_codes(_role(skill, config=config) for skill in skills)
    meant = parameters if config.weights.meaning > 0 else None
    flow = read_flow(skills, vectors, meant, tie_break=tie_break)
    return GraphInputs(
        vectors=vectors,
        tokens=matrix[: len(texts)],
        stated=StatedFields(
            by_name=np.array(by_name, dtype=np.bool_),
            **{
                name: statements([fields[name] for fields in stated], row, matrix, telling=len(distinct))
                for name in FIELDS
            },
        ),
        flow=flow,
        provision=_provision(skills, flow, roles, config=config),
        roles=roles,
        mentions=_mentions(skills, references),
        stated_order=_codes(
            [order.source * len(skills) + order.target for order in orders if config.stated_orders]
        ),
        handed=handed_over(skills) if config.files_as_outputs else np.empty(0, dtype=np.int64),
        duplicates=_duplicate_codes(duplicates, n_skills=len(skills)),
        same_text=np.unique([skill.content_hash for skill in skills], return_inverse=True)[1],
        tie_break=tie_break,
    )


def _provision(skills: Sequence[Skill], flow: Flow, roles: CodeArray, *, config: SignalConfig) -> Provision:
    counted = outputs_count(skills)
    stated = np.array([counted and skill.fields.outputs is not None for skill in skills], dtype=np.bool_)
    return find_providers(flow, stated=stated, checks=roles == ROLES.index(Role.VERIFY), config=config)


def _duplicate_codes(duplicates: Sequence[NearDuplicates], *, n_skills: int) -> IntArray:
    ends = [(pair.first, pair.second) for pair in duplicates]
    first, second = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    return np.sort(np.concatenate([first * n_skills + second, second * n_skills + first]))


def signal_texts(library: SkillLibrary, *, config: SignalConfig) -> list[str]:
    """Return what the semantic signal compares: "name: description", or what there is of it."""
    names = signal_names(library.skills, config=config)
    return [
        ": ".join(part for part in (name, skill.description) if part)
        for name, skill in zip(names, library.skills, strict=True)
    ]


def signal_parameters(library: SkillLibrary, *, config: SignalConfig) -> list[str]:
    """Return what the signal ``meaning`` compares of inputs and outputs; nothing where it is switched off."""
    return parameter_texts(library.skills) if config.weights.meaning > 0 else []


def signal_names(skills: Sequence[Skill], *, config: SignalConfig) -> list[str]:
    """Return the part of each name that signals compare; empty where names are left out (laws b and c)."""
    if not config.names_in_text:
        return [""] * len(skills)
    names = [skill.name for skill in skills]
    return distinctive_names(names, family_size=config.family_size, family_share=config.family_share)


def _role(skill: Skill, *, config: SignalConfig) -> Role | None:
    return role_of(*([skill.name] if config.names_in_text else []), skill.description)


def _described(skill: Skill) -> tuple[str, ...]:
    return (skill.description, *(skill.fields.tools or ()), *(skill.fields.tags or ()))


def _mentions(skills: Sequence[Skill], references: Iterable[ResolvedReference]) -> MentionedPairs:
    needs: list[int] = []
    ordered: list[int] = []
    repairs: list[int] = []
    contrasts: list[int] = []
    for reference in references:
        pair = reference.source * len(skills) + reference.target
        if reference.kind is ReferenceKind.CONTRAST:
            contrasts += [pair, reference.target * len(skills) + reference.source]
            continue
        needs.append(pair)
        if reference.kind is ReferenceKind.DECLARED or reference.role is not ReferenceRole.MENTION:
            ordered.append(pair)
        writer, mentioned = reference.target, reference.source
        if reference.role is ReferenceRole.NEXT:
            writer, mentioned = mentioned, writer
        if _stands_in_recovery(reference.evidence, skills[writer].fields):
            repairs.append(mentioned * len(skills) + writer)
    return MentionedPairs(
        needs=_codes(needs),
        ordered=_codes(ordered),
        repairs=_codes(repairs),
        contrasts=_codes(contrasts),
    )


def _stands_in_recovery(evidence: str, fields: SkillFields) -> bool:
    """Whether a line is one of the recoveries: one may be cut short, so either may hold the other."""
    line = set(tokenize(evidence))
    recoveries = [set(tokenize(text)) for text in fields.recovery or ()]
    return any(line and tokens and (line <= tokens or tokens <= line) for tokens in recoveries)


def _codes(pairs: Sequence[int]) -> IntArray:
    return np.unique(np.array(pairs, dtype=np.int64))


def _content_ranks(skills: Sequence[Skill]) -> IntArray:
    """Rank by a hash of the text without names; equal texts by content hash, then by position.

    A hash, so that no first letter is favoured; without names, so that renaming changes nothing.
    """

    def key(position: int) -> tuple[bytes, str]:
        skill = skills[position]
        inputs, outputs = skill.fields.inputs or (), skill.fields.outputs or ()
        # No sentences but the description: they may name other skills.
        text = repr((_described(skill), [each.name for each in inputs], [each.name for each in outputs]))
        return hashlib.blake2b(text.encode(), digest_size=16).digest(), skill.content_hash

    order = sorted(range(len(skills)), key=key)
    ranks = np.empty(len(skills), dtype=np.int64)
    ranks[order] = np.arange(len(skills))
    return ranks


def _check_vectors(vectors: VectorArray, *, n_skills: int) -> None:
    if vectors.shape[:-1] != (n_skills,):
        msg = f"{n_skills} skills need as many vectors, got shape {vectors.shape}: encode `signal_texts`."
        raise ValueError(msg)
    lengths = np.linalg.norm(vectors, axis=1)
    wrong = np.flatnonzero(~((np.abs(lengths - 1.0) <= LENGTH_TOLERANCE) | (lengths == 0.0)))
    if len(wrong):
        msg = (
            f"Vector {wrong[0]} has length {lengths[wrong[0]]}: vectors must have length 1, or 0 for no text."
        )
        raise ValueError(msg)
