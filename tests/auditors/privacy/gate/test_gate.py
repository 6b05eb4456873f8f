"""The gate: its steps in their order, levels that add up, passes that say what they saw.

Audits of true claims are at 1e-9: each is refuted with that probability.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpverify as dpv
from auditors.privacy.event.expected_gain import no_difference_choice
from auditors.privacy.event_bounds import Goal
from auditors.privacy.gate import run, sought
from auditors.privacy.gate.sought import WHOLE, Draws, Levels, draws_needed, event_draws, reached
from dpverify.core.verdict import Status
from dpverify.definitions.pure_dp import PureDP

SURE = 1 - 1e-9
DATA = [0.0, 1.0, 0.3]


def noisy_sum(data, size, rng):
    return sum(data) + rng.laplace(size=size)


def half_the_noise(data, size, rng):
    return sum(data) + rng.laplace(scale=0.5, size=size)


def hidden_half(data, rng):
    """Noise that no recorder sees: replay cannot tell."""
    own = np.random.default_rng(int(np.float64(rng.random()).view(np.uint64)))
    return float(sum(data)) + float(str(own.laplace(scale=0.5)))


def audit(function, **settings):
    words = {"claim": "PureDP(epsilon=1)", "data": DATA, "trials": 40_000, "confidence": SURE} | settings
    return dpv.audit(function, **words)


half = cache(lambda: audit(half_the_noise))


def steps(result):
    return [step["step"] for step in result.evidence.statistics["steps"]]


def test_what_replay_shows_needs_no_draws():
    result = half()
    assert (result.verdict, steps(result)) == (Status.REFUTED, ["replay"])
    assert 1.0 < result.epsilon_lower <= 2.0


def test_what_replay_cannot_see_falls_to_bets():
    result = audit(hidden_half)
    assert result.verdict is Status.REFUTED
    assert steps(result)[-1] in ("bets", "event")
    assert 1.0 < result.epsilon_lower <= 2.0


def test_an_excess_that_replay_cannot_prove_saves_no_draws():
    """Half of what a claim of delta = 1e-5 needs: its excess is small, and the goal alone would stop too early."""

    def half_of_a_gaussian(data, size, rng):
        return sum(data) + rng.normal(scale=3.7308 / 2, size=size)

    result = audit(half_of_a_gaussian, claim="ApproxDP(epsilon=1, delta=1e-5)", trials=400_000)
    replay, *_, last = result.evidence.statistics["steps"]
    assert replay["found"] == "inconclusive"
    assert result.verdict is Status.REFUTED
    assert last["draws"] > 32_000


def test_a_pass_is_the_events_and_has_the_power_that_was_sought():
    result = audit(noisy_sum)
    first = ["replay", "search", "bets", "closer look", "event"]
    assert (result.verdict, steps(result)) == (Status.NOT_REFUTED, [*first, "second look"])
    assert result.evidence.statistics["step"] == "event"
    assert result.epsilon_lower <= 1.0
    assert result.evidence.detectable <= result.evidence.statistics["sought"] == 2.0
    assert not any(note.startswith("weak: ") for note in result.notes)


def test_few_draws_make_a_weak_pass_that_says_so_before_and_after():
    result = audit(noisy_sum, trials=2_000, detect=1.05)
    assert result.verdict is Status.NOT_REFUTED
    assert any(note.startswith("weak: ") for note in result.notes)
    assert any("will not detect epsilon = 1.05" in note for note in result.notes)


def test_draws_that_could_refute_nothing_are_not_made():
    calls = []

    def counted(data, size, rng):
        calls.append(size)
        return noisy_sum(data, size, rng)

    result = audit(counted, claim="PureDP(epsilon=9)", trials=2_000)
    assert result.verdict is Status.INCONCLUSIVE
    assert "could refute PureDP(epsilon=9)" in result.row.verdict.reason
    assert sum(calls) < 20_000


def test_levels_add_up_to_the_whole_whatever_is_replayed():
    for replayed in (True, False):
        levels = Levels.of(1e-3, replayed=replayed)
        assert levels.replay + levels.bets + levels.event + levels.more == pytest.approx(1e-3, rel=1e-15)
        assert (levels.replay > 0) is replayed


@pytest.mark.parametrize("trials", [1_000, 10_000, 100_000, 400_000])
@pytest.mark.parametrize("searched", [True, False])
def test_draws_stay_within_the_trials(trials, searched):
    draws = Draws.of(trials, searched=searched)
    look = 2 * draws.look * (draws.pairs + draws.box)
    assert look + draws.bets + 2 * draws.event <= 1.25 * trials + 2 * 64 * 12


@pytest.mark.parametrize(("trials", "pairs"), [(200, 2), (900, 7), (4_000, 24), (40_000, 24)])
def test_pairs_that_are_asked_for_share_the_draws(trials, pairs):
    draws = Draws.of(trials, searched=True, pairs=pairs)
    assert (draws.pairs, draws.box) == (pairs, 0)
    assert 2 * draws.look * pairs + draws.bets + draws.closer + draws.event <= 1.1 * trials


def test_confidences_of_the_record_are_the_levels():
    result = audit(noisy_sum, confidence=0.999, bounds=(0, 1))
    levels = {step["step"]: step.get("level") for step in result.evidence.statistics["steps"]}
    aside = Levels.of(1e-3, replayed=True).more  # nothing was seen that a second event could count
    assert sum(level for level in levels.values() if level) + aside == pytest.approx(1e-3, rel=1e-12)
    assert 1 - result.evidence.confidence == pytest.approx(1e-3, rel=1e-12)  # of the whole, whichever step decided


def test_the_same_seed_and_trials_give_the_same_result():
    first, second = (audit(noisy_sum, seed=5, trials=4_000) for _ in range(2))
    assert first.evidence.statistics == second.evidence.statistics
    assert first.evidence.witness == second.evidence.witness
    assert audit(noisy_sum, seed=6, trials=4_000).evidence.statistics != first.evidence.statistics


def test_what_can_be_reached_grows_with_the_draws():
    goal = Goal(guarantee=PureDP(epsilon=1.0))
    assert not reached(goal, 1.1, 200, alpha=1e-9)
    needed = draws_needed(goal, 1.1, alpha=1e-9, above=200)
    assert reached(goal, 1.1, needed, alpha=1e-9)
    assert needed > draws_needed(goal, 2.0, alpha=1e-9, above=1)
    assert (
        draws_needed(goal, 1.00001, alpha=1e-9, above=920_000_000) is None
    )  # no power of two below 1e10 of it will do
    assert event_draws(goal, None, 2.0, alpha=1e-9, most=777) == 777  # nothing known: all of them


@pytest.mark.parametrize("fewest", [1_000, 16_000, 64_000, 128_000])
def test_draws_of_an_event_are_the_fewest_that_detect_and_are_found_in_few_looks(monkeypatch, fewest):
    """Each look takes milliseconds of the processor."""
    looks = []

    def seen(_goal, region, _direction, *, at_most):
        assert at_most == pytest.approx(sought.ROOM * 2.0)
        looks.append(region.n1)
        return region.n1 >= fewest

    monkeypatch.setattr(sought, "detects", seen)
    event = no_difference_choice(scalar=True)
    choice = replace(event, p=0.4, q=0.2)
    found = event_draws(Goal(guarantee=PureDP(epsilon=1.0)), choice, 2.0, alpha=1e-9, most=100_000)
    assert found == min(fewest, 100_000)
    assert len(looks) <= 3


def test_draws_of_the_event_are_not_planned_again_where_the_closer_look_changes_nothing(monkeypatch):
    planned = []
    monkeypatch.setattr(run, "event_draws", lambda *_, **words: planned.append(words["loss"]) or 1_000)
    assert audit(noisy_sum).evidence.statistics["step"] == "event"
    assert planned == [None]


@pytest.mark.parametrize("claim", ["ApproxDP(epsilon=1, delta=1e-5)", "GDP(mu=1)", "ZCDP(rho=0.5)"])
def test_other_claims_go_through_the_same_gate(claim):
    assert audit(half_the_noise, claim=claim, trials=100_000).verdict is Status.REFUTED


def test_a_mechanism_that_raises_on_made_up_data_is_told_of_its_pairs():
    def picky(data, rng):
        if len(set(data)) == 1:
            raise ValueError("all alike")
        return sum(data) + rng.laplace()

    result = audit(picky, data=[0.1, 0.9, 0.5, 0.3])
    assert result.verdict is Status.NOT_REFUTED
    assert any(note.startswith("raised: ") for note in result.notes)


def test_one_that_always_raises_is_bad_input():
    def broken(data, rng):
        raise ValueError("no")

    with pytest.raises(dpv.InputError, match="raised ValueError"):
        audit(broken)


def test_scarce_draws_go_into_bets_and_a_short_search():
    few, more = Draws.of(400, searched=True), Draws.of(1_000, searched=True)
    assert (few.pairs, few.bets, few.event) == (2, 200, 100)
    assert more.pairs > few.pairs
    calls = 4 * few.look * few.pairs + 2 * few.bets + 4 * few.event
    assert calls <= 2.7 * 400


@given(st.integers(WHOLE, 10_000_000), st.booleans())
def test_all_steps_together_have_no_more_draws_than_there_are(trials, searched):
    draws = Draws.of(trials, searched=searched)
    search = 2 * draws.look * (draws.pairs + draws.box)
    assert search + draws.bets + draws.closer + 2 * draws.event <= trials


def test_below_that_the_search_takes_more():
    few = Draws.of(WHOLE - 100, searched=True)
    assert 2 * few.look * few.pairs > (WHOLE - 100) / 4


def test_little_of_the_noise_is_refuted_with_few_draws():
    def hidden_tenth(data, rng):
        return float(sum(data)) + float(str(rng.laplace(scale=0.1)))

    result = audit(hidden_tenth, trials=400)
    assert result.verdict is Status.REFUTED and result.evidence.statistics["step"] == "bets"


def test_a_replay_in_the_gate_bounds_nothing_that_exceeds_nothing():
    """It would cost hundreds of runs, for a bound that the event gives anyway."""
    step = audit(noisy_sum, trials=4_000).evidence.statistics["steps"][0]
    assert (step["step"], step["found"], step["bound"]) == ("replay", "not_refuted", 0.0)
    alone = dpv.audit_replay(lambda data, rng: sum(data) + rng.laplace(), DATA, [0.0, 0.3], claim=PureDP(epsilon=2.0))
    assert alone.epsilon_lower == pytest.approx(1.0)


@pytest.mark.parametrize(("scale", "told"), [(0.5, "inverse proportion"), (0.1, "never came on one side")])
def test_noise_that_would_be_needed_is_by_the_loss_that_was_seen(scale, told):
    def too_little(data, rng):
        return float(sum(data)) + float(str(rng.laplace(scale=scale)))

    result = audit(too_little, trials=40_000)
    found = next(note for note in result.notes if note.startswith("noise: "))
    assert told in found
    if scale == 0.5:
        least, needed = (float(each) for each in re.findall(r"([\d.]+) times", found))
        assert 1.0 < least < needed == pytest.approx(result.evidence.estimate, rel=1e-2)


def test_noise_that_would_be_needed_is_by_the_recorded_laws_of_a_replay():
    result = half()
    assert "laws" in result.evidence.statistics
    found = next(note for note in result.notes if note.startswith("noise: "))
    least, needed = (float(each) for each in re.findall(r"([\d.]+) times", found))
    assert 1.0 < least < needed == pytest.approx(2.0)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("methods", [None, ["gate"]])
@pytest.mark.parametrize("trials", [1, 2, 3])
def test_one_draw_a_side_has_no_halves_and_decides_nothing(trials, methods, width):
    def noisy(data, rng):
        return rng.laplace(loc=sum(data), size=width) if width > 1 else sum(data) + rng.laplace()

    result = audit(noisy, data=[1.0, 0.5], trials=trials, bounds=(0, 1), methods=methods)
    assert result.verdict is Status.INCONCLUSIVE, result
