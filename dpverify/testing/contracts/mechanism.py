"""The contract of a mechanism: what an audit takes for granted, checked in seconds and without statistics.

>>> from dpverify.testing import MechanismContract, check_mechanism
>>> def noisy_sum(data, rng):
...     return sum(data) + rng.laplace(scale=1.0)
>>> check_mechanism(noisy_sum, claim="PureDP(epsilon=1)", data=[0.2, 0.9, 1.0, 0.0])
>>> class TestNoisySum(MechanismContract):
...     mechanism = staticmethod(noisy_sum)
...     claim = "PureDP(epsilon=1)"
...     data = [0.2, 0.9, 1.0, 0.0]

Each rule runs the mechanism in a process of its own, so that one that hangs, exits or floods breaks a rule and nothing
else (on Windows it runs in this process). Limits: a few calls on a few data sets; a mechanism that keeps the contract
may be far from private, which is what `dpverify.audit` is for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from dpverify.adapters.signature import Call
from dpverify.neighbourhood.neighbours import Bounds
from dpverify.testing.contracts.mechanism_case import MechanismCase
from dpverify.testing.contracts.mechanism_rules import RULES
from dpverify.testing.contracts.rules import as_tests, check

SECONDS = 10.0
"""The longest that one call may take."""


def check_mechanism(
    mechanism: Callable[..., Any],
    *,
    claim: Any,
    data: Any,
    relation: str | None = None,
    records: Any = None,
    bounds: Bounds | str | None = None,
    unit: str | None = None,
    call: Call | None = None,
    max_seconds_per_call: float = SECONDS,
) -> None:
    """Check that a mechanism keeps the contract.

    Parameters
    ----------
    mechanism : callable
        ``f(dataset, rng)`` or ``f(dataset, size, rng)``.
    claim : Guarantee or str
        For example ``"PureDP(epsilon=1)"``.
    data : object
        An example data set; neighbours like it are tried, too.
    relation, records, bounds, unit, call : as for ``dpverify.audit``
    max_seconds_per_call : float
        A longer call is taken to hang.

    Raises
    ------
    AssertionError
        One line: the first rule that is broken.
    InputError
        For an example whose records cannot be read.
    """
    settings = {"relation": relation, "records": records, "bounds": bounds, "unit": unit, "call": call}
    check(RULES, MechanismCase(mechanism, claim, data, settings=settings, seconds=max_seconds_per_call))


@as_tests(RULES)
class MechanismContract:
    """Tests to inherit: one for each rule.

    Attributes
    ----------
    mechanism : callable
        As a ``staticmethod``.
    claim : Guarantee or str
        What it claims.
    data : object
        An example data set.
    settings : dict
        ``relation``, ``records``, ``bounds``, ``unit``, ``call`` of ``dpverify.audit``.
    max_seconds_per_call : float
        A longer call is taken to hang.
    """

    mechanism: Any = None
    claim: Any = None
    data: Any = None
    settings: ClassVar[dict[str, Any]] = {}
    max_seconds_per_call: float = SECONDS

    def case(self) -> MechanismCase:
        """The case that the rules look at."""
        if self.mechanism is None or self.claim is None or self.data is None:
            raise AssertionError(
                f"{type(self).__name__} lacks mechanism, claim or data: set all three (mechanism = staticmethod(...))"
            )
        return MechanismCase(
            self.mechanism, self.claim, self.data, settings=self.settings, seconds=self.max_seconds_per_call
        )
