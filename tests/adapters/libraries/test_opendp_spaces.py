"""Neighbours on OpenDP's spaces, by what domains and metrics are written as: the distances are recomputed by hand."""

import math

import pytest

from dpverify.adapters.libraries.opendp.spaces import distance_of, pairs_of


class Written:
    """What is written as this text."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def multiset_distance(one, other):
    values = set(one) | set(other)
    return sum(abs(one.count(each) - other.count(each)) for each in values)


def changes(one, other):
    assert len(one) == len(other)
    return sum(a != b for a, b in zip(one, other, strict=True))


def norm(order):
    def distance(one, other):
        moved = [abs(a - b) for a, b in zip(one, other, strict=True)]
        return max(moved) if order == math.inf else math.fsum(each**order for each in moved) ** (1 / order)

    return distance


def tables(one, other):
    moved = [
        abs(one.get(key, 0) - other.get(key, 0)) for key in set(one) | set(other) if one.get(key) != other.get(key)
    ]
    return (len(moved), sum(moved), max(moved))


CASES = [
    ("AtomDomain(T=i32)", "AbsoluteDistance(i32)", lambda a, b: abs(a - b)),
    ("AtomDomain(bounds=[0, 3], T=i32)", "AbsoluteDistance(f64)", lambda a, b: abs(a - b)),
    ("AtomDomain(T=f64)", "AbsoluteDistance(f64)", lambda a, b: abs(a - b)),
    ("AtomDomain(T=bool)", "DiscreteDistance()", lambda a, b: int(a != b)),
    ("VectorDomain(AtomDomain(T=i32))", "L1Distance(i32)", norm(1)),
    ("VectorDomain(AtomDomain(T=f64))", "L1Distance(f64)", norm(1)),
    ("VectorDomain(AtomDomain(T=f64), size=4)", "L2Distance(f64)", norm(2)),
    ("VectorDomain(AtomDomain(T=i32))", "LInfDistance(T=i32)", norm(math.inf)),
    ("VectorDomain(AtomDomain(bounds=[0, 3], T=i32), size=4)", "LInfDistance(T=i32)", norm(math.inf)),
    ("VectorDomain(AtomDomain(bounds=[0, 3], T=i32))", "SymmetricDistance()", multiset_distance),
    ("VectorDomain(AtomDomain(bounds=[0, 3], T=i32), size=4)", "SymmetricDistance()", multiset_distance),
    ("VectorDomain(AtomDomain(T=String))", "InsertDeleteDistance()", multiset_distance),
    ("VectorDomain(AtomDomain(T=bool))", "HammingDistance()", changes),
    ("VectorDomain(AtomDomain(T=f64))", "ChangeOneDistance()", changes),
    (
        "MapDomain { key_domain: AtomDomain(T=String), value_domain: AtomDomain(T=i32) }",
        "L01InfDistance(AbsoluteDistance(i32))",
        tables,
    ),
    ("BitVectorDomain(weight=3)", "DiscreteDistance()", lambda a, b: int(a != b)),
]


@pytest.mark.parametrize(("domain", "metric", "distance"), CASES, ids=[" ".join(case[:2]) for case in CASES])
def test_every_pair_is_within_the_distance_and_one_reaches_it(domain, metric, distance):
    pairs = pairs_of(Written(domain), Written(metric))
    allowed = distance_of(Written(domain), Written(metric))
    found = [distance(pair.d0, pair.d1) for pair in pairs]
    assert found
    for each in found:
        assert each > (0 if isinstance(each, int | float) else (0, 0, 0))
        if isinstance(allowed, tuple):
            assert all(one <= most for one, most in zip(each, allowed, strict=True))
        else:
            assert each <= allowed
    assert allowed in found


@pytest.mark.parametrize(
    ("domain", "metric"),
    [
        ("AtomDomain(T=bool)", "AbsoluteDistance(i32)"),
        ("AtomDomain(T=i32)", "L1Distance(i32)"),
        ("VectorDomain(AtomDomain(T=i32))", "LInfDistance(T=i32, monotonic=true)"),
        ("LazyFrameDomain(...)", "SymmetricDistance()"),
    ],
)
def test_spaces_that_nobody_has_neighbours_for_have_none(domain, metric):
    assert pairs_of(Written(domain), Written(metric)) == []


def test_values_that_a_constructor_names_are_the_ones_that_are_used():
    (pair,) = pairs_of(Written("AtomDomain(T=i32)"), Written("DiscreteDistance()"), values=[5, 6, 9])
    assert (pair.d0, pair.d1) == (5, 9)
