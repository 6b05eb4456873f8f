"""The sequential auditor end to end: what it finds and how soon, its record, its stops, and what it refuses.

False alarms: every "must not refute" audit below runs at alpha = 1e-10.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from auditors.privacy.sequential.auditor import SequentialAuditor
from dpverify.core.auditing import Auditor
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import AuditError, InputError
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.one_query import OneQuery
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.gdp import GDP
from dpverify.definitions.level_curve import Tradeoff
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.runner.plan import chosen_auditors

SAFE = 1e-10
ONE = PureDP(epsilon=1.0)
TWO_VALUES = SearchSpace(size=2)


@pytest.fixture
def bet(event_task):
    """``bet(subject, guarantee, neighbors, **options)``: the evidence."""

    def run(*given, detect=None, **options):
        return SequentialAuditor(detect=detect).audit(event_task(*given, **options))

    return run


def record_of(evidence):
    """The claim's wealth, computed again from the record alone."""
    s, wealth = evidence.statistics, 1.0
    fractions = np.array(s["fractions"])
    for block in s["blocks"]:
        total = 0.0
        for slot in block["slots"]:
            slope, delta, weights = slot["slope"], slot["delta"], np.array(slot["weights"])
            logs = np.zeros(fractions.size)
            for kind, count in enumerate(slot["counts"]):
                x, y = divmod(kind, 2)
                logs += count * np.log1p(fractions / (slope + delta) * (x - slope * y - delta))
            total += float(weights @ np.exp(logs))
            assert sum(slot["counts"]) == block["pairs"]
        wealth *= total
    return wealth


# Known answers


def test_randomised_response_falls_early_and_the_record_gives_its_wealth_back(response, bet):
    evidence = bet(response(epsilon=2.0), ONE, Value(), space=TWO_VALUES)
    s = evidence.statistics
    assert judge(evidence) is Status.REFUTED
    assert s["stop"] == "refuted"
    assert evidence.trials == s["pairs"] <= 2000
    assert 0 < s["pairs_bet_when_refuted"] <= s["pairs_bet"] < s["pairs"]
    assert s["e_value_largest"] >= 1 / s["alpha"]
    assert s["e_value"] == pytest.approx(record_of(evidence), rel=1e-9)
    assert 1.0 < evidence.bound < 2.0
    assert evidence.excess == evidence.bound - 1.0
    assert evidence.witness["direction"] in ("d0 against d1", "d1 against d0")


def test_what_stands_is_told_with_tightness_ceiling_and_smallest_violation(noise, pair, bet):
    evidence = bet(noise(), ONE, pair([0.0], [1.0]), alpha=SAFE, trials=30_000)
    assert judge(evidence) is Status.NOT_REFUTED
    assert evidence.statistics["stop"] == "trials"
    assert evidence.trials == 30_000
    assert 0.5 < evidence.tightness <= 1.0
    assert 1.0 < evidence.detectable < 2.0 < evidence.ceiling < math.log(30_000)
    assert evidence.statistics["e_value"] == pytest.approx(record_of(evidence), rel=1e-9)
    assert "rectangle" not in evidence.picture


@pytest.mark.parametrize(
    ("guarantee", "worse"),
    [
        (ONE, PureDP(epsilon=0.7)),
        (ApproxDP(epsilon=0.5, delta=float(GDP(mu=1.0).delta(0.5))), ApproxDP(epsilon=0.5, delta=0.13)),
        (GDP(mu=1.0), GDP(mu=0.8)),
        (RDP(order=2, epsilon=1.0), RDP(order=2, epsilon=0.4)),
        (RDP(orders=(2, 8), epsilons=(1.0, 4.0)), RDP(orders=(2, 8), epsilons=(9.0, 0.5))),
        pytest.param(ZCDP(rho=0.5), ZCDP(rho=0.2), marks=pytest.mark.slow),
        (Tradeoff(alphas=(0, 0.25, 1), betas=(1, 0.25, 0)), Tradeoff(alphas=(0, 0.3, 1), betas=(1, 0.5, 0))),
    ],
    ids=lambda guarantee: guarantee.text(),
)
def test_every_definition_stands_where_it_is_exact_and_falls_where_it_is_not(noise, pair, bet, guarantee, worse):
    kind = "laplace" if isinstance(guarantee, PureDP) else "normal"
    subject = noise(scale=2.0 if isinstance(guarantee, Tradeoff) else 1.0, kind=kind)
    assert judge(bet(subject, guarantee, pair([0.0], [1.0]), alpha=SAFE, trials=20_000)) is Status.NOT_REFUTED
    found = bet(subject, worse, pair([0.0], [1.0]), trials=40_000)
    assert judge(found) is Status.REFUTED
    assert found.bound > found.measure.claimed
    assert found.statistics["e_value"] == pytest.approx(record_of(found), rel=1e-9)


def test_a_vector_whose_leak_no_coordinate_shows_is_learned(function, pair, bet):
    def outputs(d, size, rng):
        first, second = rng.normal(size=(2, size))
        return np.stack([first, np.abs(second) * np.sign(first) if d[0] else second], axis=1)

    found = bet(function(outputs), PureDP(epsilon=0.2), pair([0.0], [1.0]), trials=60_000)
    assert judge(found) is Status.REFUTED


