"""Statements at the prices of then: which comparisons stand, how they are judged, and where nothing is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpverify.core.plugins import registry
from dpverify.definitions.comparisons import Ordering, Shape
from dpverify.utility.experiment import Arm, Design, Effort
from dpverify.utility.prices_then import NOT_RUN, at_then, mean_and_error, then_verdict, twin

N = 20
A, B, C, NONE = "A", "B", "C", "NonPrivate"
THEN = ", as accounted then"
ID = "U-BL-FIG-3-ACC"


def design():
    def made(**_settings):
        raise AssertionError("nothing is trained")

    arms = [Arm(label=label, make=made) for label in (A, B, C)]
    arms += [Arm(label=label + THEN, make=made, price="then") for label in (A, B)]
    arms += [Arm(label=NONE, make=made, price="none")]
    effort = Effort(repetitions=N)
    return Design(
        name="x", data=("d",), xs=(0.1, 1.0), arms=tuple(arms), metrics=("accuracy",), quick=effort, full=effort
    )


def rows(mean, spread=0.01, seed=0):
    return (mean + spread * np.random.default_rng(seed).standard_normal(N)).tolist()


def curve(row, x):
    half = 2.093024 * np.std(row, ddof=1) / np.sqrt(N)  # t of 19 degrees at 97.5 %
    return [x, *(float(f"{value:.6g}") for value in (np.mean(row), np.mean(row) - half, np.mean(row) + half))]


def kept(then, *, repeated=False, **more):
    """The record of an experiment, from rows by arm and place."""
    curves = {label: {"accuracy": []} for label, _ in then}
    for (label, x), row in then.items():
        curves[label]["accuracy"].append(curve(row, x))
    prices = {label: {"kind": "then", "d": {"0.1": [0.1, "p"], "1": [1.0, "p"]}} for label, _ in then if THEN in label}
    values = {f"d|{label}|accuracy|{x:g}": row for (label, x), row in then.items() if repeated}
    return {"repetitions": N, "curves": {"d": curves}, "prices": prices, "then": values, **more}


def said(now, **more):
    values = {f"d|{label}|accuracy|{x:g}": row for (label, x), row in now.items()}
    prices = {label: {"kind": "one", "d": {"0.1": [0.1, "p"], "1": [1.0, "p"]}} for label, _ in now if label != NONE}
    return {
        "exact": False, "grid": {"data": ["d"], "xs": [0.1, 1.0]}, "values": values, "ranges": {"d|accuracy": 0.4},
        "levels": {}, "prices": prices, "moved": [], "missing": {}, "resampled": 0.0, "settings": {}, **more,
    }  # fmt: skip


def both(a, b, **more):
    return {
        (A + THEN, x): rows(m, seed=1, **more) for x, m in zip((0.1, 1.0), a, strict=True)
    } | {(B + THEN, x): rows(m, seed=2, **more) for x, m in zip((0.1, 1.0), b, strict=True)}  # fmt: skip


def judged(guarantee, record, statistics, alpha=1e-3):
    known = registry()
    claim = replace(known.claims.get(ID), guarantee=guarantee)
    then = at_then(guarantee, design(), statistics, record)
    item = {"evidence": [{"auditor": "paired", "statistics": statistics}]}
    return then, then_verdict(known, claim, item, record, then, alpha=alpha)


ORDERED = Ordering(metric="accuracy", better=(A,), worse=(B,))
NOW = {(label, x): rows(m, seed=s) for label, m, s in ((A, 0.6, 3), (B, 0.8, 4)) for x in (0.1, 1.0)}


@pytest.mark.parametrize("repeated", [False, True])
def test_an_ordering_that_holds_then_and_not_now_was_the_accountants(repeated):
    then, found = judged(ORDERED, kept(both((0.8, 0.8), (0.6, 0.6)), repeated=repeated), said(NOW))
    assert len(then.kept) == then.all == 2 and then.left_out() == ""
    assert (found.outcome, found.accountants) == ("confirmed", True)
    assert "A, as accounted then 0.8" in found.worst and found.worst.isascii()
    same = {key: rows(0.9 if key[0] == A else 0.5, seed=5) for key in NOW}
    assert not judged(ORDERED, kept(both((0.8, 0.8), (0.6, 0.6))), said(same))[1].accountants
    assert judged(ORDERED, kept(both((0.6, 0.8), (0.8, 0.6))), said(NOW))[1].outcome == "refuted"


def test_limits_from_means_hold_however_repetitions_were_paired():
    """Equal deviations: in pairs a gap of .004 is plain; from means alone it is no more than two spreads."""
    row = np.array(rows(0.7))
    then = {(A + THEN, x): (row + 0.004).tolist() for x in (0.1, 1.0)} | {(B + THEN, x): row.tolist() for x in (0.1, 1)}
    then[(A + THEN, 0.1)][0] += 1e-4  # differences that are all the same decide nothing
    then[(A + THEN, 1.0)][0] += 1e-4
    assert judged(ORDERED, kept(then, repeated=True), said(NOW))[1].outcome == "confirmed"
    assert judged(ORDERED, kept(then), said(NOW))[1].outcome == "undecided"


@pytest.mark.parametrize("seed", range(5))
def test_errors_from_means_are_never_below_those_from_pairs(seed):
    a, b = np.array(rows(0.7, seed=seed)), np.array(rows(0.69, seed=seed + 50))
    made = sum(mean_and_error(curve(row, 1.0), N)[1] for row in (a, b))
    for other in (b, b[::-1], np.sort(b)):
        assert (a - other).std(ddof=1) / np.sqrt(N) <= made
    assert mean_and_error([1.0, 0.5, 0.5, 0.5], N) == (0.5, 0.0)


def test_an_arm_that_was_not_run_then_gets_no_verdict():
    record = kept(both((0.8, 0.8), (0.6, 0.6)))
    then, found = judged(Ordering(metric="accuracy", better=(C,), worse=(B,)), record, said(NOW))
    assert found is None and then.without == (C,) and f"{NOT_RUN} for C" in then.left_out()
    three = said(NOW | {(C, x): rows(0.7, seed=6) for x in (0.1, 1.0)})
    then, found = judged(Ordering(metric="accuracy", better=(A,), worse=(B, C)), record, three)
    assert (len(then.kept), then.all, then.without) == (2, 4, (C,))
    assert (found.outcome, found.accountants) == ("confirmed", True)  # of the two that are compared
    lost = {**record, "unrun": {B + THEN: "its price changed"}}
    then, found = judged(ORDERED, lost, said(NOW))
    assert found is None and then.left_out() == f"{NOT_RUN} for B (its price changed)"


def test_below_the_floor_of_an_account_there_is_nothing_to_compare():
    then = both((0.8, 0.8), (0.6, 0.6))
    del then[(B + THEN, 0.1)]
    found, verdict = judged(ORDERED, kept(then), said(NOW))
    assert (len(found.kept), found.below, verdict.outcome) == (1, (B,), "confirmed")
    surge = Shape(kind="surge", metric="accuracy", of=(A,), margin=-0.1, quantifier="some")
    whole = both((0.8, 0.8), (0.6, 0.6))
    assert judged(surge, kept(whole), said(NOW))[1].outcome == "refuted"


def test_some_is_not_refuted_by_the_comparisons_that_are_there():
    one = Ordering(metric="accuracy", better=(B,), worse=(A,), quantifier="some")
    then = both((0.8, 0.8), (0.6, 0.6))
    assert judged(one, kept(then), said(NOW))[1].outcome == "refuted"
    del then[(B + THEN, 0.1)]
    found = judged(one, kept(then), said(NOW))[1]
    assert (found.outcome, found.why) == ("undecided", "those left out may hold")


def test_rules_are_those_of_all_statements():
    apart = kept(both((0.8, 0.8), (0.6, 0.6)))
    apart["prices"][B + THEN]["d"]["1"] = [2.0, "p"]
    assert judged(ORDERED, apart, said(NOW))[1].outcome == "unequal"
    few = kept(both((0.8, 0.8), (0.6, 0.6)), repetitions=9)
    assert "too few repetitions" in judged(ORDERED, few, said(NOW))[1].why
    ratio = Ordering(metric="accuracy", better=(A,), worse=(B,), unit="log")
    assert "every repetition" in judged(ratio, kept(both((0.8, 0.8), (0.6, 0.6))), said(NOW))[1].why
    ready = kept(both((0.8, 0.8), (0.6, 0.6)), repeated=True)
    assert judged(ratio, ready, said(NOW))[1].outcome == "confirmed"


def test_statements_without_a_price_have_none_then():
    assert at_then(Shape(kind="flat", metric="accuracy", of=(NONE,)), design(), said(NOW), kept({})) is None
    prices = {arm.label: arm.price for arm in design().arms}
    assert [twin(label, prices) for label in (A + THEN, B + THEN, C)] == [A, B, C]
