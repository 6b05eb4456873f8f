"""Every accountant keeps the contract that authors of others are held to, and is registered under its own name."""

from __future__ import annotations

import pytest

from dpverify.testing.contracts.accountant import RULES
from dpverify.testing.contracts.rules import hold


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_an_accountant_keeps_the_contract(accounts, name, rule):
    hold(rule, accounts.case(name))


def test_an_accountant_is_registered_under_its_own_name(accounts, name):
    assert accounts.accountants[name].name == name
