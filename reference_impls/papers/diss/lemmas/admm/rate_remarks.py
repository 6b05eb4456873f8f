"""Computations behind the remarks on Theorem 4.2 of DISS (AM-RATE).

The chapter prints no eta_0, sigma, C or T; the claims' own parameters are its rho = 0.25 and lambda = 0.0001, ten
expected epochs of Adult with m = sqrt(n) = 221 (T = 2210; 100 where every iteration is proved), eta_0 = 1 and sigma =
0.01.
"""

from __future__ import annotations

from dpverify.core.ledger_words import Shown
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.papers.diss.lemmas.admm.experiment_size import ADULT
from reference_impls.papers.diss.lemmas.admm.rate_noise import Pinned
from reference_impls.papers.diss.lemmas.admm.rate_paths import LastDisplay


def display_shown() -> Shown:
    """The numbers shown beside the remark on AM-RATE.a."""
    own, large = (LastDisplay(rho=rho, iterations=200.0) for rho in (0.25, 1e4))
    repaired = LastDisplay(rho=1e4, iterations=200.0, distance="primal")
    numbers = (
        ("gap over printed bound at rho = 1/4", own.truth().value / own.printed().value),
        ("gap at rho = 10000, t = 200", large.truth().value),
        ("printed bound there", large.printed().value),
        ("bound with |x* - z^0| there", repaired.printed().value),
    )
    holds = own.truth().upper < own.printed().value and large.truth().lower > large.printed().value
    return Shown(numbers=numbers, holds=holds and repaired.truth().upper < repaired.printed().value)


def returned_shown() -> Shown:
    """The numbers shown beside the remarks on AM-RATE.c and AM-RATE-RUN.c."""
    last, average = (Pinned(output=output, sigma=1.0, l1=6.0, iterations=10_000.0) for output in ("last", "average"))
    slopes = [each.describe()["slope"] for each in (last, average)]
    numbers = (
        ("gap of x^T, sigma = 1, lambda = 6, T = 10000", last.truth().value),
        ("bound", last.printed().value),
        ("slope of log gap in log T, x^T", slopes[0]),
        ("slope, average", slopes[1]),
        (f"sigma of a noise multiplier of 1, C = 1, n = {ADULT}", SsAdmm(clip=1.0).sensitivity(ADULT)),
    )
    holds = last.truth().lower > last.printed().value and -0.3 < slopes[0] < -0.2 and slopes[1] < -0.5
    return Shown(numbers=numbers, holds=holds)
