"""GridMasses at every second place of a grid, above or below a law of losses: added up exactly, rounded to their side.

Above: each mass is rounded up, the left tail moves up to the first place, the right one to infinity. Below: each is
rounded down, the left tail is dropped, the right one moves down to the last place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import flint


@dataclass(frozen=True, slots=True)
class GridMasses:
    """Integers over 2^bits at the places first, first + 2, ..., and at infinity."""

    row: tuple[int, ...]
    infinite: int
    first: int

    @property
    def places(self) -> tuple[int, int]:
        """The first place and the last."""
        return self.first, self.first + 2 * (len(self.row) - 1)


@dataclass(slots=True)
class Adder:
    """Sums of independent losses on one side; the windows that it cuts to are kept, for whoever does it again."""

    bits: int
    upper: bool
    tail: float
    """Mass that all cuts together may move, on either end."""
    windows: list[tuple[int, int]] = field(default_factory=list)

    def total(self, laws: Sequence[GridMasses], counts: Sequence[int]) -> GridMasses:
        """The sum of all losses, each `count` times."""
        share = self.tail / (4 * sum(count.bit_length() for count in counts))
        found = GridMasses((1 << self.bits,), 0, 0)
        for law, count in zip(laws, counts, strict=True):
            power, done = law, 1
            for digit in bin(count)[3:]:
                power, done = self._product(power, power, share * 2 * done / count), 2 * done
                if digit == "1":
                    power, done = self._product(power, law, share * (done + 1) / count), done + 1
            found = self._product(found, power, share)
        return found

    def _product(self, a: GridMasses, b: GridMasses, tail: float) -> GridMasses:
        """The sum of two losses."""
        row = [int(each) for each in (flint.fmpz_poly(list(a.row)) * flint.fmpz_poly(list(b.row))).coeffs()]
        row += [0] * (len(a.row) + len(b.row) - 1 - len(row))
        sums = sum(a.row), sum(b.row)
        infinite = (sums[0] + a.infinite) * (sums[1] + b.infinite) - sums[0] * sums[1]
        room = int(tail * 2.0**53) << 2 * self.bits >> 53
        low, left = _cut(iter(row), room, len(row) - 1)
        high, right = _cut(reversed(row), room, len(row) - 1 - low)
        kept = row[low : len(row) - high]
        first = a.first + b.first + 2 * low
        self.windows.append((first, first + 2 * (len(kept) - 1)))
        if self.upper:
            kept[0], infinite = kept[0] + left, infinite + right
            return GridMasses(tuple(-(-each >> self.bits) for each in kept), -(-infinite >> self.bits), first)
        kept[-1] += right
        return GridMasses(tuple(each >> self.bits for each in kept), infinite >> self.bits, first)


def _cut(row: Iterator[int], room: int, most: int) -> tuple[int, int]:
    """Count the masses from one end, `most` at most, that are `room` together at most; and their sum."""
    number = total = 0
    for each in row:
        if total + each > room or number == most:
            break
        number, total = number + 1, total + each
    return number, total
