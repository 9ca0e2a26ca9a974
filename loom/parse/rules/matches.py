"""The rules of `match`: over conditions or over the variants of a union, as a value or with blocks.

In: tokens and arms. Out: expressions; a match with blocks as the statement that it is.
Never: a look at what the subject is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from loom.parse.ast import (
    Expression,
    If,
    Match,
    MatchArm,
    MatchBlocks,
    MatchCase,
    Name,
    NameRef,
    NullLiteral,
    Statement,
    TypeRef,
    VariantArm,
    VariantMatch,
)
from loom.parse.draft import BlockMatch, Draft


class _Otherwise(NamedTuple):
    at: int
    value: Expression


class _BlockArm(NamedTuple):
    """`condition` is None for `else`."""

    at: int
    condition: Expression | None
    body: list[Statement]


_Arm = MatchArm | _Otherwise | _BlockArm
_VariantArm = VariantArm | MatchCase | _Otherwise | _BlockArm


def match(d: Draft, token: int, arms: list[_Arm]) -> Match | BlockMatch:
    """The conditional form."""
    blocks = [arm for arm in arms if isinstance(arm, _BlockArm)]
    if blocks:
        return _block_match(d, token, arms, blocks)
    kept: list[MatchArm] = []
    otherwise: Expression | None = None
    for arm in arms:
        if isinstance(arm, _BlockArm):
            continue
        if otherwise is not None:
            d.reject(arm.at, "an arm after `else`", "write `else` last, and once")
        elif isinstance(arm, MatchArm):
            kept.append(arm)
        else:
            otherwise = arm.value
    return Match(d.numbers[token], tuple(kept), otherwise)


def value_match(d: Draft, made: Match | VariantMatch | BlockMatch) -> Expression:
    if not isinstance(made, BlockMatch):
        return made
    d.reject(made.at, "a `match` with blocks as a value", "write each arm as `condition => value`")
    return NullLiteral(made.at)


def arm(d: Draft, condition: Expression, value: Expression) -> MatchArm:
    return MatchArm(condition.at, condition, value)


def else_arm(d: Draft, token: int, value: Expression) -> _Otherwise:
    return _Otherwise(d.numbers[token], value)


def block_arm(d: Draft, condition: Expression | int, body: list[Statement]) -> _BlockArm:
    if isinstance(condition, int):
        return _BlockArm(d.numbers[condition], None, body)
    return _BlockArm(condition.at, condition, body)


def _block_match(d: Draft, token: int, arms: Sequence[_Arm], blocks: list[_BlockArm]) -> BlockMatch:
    for arm in arms:
        if not isinstance(arm, _BlockArm):
            _without_block(d, arm.at)
    for arm in blocks[:-1]:
        if arm.condition is None:
            d.reject(arm.at, "`else` before another arm", "write `else` last, and once")
    made: tuple[Statement, ...] = ()
    for arm in (blocks[-1], *[arm for arm in reversed(blocks[:-1]) if arm.condition is not None]):
        body = tuple(arm.body)
        made = body if arm.condition is None else (If(arm.at, arm.condition, body, made),)
    return BlockMatch(d.numbers[token], made)


def _without_block(d: Draft, at: int) -> None:
    d.reject(at, "an arm without a block", "give every arm a block, or none")


def awaited(d: Draft, token: int) -> Name:
    d.reject(d.numbers[token], "`await` before what is matched", "write its name alone")
    return Name(d.numbers[token], d.texts[token])


def variant_match(d: Draft, token: int, subject: Expression, arms: list[_VariantArm]) -> VariantMatch | BlockMatch:
    """The form over variants; with blocks it is a statement."""
    for arm in arms[:-1]:
        if isinstance(arm, _Otherwise | _BlockArm):
            d.reject(arm.at, "`else` before another arm", "write `else` last, and once")
    if any(isinstance(arm, MatchCase | _BlockArm) for arm in arms):
        return BlockMatch(d.numbers[token], (_variant_blocks(d, token, subject, arms),))
    values = tuple(arm for arm in arms if isinstance(arm, VariantArm))
    otherwise = next((arm.value for arm in arms if isinstance(arm, _Otherwise)), None)
    return VariantMatch(d.numbers[token], subject, values, otherwise)


def _variant_blocks(d: Draft, token: int, subject: Expression, arms: list[_VariantArm]) -> MatchBlocks:
    for arm in arms:
        if isinstance(arm, VariantArm | _Otherwise):
            _without_block(d, arm.at)
    cases = tuple(arm for arm in arms if isinstance(arm, MatchCase))
    otherwise = next((tuple(arm.body) for arm in arms if isinstance(arm, _BlockArm)), None)
    return MatchBlocks(d.numbers[token], subject, cases, otherwise)


def variant_arm(d: Draft, variant: TypeRef, value: Expression) -> VariantArm:
    return VariantArm(variant.at, variant, None, value)


def bound_variant_arm(d: Draft, variant: TypeRef, name: int, value: Expression) -> VariantArm:
    return VariantArm(variant.at, variant, NameRef(d.numbers[name], d.texts[name]), value)


def variant_block(d: Draft, variant: TypeRef, body: list[Statement]) -> MatchCase:
    return MatchCase(variant.at, variant, None, tuple(body))


def bound_variant_block(d: Draft, variant: TypeRef, name: int, body: list[Statement]) -> MatchCase:
    return MatchCase(variant.at, variant, NameRef(d.numbers[name], d.texts[name]), tuple(body))
