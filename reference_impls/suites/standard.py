"""The suite ``standard``: the field's benchmark of twenty mechanisms, and what the tools of the field found on them.

Which mechanisms: those of DP-Sniper's evaluation (Bichsel, Steffen, Bogunovic, Vechev, S&P 2021), most of them StatDP's
(Ding et al., CCS 2018) and Lyu et al.'s, at epsilon 0.1, with their sizes and relations; each is tagged where it is
registered. Published bounds: lower bounds at 90 % confidence each, of the reference logs that DP-Sniper's repository
keeps (its logistic regression and its neural network) and of two runs of StatDP there; the best that is not above the
truth counts, with the seconds of its search. They had 2 x 10^8 draws a side for the bound alone.

Truths. In closed form where the mechanism's own file has one. Ten queries bound what grows with their number: moving a
query by one costs its noise 1 / scale, so SVT3 and SVT6 cost at most 10 / 20, and SVT34Parallel at most 10 / 40 for its
first half and (1 + 6 c) / 4 epsilon for its second. NoisyMax1's is at most epsilon. Reports show them; no auditor can.
"""

from __future__ import annotations

import math

from dpverify.core.registry import Registry
from dpverify.core.suite import Published, Suite

STATDP, REGRESSION, NETWORK = "StatDP", "DP-Sniper LR", "DP-Sniper MLP"


def _row(truth: float, bound: float, tool: str, seconds: float, target: float | None = None) -> Published:
    return Published(truth=truth, bound=bound, tool=tool, seconds=seconds, target=target)


PUBLISHED = {
    "laplace": _row(0.1, 0.0998, STATDP, 46),
    "truncated-geometric-natural-log": _row(math.log1p(2.0**-3), 0.117, STATDP, 352),
    "noisy-histogram": _row(0.1, 0.099, STATDP, 505),
    "noisy-hist-2-0.1": _row(10.0, 9.717, STATDP, 816),
    "report-noisy-max": _row(0.1, 0.093, NETWORK, 466),
    "report-noisy-max-exponential": _row(0.1, 0.0997, STATDP, 60),
    "noisy-max-3": _row(0.25, 0.249, NETWORK, 408),
    "noisy-max-4": _row(math.inf, 0.353, NETWORK, 428),
    "svt1": _row(0.1, 0.086, REGRESSION, 118),
    "svt2": _row(0.1, 0.086, REGRESSION, 148),
    "svt3-0.1": _row(0.5, 0.182, NETWORK, 829),
    "svt4": _row(0.175, 0.172, STATDP, 555),
    "svt5": _row(math.inf, 14.31, STATDP, 355),
    "svt6": _row(0.5, 0.322, STATDP, 760),
    "rappor": _row(0.4001, 0.301, NETWORK, 455, 0.36),
    "rappor-one-time": _row(0.8007, 0.600, NETWORK, 369, 0.72),
    "laplace-parallel": _row(0.1, 0.035, REGRESSION, 96, 0.055),
    "svt34-parallel-0.1": _row(0.575, 0.262, NETWORK, 1025),
    "prefix-sum-all-queries": _row(1.0, 0.577, NETWORK, 950, 0.85),
    "numerical-svt": _row(0.1, 0.035, NETWORK, 624, 0.05),
}


def register(registry: Registry) -> None:
    """Register how the suite is run: one black-box auditor, one budget, 90 % confidence for each row."""
    registry.suites.add(
        "standard",
        Suite(
            name="standard",
            about="The field's twenty benchmark mechanisms, beside the best published bounds.",
            profile="benchmark",
            methods=("event",),
            confidence=0.9,
            per_row=True,
            published=PUBLISHED,
        ),
    )
