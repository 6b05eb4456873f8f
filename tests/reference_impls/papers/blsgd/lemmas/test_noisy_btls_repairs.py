"""Repairs of Theorems 1 and 2: the bounds by hand, and where they fall; the remarks of all refuted readings."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from auditors.privacy.exact.auditor import ExactAuditor
from dpverify.accounting.steps.noisy_btls import laplace_curve
from dpverify.core.auditing import Task
from dpverify.core.plugins import registry
from dpverify.core.subjects import Guarantee
from dpverify.core.verdict import Status, judge
from dpverify.definitions.pure_dp import PureDP
from dpverify.definitions.rdp import RDP
from dpverify.sampling.streams import stream
from reference_impls.papers.blsgd.lemmas.noisy_btls_repairs import ORDERS, bounded_rdp

REFUTED = (
    "BL-SENS-OBJ.b",
    "BL-SVT-LAP-PURE.b",
    "BL-SVT-LAP-RDP-EPS1.b",
    "BL-SVT-LAP-RDP-EPS5-SHARE20.b",
    "BL-SVT-LAP-RDP-EPS5-SHARE50.b",
    "BL-SVT-LAP-RDP-EPS5-SHARE80.b",
    "BL-SVT-GAUSS-RDP.b",
    "BL-SVT-GAUSS-RDP.c",
)


def _status(name: str, guarantee: Guarantee | None = None) -> Status:
    """The exact auditor's verdict at a tenth of its effort."""
    known = registry()
    claim = known.entries.get(name).claim
    if guarantee is not None:
        claim = dataclasses.replace(claim, guarantee=guarantee)
    build = known.subject(claim.subject)
    task = Task(
        claim=claim,
        build=lambda **searched: build(**{**claim.parameters, **searched}),
        neighbors=known.neighbors.get(claim.space.generator or claim.relation),
        alpha=0.5,
        trials=1,
        stream=lambda *names: stream(0, claim.id, *names),
        effort=0.1,
    )
    auditor = ExactAuditor()
    assert auditor.refuses(task) is None
    return judge(auditor.audit(task))


def test_the_bounded_curve_is_that_of_a_pure_bound():
    for measure in bounded_rdp(5.0).measures():
        order = measure.argument
        assert order in ORDERS
        tops = order * -math.log1p(math.exp(-7.5)) - (order - 1) * -math.log1p(math.exp(7.5))
        lows = order * -math.log1p(math.exp(7.5)) - (order - 1) * -math.log1p(math.exp(-7.5))
        assert measure.claimed == pytest.approx(np.logaddexp(tops, lows) / (order - 1), rel=1e-6)


@pytest.mark.slow
def test_the_pure_repair_stands_and_falls_at_nine_tenths():
    assert _status("BL-SVT-LAP-PURE-BOUNDED-R") is Status.NOT_REFUTED
    assert _status("BL-SVT-LAP-PURE-BOUNDED-R", PureDP(epsilon=1.35)) is Status.REFUTED


@pytest.mark.slow
def test_the_renyi_repair_stands_and_formula_four_falls():
    printed = laplace_curve(ORDERS, epsilon_1=2.5, epsilon_2=1.25)
    assert _status("BL-SVT-LAP-RDP-R") is Status.NOT_REFUTED
    assert _status("BL-SVT-LAP-RDP-R", RDP(orders=ORDERS, epsilons=tuple(printed.tolist()))) is Status.REFUTED
    assert _status("BL-SVT-LAP-RDP-R", bounded_rdp(5.0).scaled(0.9)) is Status.REFUTED


@pytest.mark.parametrize("name", REFUTED)
def test_remarks_show_what_they_say(name):
    assert registry().remarks.get(name).shown().holds
