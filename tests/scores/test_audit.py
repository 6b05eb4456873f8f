"""The Python door to audits of scores: results, notes, and one line for bad input."""

import math

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.datasets.neighbors.relation import Relation


@pytest.fixture(scope="module")
def sides():
    rng = np.random.default_rng(11)
    return rng.normal(2.0, size=1200), rng.normal(size=800)


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(12)
    included = rng.integers(0, 2, 1000)
    return included * 3.0 + rng.normal(size=1000), included


def test_scores_of_many_trainings(sides):
    found = dpv.audit_scores(*sides, claim="ApproxDP(epsilon=1, delta=1e-5)")
    assert found.verdict is Status.REFUTED
    assert found.measure == "epsilon(delta=1e-05)"
    assert found.bound == found.epsilon_lower == found.evidence.bound > 1
    assert found.estimate is found.epsilon_estimate is None  # the bound shows more than the upper half of all does
    assert found.posterior["low"] < found.posterior["high"]
    weak = dpv.audit_scores(*sides, claim="PureDP(epsilon=1)", threshold=1.0)
    assert weak.bound < weak.estimate == weak.epsilon_estimate
    assert "credible" in found.posterior["kind"]
    assert "1200 with, 800 without" in " ".join(found.notes)
    again = dpv.audit_scores(*sides, claim=dpv.ApproxDP(epsilon=1, delta=1e-5))
    assert again.bound == found.bound


def test_the_kinds_of_threshold(sides):
    bounds = {}
    for name, words in {"ranks": {}, "split": {"method": "split"}, "fixed": {"threshold": 1.0}}.items():
        bounds[name] = dpv.audit_scores(*sides, claim="GDP(mu=0.5)", **words).bound
    assert all(1.2 < bound <= 2.0 for bound in bounds.values())
    assert len(set(bounds.values())) == 3


def test_a_golden_posterior_at_a_threshold():
    """80 of 100 above with the record, 30 of 120 without: shortest interval of 4 * 10^6 draws of the Jeffreys betas."""
    inside, outside = np.repeat([1.0, 0.0], [80, 20]), np.repeat([1.0, 0.0], [30, 90])
    found = dpv.audit_scores(inside, outside, claim="PureDP(epsilon=0.5)", threshold=0.5)
    rng = np.random.default_rng(14)
    p, q = rng.beta(80.5, 20.5, 4 * 10**6), rng.beta(30.5, 90.5, 4 * 10**6)
    epsilon = np.sort(np.abs(np.stack([np.log(p / q), np.log((1 - q) / (1 - p))])).max(axis=0))
    width = int(0.9 * epsilon.size)
    place = np.argmin(epsilon[width:] - epsilon[:-width])
    assert found.posterior["high"] - found.posterior["low"] == pytest.approx(
        epsilon[place + width] - epsilon[place], abs=2e-3
    )
    assert found.posterior["low"] == pytest.approx(epsilon[place], abs=0.03)  # a length is flat about its least
    assert found.posterior["event"] == "score > 0.5"
    assert found.estimate == pytest.approx(math.log(0.75 / 0.2))


def test_mu_is_never_called_epsilon(sides, run):
    for found in (
        dpv.audit_scores(*sides, claim="GDP(mu=0.5)"),
        dpv.audit_one_run(*run, claim="GDP(mu=0.5)"),
    ):
        assert found.verdict is Status.REFUTED
        assert found.measure == "mu"
        assert found.epsilon_lower is found.epsilon_estimate is found.posterior is None


def test_one_run(run):
    found = dpv.audit_one_run(*run, claim="ApproxDP(epsilon=1, delta=1e-5)", guesses=200)
    assert found.verdict is Status.REFUTED
    assert "one training, 1000 canaries, 200 guessed" in found.notes[0]
    assert found.row.entry.claim.relation == "add-remove"
    pair = dpv.audit_one_run(*run, claim="ApproxDP(epsilon=1, delta=1e-5)", guesses=(100, 100))
    assert pair.bound == found.bound
    numpy_too = dpv.audit_one_run(*run, claim="ApproxDP(epsilon=1, delta=1e-5)", guesses=np.int64(200))
    assert numpy_too.bound == found.bound
    grid = dpv.audit_one_run(*run, claim="PureDP(epsilon=1)", guesses=[(100, 100), (50, 0)])
    assert len(grid.evidence.statistics["rules"]) == 2


def test_values_make_the_relation_replace():
    included = np.arange(300) % 3
    found = dpv.audit_one_run(np.eye(3)[included], included, claim="PureDP(epsilon=1)", values=3)
    assert found.verdict is Status.REFUTED
    assert found.row.entry.claim.relation == "replace"


