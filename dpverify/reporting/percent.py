"""Rates in per cent, to three digits, rounded so that a limit stays one."""

from __future__ import annotations

import math


def percent_up(rate: float) -> str:
    """An upper limit such as ``2.72 %``."""
    if rate >= 0.99995:
        return "100 %"
    return f"{100 * math.ceil(rate / _unit(rate) - 1e-9) * _unit(rate):.4g} %"


def percent_down(rate: float) -> str:
    """Round a lower limit down."""
    return f"{100 * math.floor(rate / _unit(rate) + 1e-9) * _unit(rate):.4g} %"


def _unit(rate: float) -> float:
    return float(10.0 ** (math.floor(math.log10(rate)) - 2)) if rate > 0 else 1.0
