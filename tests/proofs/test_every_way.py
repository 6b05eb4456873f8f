"""Ways that chance would miss: numbers that go them are found and the code is run there, or there is no proof."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dpverify.derivation.derive import derive
from dpverify.proofs.check import check
from dpverify.proofs.contradictions import contradictory
from dpverify.proofs.cost import Cost
from dpverify.proofs.held_ranges import check_records
from dpverify.proofs.operations import ProofError
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.ranges import Range
from dpverify.proofs.replay import Evaluation, returned_value
from dpverify.proofs.solved import middle, solve
from dpverify.proofs.ways import Looks

DATA = [0.2, 0.5, 1.0]
STATED = {"data": DATA, "bounds": (0.0, 1.0), "claim": "PureDP(epsilon=2)"}


def narrow_release(data, rng):
    noisy = sum(data) + rng.laplace(scale=1.0)
    scale = 2.0 if 0.47120001 < noisy * noisy < 0.47120002 else 1.0
    return noisy, sum(data) + rng.laplace(scale=scale)


def narrow_release_leaks(data, rng):
    noisy = sum(data) + rng.laplace(scale=1.0)
    scale = 1e-6 if 0.47120001 < noisy * noisy < 0.47120002 else 1.0
    return noisy, sum(data) + rng.laplace(scale=scale)


def narrow_record(data, rng):
    total = 0.0
    for x in data:
        total += 0.5 if 0.47120001 < x * x < 0.47120002 else x
    return total + rng.laplace(scale=1.0)


def narrow_record_leaks(data, rng):
    total = 0.0
    for x in data:
        total += 1e6 if 0.47120001 < x * x < 0.47120002 else x
    return total + rng.laplace(scale=1.0)


def narrow_choice(data, rng):
    x = np.asarray(data)
    return np.sum(np.where((x * x > 0.47120001) & (x * x < 0.47120002), 0.5, x)) + rng.laplace(scale=1.0)


def narrow_choice_leaks(data, rng):
    x = np.asarray(data)
    return np.sum(np.where((x * x > 0.47120001) & (x * x < 0.47120002), 1e6, x)) + rng.laplace(scale=1.0)


def narrow_clip(data, rng):
    return sum(min(max(x, 1e-9), 1.0) for x in data) + rng.laplace(scale=1.0)


def narrow_clip_leaks(data, rng):
    return sum(min(max(x, 1e-9), 1.0) if x >= 1e-9 else 7.0 for x in data) + rng.laplace(scale=1.0)


def peak(data, rng):
    return sum(0.5 * np.exp(-(((x * x - 0.2221) * 1e7) ** 2)) for x in data) + rng.laplace(scale=1.0)


def peak_leaks(data, rng):
    return sum(1e6 * np.exp(-(((x * x - 0.2221) * 1e7) ** 2)) for x in data) + rng.laplace(scale=1.0)


def far_from_what_is_released(data, rng):
    """A record goes one way only where a release lies in a narrow window, which no comparison of releases tells."""
    weight = min(max(sum(data) + rng.laplace(scale=2.0), -1e6), 1e6)
    second = sum(0.5 if x > 0.75 and 4711.25 < weight - x < 4711.2500001 else x for x in data)
    return weight, second + rng.laplace(scale=2.0)


def far_from_what_is_released_leaks(data, rng):
    weight = min(max(sum(data) + rng.laplace(scale=2.0), -1e6), 1e6)
    second = sum(1e6 if x > 0.75 and 4711.25 < weight - x < 4711.2500001 else x for x in data)
    return weight, second + rng.laplace(scale=2.0)


def one_number(data, rng):
    first, second = sum(data) + rng.laplace(scale=2.0), sum(data) + rng.laplace(scale=2.0)
    return float(first == 0.1234567), float(second == 0.1234567)


def one_number_leaks(data, rng):
    first, second = sum(data) + rng.laplace(scale=2.0), sum(data) + rng.laplace(scale=2.0)
    return float(first == 0.1234567), float(second == 0.1234567) * (1.0 + len(data))


def peak_of_a_release(data, rng):
    noisy = sum(data) + rng.laplace(scale=2.0)
    near = np.exp(-(((noisy * noisy - 0.2221) * 1e7) ** 2))
    return noisy, sum(data) * (0.1 + 0.9 * near) + rng.laplace(scale=2.0)


def peak_of_a_release_leaks(data, rng):
    noisy = sum(data) + rng.laplace(scale=2.0)
    near = np.exp(-(((noisy * noisy - 0.2221) * 1e7) ** 2))
    return noisy, sum(data) * (0.1 + 1e6 * near) + rng.laplace(scale=2.0)


def one_draw(data, rng):
    return sum(data) + rng.laplace(scale=1.0)


def one_draw_of_many(data, rng):
    return float((sum(data) + rng.laplace(scale=np.ones(1000)))[0])


PAIRS = [
    (peak_of_a_release, peak_of_a_release_leaks),
    (peak, peak_leaks),
    (one_number, one_number_leaks),
    (narrow_release, narrow_release_leaks),
    (narrow_record, narrow_record_leaks),
    (narrow_choice, narrow_choice_leaks),
    (narrow_clip, narrow_clip_leaks),
    (far_from_what_is_released, far_from_what_is_released_leaks),
]


@pytest.mark.parametrize(("right", "wrong"), PAIRS, ids=lambda each: each.__name__)
def test_a_leak_in_a_narrow_window_is_met(right, wrong, monkeypatch):
    found = derive(right, **STATED)
    assert found.outcome == "proved", found
    monkeypatch.setattr("dpverify.proofs.check.check_code", lambda *_: None)
    told = found.certificate()
    check(told, right)
    with pytest.raises(ProofError, match=r"the code (gives|returns)|of scale"):
        check(told, wrong)


def unreached(data, rng):
    noisy = sum(data) + rng.laplace(scale=1.0)
    return 1.0 if noisy * noisy == 0.4712345678901 else 2.0


def test_a_way_that_nothing_is_found_for_is_named():
    found = derive(unreached, **STATED)
    assert found.outcome == "not derived"
    assert "no released values were found that go one way" in found.why


def asked_of(*conditions):
    def asked(points, m):
        met = np.stack([each(points)[0] for each in conditions], axis=1)
        return met, conditions[min(m, len(conditions) - 1)](points)[1]

    return asked


def less(function, limit):
    return lambda points: (function(points) < limit, np.full(len(points), np.nan))


def equal(function, value):
    return lambda points: (function(points) == value, np.sign(function(points) - value))


def test_windows_are_solved_for():
    square = asked_of(less(lambda p: -(p[:, 0] ** 2), -0.4712), less(lambda p: p[:, 0] ** 2, 0.4712 + 1e-12))
    found = solve(square, np.zeros((1, 1)), [], [0])
    assert 0.4712 < found[0] ** 2 < 0.4712 + 1e-12
    apart = asked_of(less(lambda p: -p[:, 0], -3.0), less(lambda p: p[:, 1] - p[:, 0], -7.0))
    first, second = solve(apart, np.zeros((1, 2)), [], [0, 1])
    assert first > 3.0
    assert second - first < -7.0
    steps = asked_of(equal(lambda p: np.rint(p[:, 0]), 12345.0))
    assert np.rint(solve(steps, np.zeros((1, 1)), [], [0])[0]) == 12345.0
    assert solve(asked_of(less(lambda p: p[:, 0] ** 2, -1.0)), np.zeros((1, 1)), [], [0]) is None


def test_a_parabola_that_falls_below_between_two_points():
    def below(p):
        return (p[:, 0] - 1.2345) ** 2 - 1e-6

    dip = asked_of(lambda p: (below(p) < 0, below(p)))
    assert below(solve(dip, np.zeros((1, 1)), [], [0])[None])[0] < 0
    hill = asked_of(less(lambda p: -p[:, 0], -1.0), lambda p: (-below(p) > 0, -below(p)))
    assert below(solve(hill, np.zeros((1, 1)), [], [0])[None])[0] < 0


def window_of_remainders(x, rng):
    return ((x + 517) % 7_654_321 // 7_654_320).sum() + rng.laplace(scale=1.0)


def window_of_squares(x, rng):
    return (x * x % 1009 // 1008).sum() + rng.laplace(scale=1.0)


WHOLE = {"data": np.array([5, 7, 100_000]), "bounds": (0, 100_000_000), "claim": "PureDP(epsilon=1)"}


@pytest.mark.parametrize("code", [window_of_remainders, window_of_squares], ids=lambda each: each.__name__)
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_a_window_of_which_no_condition_speaks_is_met(code, relation, monkeypatch):
    """The cost as it is, less a tenth: a record in the window costs more."""
    found = derive(code, **{**WHOLE, "claim": "PureDP(epsilon=9)"}, relation=relation)
    assert found.outcome == "proved", found
    tenth = Cost(*(0.9 * each for each in found.cost.parts()))
    monkeypatch.setattr("dpverify.proofs.moved.cost_of", lambda program: tenth)
    with pytest.raises(ProofError, match="records were found that cost"):
        check(found.certificate(), code)


def root_of_a_release(data, rng):
    noisy = sum(min(x, 1.0) for x in data) + rng.laplace(scale=1.0)
    return noisy, np.sqrt(noisy * noisy - 2.469 * noisy + 1.5235)  # NaN from 1.212 to 1.257


def test_where_nan_begins_is_a_side(monkeypatch):
    found = derive(root_of_a_release, **STATED)
    assert found.outcome == "proved", found
    met = []
    own = returned_value

    def watched(program, returned, values):
        found = own(program, returned, values)
        met.append(bool(np.isnan(found[1])))
        return found

    monkeypatch.setattr("dpverify.proofs.coupled.returned_value", watched)
    check(found.certificate(), root_of_a_release)
    assert any(met)


def test_the_middle_of_a_window():
    window = asked_of(less(lambda p: -p[:, 0], -1.0), less(lambda p: p[:, 0], 2.0))
    (found,) = middle(window, np.array([1.0 + 1e-12]), 0, 2)
    assert abs(found - 1.5) < 0.01


@pytest.fixture
def field():
    told = {"shape": [], "type": "float64", "low": "-inf", "high": "inf", "nan": True, "norm": None}
    program = ProofProgram("add-remove", {"x": told})
    return program, program.append("field", name="x")


def test_contradictions(field):
    program, x = field
    one, two = program.constant(1.0), program.constant(2.0)
    below, above = program.append("less", x, one), program.append("less_equal", one, x)
    more = program.append("less", two, x)
    assert contradictory([(below, True), (above, True)])
    assert contradictory([(below, True), (more, True)])
    assert contradictory([(below, True), (below, False)])
    assert contradictory([(program.append("equal", x, two), True), (below, True)])
    assert contradictory([(program.append("logical_not", below), False), (below, False)])


def test_what_can_be_is_no_contradiction(field):
    program, x = field
    one = program.constant(1.0)
    below, above = program.append("less", x, one), program.append("less_equal", one, x)
    assert not contradictory([(below, False), (above, False)])  # NaN
    assert not contradictory([(program.append("less_equal", x, one), True), (above, True)])
    assert not contradictory([(program.append("equal", x, one), False), (above, True)])
    assert not contradictory([])


def scaled_rows(data, rng):
    factors = np.minimum(1.0, 1.0 / np.maximum(np.linalg.norm(data, axis=1), 1e-9))
    return (data * factors[:, None]).sum(axis=0) + rng.normal(scale=5.0, size=data.shape[1])


def test_all_numbers_of_a_record_move_together():
    rows = np.linspace(-1.0, 1.0, 5 * 60).reshape(5, 60)
    found = derive(scaled_rows, data=rows, bounds=(-10.0, 10.0), claim="GDP(mu=0.2)")
    assert found.outcome == "proved", found


def many_records(data, rng):
    scale = 1.0 / len(data) if len(data) > 1000 else 1.0
    return sum(data) / len(data) + rng.laplace(scale=scale)


def test_sizes_that_the_code_compares_with_are_tried():
    found = derive(many_records, relation="replace", **STATED)
    assert found.outcome == "proved", found


def test_the_range_of_a_records_value_is_held_where_the_code_computes_it(field):
    program, x = field
    twice = program.append("where", program.append("isfinite", x), program.append("as_float", x), program.constant(0.0))
    condition = program.append("less", x, program.constant(3.0))
    found = Evaluation(program, {"x": np.array([0.5, 2.0, 5.0])}, 3, np.random.default_rng(0))
    check_records(found, program.nodes)
    twice.range = Range(np.array(-1.0), np.array(3.0))
    with pytest.raises(ProofError, match="where of a record gives what the proof says that it cannot"):
        check_records(found, program.nodes)
    twice.params = {"given": [[program.places[condition], True]]}  # 5.0 does not come there
    check_records(found, program.nodes)


def test_draws_of_one_law_are_no_one_value():
    program = ProofProgram("add-remove", {})
    first, second = (program.append("random", method="random", shape=[]) for _ in range(2))
    small = [program.append("less", each, program.constant(0.5)) for each in (first, second, first)]
    looks = Looks()
    numbers = [looks.of(program, each) for each in small]
    assert numbers[0] == numbers[2] != numbers[1]
    other = ProofProgram("add-remove", {})
    again = other.append("less", other.append("random", method="random", shape=[]), other.constant(0.5))
    assert looks.of(other, again) == numbers[0]


def no_double(data, rng):
    return sum(1.0 if x * x == 2.0 else 0.0 for x in data) + rng.laplace(scale=1.0)


def within_rounding_alike(data, rng):
    noisy = sum(x if x > 3.3e8 else 0.0 for x in data) + rng.laplace(scale=1e9)
    if 0.3 < noisy < 0.30000001:
        return 1.0
    return 1.0


@pytest.mark.parametrize(
    ("code", "bounds", "why"),
    [
        (no_double, (0.0, 2.0), "no record was found that goes one way through the code: equal.multiply.a record"),
        (within_rounding_alike, (0.0, 1e9), "released values at which rounding decides which way the code goes"),
    ],
)
def test_a_way_without_a_run_is_no_proof(code, bounds, why):
    found = derive(code, data=DATA, bounds=bounds, claim="PureDP(epsilon=1)")
    assert found.outcome == "not derived"
    assert re.search(why, found.why), found.why


def test_ranges_of_records_are_held_in_every_check(monkeypatch):
    def refuse(*_):
        raise ProofError("a range is not held")

    monkeypatch.setattr("dpverify.proofs.every_way.check_records", refuse)
    assert "a range is not held" in derive(narrow_clip, **STATED).why


def test_a_cost_that_is_met_at_a_peak_of_released_values_is_measured_there(monkeypatch):
    found = derive(peak_of_a_release, **STATED)
    assert found.outcome == "proved", found
    monkeypatch.setattr("dpverify.proofs.moved.cost_of", lambda program: Cost(0.6, 0.6, 0.0))  # a tenth, elsewhere
    with pytest.raises(ProofError, match="records were found that cost"):
        check(found.certificate(), peak_of_a_release)


def test_the_code_draws_as_many_numbers_as_the_proof(monkeypatch):
    monkeypatch.setattr("dpverify.proofs.check.check_code", lambda *_: None)
    with pytest.raises(ProofError, match=r"the code draws noise of shape \(1000,\), the proof says \(\)"):
        check(derive(one_draw, **STATED).certificate(), one_draw_of_many)
