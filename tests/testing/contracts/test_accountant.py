"""Each rule of the contract of accountants can fail. That ours keep it: `tests/contracts/accounting`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpverify.accounting.accountants.basic import BasicAccountant
from dpverify.core.composition import Bracket, Composed, Composition, Part
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.testing import AccountantContract, check_accountant
from dpverify.testing.contracts.accountant import RULES, closed_forms


@dataclass(frozen=True)
class Wrong:
    """What an accountant composes, with one change."""

    inner: Composed
    change: Any
    runs: int

    def epsilon(self, delta):
        return self._changed(self.inner.epsilon(delta), "epsilon", delta)

    def delta(self, epsilon):
        return self._changed(self.inner.delta(epsilon), "delta", epsilon)

    def _changed(self, bracket, what, argument):
        return Bracket(upper=self.change(bracket.upper, what, argument, self.runs), note=bracket.note or "changed")


def runs(composition):
    return sum(part.count for part in composition if part.step.kind != "no-op")


@dataclass(frozen=True, kw_only=True)
class Changed(BasicAccountant):
    change: Any = None
    """``change(upper, what, argument, runs)``, with the runs of steps that do something."""

    def compose(self, composition):
        return Wrong(BasicAccountant.compose(self, composition), self.change, runs(composition))


@dataclass(frozen=True, kw_only=True)
class NoOpCounts(Changed):
    def compose(self, composition):
        more = runs(composition) and composition.size - runs(composition)
        return Wrong(BasicAccountant.compose(self, composition), self.change, more)


class Lenient(BasicAccountant):
    def compose(self, composition):
        inner = BasicAccountant.compose(self, composition)

        def epsilon(delta):
            try:
                return inner.epsilon(delta)
            except InputError:
                return Bracket(upper=1.0)

        return SimpleNamespace(epsilon=epsilon, delta=inner.delta)


class Wordy(BasicAccountant):
    def refuses(self, composition):
        reason = BasicAccountant.refuses(self, composition)
        return f"{reason}\nsee above" if reason else None


class Eager(BasicAccountant):
    """Composes what it refuses."""

    def compose(self, composition):
        return BasicAccountant.compose(self, Composition())


class Refusing(BasicAccountant):
    def refuses(self, composition):
        return "no"


class InOrder(BasicAccountant):
    """Charges 1 more where the second step is dearer than the first."""

    def compose(self, composition):
        steps = [part.step for part in composition if hasattr(part.step, "pure_epsilon")]
        more = len(steps) > 1 and steps[0].pure_epsilon() < steps[1].pure_epsilon()
        return Wrong(BasicAccountant.compose(self, composition), lambda x, what, *_: x + (what == "epsilon") * more, 0)


def halved(upper, *_):
    return upper / 2


def dearer_alone(upper, what, argument, runs):
    return min(upper + 0.3 * (runs == 1), 1.0) if what == "delta" else upper + 3 * (runs == 1)


@pytest.mark.parametrize(
    ("accountant", "said"),
    [
        (SimpleNamespace(name="nobody"), "is no Accountant: it lacks version"),
        (replace(BasicAccountant(), source=""), "empty source"),
        (replace(BasicAccountant(), side="middle"), "side 'middle'"),
        (Wordy(), "one line that says why is needed"),
        (Eager(), "returns a number when it is composed all the same"),
        (Refusing(), "raises|returns a number|refuses every one"),
        (Lenient(), "returns a number at delta = "),
        (Changed(change=lambda x, what, *_: x + (what == "epsilon")), "charges 1 for nothing"),
        (NoOpCounts(change=lambda x, what, a, n: x * (1 + n)), "steps of nothing"),
        (Changed(change=lambda x, what, a, n: x + (n > 0) * a if what == "delta" else x), "out of range"),
        (
            Changed(change=lambda x, what, a, n: min(x, 1.0) * a if what == "delta" else x),
            "rises|contradict|out of range",
        ),
        (Changed(change=lambda x, what, a, n: x * 0.9 if what == "epsilon" else x), "contradict each other"),
        (Changed(change=dearer_alone), "for more runs or less noise|contradict"),
        (Changed(change=halved), "contradict|brackets"),
    ],
)
def test_what_breaks_a_rule_is_one_line(accountant, said):
    with pytest.raises(AssertionError, match=said) as broken:
        check_accountant(accountant)
    assert "\n" not in str(broken.value)


def test_an_accountant_below_the_exact_loss_is_found():
    """gdp is exact for Gaussians, so that one per cent of noise too much lies below."""
    gdp = type(_accountant("gdp"))

    class Below(gdp):
        def compose(self, composition):
            return gdp.compose(self, _quieter(composition))

    with pytest.raises(AssertionError, match=r"brackets delta\(.*it is"):
        check_accountant(Below(), compositions=[composition for composition, _ in closed_forms()])


def _accountant(name):
    return registry().accountants.get(name)


def _quieter(composition):
    return Composition(
        parts=tuple(
            Part(step=replace(part.step, sigma=1.01 * part.step.sigma), count=part.count)
            if part.step.kind == "gaussian"
            else part
            for part in composition
        )
    )


def test_closed_forms_are_the_laws():
    """Against the exact laws of one run."""
    for composition, profile in closed_forms():
        (part,) = composition.parts
        if part.count == 1:
            (pair,) = part.step.laws()
            for epsilon in (0.0, 0.3, 1.0):
                exact = pair.delta(epsilon)
                assert profile(epsilon) == pytest.approx(exact.value, rel=1e-9, abs=1e-15)


def test_closed_forms_of_compositions_lie_inside_the_oracle():
    pld = _accountant("pld")
    for composition, profile in list(closed_forms())[2:4]:
        for epsilon in np.array([0.1, 1.0]):
            bracket = pld.compose(composition).delta(float(epsilon))
            assert bracket.lower <= profile(float(epsilon)) * (1 + 1e-9)
            assert bracket.upper >= profile(float(epsilon)) * (1 - 1e-9)


class TestInherited(AccountantContract):
    accountant = BasicAccountant()


def test_every_rule_is_a_test_to_inherit():
    names = {name for name in dir(AccountantContract) if name.startswith("test_")}
    assert names == {f"test_{rule.__name__}" for rule in RULES}
    with pytest.raises(AssertionError, match="lacks an accountant"):
        AccountantContract().test_says_who_it_is()
