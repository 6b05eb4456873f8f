"""The ledger's claims about Theorem 4.2 of DISS: AM-RATE, its readings, what is repaired, and the remarks.

The chapter prints no eta_0, sigma, C or T; the claims' own parameters are its rho = 0.25 and lambda = 0.0001, ten
expected epochs of Adult with m = sqrt(n) = 221 (T = 2210; 100 where every iteration is proved), eta_0 = 1 and sigma =
0.01.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.remark import Remark, Shown
from dpverify.definitions.upper_bound import UpperBound
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.papers.diss.lemmas.admm.experiments import ADULT
from reference_impls.papers.diss.lemmas.admm.rate_noise import Pinned, Quadratic
from reference_impls.papers.diss.lemmas.admm.rate_paths import FirstInequality, LastDisplay

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

SUBJECTS = {
    "admm-rate-display": LastDisplay,
    "admm-rate-path": FirstInequality,
    "admm-rate-quadratic": Quadratic,
    "admm-rate-pinned": Pinned,
}
_NOISY = {"eta": (1e-3, 1.0), "rho": (0.01, 10.0), "sigma": (1e-3, 1.0), "iterations": (1.0, 3000.0)}
_BOXES: dict[str, dict[str, tuple[float, float]]] = {
    "admm-rate-display": {"rho": (0.01, 1e5), "l1": (0.0, 0.01), "iterations": (1.0, 400.0)},
    "admm-rate-path": {
        "seed": (0.0, 1e6),
        "eta": (1e-2, 10.0),
        "rho": (0.01, 10.0),
        "l1": (0.0, 1.0),
        "beta": (0.0, 4.0),
        "sigma": (0.0, 1.0),
        "point": (-2.0, 4.0),
    },
    "admm-rate-quadratic": {**_NOISY, "curvature": (0.01, 5.0), "optimum": (0.01, 2.0)},
    "admm-rate-pinned": {**_NOISY, "l1": (1e-4, 10.0)},
}

SMALL = "where lambda is far below sigma, as at the own numbers, this says nothing (a ratio of 0)"


def _reading(key: str, text: str, subject: str, **parameters: Any) -> Reading:
    kind, boxes = SUBJECTS[subject](**parameters), _BOXES[subject]
    own: Mapping[str, Any] = {name: getattr(kind, name) for name in boxes} | parameters
    return Reading(key=key, text=text, subject=subject, parameters=own, space=SearchSpace(parameters=boxes))


def register(registry: Registry) -> None:
    """Register the subjects, the claims and the remarks."""
    for name, subject in SUBJECTS.items():
        registry.mechanisms.add(name, subject)
    readings = {
        "AM-RATE": (
            _reading("a", "the last display as printed: distance |y^0 - y*|, averages as printed", "admm-rate-display"),
            _reading("a-path", "the first inequality of (4.12), along one run, in fractions", "admm-rate-path"),
            _reading(
                "b",
                f"the averages under noise, z held at 0, beta = lambda; {SMALL}",
                "admm-rate-pinned",
                output="average",
            ),
            _reading("b-quadratic", "the average of x under noise, on quadratics", "admm-rate-quadratic"),
            _reading(
                "c",
                f"the returned x^T under noise, z held at 0, beta = lambda; {SMALL}, AM-RATE-RUN.c-own does",
                "admm-rate-pinned",
            ),
        ),
        "AM-RATE-R": (
            _reading("a", "distance |x* - z^0|, averages of the proof", "admm-rate-display", distance="primal"),
            _reading("c", "the average of x^0 .. x^(T-1) returned", "admm-rate-pinned", output="average"),
        ),
    }
    for name, several in readings.items():
        paper, locus = ("dpverify", "repair of AM-RATE") if name.endswith("-R") else ("DISS", "Thm 4.2")
        registry.add_claim(
            Claim(
                id=name,
                guarantee=UpperBound(quantity="number"),
                relation="numbers",
                subject=several[0].subject or "",
                source=Source(paper=paper, locus=locus),
                statement="The expected gap of ssADMM is at most the bound of the proof, O(1 / sqrt(T)).",
                readings=several,
            )
        )
    for remark in _remarks():
        registry.remarks.add(remark.claim, remark)
        if remark.claim == "AM-RATE.c":
            registry.remarks.add("AM-RATE-RUN.c", dataclasses.replace(remark, claim="AM-RATE-RUN.c"))


def _remarks() -> tuple[Remark, ...]:
    return (
        Remark(
            claim="AM-RATE.a",
            breaks="From the second line of (4.12) to the third, rho |x* - z^0|^2 / 2 becomes rho d_y*^2 / 2 with d_y* "
            "= |y^0 - y*|: the distance of the dual variable in place of the second primal one. y* can be (next to) 0 "
            "while x* is far away, and then the bound does not grow with rho, though x moves C / rho a step.",
            means="The printed constant promises too much for a large penalty: at rho = 1/4 the bound is loose enough "
            "to hold all the same, from rho of some tens on it is not.",
            instead="Use |x* - z^0| there (AM-RATE-R.a), and the averages that the proof needs: x^0 .. x^(t-1) in f, "
            "z^1 .. z^t in h.",
            shown=_display_shown,
        ),
        Remark(
            claim="AM-RATE.c",
            breaks="The proof bounds averages, and line 11 of Algorithm 4.1 returns x^T. Where lambda is at least of "
            "the size of sigma, the threshold holds z at 0 and y takes up the noise; in balance x then has the "
            "variance eta sigma^2 / (2 rho), so with eta ~ 1 / sqrt(T) the regularised objective of x^T is of the "
            "order T^(-1/4), and not T^(-1/2).",
            means="A private run that returns x^T converges more slowly than the theorem says, in the coordinates that "
            "the regulariser switches off. Where lambda is far below sigma this does not show: section 4.6.4 has "
            "lambda <= 0.001, and a noise multiplier of 1 would be sigma = 0.009 on Adult (AM-RATE-RUN.c-own).",
            instead="Return the average of x^0 .. x^(T-1) (AM-RATE-R.c), or of z^1 .. z^T, at no cost in privacy.",
            shown=_returned_shown,
        ),
    )


def _display_shown() -> Shown:
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


def _returned_shown() -> Shown:
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
