"""Claims about users: all records of one user, at most as many as are stated, are added or removed together."""

from __future__ import annotations

import json

import pytest

import dpverify as dpv
from dpverify.proofs.certificate import checked
from dpverify.proofs.check import check
from dpverify.proofs.cost import Cost
from dpverify.proofs.operations import ProofError

ROWS = [{"user": "a", "x": 0.5}, {"user": "a", "x": 1.0}, {"user": "b", "x": 0.0}]
OF_USERS = {"data": ROWS, "bounds": {"x": (-5.0, 5.0)}, "unit": "user", "most_per_unit": 3}


def spent(rows, rng):
    return sum(min(max(row["x"], 0.0), 1.0) for row in rows) + rng.laplace(scale=3.0)


def halves(rows, rng):
    counts = [0, 0]
    for row in rows:
        if row["x"] > 0.5:
            counts[1] += 1
        else:
            counts[0] += 1
    return [count + rng.normal(0.0, 3.0) for count in counts]


@pytest.mark.parametrize(
    ("code", "kind", "value"),
    [(spent, "PureDP(epsilon={})", 1.0), (halves, "GDP(mu={})", 1.0), (halves, "ZCDP(rho={})", 0.5)],
)
def test_a_user_costs_as_much_as_all_its_records(code, kind, value):
    found = dpv.derive(code, claim=kind.format(value), **OF_USERS)
    assert found.outcome == "proved", found
    assert found.upper == pytest.approx(value, rel=1e-12)
    told = json.loads(json.dumps(found.certificate()))
    assert check(told, code) == found.upper
    assert "up to 3 records together" in repr(found)
    less = dpv.derive(code, claim=kind.format(0.99 * value), **OF_USERS)
    assert less.outcome == "above the claim"


def test_the_words_of_what_is_missing_count_all_records():
    found = dpv.derive(spent, claim="PureDP(epsilon=0.5)", **OF_USERS)
    assert "a neighbour moves the value by 3" in found.why
    assert "with 2 times as much noise" in found.why


def test_costs_of_several_records():
    one = Cost(0.25, 0.0625, 4.0)
    many = one.of_group(3)
    assert many.parts() == pytest.approx((0.75, 9 * 0.0625, 36.0), rel=1e-14)
    assert all(a >= b for a, b in zip(many.parts(), (0.75, 9 * 0.0625, 36.0), strict=True))
    assert one.of_group(1) == one


@pytest.mark.parametrize("records", [0, -1, 1.5, True, "3", None, 2**40])
def test_a_certificate_says_how_many_records_change(records):
    told = dpv.derive(spent, claim="PureDP(epsilon=1)", **OF_USERS).certificate()
    with pytest.raises(ProofError):
        checked({**told, "records": records})


def test_a_certificate_for_fewer_records_states_another_cost():
    told = dpv.derive(spent, claim="PureDP(epsilon=1)", **OF_USERS).certificate()
    for records in (1, 2, 4):
        with pytest.raises(ProofError, match="the proof supports"):
            checked({**told, "records": records})
    with pytest.raises(ProofError, match="a change of 3 records"):
        checked({**told, "relation": "replace"})


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        ({"unit": "user"}, "the most records of one user are not stated"),
        ({"most_per_unit": 3}, "without a unit"),
        ({"unit": "user", "most_per_unit": 1}, "from 2 .which the example has"),
        ({"unit": "user", "most_per_unit": 2.0}, "a whole number"),
        ({"unit": "nobody", "most_per_unit": 3}, "a column"),
        ({"unit": "user", "most_per_unit": 3, "relation": "replace"}, "add-remove"),
    ],
)
def test_what_is_stated_of_users_must_fit(stated, says):
    with pytest.raises(dpv.InputError, match=says):
        dpv.derive(spent, data=ROWS, claim="PureDP(epsilon=1)", **stated)
