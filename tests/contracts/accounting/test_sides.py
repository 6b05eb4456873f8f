"""Accountants judge each other: no lower end is above any upper end, the exact ones' and the oracle's among them."""

from __future__ import annotations

from typing import Any

import pytest

from dpverify.core.composition import Composition

JUDGED = {"gaussian(sigma=8.5, sensitivity=1)", "poisson-gaussian(q=0.00512, sigma=1)"}


def test_no_lower_end_is_above_any_upper_end(accounts, composition):
    check_sides(accounts, composition, with_slow=accounts.shown(composition) in {f"1 x {text}" for text in JUDGED})


@pytest.mark.slow
def test_no_upper_end_is_below_the_oracle(accounts, one_of_few):
    check_sides(accounts, one_of_few, with_slow=True)


def check_sides(accounts: Any, composition: Composition, *, with_slow: bool) -> None:
    sound = [name for name, accountant in accounts.accountants.items() if accountant.side != "printed"]
    asked = [name for name in sound if with_slow or name not in accounts.slow]
    costs = {name: composed for name in asked if (composed := accounts.cost(name, composition)) is not None}
    for ask, arguments in (("epsilon", accounts.deltas), ("delta", accounts.epsilons)):
        for argument in arguments:
            brackets = {name: getattr(composed, ask)(argument) for name, composed in costs.items()}
            for low, lower in brackets.items():
                for high, upper in brackets.items():
                    assert lower.lower <= upper.upper, f"{low} above {high} at {ask}({argument})"
