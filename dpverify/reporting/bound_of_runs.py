"""How a bound follows from fresh runs that showed the same noise-free values, and from the noise's recorded laws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dpverify.reporting.formatting import number, number_down
from dpverify.reporting.two_rates import formulas


def runs_steps(laws: Mapping[str, Any], measure: Mapping[str, Any]) -> Iterator[str]:
    """`laws` has p and q of the event by the laws, n runs a side and the error probability alpha."""
    p, q, size, alpha = float(laws["p"]), float(laws["q"]), int(laws["n"]), float(laws["alpha"])
    sure = alpha ** (1.0 / size)
    yield (
        f"In {size} fresh runs a side the noise-free values were the same every time. Were their probability below u = "
        f"{number(alpha)}^(1/{size}) = {sure:.6g} on a side, so many runs in a row would have had a probability below "
        f"{number(alpha)}."
    )
    low, high = p * sure, min(q + 1.0 - sure, 1.0)
    yield (
        f"By the law of the noise, the event has probability {p:.6g} given the one side's values and {q:.6g} given "
        f"the other's: in all at least u * {p:.6g} = {low:.6g} and at most {q:.6g} + 1 - u = {high:.6g}."
    )
    kind, argument = str(measure.get("kind")), measure.get("argument")
    found = list(formulas(kind, float(argument) if isinstance(argument, int | float) else 0.0))
    best = max(found, key=lambda each: each.value(low, high), default=None)
    if best is not None and best.value(low, high) > 0.0:
        told = best.text(f"{low:.6g}", f"{high:.6g}")
        yield f"So {kind} >= {told} = {number_down(best.value(low, high), 4)}."
