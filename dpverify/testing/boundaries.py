"""Mechanisms at the exact boundary of their claims: a valid auditor refutes each with probability alpha at most.

Every claim here holds, and with not a hair to spare: its numbers are closed forms, or the upper end of a bracketed
value a few units in the last place above the truth. Each has one pair of neighbours, so that what is looked at is the
auditor's statistics and not its luck in finding a pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import Guarantee, Law, NeighborGenerator
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import ProductLaw
from dpverify.laws.subsampled_pair import SubsampledLaw


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """Randomised response over `size` values: the true one comes e^epsilon times as often as each other."""

    epsilon: float = 1.0
    size: int = 2

    def shares(self, dataset: Any) -> NDArray[np.float64]:
        """The probability of each answer."""
        shares = np.ones(self.size)
        shares[int(dataset)] = math.exp(self.epsilon)
        return shares / shares.sum()  # type: ignore[no-any-return]

    def counts(self, dataset: Any, size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """Count the answers."""
        return np.asarray(rng.multinomial(size, self.shares(dataset)))

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """Answers, one by one."""
        return np.searchsorted(np.cumsum(self.shares(dataset)), rng.random(size)).clip(max=self.size - 1)

    def output_law(self, dataset: Any) -> DiscreteLaw:
        """The shares as a law."""
        return DiscreteLaw.from_log_weights([self.epsilon if value == dataset else 0.0 for value in range(self.size)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Every answer plus noise of its own; the sum itself is only added where its record takes part (`rate`)."""

    kind: str = "laplace"
    """``laplace`` or ``normal``."""
    scale: float = 1.0
    """Of the noise."""
    power: float = 1.0
    """What the noise is multiplied by: 1 is the right noise, less than 1 a violation."""
    rate: float = 1.0
    """Each answer is present with this probability, independently, and else 0: Poisson sampling seen by one record."""

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> NDArray[np.float64]:
        """Shape (size,) for one answer, (size, k) for more."""
        answers = np.asarray(dataset, dtype=np.float64)
        shape = (size, answers.size)
        draw = rng.laplace if self.kind == "laplace" else rng.normal
        outputs = self.power * self.scale * draw(size=shape)
        outputs += answers if self.rate == 1 else np.where(rng.random(shape) < self.rate, answers, 0.0)
        return outputs[:, 0] if answers.size == 1 else outputs

    def query(self, dataset: Any) -> NDArray[np.float64]:
        """The answers without noise."""
        return np.asarray(dataset, dtype=np.float64)

    def output_law(self, dataset: Any) -> Law:
        """Return the law of one answer, or the product over the answers."""
        laws = tuple(self._law(answer) for answer in np.asarray(dataset, dtype=np.float64))
        return laws[0] if len(laws) == 1 else ProductLaw(laws=laws)

    def _law(self, answer: float) -> Law:
        family = LaplaceLaw if self.kind == "laplace" else GaussianLaw
        absent, present = (
            family(locations=np.array([place]), scales=self.power * self.scale)  # type: ignore[arg-type]
            for place in (0.0, answer)
        )
        if self.rate == 1 or answer == 0:
            return present
        return SubsampledLaw(absent=absent, present=present, rate=self.rate)
