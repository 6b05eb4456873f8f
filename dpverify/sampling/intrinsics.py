"""Three LLVM instructions that Numba does not offer: a 64-bit rotation, a wide product, and a branch hint.

What it is: each function below exists only inside jitted code, where it becomes one or two machine
instructions.

Why the branch hint: a ziggurat leaves its fast path once in about a hundred draws, and that path calls ``exp``, which
clobbers every floating-point register. Without the hint LLVM keeps the *caller's* sums in memory for the whole loop;
with it, registers are saved only on the rare path (measured: 300 against 550 million Gaussians a second).

Rests on: the LLVM language reference, ``llvm.fshl``, ``llvm.expect``. Limits: cannot be called from Python, except
under ``NUMBA_DISABLE_JIT=1``, where plain functions with the same results replace them (and NumPy warns of the intended
overflows).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

# Numba types the decorated name by its definition, while jitted code calls it without the typing context.
_instruction: Callable[[Callable[..., Any]], Any] = intrinsic

_WORD, _WIDE, _BIT = ir.IntType(64), ir.IntType(128), ir.IntType(1)


def _require_words(*kinds: Any) -> None:
    """Refuse signed words at compile time: they would give a wrong generator, silently."""
    if any(kind != types.uint64 for kind in kinds):
        raise TypingError(
            f"expected uint64, got {', '.join(map(str, kinds))}: pass the state as numpy.uint64, from "
            "dpverify.sampling.streams.state_from(rng), or as_state(words) for words that jitted code gave back"
        )


@_instruction
def rotate_left(typing_context: Any, word: Any, places: Any) -> Any:
    """Rotate a 64-bit word left by a constant number of places; types for uint64 only."""
    _require_words(word)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_WORD, [_WORD, _WORD, _WORD])
        funnel_shift = builder.module.declare_intrinsic("llvm.fshl", [_WORD], kind)
        return builder.call(funnel_shift, [arguments[0], arguments[0], arguments[1]])

    return types.uint64(types.uint64, types.int64), generate


@_instruction
def multiply_high(typing_context: Any, left: Any, right: Any) -> Any:
    """Return the upper 64 bits of the 128-bit product of two uint64."""
    _require_words(left, right)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = [builder.zext(argument, _WIDE) for argument in arguments]
        return builder.trunc(builder.lshr(builder.mul(*wide), ir.Constant(_WIDE, 64)), _WORD)

    return types.uint64(types.uint64, types.uint64), generate


@_instruction
def likely(typing_context: Any, condition: Any) -> Any:
    """Return the condition unchanged, telling the compiler that it nearly always holds."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_BIT, [_BIT, _BIT])
        expect = builder.module.declare_intrinsic("llvm.expect", [_BIT], kind)
        return builder.call(expect, [arguments[0], ir.Constant(_BIT, 1)])

    return types.boolean(types.boolean), generate


if config.DISABLE_JIT:  # type: ignore[attr-defined]  # made when numba is imported

    def rotate_left(word: np.uint64, places: int) -> np.uint64:
        """Rotate a 64-bit word left by 1 to 63 places."""
        return np.uint64(word << np.uint64(places) | word >> np.uint64(64 - places))

    def multiply_high(left: np.uint64, right: np.uint64) -> np.uint64:
        """Return the upper 64 bits of the 128-bit product of two uint64."""
        return np.uint64(int(left) * int(right) >> 64)

    def likely(condition: bool) -> bool:
        """Return the condition unchanged."""
        return condition
