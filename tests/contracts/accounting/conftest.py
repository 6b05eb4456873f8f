"""What every step and every accountant must keep. Both come from the registry: a new one is tested by being added.

The oracle takes seconds for a composition: it is examined on a few of them, and by ``make test-all`` only, but for two.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest

from dpverify.core.composition import Composed, Composition, Part
from dpverify.core.plugins import registry

ROUND_TRIP = 1e-6  # epsilon(delta(epsilon)) against epsilon, relatively: every bracket's slack is far below
ABSOLUTE = 1e-9  # the same where epsilon itself is near 0
SLOW = {"pld", "pld-dp-accounting"}


class Accounts:
    """All steps and accountants, what they are asked, and each answer, computed once.

    A composition is each example alone, or with another one, run a few times.
    """

    rounding = 1e-9  # what two ways of adding the same costs up may differ by, relatively
    deltas = (0.0, 1e-9, 1e-5, 0.01, 0.4)
    epsilons = (0.0, 0.05, 1.0, 4.0, 30.0)
    slow = SLOW

    def __init__(self) -> None:
        self.accountants: dict[str, Any] = dict(registry().accountants.items())
        factories: dict[str, Any] = dict(registry().steps.items())
        self.steps = [step for factory in factories.values() for step in getattr(factory, "examples", tuple)()]
        self.compositions = [Composition.of(step) for step in self.steps]
        for number, step in enumerate(self.steps):
            other = self.steps[(3 * number + 5) % len(self.steps)]
            if len({step.relation, other.relation} - {"any"}) < 2:
                self.compositions.append(Composition(parts=(Part(step=step, count=2), Part(step=other, count=3))))
        self.few = self.compositions[::5]
        self.cost = functools.cache(self._cost)

    def _cost(self, name: str, composition: Composition) -> Composed | None:
        """The cost by one accountant; None when it refuses."""
        accountant = self.accountants[name]
        return accountant.compose(composition) if accountant.refuses(composition) is None else None

    def candidates(self, name: str) -> list[Composition]:
        """What the accountant is asked about."""
        return self.few if name in SLOW else self.compositions

    def admitted(self, name: str) -> list[tuple[Composition, Composed]]:
        """What the accountant does not refuse, and its cost."""
        found = [(composition, self.cost(name, composition)) for composition in self.candidates(name)]
        return [(composition, composed) for composition, composed in found if composed is not None]

    @staticmethod
    def raised(value: float) -> float:
        """A little above."""
        return value * (1 + ROUND_TRIP) + ABSOLUTE

    @staticmethod
    def lowered(value: float) -> float:
        """A little below."""
        return (value - ABSOLUTE) * (1 - ROUND_TRIP)

    @staticmethod
    def shown(composition: Composition) -> str:
        """In one line."""
        return " + ".join(f"{part.count} x {part.step.text()}" for part in composition) or "nothing"


EVERY = Accounts()


@pytest.fixture(scope="session")
def accounts() -> Accounts:
    return EVERY


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in EVERY.accountants]
)
def name(request: pytest.FixtureRequest) -> str:
    """Of every accountant."""
    return request.param


@pytest.fixture(params=EVERY.compositions, ids=EVERY.shown)
def composition(request: pytest.FixtureRequest) -> Composition:
    """Every one."""
    return request.param


@pytest.fixture(params=EVERY.few, ids=EVERY.shown)
def one_of_few(request: pytest.FixtureRequest) -> Composition:
    """Those that the slow accountants are asked about."""
    return request.param
