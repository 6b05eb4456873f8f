"""An arm at its price: the algorithm with the least noise that a sound accountant certifies, or as its settings say."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpverify.core.errors import InputError
from dpverify.utility.calibration import true_epsilon
from dpverify.utility.experiment import Arm, Design

_turn = threading.Lock()
_known: dict[str, PricedAlgorithm] = {}

OVERSPENT = 1e-6
"""Share of epsilon by which a certified price may be above the asked one, for rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedAlgorithm:
    """An algorithm, what it costs, and who says so.

    Attributes
    ----------
    algorithm : Training
    epsilon : float or None
        A certified upper bound at the design's delta and relation; None where there is none to certify.
    accountant : str
    """

    algorithm: Any
    epsilon: float | None = None
    accountant: str = ""


def priced(
    arm: Arm, settings: Mapping[str, Any], design: Design, *, epsilon: float | None, rows: int
) -> PricedAlgorithm:
    """The arm's algorithm for so many records at this price.

    What the calibration gives is priced once more, by the algorithm's own composition under the design's relation: an
    arm without noise, or one that was calibrated under another relation, is refused.

    Raises
    ------
    InputError
        For settings that the algorithm does not take, for a price that no accountant can certify (with the least that
        it can), and for an arm that costs more than it is asked to.
    """
    key = repr((arm.make, design.name, arm.label, sorted(settings.items(), key=repr), epsilon, rows))
    key += repr((design.delta, design.relation, arm.price))
    with _turn:
        if key in _known:
            return _known[key]
    found = _priced(arm, settings, design, epsilon, rows)
    with _turn:
        _known[key] = found
    return found


def _priced(arm: Arm, settings: Mapping[str, Any], design: Design, epsilon: float | None, rows: int) -> PricedAlgorithm:
    taken = arm.takes()
    unknown = [name for name in settings if taken is not None and name not in taken]
    if unknown and taken is not None:
        raise InputError(f"{design.called()}: setting {unknown[0]!r} of {arm.label}", allowed=", ".join(taken))
    algorithm = arm.make(**settings)
    if arm.price == "none":
        return PricedAlgorithm(algorithm=algorithm)
    under: dict[str, Any] = {"delta": design.delta, "relation": design.relation, "rows": rows}
    if arm.price == "own":
        bracket = true_epsilon(algorithm, **under)
        return PricedAlgorithm(algorithm=algorithm, epsilon=_known_or_none(bracket.upper), accountant=bracket.note)
    if epsilon is None or not hasattr(algorithm, "calibrated"):
        raise InputError(
            f"{design.called()}: {arm.label}, whose noise cannot be calibrated", allowed="an algorithm that can be"
        )
    found = algorithm.calibrated(epsilon=epsilon, accounted="then" if arm.price == "then" else "now", **under)
    if arm.price == "then":
        return PricedAlgorithm(algorithm=found.algorithm, epsilon=found.epsilon, accountant=found.accountant)
    upper = max(found.epsilon, true_epsilon(found.algorithm, **under).upper)
    if not upper <= epsilon * (1 + OVERSPENT):
        raise InputError(
            f"{design.called()}: {arm.label} costs epsilon = {upper:.6g} under {design.relation!r}",
            allowed=f"at most {epsilon:g}, the price of this comparison",
        )
    return PricedAlgorithm(algorithm=found.algorithm, epsilon=upper, accountant=found.accountant)


def _known_or_none(upper: float) -> float | None:
    """A bound, where one is known."""
    return upper if math.isfinite(upper) else None
