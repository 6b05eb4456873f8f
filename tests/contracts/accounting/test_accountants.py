"""Every accountant keeps the contract that authors of others are held to, and is registered under its own name.

Curves beside one another, which the contract has asked for already: upper ends rise with more runs, and tight
accountants are below loose ones.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from dpverify.core.composition import Composition
from dpverify.testing.contracts.accountant import RULES
from dpverify.testing.contracts.rules import hold


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_an_accountant_keeps_the_contract(accounts, name, rule):
    hold(rule, accounts.case(name))


def test_an_accountant_is_registered_under_its_own_name(accounts, name):
    assert accounts.accountants[name].name == name


def test_more_runs_never_cost_less(accounts, name):
    """Upper ends of brackets, too, on the steps of the contract."""
    for step in accounts.case(name).steps:
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
