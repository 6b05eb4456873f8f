"""Decimals in remarks: each is computed beside its remark, or a number of its claim, or listed as the paper's print.

Prose is typed, so a number in it outlives what it was computed by. Read are numbers with a decimal point; whole numbers
(records, steps, lines) and places in a paper are not.
"""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from dpverify.core.claim import Claim
from dpverify.core.ledger_words import Remark, Shown
from dpverify.core.plugins import registry

NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?(?!\.?\d)")
PLACE = re.compile(
    r"\([46]\.\d{1,2}\)|\d+(?:\.\d+){2,}"
    r"|\b(?:[Ss]ection|Algorithm|Definition|Lemma|Proposition|Theorem|Table|Figure|DISS) \d+\.\d+"
)
"""(4.13), an equation of the dissertation's chapter 4 or 6; 6.5.3; Lemma 2.1."""
BEYOND = re.compile(r"(never[^.]*)?more than $")

QUOTED = (
    (("ACC-EPS-TABLE-BR",), "0.758", "the caption that 0.0551 stands beside"),
    (("AM-RATE.c", "AM-RATE-RUN.c"), "0.001", "section 4.6.4's largest lambda"),
    (("AP-GAPS.text",), "0.9", "Table 1's standard deviation"),
    (("AP-THM41.a", "AP-THM41.b", "AP-THM41.whole"), "1.25", "Lemma 2.1's constant"),
    (
        ("AP-THM41.a", "AP-THM41.b", "AP-THM41.whole"),
        "2.5",
        "the constant of AP-THM41-R: Lemma 2.1's at n delta / (2 T)",
    ),
    (("BL-AC.late",), "0.05", "section IV-D's zeta"),
    (("BL-BUDGET.diss",), "0.3", "section V-D's xi"),
)
"""Rows, the number, and what prints it."""


def decimals(text: str) -> list[tuple[str, str]]:
    """Each number with what stands before it."""
    left = PLACE.sub("", text)
    return [(found.group(), left[: found.start()]) for found in NUMBER.finditer(left)]


def says(number: str, before: str, value: float) -> bool:
    """Whether the value, rounded as the number is written, is it; cut down after "more than", up where never more."""
    unit = Decimal(1).scaleb(int(Decimal(number).as_tuple().exponent))
    over = Decimal(repr(abs(float(value)))) - Decimal(number)
    beyond = BEYOND.search(before)
    if beyond is None:
        return abs(over) <= unit / 2
    return -unit < over <= 0 if beyond[1] else 0 <= over < unit


def unshown(remark: Remark, claim: Claim) -> set[str]:
    """Decimals of a remark that neither its claim nor its computation has; labels say what it was computed at."""
    prose = decimals(" ".join((remark.breaks, remark.means, remark.instead)))
    own = {float(value) for value in claim.parameters.values() if isinstance(value, int | float)}
    own |= {float(number) for number, _ in decimals(claim.statement)}
    asked = [(number, before) for number, before in prose if float(number) not in own]
    if not asked:
        return set()
    shown = remark.shown().numbers
    at = {float(number) for label, _ in shown for number, _ in decimals(label)}
    return {
        number
        for number, before in asked
        if float(number) not in at and not any(says(number, before, value) for _, value in shown)
    }


def test_every_decimal_is_computed_or_a_setting_or_listed() -> None:
    """A listed number that is not needed fails as one that is missing does."""
    known = registry()
    claims = {single.id: single for _, claim in known.claims.items() for single in claim.single()}
    found = {(name, number) for name, remark in known.remarks.items() for number in unshown(remark, claims[name])}
    assert found == {(row, number) for rows, number, _ in QUOTED for row in rows}


def test_places_in_a_paper_are_no_numbers() -> None:
    text = "Lemma 2.1 and (4.13), section 6.5.3: 0.25 % at 1.5e-3, not (0.7) nor (2.31) of AdamW.2.5"
    assert [number for number, _ in decimals(text)] == ["0.25", "1.5e-3", "0.7", "2.31"]


@pytest.mark.parametrize(
    ("before", "number", "yes", "no"),
    [
        ("", "0.21", (0.205, -0.214), (0.2, 0.216, float("inf"))),
        ("", "1.5e-3", (0.00154,), (0.0016,)),
        ("by more than ", "2.5", (2.5, 2.59), (2.49, 2.6)),
        ("and never is it more than ", "2.3", (2.3, 2.21), (2.31, 2.2)),
    ],
)
def test_rounded_as_written(before: str, number: str, yes: tuple[float, ...], no: tuple[float, ...]) -> None:
    assert all(says(number, before, value) for value in yes)
    assert not any(says(number, before, value) for value in no)


def test_a_number_of_nothing_is_found() -> None:
    claim = next(single for _, each in registry().claims.items() for single in each.single() if single.parameters)
    remark = Remark(
        claim=claim.id,
        breaks="It is 0.12345.",
        means="So 0.33.",
        instead="Take 7.25, at s = 0.6.",
        shown=lambda: Shown(numbers=(("a third, s = 0.6", 1 / 3), ("seven", 7.2)), holds=True),
    )
    assert unshown(remark, claim) == {"0.12345", "7.25"}