def test_the_pair_that_leaks_is_found_among_many_and_all_draws_are_counted(function, bet):
    """Only the last query leaks; with OneQuery, one of several pairs moves it."""
    subject = function(lambda d, size, rng: np.where(d[-1] > 0.5, 4.0, 0.0) + rng.laplace(size=size))
    evidence = bet(subject, ONE, OneQuery(), space=SearchSpace(size=4, low=0.0, high=1.0), trials=60_000)
    assert judge(evidence) is Status.REFUTED
    d0, d1 = evidence.witness["d0"], evidence.witness["d1"]
    assert d0[-1] != d1[-1]
    assert evidence.statistics["contenders"] > 1
    assert sum(subject.drawn) == 2 * evidence.trials


# Stops


def test_stops_when_the_value_to_detect_would_have_been_found(noise, pair, bet):
    options = {"alpha": SAFE, "trials": 200_000}
    found = bet(noise(), ONE, pair([0.0], [1.0]), detect=2.0, **options)
    assert judge(found) is Status.NOT_REFUTED
    assert found.statistics["stop"] == "power"
    assert found.trials < 100_000
    assert found.detectable <= 2.0


def test_the_same_task_gives_the_same_bits_and_streams_are_named(noise, pair, event_task):
    names: list = []
    task = event_task(noise(scale=0.8), ONE, pair([0.0], [1.0]), trials=3000, names=names)
    first, second = SequentialAuditor().audit(task), SequentialAuditor().audit(task)
    assert first == second
    draws = [name for name in names[: len(names) // 2] if name[0] == "draw"]
    assert len(set(draws)) == len(draws)


def test_less_trials_are_a_shorter_run_of_the_same_draws(noise, pair, bet):
    """An audit stopped by its trials saw what a longer one saw by then: blocks are the same as far as they go."""
    short, long = (bet(noise(), ONE, pair([0.0], [1.0]), alpha=SAFE, trials=trials) for trials in (4096, 8192))
    shared = short.statistics["blocks"]
    assert [block["slots"][0]["counts"] for block in long.statistics["blocks"][: len(shared)]] == [
        block["slots"][0]["counts"] for block in shared
    ]


# Bad input


def test_refuses_other_claims_subjects_and_too_few_trials(noise, pair, event_task, function, response):
    auditor = SequentialAuditor()
    assert isinstance(auditor, Auditor)
    task = event_task(noise(), ONE, pair([0.0], [1.0]))
    assert auditor.refuses(task) is None
    other = event_task(noise(), SensitivityBound(bound=1.0, norm="l1"), pair([0.0], [1.0]))
    assert "no privacy guarantee" in auditor.refuses(other)
    assert "neither sampled nor counted" in auditor.refuses(event_task(object(), ONE, pair([0.0], [1.0])))
    assert auditor.lacks(task) is None
    few = replace(task, trials=40)
    fewest = auditor.lacks(few)
    with pytest.raises(InputError, match=f"trials={fewest}"):
        auditor.audit(few)
    assert auditor.lacks(replace(task, trials=fewest)) is None
    with pytest.raises(InputError, match="betting against"):
        auditor.lacks(event_task(noise(), PureDP(epsilon=500.0), pair([0.0], [1.0])))
    with pytest.raises(AuditError, match="no two different neighbours"):
        auditor.audit(event_task(response(epsilon=1.0), ONE, Value(), space=SearchSpace(size=1)))


def test_the_fewest_trials_do_for_a_perfect_event(function, pair, event_task):
    subject = function(lambda d, size, rng: np.full(size, d[0]))
    for guarantee in (ONE, PureDP(epsilon=4.0), GDP(mu=1.0), RDP(orders=(2, 8), epsilons=(1.0, 4.0))):
        task = event_task(subject, guarantee, pair([0.0], [1.0]), trials=1)
        fewest = SequentialAuditor().lacks(task)
        found = SequentialAuditor().audit(replace(task, trials=fewest))
        assert judge(found) is Status.REFUTED, guarantee.text()


def test_equal_sides_show_nothing(function, noise, pair, bet):
    assert judge(bet(noise(), ONE, pair([0.5], [0.5]), alpha=SAFE, trials=5000)) is Status.NOT_REFUTED
    constant = function(lambda d, size, rng: np.zeros((size, 2)))
    evidence = bet(constant, ONE, pair([0.0], [1.0]), alpha=SAFE, trials=5000)
    assert judge(evidence) is Status.NOT_REFUTED
    assert (evidence.bound, evidence.statistics["e_value"]) == (0.0, pytest.approx(1.0))


def test_looks_only_where_it_is_asked_for():
    registry = Registry()
    from auditors.privacy.sequential import auditor as sequential

    sequential.register(registry)
    assert chosen_auditors(registry, None) == []
    assert [one.name for one in chosen_auditors(registry, ["sequential"])] == ["sequential"]
