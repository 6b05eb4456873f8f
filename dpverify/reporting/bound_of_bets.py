"""How a bound follows from bets against the claim that were settled as the draws came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dpverify.reporting.formatting import number


def bets_steps(said: Mapping[str, Any]) -> Iterator[str]:
    """Explain the bound of an audit by betting: the error probability, the wealth, the chain of claims."""
    alpha, pairs = float(said["alpha"]), said.get("pairs")
    yield (
        f"Against each value of a list of claims a bettor starts with wealth 1 and bets before each draw. If the value "
        f"is true, the wealth has expectation 1 at most, so it ever reaches 1 / {number(alpha)} = {1.0 / alpha:.4g} "
        f"with probability {number(alpha)} at most (Ville's inequality)."
    )
    largest = said.get("e_value_largest")
    if isinstance(largest, int | float):
        reached = "which is enough" if largest >= 1.0 / alpha else "which is not enough"
        yield f"After {pairs} pairs of draws the largest wealth against the claim itself was {largest:.4g}, {reached}."
    yield (
        "The bound is the largest value of the list up to which every wealth reached that much. The wealths follow "
        "from the blocks' counts and bets below; `dpverify recheck` computes them again."
    )
