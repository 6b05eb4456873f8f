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

import random
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.dependence import DependentError
from dpverify.adapters.signature import Call
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import PrivacyGuarantee
from dpverify.neighbourhood.neighbours import Bounds
from dpverify.recording.unrecorded_randomness import Watch
from dpverify.runner.plan import task_streams
from dpverify.testing.contracts.mechanism_case import MechanismCase, captured
from dpverify.testing.contracts.rules import Rule, as_tests, check

MOST_DRAWS = 10**7
"""A claim that so many draws a side cannot refute, whatever the mechanism does, is not testable."""

ALPHA = 1e-3

OUTPUTS = 32
"""Looked at for their form, or for whether any differ."""

ORDERED = 512
"""Draws of a batch whose order is tested; a false alarm has probability 1e-9."""


def claim_can_be_tested(case: MechanismCase) -> str:
    """The claim can be read, it is one about privacy, and some mechanism would refute it."""
    try:
        guarantee = case.guarantee
    except InputError as problem:
        return f"the claim cannot be read: {problem}"
    if not isinstance(guarantee, PrivacyGuarantee):
        return f"{guarantee.text()} says nothing about privacy: claim PureDP, ApproxDP, RDP, ZCDP, GDP or Tradeoff"
    place, subject = case.place, case.subject()
    claim = Claim(
        id="contract",
        guarantee=guarantee,
        relation=place.relation,
        subject=subject.name,
        source=Source(paper="user", locus=""),
        space=SearchSpace(),
    )
    task = Task(
        claim=claim,
        build=lambda: subject,
        neighbors=place.generator,
        alpha=ALPHA,
        trials=MOST_DRAWS,
        stream=task_streams(0, "contract"),
    )
    auditor: Any = registry().auditors.get("event")
    try:
        reason = auditor.refuses(task) or (auditor.lacks(task) and f"{MOST_DRAWS} draws a side cannot refute it")
    except InputError as problem:
        reason = str(problem)
    return f"{guarantee.text()} cannot be tested: {reason}" if reason else ""


def takes_its_randomness_from_rng(case: MechanismCase) -> str:
    """It has a parameter ``rng``, so that a run can be repeated."""
    if case.subject().reproducible:
        return ""
    return f"{case.name} takes no rng: give it a parameter rng (numpy.random.Generator), and draw all noise from it"


def returns_on_neighbours(case: MechanismCase) -> str:
    """It returns on the example's neighbours, in time, and what it returns can be read."""

    def work(subject: CallableMechanism) -> str:
        subject.sample(case.data, 2, rng=case.rng("returns"))
        for place, pair in enumerate(case.pairs):
            for side in (pair.d0, pair.d1):
                try:
                    subject.sample(side, 2, rng=case.rng("returns", place))
                except InputError as problem:
                    if case.place.shows_records(pair.label):
                        raise
                    return str(problem)  # of made-up records
        return ""

    return case.watched(work)


def same_state_gives_same_output(case: MechanismCase) -> str:
    """One state of its rng gives one output: there is no other randomness, and no memory of earlier calls."""

    def work(subject: CallableMechanism) -> str:
        first, second = (subject.sample(case.data, OUTPUTS, rng=case.rng("same")) for _ in range(2))
        if np.array_equal(first, second, equal_nan=True):
            return ""
        return (
            f"{subject.name} gave different outputs from the same state of its rng: draw all randomness from rng, and "
            "keep nothing between calls"
        )

    return case.watched(work)


def leaves_other_generators_alone(case: MechanismCase) -> str:
    """It neither uses nor seeds Python's and numpy's global generators, or one of its own."""

    def work(subject: CallableMechanism) -> str:
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002 - the global generator is the one that is watched
        watch = Watch(case.mechanism)
        subject.sample(case.data, 2, rng=case.rng("others"))
        if not watch.moved():
            return ""
        return f"{subject.name} draws from a generator other than rng (global, or its own), or seeds one: use rng alone"

    return case.watched(work)


def draws_noise(case: MechanismCase) -> str:
    """The output depends on the rng."""

    def work(subject: CallableMechanism) -> str:
        rngs = [case.rng("noise", place) for place in range(OUTPUTS)]
        before = [repr(rng.bit_generator.state) for rng in rngs]
        found = [subject.sample(case.data, 1, rng=rng) for rng in rngs]
        drew = [repr(rng.bit_generator.state) for rng in rngs] != before
        if drew or not all(np.array_equal(found[0], each, equal_nan=True) for each in found[1:]):
            return ""
        return (
            f"{subject.name} gave one output from {OUTPUTS} states of its rng and never drew from it: it adds no noise"
        )

    return case.watched(work)


def outputs_have_one_form(case: MechanismCase) -> str:
    """Type, shape and keys of its outputs are the same for all data and all draws."""

    def work(subject: CallableMechanism) -> str:
        for place, pair in enumerate(case.pairs):
            if not case.place.shows_records(pair.label):
                for side in (pair.d0, pair.d1):
                    subject.look(side, OUTPUTS, rng=case.rng("form", place))
                    subject.sample(side, OUTPUTS, rng=case.rng("form", place))
        forms = list(subject.forms.values())
        if len(forms) < 2:
            return ""
        return f"{subject.name} gives outputs of {len(forms)} forms, such as {forms[0]} and {forms[1]}: return one form"

    return case.watched(work)


def keeps_its_data(case: MechanismCase) -> str:
    """It does not change the data set that it is given."""

    def work(subject: CallableMechanism) -> str:
        if not subject.mutates(case.data, rng=case.rng("keeps")):
            return ""
        return f"{subject.name} changes the data set that it is given: work on a copy"

    return case.watched(work)


def batch_is_independent(case: MechanismCase) -> str:
    """The draws of a batch are independent; nothing to check for one output a call."""

    def work(subject: CallableMechanism) -> str:
        if subject.call != "batch":
            return ""
        try:
            subject.look(case.data, OUTPUTS, rng=case.rng("order"))
            subject.look_at_order(case.data, ORDERED, rng=case.rng("order"))
        except DependentError as problem:
            return f"a batch of {subject.name} {problem.how}: draw fresh noise for each of the `size` outputs"
        return ""

    return case.watched(work)


def prints_nothing(case: MechanismCase) -> str:
    """It writes nothing to standard output or error, where it might print records."""

    def work(subject: CallableMechanism) -> str:
        with captured() as written:
            subject.sample(case.data, 2, rng=case.rng("prints"))
            return f"{subject.name} prints ({written()} bytes in two draws): it may print records" if written() else ""

    return case.watched(work)


RULES: tuple[Rule[MechanismCase], ...] = (
    claim_can_be_tested,
    takes_its_randomness_from_rng,
    returns_on_neighbours,
    same_state_gives_same_output,
    leaves_other_generators_alone,
    draws_noise,
    outputs_have_one_form,
    keeps_its_data,
    batch_is_independent,
    prints_nothing,
)


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
