"""Looks at what is no mechanism: an accountant's number; how often something happens (a stated bound fails, say)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from dpverify.accounting.side_by_side import account
from dpverify.gallery.bridge import Bridge, BridgeError
from dpverify.gallery.bug import Bug
from dpverify.sampling.streams import stream
from dpverify.stats.intervals import clopper_pearson_lower


def account_look(bug: Bug, bridge: Bridge, _: float) -> dict[str, Any]:
    """The epsilon that the library prints for a composition, against a lower bound that is never above the truth."""
    said = bridge.value("claimed")
    try:
        composition, delta, claimed = str(said["composition"]), float(said["delta"]), float(said["epsilon"])
    except (TypeError, KeyError, ValueError):
        raise BridgeError("claimed() returned no composition, delta and epsilon") from None
    if claimed < 0.0:
        raise BridgeError(f"claimed() returned epsilon = {claimed:g}; bounds on a negative one are not known here")
    best = account(composition, delta=delta).highest
    if best is None:
        raise BridgeError(f"no accountant bounds the epsilon of {composition} from below")
    bound = best.bracket.lower
    refuted = bound > claimed
    return {
        "verdict": "refuted" if refuted else "not_refuted",
        "reason": "",
        "measure": f"epsilon at delta = {delta:g}",
        "claimed": claimed,
        "bound": bound,
        "confidence": None,
        "method": best.accountant,
        "witness": {"composition": composition},
        "exact": True,
    }


def rate_look(bug: Bug, bridge: Bridge, alpha: float) -> dict[str, Any]:
    """Count how often something happens that has a claimed rate; each draw is 1 where it does, else 0."""
    claimed = float(bridge.value("claimed"))
    wrong = np.asarray(bridge(None, bug.trials, stream(bug.seed, bug.name, "rate")))
    if wrong.shape != (bug.trials,) or not np.isin(wrong, (0.0, 1.0)).all():
        raise BridgeError("the draws of a rate are 0 or 1")
    often = int(wrong.sum())
    bound = float(clopper_pearson_lower(often, bug.trials, alpha=alpha))
    return {
        "verdict": "refuted" if bound > claimed else "not_refuted",
        "reason": "",
        "measure": "rate",
        "claimed": claimed,
        "bound": bound,
        "confidence": 1.0 - alpha,
        "trials": bug.trials,
        "estimate": often / bug.trials,
        "detectable": _detectable(claimed, bug.trials, alpha),
        "method": "binomial",
        "witness": {"times": often, "of": bug.trials},
        "exact": False,
    }


def _detectable(claimed: float, trials: int, alpha: float) -> float:
    """The smallest true rate that is refuted with 80 % power."""
    low, high = int(claimed * trials), trials
    while low < high:  # the smallest count that refutes
        middle = (low + high) // 2
        if float(clopper_pearson_lower(middle, trials, alpha=alpha)) > claimed:
            high = middle
        else:
            low = middle + 1
    return float(special.bdtri(low - 1, trials, 0.2)) if low <= trials else 1.0
