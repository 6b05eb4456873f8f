"""The contract of an accountant: its numbers are never on the wrong side, and rise with what is composed.

>>> from dpverify.testing import AccountantContract, check_accountant
>>> import dpverify as dpv
>>> check_accountant(dpv.registry().accountants.get("rdp"))

It is asked about the examples of all registered steps, alone and composed, and about compositions whose exact cost is a
closed form (Gaussian and Laplace noise, randomised response). An accountant whose side is ``printed`` is not held to a
side. Limits: finitely many compositions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpverify.core.composition import Accountant, Composition
from dpverify.testing.contracts.accountant_case import AccountantCase
from dpverify.testing.contracts.accountant_rules import RULES
from dpverify.testing.contracts.rules import as_tests, check


def check_accountant(accountant: Accountant, *, compositions: Sequence[Composition] | None = None) -> None:
    """Check that an accountant keeps the contract.

    Parameters
    ----------
    accountant : Accountant
        Any.
    compositions : sequence of Composition or None
        What it is asked about beside the closed forms; None for the examples of all registered steps.

    Raises
    ------
    AssertionError
        One line: the first rule that is broken.
    """
    check(RULES, AccountantCase(accountant, compositions))


@as_tests(RULES)
class AccountantContract:
    """Tests to inherit: one for each rule.

    Attributes
    ----------
    accountant : Accountant
        The one to check.
    compositions : sequence of Composition or None
        As for `check_accountant`.
    """

    accountant: Any = None
    compositions: Sequence[Composition] | None = None

    def case(self) -> AccountantCase:
        """The case that the rules look at."""
        if self.accountant is None:
            raise AssertionError(f"{type(self).__name__} lacks an accountant: set accountant = ...")
        return AccountantCase(self.accountant, self.compositions)
