"""Both curves of every accountant: they fall, invert each other, rise with more runs; tight ones are below loose."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from dpverify.core.composition import Composition


def test_epsilon_and_delta_are_decreasing_curves_in_range(accounts, name):
    for composition, composed in accounts.admitted(name):
        brackets = [composed.epsilon(delta) for delta in accounts.deltas]
        for bracket in brackets:
            assert 0 <= bracket.lower <= bracket.upper, accounts.shown(composition)
            assert math.isfinite(bracket.upper) or bracket.note, f"infinite, and why? {accounts.shown(composition)}"
        for before, after in pairwise(brackets):
            assert after.upper <= accounts.raised(before.upper), accounts.shown(composition)
        brackets = [composed.delta(epsilon) for epsilon in accounts.epsilons]
        for bracket in brackets:
            assert 0 <= bracket.lower <= bracket.upper <= 1, accounts.shown(composition)
        for before, after in pairwise(brackets):
            assert after.upper <= accounts.raised(before.upper), accounts.shown(composition)


def test_epsilon_and_delta_invert_each_other(accounts, name):
    """Upper bounds to `ROUND_TRIP`; brackets, whose ends may differ by a grid, as far as both ends say."""
    exact = accounts.accountants[name].side != "bracket"
    for composition, composed in accounts.admitted(name):
        for delta in accounts.deltas[1:]:
            epsilon = composed.epsilon(delta)
            if math.isfinite(epsilon.upper):
                back = composed.delta(accounts.raised(epsilon.upper))
                assert (back.upper if exact else back.lower) <= delta, accounts.shown(composition)
            if 0 < accounts.lowered(epsilon.lower) < math.inf:
                assert composed.delta(accounts.lowered(epsilon.lower)).upper >= delta, accounts.shown(composition)
        for epsilon in accounts.epsilons:
            delta = composed.delta(epsilon)
            if 0 < delta.upper < 1:
                back = composed.epsilon(delta.upper)
                assert (back.upper if exact else back.lower) <= accounts.raised(epsilon), accounts.shown(composition)


def test_more_runs_never_cost_less(accounts, name):
    for step in accounts.steps[:: 5 if name in accounts.slow else 1]:
        found = [accounts.cost(name, Composition.repeat(step, count)) for count in (1, 2, 7)]
        if found[0] is None:
            continue
        for before, after in pairwise(composed for composed in found if composed is not None):
            for delta in accounts.deltas:
                assert before.epsilon(delta).upper <= accounts.raised(after.epsilon(delta).upper), step.text()
            for epsilon in accounts.epsilons:
                assert before.delta(epsilon).upper <= accounts.raised(after.delta(epsilon).upper), step.text()


@pytest.mark.parametrize(("tighter", "looser"), [("rdp", "rdp-classic"), ("rdp-classic", "moments")])
def test_tight_is_never_above_loose(accounts, tighter, looser):
    for composition, composed in accounts.admitted(looser):
        best = accounts.cost(tighter, composition)
        brackets = [(best.epsilon(delta), composed.epsilon(delta)) for delta in accounts.deltas]
        brackets += [(best.delta(epsilon), composed.delta(epsilon)) for epsilon in accounts.epsilons]
        for tight, loose in brackets:
            assert tight.upper <= accounts.raised(loose.upper), accounts.shown(composition)
