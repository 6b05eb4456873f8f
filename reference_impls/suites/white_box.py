"""White-box claims about DP-SGD: everything that its iterates show, against the accountant's own curve.

The subjects are trained on canaries of one-weight squared loss (`dpverify/datasets/neighbors/canaries.py`), whose
clipped gradients are the same at any weight: the accountant's worst case, so the claims that stand here stand with
equality. They are audited by whole transcripts: ``dpverify run dp-sgd --trials 96000`` for the three
claims at 95 % each, ``dpverify run white-box --trials 96000`` for all.

Sampling is audited beside: Poisson batches cost what the accountant says when records are added or removed, or
blanked out (zero-out); not when one is replaced by its opposite. Batches of a fixed size and shuffled ones cost more
under any of these relations: a record that takes part keeps another out (Chua et al. 2024, arXiv 2403.17673;
Annamalai et al. 2024, "To shuffle or not to shuffle").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.registry import Registry
from dpverify.core.suite import Expectation, Suite, SuiteEntry
from reference_impls.known_broken.dp_sgd_faults import FAULTS

RATE, STEPS = 0.25, 400
SIGMAS = {1: 18.7281, 4: 5.5029, 10: 2.6241}
"""Noise multipliers for epsilon = 1, 4 and 10 at delta = 1e-5 by our privacy-loss distributions, rounded up."""

TRIALS = 96_000
"""Transcripts a side; with the pilot's, fewer than 10^5."""

FEW_STEPS, FEW_SIGMA = 16, 1.4537
"""Of the other claims: epsilon = 4 at delta = 1e-5 with q = 1/4."""

LABEL = 1e9
"""So long a gradient that no weight reached in a run shortens it below the clip."""


def add_white_box(
    registry: Registry,
    name: str,
    subject: str,
    parameters: Mapping[str, Any],
    *,
    size: int,
    expectation: Expectation,
    statement: str,
    rate: float = RATE,
    sigma: float = FEW_SIGMA,
    steps: int = FEW_STEPS,
    generator: str = "add-remove/canaries",
    noise: float = 1.0,
    suites: tuple[str, ...] = ("white-box",),
) -> None:
    """Register the entry: `subject` at these numbers, claimed to be SubsampledGaussian(rate, sigma, steps).

    Parameters
    ----------
    parameters : mapping
        The subject's own, on top of model, steps, noise multiplier and step size (and rate, where it takes no batch
        size).
    size : int
        Number of records beside the canary.
    noise : float
        What part of `sigma` the subject really adds.
    """
    shared = {"model": "squared", "steps": steps, "noise_multiplier": noise * sigma, "step_size": 1e-3}
    sampling = {} if "batch_size" in parameters else {"rate": rate}
    claim = Claim(
        id=name,
        guarantee=SubsampledGaussian(rate=rate, sigma=sigma, steps=steps),
        relation=generator.partition("/")[0],
        subject=subject,
        parameters={**shared, **sampling, **parameters},
        space=SearchSpace(size=size, low=0.0, high=LABEL, generator=generator),
        source=Source(paper="house", locus="white box"),
        statement=statement,
    )
    registry.add_entry(SuiteEntry(claim=claim, expectation=expectation, suites=suites))


def register(registry: Registry) -> None:
    """Register DP-SGD's claims at epsilon = 1, 4 and 10, those about its samplings, and the suites that hold them."""
    methods = ("transcript",)
    registry.suites.add(
        "dp-sgd",
        Suite(
            name="dp-sgd",
            about="DP-SGD at epsilon = 1, 4 and 10, white box, each claim at 95 %",
            methods=methods,
            trials=TRIALS,
            confidence=0.95,
            per_row=True,
        ),
    )
    registry.suites.add(
        "white-box",
        Suite(name="white-box", about="DP-SGD's claims, samplings and faults.", methods=methods, trials=TRIALS),
    )
    for epsilon, sigma in SIGMAS.items():
        add_white_box(
            registry,
            f"dp-sgd-epsilon-{epsilon}",
            "dp-sgd",
            {"divisor": 1.0},
            size=4,
            expectation="stands",
            sigma=sigma,
            steps=STEPS,
            suites=("white-box", "dp-sgd"),
            statement=f"DP-SGD with q = {RATE}, T = {STEPS}, sigma = {sigma} is ({epsilon}, 1e-5)-DP, iterates seen.",
        )
    add = "add-remove/canaries"
    replace, zero_out = "replace/canaries", "replace/zero-out"
    kinds: tuple[tuple[str, str, dict[str, Any], str, Expectation], ...] = (
        ("poisson", "dp-sgd", {}, zero_out, "stands"),
        ("poisson", "dp-sgd", {}, replace, "broken"),
        ("fixed-size", "dp-sgd-fixed-size", {"batch_size": 4}, add, "broken"),
        ("fixed-size", "dp-sgd-fixed-size", {"batch_size": 4}, replace, "broken"),
        ("shuffled", "dp-sgd-shuffled", {"batch_size": 4}, add, "broken"),
        ("shuffled", "dp-sgd-shuffled", {"batch_size": 4}, replace, "broken"),
    )
    for sampling, subject, parameters, generator, expectation in kinds:
        add_white_box(
            registry,
            f"dp-sgd-{sampling}-{generator.replace('/', '-')}",
            subject,
            {"divisor": 4.0, **parameters},
            size=16 if generator == add else 15,  # 4 divides it: a record more makes a shuffled batch of its own
            expectation=expectation,
            generator=generator,
            statement=f"DP-SGD on {sampling} batches costs what Poisson batches cost ({generator}).",
        )
    _add_faults(registry)
    for sampling, subject, parameters, _, expectation in (kinds[0], kinds[4]):
        add_white_box(
            registry,
            f"dp-sgd-{sampling}-one-record-batches",
            subject,
            {"divisor": 1.0, **({"batch_size": 1} if parameters else {})},
            size=99,
            rate=0.01,
            sigma=0.8,
            steps=100,
            expectation=expectation,
            generator=zero_out,
            statement=f"One epoch of DP-SGD on {sampling} batches of one of 100 records costs what Poisson batches do.",
        )


def _add_faults(registry: Registry) -> None:
    """DP-SGD with a wrong line each, and with too little noise."""
    for fault in FAULTS:
        counted = fault == "realised-size"  # with one record beside the canary a batch of two says that it is there
        add_white_box(
            registry,
            f"dp-sgd-{fault}",
            "dp-sgd-fault",
            {"fault": fault, "divisor": 1.0 if counted else 4.0},
            size=1 if counted else 15,
            rate=0.5 if counted else RATE,
            sigma=20.0 if counted else FEW_SIGMA,
            steps=32 if counted else FEW_STEPS,
            expectation="broken",
            statement=f"DP-SGD with the fault {fault} costs what its accountant says.",
        )
    for noise in (0.9, 0.8):
        add_white_box(
            registry,
            f"dp-sgd-noise-{noise:g}",
            "dp-sgd",
            {"divisor": 4.0},
            size=15,
            expectation="broken",
            noise=noise,
            statement=f"DP-SGD with {noise:.0%} of the noise costs what the accountant says of all of it.",
        )