def test_canaries_that_are_in_or_out_take_a_relation_of_ones_own_that_changes_their_number(run, monkeypatch):
    """The relation says whether it keeps the number of records; its name says nothing."""
    for name, keeps in (("adds-some", False), ("moves-some", True)):
        relation = Relation(name=name, moved="moved", keeps_size=keeps, change_one=lambda records, place, new: records)
        for section in (registry().relations, registry().neighbors):
            monkeypatch.setitem(section._items, name, relation)
    found = dpv.audit_one_run(*run, claim="PureDP(epsilon=1)", relation="adds-some")
    assert (found.verdict, found.row.entry.claim.relation) == (Status.REFUTED, "adds-some")
    with pytest.raises(dpv.InputError, match="relation 'moves-some' for canaries of 2 values"):
        dpv.audit_one_run(*run, claim="PureDP(epsilon=1)", relation="moves-some")
    with pytest.raises(dpv.InputError, match="relation 'adds-some' for canaries of 3 values"):
        dpv.audit_one_run(np.eye(3), [0, 1, 2], claim="PureDP(epsilon=1)", values=3, relation="adds-some")


def test_too_few_scores_are_said_to_be_too_few():
    found = dpv.audit_scores([1.0] * 30, [0.0] * 30, claim="PureDP(epsilon=8)")
    assert found.verdict is found.row.verdict.status is Status.INCONCLUSIVE
    assert "was not tested" in found.notes[0]
    assert found.row.verdict.reason == found.notes[0]
    assert dpv.audit_scores([1.0] * 30, [0.0] * 30, claim="PureDP(epsilon=0.1)").verdict is Status.REFUTED
    assert dpv.audit_scores([0.0] * 30, [0.0] * 30, claim="PureDP(epsilon=0.1)").verdict is Status.NOT_REFUTED
    found = dpv.audit_one_run([1.0, 0.0] * 10, [1, 0] * 10, claim="PureDP(epsilon=8)")
    assert found.verdict is Status.INCONCLUSIVE
    assert "was not tested" in found.notes[0]
    assert found.evidence.detectable == math.inf


def test_the_same_seed_gives_the_same_ties():
    scores, included = np.zeros(500), np.arange(500) % 2
    first, second, other = (
        dpv.audit_one_run(scores, included, claim="PureDP(epsilon=0.1)", seed=seed).evidence.statistics["rules"]
        for seed in (1, 1, 2)
    )
    assert first == second != other


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: dpv.audit_scores([1.0, float("nan")], [0.0], claim="PureDP(epsilon=1)"), "NaN"),
        (lambda: dpv.audit_scores([], [0.0], claim="PureDP(epsilon=1)"), "in_scores"),
        (lambda: dpv.audit_scores(["a"], [0.0], claim="PureDP(epsilon=1)"), "not all numbers"),
        (lambda: dpv.audit_scores([1.0], [0.0], claim="PureDP(epsilon=1)", method="best"), "method"),
        (lambda: dpv.audit_scores([1.0], [0.0], claim="PureDP(epsilon=1)", confidence=1.0), "confidence"),
        (lambda: dpv.audit_scores([1.0], [0.0], claim="SensitivityBound(bound=1)"), "privacy guarantee"),
        (lambda: dpv.audit_scores([1.0], [0.0], claim="Pure(1)"), "Pure"),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1], claim="PureDP(epsilon=1)"), "inclusions"),
        (lambda: dpv.audit_one_run([1.0, 2.0, 3.0], [1, 0], claim="PureDP(epsilon=1)"), "as many"),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1, 0.5], claim="PureDP(epsilon=1)"), "inclusions"),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1, 0], claim="PureDP(epsilon=1)", guesses=3), "guesses"),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1, 0], claim="PureDP(epsilon=1)", guesses=[(1,)]), "guesses"),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1, 0], claim="PureDP(epsilon=1)", guesses=2.5), "guesses 2.5"),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1, 0], claim="PureDP(epsilon=1)", guesses=(1.5, 1)), "guesses"),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1, 0], claim="PureDP(epsilon=1)", guesses=True), "guesses True"),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1, 1e30], claim="PureDP(epsilon=1)"), "inclusions"),
        (lambda: dpv.audit_one_run([1.0, 10**400], [1, 0], claim="PureDP(epsilon=1)"), "beyond"),
        (lambda: dpv.audit_scores([1.0], [0.0], claim="PureDP(epsilon=1)", relation="cousins"), "relation 'cousins'"),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1, 0], claim="PureDP(epsilon=1)", relation="replace"), "add-remove"),
        (
            lambda: dpv.audit_one_run(np.zeros(10**6 + 1), np.arange(10**6 + 1) % 2, claim="GDP(mu=1)"),
            "1000001 canaries",
        ),
        (lambda: dpv.audit_one_run([1.0, 2.0], [1, 0], claim="PureDP(epsilon=1)", values=1), "values"),
        (lambda: dpv.audit_one_run(range(90), [1] * 90, claim="PureDP(epsilon=1)"), "canaries have the value"),
    ],
)
def test_bad_input_is_one_line(call, words):
    with pytest.raises(dpv.InputError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
