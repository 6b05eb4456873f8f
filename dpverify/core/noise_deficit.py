"""A sound mechanism with 90 % of its noise: the smallest fault that the suites ask auditors to find.

The fault is the noise scale: ``scale * 0.9`` stands for a wrong constant, a sensitivity that is a tenth too small, or a
rounding of the scale. Every mechanism here has the field `noise_multiplier` for it, and an entry of a suite says with
`noise_deficit` what is expected then: ``broken`` where the claim is exact at the boundary in its own search space,
``stands`` where it has so much slack that no pair comes near it. The true epsilon of a pure claim met with equality is
epsilon / 0.9 = 1.11 epsilon.

Source: the mutation suite of Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo, Gipson, "Differentially Private
SQL with Bounded User Contribution" (PoPETs 2020, section 5.3), which sweeps the ratio of implemented to
advertised noise.
"""

from __future__ import annotations

from dataclasses import replace

from dpverify.core.suite import SuiteEntry

MULTIPLIER = 0.9
SUFFIX = f"-noise-{MULTIPLIER:g}"


def with_deficit(entry: SuiteEntry) -> SuiteEntry:
    """The entry for the same claim about ``<subject>-noise-0.9`` (core suite, full profile)."""
    claim = entry.claim
    weakened = replace(
        claim,
        id=claim.id + SUFFIX,
        subject=claim.subject + SUFFIX,
        statement=f"{claim.statement} [with {MULTIPLIER:.0%} of the noise]",
    )
    return SuiteEntry(claim=weakened, expectation=entry.noise_deficit, suites=("core",), profile="full")
