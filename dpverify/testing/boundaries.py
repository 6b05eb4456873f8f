"""Mechanisms at the exact boundary of their claims: a valid auditor refutes each with probability alpha at most.

Every claim here holds, and with not a hair to spare: its numbers are closed forms, or the upper end of a bracketed
value a few units in the last place above the truth. Each has one pair of neighbours, so that what is looked at is the
auditor's statistics and not its luck in finding a pair.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Guarantee, NeighborGenerator
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.testing.boundary_subjects import Noise, Response


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Boundary:
    """A subject, its claim, and the one pair at which the claim is an equality; `name` is for tables and messages.

    Attributes
    ----------
    subject : mechanism
        Anything with capabilities.
    guarantee : Guarantee
        True of the subject on that pair, and of nothing quieter.
    neighbors : NeighborGenerator
        With one pair (or a few).
    space : SearchSpace
        Of the claim.
    parameters : mapping
        Of the claim, for auditors that read them.
    """

    name: str
    subject: Any
    guarantee: Guarantee
    neighbors: NeighborGenerator
    space: SearchSpace = field(default_factory=SearchSpace)
    parameters: dict[str, Any] = field(default_factory=dict)


def one_pair(d0: Any, d1: Any, relation: str = "one-query") -> FixedPair:
    """The only pair there is."""
    return FixedPair(d0=d0, d1=d1, relation=relation)


def gaussian_delta(epsilon: float, *, scale: float) -> float:
    """delta(epsilon) of N(1, scale^2) against N(0, scale^2), never below it."""
    subject = Noise(kind="normal", scale=scale)
    return subject.output_law([1.0]).against(subject.output_law([0.0])).delta(epsilon).upper


def exact_boundaries() -> tuple[Boundary, ...]:
    """Randomised response, Laplace noise, and Gaussian noise under (epsilon, delta) and under mu."""
    normal, zero = Noise(kind="normal"), one_pair([0.0], [1.0])
    return (
        Boundary(
            name="response",
            subject=Response(epsilon=1.0),
            guarantee=PureDP(epsilon=1.0),
            neighbors=one_pair(0, 1, "value"),
            space=SearchSpace(size=2),
        ),
        Boundary(name="laplace", subject=Noise(), guarantee=PureDP(epsilon=1.0), neighbors=zero),
        Boundary(
            name="gaussian",
            subject=normal,
            guarantee=ApproxDP(epsilon=1.0, delta=gaussian_delta(1.0, scale=1.0)),
            neighbors=zero,
        ),
        Boundary(name="gaussian-mu", subject=normal, guarantee=GDP(mu=1.0), neighbors=zero),
    )
