"""What every accountant must keep: who it is, what it refuses and how, and that order and grouping do not matter."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from dpverify.accounting.steps.no_op import NoOpStep
from dpverify.core.composition import Accountant, Composition
from dpverify.core.errors import InputError


def test_an_accountant_says_who_it_is(accounts, name):
    accountant = accounts.accountants[name]
    assert isinstance(accountant, Accountant)
    assert accountant.name == name
    assert accountant.version and accountant.source
    assert accountant.side in ("upper", "lower", "bracket", "printed")


def test_an_accountant_is_of_use_for_some_step(accounts, name):
    assert any(composition.parts[0].step != NoOpStep() for composition, _ in accounts.admitted(name))


def test_a_refusal_is_one_line_and_an_error(accounts, name):
    accountant = accounts.accountants[name]
    for composition in accounts.compositions:
        reason = accountant.refuses(composition)
        if reason is not None:
            assert reason and "\n" not in reason
            with pytest.raises(InputError):
                accountant.compose(composition)


def test_bad_deltas_and_epsilons_are_refused(accounts, name):
    composed = accounts.cost(name, Composition())
    for delta in (-0.1, 1, 1.5, math.nan, math.inf, "1e-5", True):
        with pytest.raises(InputError, match=r"allowed: a number in \[0, 1\)"):
            composed.epsilon(delta)
    for epsilon in (-1e-9, math.inf, math.nan, "1", False):
        with pytest.raises(InputError, match="epsilon"):
            composed.delta(epsilon)


def test_nothing_costs_nothing(accounts, name):
    for nothing in (Composition(), Composition.repeat(NoOpStep(), 7)):
        composed = accounts.cost(name, nothing)
        assert composed is not None, accounts.accountants[name].refuses(nothing)
        for delta in accounts.deltas:
            assert composed.epsilon(delta).upper == 0
        for epsilon in accounts.epsilons:
            assert composed.delta(epsilon).upper == 0


def test_doing_nothing_besides_changes_nothing(accounts, name):
    for composition, composed in accounts.admitted(name):
        more = accounts.cost(name, composition.then(Composition.repeat(NoOpStep(), 5)))
        assert more is not None
        for delta in accounts.deltas[1:4]:
            expected = pytest.approx(composed.epsilon(delta).upper, rel=accounts.rounding)
            assert more.epsilon(delta).upper == expected, accounts.shown(composition)


def test_order_and_grouping_do_not_matter(accounts, name):
    for first, second in pairwise(accounts.candidates(name)):
        try:
            forward = first.then(second).then(first)
        except InputError:
            continue  # under different relations
        backward = first.then(first.then(second))
        other = second.then(first).then(first)
        assert set(forward.parts) == set(backward.parts) == set(other.parts)
        costs = [accounts.cost(name, composition) for composition in (forward, backward, other)]
        if costs[0] is None:
            assert costs == [None] * 3
            continue
        for delta in (1e-5, 0.01):
            uppers = [composed.epsilon(delta).upper for composed in costs]
            assert uppers == pytest.approx([uppers[0]] * 3, rel=accounts.rounding), accounts.shown(forward)
