"""What running the code finds although the proof is right: leaks beside the releases, and costs that are too low."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from dpverify.derivation.derive import derive
from dpverify.proofs import moved
from dpverify.proofs.certificate import checked
from dpverify.proofs.check import check, check_code
from dpverify.proofs.cost import Cost, cost_of
from dpverify.proofs.held_ranges import check_public
from dpverify.proofs.operations import ProofError
from dpverify.proofs.ranges import Range
from dpverify.proofs.replay import Evaluation
from tests.derivation.corpus.right import RIGHT


def proof(name: str):
    case = next(each for each in RIGHT if each.name == name)
    return derive(case.function, claim=case.claim, data=case.data, **case.domain).certificate()


def total(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=1.0)


def empty_is_told(data, rng):
    noisy = total(data, rng)
    return noisy if len(data) else 5.0


def type_is_told(data, rng):
    return np.float64(total(data, rng)) ** 400 if len(data) > 1 else float(total(data, rng)) ** 400


def record_is_told(data, rng):
    noisy = total(data, rng)
    return noisy + 1e-3 * any(x == 1.0 for x in data)


def another_draw(data, rng):
    noisy = total(data, rng)
    return noisy + 0.0 * (rng.laplace() if len(data) > 2 else 0.0)


def noise_by_size(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=1.0 if len(data) < 17 else 0.5)


def half_the_noise(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.laplace(scale=0.5)


def another_law(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data) + rng.normal(scale=1.0)


def without_noise(data, rng):
    return sum(min(max(0.0, x), 1.0) for x in data)


def without_clip(data, rng):
    return sum(x for x in data) + rng.laplace(scale=1.0)


LEAKS = [empty_is_told, type_is_told, record_is_told, another_draw]
LESS = [noise_by_size, half_the_noise, another_law, without_noise, without_clip]


@pytest.mark.parametrize("code", [*LEAKS, *LESS])
def test_code_that_tells_more_than_its_releases_is_refused(code, monkeypatch):
    monkeypatch.setattr("dpverify.proofs.check.check_code", lambda *_: None)
    told = proof("sum_loop")
    with pytest.raises(ProofError, match=r"released values|more noise|returns|leaves out|of scale"):
        check(told, code)


def test_the_proof_of_another_function_is_refused():
    """Two functions of a file may do the same wherever they are run."""
    case = next(each for each in RIGHT if each.name == "sum_loop")
    told = proof("sum_loop")
    check_code(told, partial(case.function))

    def other(data, rng):
        return case.function(data, rng)

    with pytest.raises(ProofError, match=r"the proof is of \S+right\S*:sum_loop, and this is \S+:\S+other"):
        check(told, other)
    del told["code"]["function"]
    with pytest.raises(ProofError, match="the proof is of None"):
        check(told, case.function)


def test_the_right_code_passes():
    told = proof("sum_loop")
    assert check(told, next(case.function for case in RIGHT if case.name == "sum_loop")) == told["upper"]


@pytest.mark.parametrize(
    ("code", "why"), [(half_the_noise, "of scale 0.5"), (another_law, "normal noise"), (without_noise, "leaves out")]
)
def test_other_noise_is_seen_at_the_draw(code, why, monkeypatch):
    """Noise that the check chose itself would hide a scale."""
    monkeypatch.setattr("dpverify.proofs.check.check_code", lambda *_: None)
    with pytest.raises(ProofError, match=why):
        check(proof("sum_loop"), code)


def test_a_released_value_outside_of_its_range_is_refused():
    paths, _ = checked(proof("sum_loop"))
    (path,) = paths
    values = Evaluation(path.program, {"": np.array([0.5])}, 1, np.random.default_rng(0))
    check_public(values)
    (release,) = (node for node in path.program.nodes if node.op == "release")
    release.range = Range(np.array(1e9), np.array(2e9))
    with pytest.raises(ProofError, match="cannot"):
        check_public(values)


def test_a_cost_that_records_exceed_is_refused(monkeypatch):
    told = proof("sum_loop")
    paths, _ = checked(told)
    records = {"": np.array([0.0, 0.5, 1.0])}
    moved.check_moved(paths, records, 3)
    half = Cost(*(each * 0.99 for each in cost_of(paths[0].program).parts()))
    monkeypatch.setattr(moved, "cost_of", lambda program: half)
    with pytest.raises(ProofError, match="cost"):
        moved.check_moved(paths, records, 3)
