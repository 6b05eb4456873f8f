"""e^x in a form that LLVM runs on several lanes at once: the library's own exp is one call for each number.

Basis: e^x = 2^n e^r with n the nearest whole number to x / log 2 and |r| <= 0.35, the Taylor polynomial of
degree 13 (remainder below 5e-18), log 2 in two parts (Cody, Waite 1980), and 2^n written into a double's exponent bits.
Relative error below `ERROR` for x in [`LEAST`, `MOST`]; below that the value at `LEAST`, above it nonsense: callers see
to it. Limits: for jitted code, in loops without branches. Not to be confused with a way to e^x - 1, which cancels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

LEAST, MOST = -700.0, 705.0
ERROR = 2.0**-51

_LOG2_E = 1.4426950408889634
_LOG_2_HIGH, _LOG_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROUNDING = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the nearest whole number in the low bits
_C2, _C3, _C4, _C5, _C6, _C7 = 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040
_C8, _C9, _C10, _C11, _C12 = 1 / 40320, 1 / 362880, 1 / 3628800, 1 / 39916800, 1 / 479001600
_C13 = 1 / 6227020800

_instruction: Callable[[Callable[..., Any]], Any] = intrinsic


@_instruction
def _power_of_two(typing_context: Any, shifted: Any) -> Any:
    """2^n from the double n + _ROUNDING."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        bits = builder.bitcast(arguments[0], word)
        bits = builder.add(builder.shl(bits, ir.Constant(word, 52)), ir.Constant(word, 1023 << 52))
        return builder.bitcast(bits, ir.DoubleType())

    return types.float64(types.float64), generate


@njit(cache=True, nogil=True, error_model="numpy")
def vector_exp(x: float) -> float:
    """e^max(x, LEAST) for x <= MOST; never nan but for nan."""
    x = x if x > LEAST else LEAST
    shifted = x * _LOG2_E + _ROUNDING
    whole = shifted - _ROUNDING
    r = (x - whole * _LOG_2_HIGH) - whole * _LOG_2_LOW
    high = _C8 + r * (_C9 + r * (_C10 + r * (_C11 + r * (_C12 + r * _C13))))
    low = 1.0 + r * (1.0 + r * (_C2 + r * (_C3 + r * (_C4 + r * (_C5 + r * (_C6 + r * (_C7 + r * high)))))))
    scale: float = _power_of_two(shifted)
    return low * scale
