"""What every step and every accountant must keep. Both come from the registry: a new one is tested by being added.

The oracle takes seconds for a composition: it is examined on a few of them, and by ``make test-all`` only, but for two.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest

from dpverify.accounting import stopping_gaussian
from dpverify.core.composition import Composed, Composition
from dpverify.core.plugins import registry
from dpverify.testing.contracts.accountant_case import (
    AccountantCase,
    example_compositions,
    example_steps,
    raised,
    shown,
)

SLOW = {"pld", "pld-dp-accounting"}


class Answers:
    """A cost that answers each question once, since several rules ask the same; what it refuses it refuses anew."""

    def __init__(self, composed: Composed) -> None:
        once = functools.lru_cache(maxsize=None, typed=True)  # typed: 0.0 is a number and False is none
        self.epsilon, self.delta = once(composed.epsilon), once(composed.delta)


class AskedOnce(AccountantCase):
    def _cost(self, composition: Composition) -> Any:
        composed = super()._cost(composition)
        return None if composed is None else Answers(composed)


class Accounts:
    """All steps and accountants, what they are asked, and each answer, computed once.

    A composition is each example alone, or with another one, run a few times.
    """

    deltas, epsilons = AccountantCase.deltas, AccountantCase.epsilons
    slow = SLOW

    def __init__(self) -> None:
        self.accountants: dict[str, Any] = dict(registry().accountants.items())
        self.steps, self.compositions = example_steps(), example_compositions()
        self.few = self.compositions[::5]
        self.case = functools.cache(self._case)
        self.log_moment = functools.cache(stopping_gaussian.log_moment.__wrapped__)

    def _case(self, name: str) -> AccountantCase:
        steps = self.steps[::5] if name in SLOW else self.steps
        return AskedOnce(self.accountants[name], self.candidates(name), steps)

    def cost(self, name: str, composition: Composition) -> Composed | None:
        """The cost by one accountant; None when it refuses."""
        return self.case(name).cost(composition)

    def candidates(self, name: str) -> list[Composition]:
        """What the accountant is asked about."""
        return self.few if name in SLOW else self.compositions

    def admitted(self, name: str) -> list[tuple[Composition, Composed]]:
        """What the accountant does not refuse, and its cost."""
        return self.case(name).admitted()

    raised, shown = staticmethod(raised), staticmethod(shown)


EVERY = Accounts()


@pytest.fixture
def accounts(monkeypatch: pytest.MonkeyPatch) -> Accounts:
    """With a lattice of a tenth of the points below the costliest curve: as much of a bound, a few percent above."""
    monkeypatch.setattr(stopping_gaussian, "_SPACING", 0.1)
    monkeypatch.setattr(stopping_gaussian, "log_moment", EVERY.log_moment)
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
