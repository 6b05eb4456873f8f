"""Costs: golden values, and what one record really does to the releases of a program, on records of every kind."""

from __future__ import annotations

import math

import flint
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpverify.definitions.claims import guarantee_of
from dpverify.definitions.gdp import GDP
from dpverify.derivation.derive import Derivation, derive
from dpverify.proofs.check import _column
from dpverify.proofs.cost import Cost, cost_of, delta_of, upper_bound
from dpverify.proofs.moved import measured
from dpverify.proofs.operations import ProofError
from dpverify.proofs.program import ProofProgram
from tests.derivation.corpus.case import Case
from tests.derivation.corpus.right import RIGHT
from tests.derivation.corpus.right_more import MORE

UNIT = {"": {"shape": [], "type": "float64", "low": 0.0, "high": 1.0, "nan": False, "norm": None}}
MANY = 400


def derived(case: Case) -> Derivation:
    return derive(case.function, claim=guarantee_of(case.claim), data=case.data, **case.domain)


def moves(found: Derivation) -> tuple[Cost, Cost]:
    """The cost that is stated, and the largest that records of the domain were seen to have."""
    rng, stated, seen = np.random.default_rng(3), Cost(), Cost()
    for path in found.paths:
        stated = stated.most(cost_of(path.program))
        records = {name: _column(field, MANY, rng, ()) for name, field in path.program.fields.items()}
        seen = seen.most(measured(path.program, records, MANY))
    return stated, seen


@pytest.mark.parametrize("case", [*RIGHT, *MORE], ids=lambda case: case.name)
def test_no_record_moves_the_releases_by_more_than_is_stated(case):
    stated, seen = moves(derived(case))
    assert seen.pure <= stated.pure * (1 + 1e-9)
    assert seen.gaussian <= stated.gaussian * (1 + 1e-9)


TIGHT = ("sum_npclip", "hist_np", "hist_elif", "vec_sum2", "mean_split", "count_geom", "mean_replace", "cdf")


@pytest.mark.parametrize("name", TIGHT)
def test_some_record_moves_them_by_as_much(name):
    (case,) = (each for each in RIGHT if each.name == name)
    stated, seen = moves(derived(case))
    assert seen.pure >= 0.98 * stated.pure
    assert seen.gaussian >= 0.9 * stated.gaussian


@pytest.mark.parametrize(("mu", "epsilon"), [(0.1, 0.0), (0.5, 1.0), (1.0, 1.0), (1.0, 4.0), (3.0, 0.5), (0.01, 0.05)])
def test_delta_of_gaussian_noise_is_that_of_the_definition_and_not_below(mu, epsilon):
    exact = float(GDP(mu=mu).delta(epsilon))
    assert exact * (1 - 1e-13) <= delta_of(mu, epsilon) <= exact * (1 + 1e-9) + 1e-12


def test_kinds_are_converted_in_the_sound_direction():
    laplace, gaussian, both = Cost(1.0, 1.0, 0.0), Cost(0.0, 0.0, 1.0), Cost(0.5, 0.25, 1.0)
    assert upper_bound(laplace, "PureDP") == 1.0
    assert upper_bound(gaussian, "PureDP") == math.inf
    assert upper_bound(laplace, "GDP") == math.inf
    assert upper_bound(gaussian, "GDP") == pytest.approx(1.0, rel=1e-12)
    assert upper_bound(laplace, "ZCDP") == pytest.approx(0.5, rel=1e-12)
    assert upper_bound(both, "ZCDP") == pytest.approx(0.625, rel=1e-12)
    assert upper_bound(gaussian, "RDP", order=3.0) == pytest.approx(1.5, rel=1e-12)
    assert upper_bound(laplace, "ApproxDP", delta=1e-5) == 1.0
    alone = upper_bound(gaussian, "ApproxDP", delta=1e-5)
    assert float(GDP(mu=1.0).delta(alone)) <= 1e-5
    assert float(GDP(mu=1.0).delta(alone - 1e-6)) > 1e-5
    assert upper_bound(both, "ApproxDP", delta=1e-5) == pytest.approx(alone + 0.5, rel=1e-9)


def program(relation: str = "add-remove") -> ProofProgram:
    return ProofProgram(relation, UNIT)


