"""The gaps of ADPSGD's Table 1, subtracted again: ledger row AP-GAPS.

Each gap is printed beside the two mean accuracies that it is the difference of, ADP-SGD's less DP-SGD's, and section
6.1 says three of them in words. All are decimals with two places, so each difference is exact. Two do not come out: the
gap at epsilon_bar = 3.2, C_G = 2.5, epoch 60 (section 6.1 has both of its accuracies in words), and the "0.8 %" for
epoch 60.

About arithmetic in print, not about the accuracies themselves, which took five trainings of a network each.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.laws.balls import enclosed_fraction

Cell = tuple[str, str, str]
EPOCHS = (60, 120, 200)
TABLE: dict[tuple[float, float], tuple[Cell, Cell, Cell]] = {
    (0.8, 1.0): (("56.38", "56.13", "0.25"), ("54.20", "52.72", "1.48"), ("51.71", "44.68", "7.03")),
    (0.8, 2.5): (("48.61", "38.06", "10.55"), ("44.11", "23.64", "20.47"), ("39.92", "17.75", "22.17")),
    (1.2, 1.0): (("60.26", "60.09", "0.17"), ("60.24", "60.02", "0.22"), ("58.68", "57.56", "1.12")),
    (1.2, 2.5): (("56.63", "55.71", "0.92"), ("52.26", "43.16", "9.1"), ("50.7", "32.00", "18.7")),
    (1.6, 1.0): (("61.30", "61.18", "0.12"), ("61.98", "61.89", "0.09"), ("61.88", "61.46", "0.42")),
    (1.6, 2.5): (("61.52", "61.76", "-0.24"), ("58.60", "55.68", "2.92"), ("56.07", "46.74", "9.33")),
    (3.2, 1.0): (("61.76", "62.02", "-0.26"), ("64.27", "63.88", "0.39"), ("65.54", "65.11", "0.43")),
    (3.2, 2.5): (("65.34", "66.08", "-0.44"), ("66.41", "65.73", "0.68"), ("65.74", "65.17", "0.57")),
    (6.4, 1.0): (("62.2", "62.06", "0.14"), ("64.57", "64.61", "-0.04"), ("65.74", "65.84", "-0.1")),
    (6.4, 2.5): (("67.35", "67.06", "0.29"), ("68.72", "68.46", "0.26"), ("69.51", "69.28", "0.23")),
}
"""(epsilon_bar, C_G): ADP, DP and gap, an epoch each."""
SAID = ("0.8", "1.48", "7.03")
"""Section 6.1's improvements at epsilon_bar = 0.8, C_G = 1."""
REPAIRS = {((3.2, 2.5), 60): "-0.74"}
LAST_PLACE = Fraction(1, 200)

Where = Literal["table", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps(Checked):
    """Subject ``table-adp-sgd-gaps``: the largest distance of a printed gap from the difference, against half a last
    place.

    Attributes
    ----------
    where : "table" or "text"
        Table 1's thirty, or section 6.1's three.
    mended : bool
        Whether `REPAIRS` (the table's own gaps, in the text) replace what is printed.
    """

    where: Where = "table"
    mended: bool = False

    def distances(self) -> dict[tuple[tuple[float, float], int], Fraction]:
        """For each gap, how far the print is from the difference of accuracies."""
        found = {}
        for key, cells in TABLE.items():
            for epoch, said, (adp, dp, gap) in zip(EPOCHS, SAID, cells, strict=True):
                if self.where == "text":
                    gap = gap if self.mended else said
                elif self.mended:
                    gap = REPAIRS.get((key, epoch), gap)
                if self.where == "table" or key == (0.8, 1.0):
                    found[key, epoch] = abs(Fraction(adp) - Fraction(dp) - Fraction(gap))
        return found

    def printed(self) -> Enclosed:
        """Half a unit of the last place."""
        return Enclosed(value=float(LAST_PLACE))

    def truth(self) -> Enclosed:
        """The largest distance of all gaps."""
        return enclosed_fraction(max(self.distances().values()))

    def proved_ratio(self) -> Enclosed | None:
        """The exact quotient of what was found and what is allowed."""
        return enclosed_fraction(max(self.distances().values()) / LAST_PLACE)

    def describe(self) -> dict[str, Any]:
        """The gaps that do not come out."""
        return {
            "differ": [
                {"epsilon_bar": key[0], "C_G": key[1], "epoch": epoch, "off by": float(distance)}
                for (key, epoch), distance in self.distances().items()
                if distance > LAST_PLACE
            ]
        }


def shown() -> Shown:
    """The numbers shown beside the remark on AP-GAPS.table."""
    adp, dp, gap = TABLE[3.2, 2.5][0]
    numbers = (
        ("ADP-SGD", float(adp)),
        ("DP-SGD", float(dp)),
        ("their difference", float(Fraction(adp) - Fraction(dp))),
        ("printed gap", float(gap)),
    )
    return Shown(numbers=numbers, holds=numbers[2][1] < numbers[3][1] < 0)


def shown_text() -> Shown:
    """The numbers shown beside the remark on AP-GAPS.text."""
    numbers = (("in words", float(SAID[0])), ("in Table 1", float(TABLE[0.8, 1.0][0][2])))
    return Shown(numbers=numbers, holds=numbers[0][1] > 3 * numbers[1][1])
