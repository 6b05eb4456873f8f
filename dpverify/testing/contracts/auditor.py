"""The contract of an auditor: it is right as often as it says, and others can check what it found.

>>> from dpverify.testing import AuditorContract, check_auditor
>>> import dpverify as dpv
>>> check_auditor(dpv.registry().auditors.get("histogram"), audits=20)

The one statistical rule audits mechanisms at the exact boundary of their claims (`exact_boundaries`)
again and again. An auditor at error probability alpha refutes such a claim, or reports a bound above the truth, with
probability alpha at most; the rule is broken where P[Bin(audits, alpha) >= count] is below 1e-8. So a valid auditor
fails with probability below 1e-8 for each boundary. Limits: an auditor that never refutes anything keeps the contract:
what it finds is another question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpverify.core.auditing import Auditor
from dpverify.testing.boundaries import Boundary, exact_boundaries
from dpverify.testing.contracts.auditor_case import AuditorCase
from dpverify.testing.contracts.auditor_rules import RULES
from dpverify.testing.contracts.rules import as_tests, check

ALPHA, TRIALS, AUDITS = 0.2, 2_000, 100
"""Of each audit: its error probability and its draws a side; and audits of each boundary."""


def check_auditor(
    auditor: Auditor,
    *,
    boundaries: Sequence[Boundary] | None = None,
    alpha: float = ALPHA,
    trials: int = TRIALS,
    audits: int = AUDITS,
    seed: int = 0,
) -> None:
    """Check that an auditor keeps the contract.

    Parameters
    ----------
    auditor : Auditor
        Any; the rules on counts are for statistical ones.
    boundaries : sequence of Boundary or None
        Mechanisms at the exact boundary of their claims; None for the usual ones. One that it refuses is left out.
    alpha, trials : float, int
        Error probability and draws a side of each audit.
    audits : int
        Of each boundary, at least 12 for alpha = 0.2 (fewer could convict nobody).
    seed : int
        Of all audits.

    Raises
    ------
    AssertionError
        One line: the first rule that is broken.
    """
    found = exact_boundaries() if boundaries is None else boundaries
    check(RULES, AuditorCase(auditor, tuple(found), alpha=alpha, trials=trials, audits=audits, seed=seed))


@as_tests(RULES)
class AuditorContract:
    """Tests to inherit: one for each rule.

    Attributes
    ----------
    auditor : Auditor
        The one to check.
    boundaries : sequence of Boundary or None
        As for `check_auditor`.
    alpha, trials, audits, seed : float, int, int, int
        As for `check_auditor`.
    """

    auditor: Any = None
    boundaries: Sequence[Boundary] | None = None
    alpha: float = ALPHA
    trials: int = TRIALS
    audits: int = AUDITS
    seed: int = 0

    def case(self) -> AuditorCase:
        """The case that the rules look at."""
        if self.auditor is None:
            raise AssertionError(f"{type(self).__name__} lacks an auditor: set auditor = ...")
        found = exact_boundaries() if self.boundaries is None else self.boundaries
        return AuditorCase(
            self.auditor, tuple(found), alpha=self.alpha, trials=self.trials, audits=self.audits, seed=self.seed
        )