def test_one_release_of_a_sum():
    made = program()
    total = made.append("sum", made.append("field", name=""))
    made.append("release", total, made.append("draw", made.constant(2.0), law="laplace", shape=[]))
    assert cost_of(made).pure == pytest.approx(0.5, rel=1e-14)
    assert cost_of(made).pure >= 0.5


def test_a_record_that_is_replaced_moves_by_the_width():
    made = ProofProgram("replace", {"": {**UNIT[""], "low": -1.0, "high": 1.0}})
    total = made.append("sum", made.append("field", name=""))
    made.append("release", total, made.append("draw", made.constant(2.0), law="normal", shape=[]))
    assert cost_of(made).gaussian == pytest.approx(1.0, rel=1e-14)


def test_a_private_value_meets_no_record():
    made = program()
    record = made.append("field", name="")
    with pytest.raises(ProofError, match="its part would depend on the others"):
        made.append("add", made.append("sum", record), record)


def test_a_product_of_two_sums_has_no_rule():
    made = program()
    total = made.append("sum", made.append("field", name=""))
    with pytest.raises(ProofError, match="no rule"):
        made.append("multiply", total, total)


@pytest.mark.parametrize("scale", [0.0, math.nan, math.inf])
def test_a_scale_that_is_none_is_refused(scale):
    made = program()
    total = made.append("sum", made.append("field", name=""))
    draw = made.append("draw", made.constant(scale), law="laplace", shape=[])
    with pytest.raises(ProofError, match="scale"):
        made.append("release", total, draw)


def test_whole_noise_needs_a_whole_value():
    made = program()
    total = made.append("sum", made.append("field", name=""))
    one, two = (made.append("draw", made.constant(0.5), law="geometric", shape=[]) for _ in range(2))
    with pytest.raises(ProofError, match="integer"):
        made.append("release", total, made.append("subtract", one, two))


def test_the_number_of_records_is_public_only_where_one_is_replaced():
    with pytest.raises(ProofError, match="private"):
        program().append("size")
    assert program("replace").append("size").level == "public"


def true_delta(mu: float, epsilon: float) -> flint.arb:
    with flint.ctx.workprec(400):
        mu_, epsilon_ = flint.arb(mu), flint.arb(epsilon)
        near, far = epsilon_ / mu_ - mu_ / 2, epsilon_ / mu_ + mu_ / 2
        root = flint.arb(2).sqrt()
        return ((near / root).erfc() - epsilon_.exp() * (far / root).erfc()) / 2


@given(st.floats(-12, 2), st.floats(0, 37))
@example(-10.979625747547214, 32.48767)
@example(0.5428951747106505, 36.670301)
@example(1.0716144136108446, 32.56258)
@example(1.4517545177044157, 24.3132)
def test_a_delta_is_never_below_the_true_one(power, times):
    mu = 10.0**power
    epsilon = times * mu
    found = delta_of(mu, epsilon)
    assert found == 1.0 or flint.arb(found) >= true_delta(mu, epsilon)
    if mu >= 0.01 and times <= 6:
        assert flint.arb(found) <= true_delta(mu, epsilon) * (1 + 1e-4) + flint.arb(1e-18)


def test_a_delta_of_a_small_mu_is_not_below_the_true_one():
    mu, epsilon = 1.0 / 95417000000.0, 3.4047654123313015e-10
    assert delta_of(mu, epsilon) >= 2.5989e-244 > 2.9 * 8.797544299652276e-245


SMALL = {
    "normal": lambda data, rng: np.sum(data) + rng.normal(0, 1e163),
    "laplace": lambda data, rng: np.sum(data) * 1e-200 + rng.laplace(0, 1e163),
}


def test_noise_that_is_large_costs_something():
    normal = derive(SMALL["normal"], data=[0.5, 1.0], bounds=(0, 1))
    laplace = derive(SMALL["laplace"], data=[0.5, 1.0], bounds=(0, 1))
    assert normal.upper_for("PureDP(epsilon=1)") == math.inf
    assert normal.upper_for("GDP(mu=1)") >= 1e-163
    assert laplace.upper_for("GDP(mu=1)") == math.inf
    assert laplace.upper_for("PureDP(epsilon=1)") > 0
    assert laplace.upper_for("ZCDP(rho=1)") > 0
