"""Sound mechanisms with 90 % of their noise: the smallest fault that the suites ask auditors to find.

The wrong line is the noise scale: ``scale * 0.9`` stands for a wrong constant, a sensitivity that is a tenth
too small, or a rounding of the scale. Every mechanism has the field `noise_multiplier` for it, and its
``register`` calls :func:`add_noise_deficit` where the deficit truly breaks the claim in the claim's own search
space. That is so where the claim is exact at the boundary; where a claim has slack (no pair comes near it), the
variant is registered as one that stands, with the numbers in the mechanism's own file. The true epsilon of a
pure claim met with equality is epsilon / 0.9 = 1.11 epsilon.

Source: the mutation suite of Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo, Gipson, "Differentially Private
SQL with Bounded User Contribution" (PoPETs 2020, section 5.3), which sweeps the ratio of implemented to
advertised noise.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from dpverify.core.claim import Claim
from dpverify.core.registry import Registry
from dpverify.core.suite import Expectation, SuiteEntry

MULTIPLIER = 0.9


def add_noise_deficit(
    registry: Registry, factory: Callable[..., Any], claim: Claim, *, expectation: Expectation = "broken"
) -> None:
    """Register `claim`'s subject with 90 % of its noise, and the claim about it (full profile).

    Parameters
    ----------
    registry : Registry
        Gets the subject ``<subject>-noise-0.9`` (once) and the entry ``<claim id>-noise-0.9``.
    factory : callable
        Makes the mechanism; must take ``noise_multiplier``.
    claim : Claim
        A claim that the full noise meets and (unless `expectation` says else) 90 % of it breaks, in its search space.
    expectation : "broken" or "stands"
        ``stands`` for a claim with so much slack that 90 % of the noise still meets it.
    """
    suffix = f"-noise-{MULTIPLIER:g}"
    subject = claim.subject + suffix
    if subject not in registry.known_broken:
        registry.known_broken.add(subject, functools.partial(factory, noise_multiplier=MULTIPLIER))
    weakened = dataclasses.replace(
        claim,
        id=claim.id + suffix,
        subject=subject,
        statement=f"{claim.statement} [with {MULTIPLIER:.0%} of the noise]",
    )
    registry.add_entry(SuiteEntry(claim=weakened, expectation=expectation, suites=("core",), profile="full"))
