"""An axis with round ticks: linear, or logarithmic where values span more than a factor of 20."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

STEEP = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The range of an axis."""

    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, values: Sequence[float]) -> Scale:
        """A scale that holds the finite ones of these values."""
        finite = [each for each in values if math.isfinite(each)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        if low > 0.0 and high > STEEP * low:
            return cls(low=low / 1.1, high=high * 1.1, log=True)
        more = 0.05 * (high - low) or 0.5
        return cls(low=low - more, high=high + more, log=False)

    def place(self, value: float) -> float:
        """Position of a value, cut to [0, 1]."""
        low, high, value = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return (value - low) / (high - low)

    def ticks(self) -> list[tuple[float, str]]:
        """Positions and words of about five round numbers."""
        if self.log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            digits = (1, 2, 5) if len(powers) < 4 else (1,)
            values = [digit * 10.0**power for power in powers for digit in digits]
        else:
            raw = (self.high - self.low) / 5.0
            unit = 10.0 ** math.floor(math.log10(raw))
            step = unit * next(size for size in (1, 2, 5, 10) if size * unit >= raw)
            values = [step * count for count in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]
        return [(self.place(each), _words(each)) for each in values if self.low <= each <= self.high]


def _words(value: float) -> str:
    if value == 0.0 or abs(value) >= 1e-3:
        return f"{value:.4g}"
    digits, _, power = f"{value:.3e}".partition("e")
    return f"{float(digits):g}e{int(power)}"
