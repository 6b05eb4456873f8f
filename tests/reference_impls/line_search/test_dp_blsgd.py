"""DP-BLSGD as published: what its control flow spends, and that what it adapts is post-processing."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.sampling.streams import stream
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.cheb import RIGHT_ANGLE, angle_between, enlarged, mean_angle
from reference_impls.line_search.dp_blsgd import DpBlsgd
from reference_impls.line_search.dp_blsgd_ac import DpBlsgdAc
from reference_impls.line_search.dp_blsgd_repaired import DpBlsgdRepaired
from reference_impls.line_search.line_search_training import reset


def test_a_gradient_goes_out_before_any_test(small: Table) -> None:
    """Line 6, with a budget of nothing: (0.01, 1e-8) is below 0 at every order, and still a gradient is released."""
    subject = DpBlsgd(epsilon=0.01, delta=1e-8)
    assert subject.total.max() < 0 and subject.claimed_renyi() is None
    transcript = subject.transcript(small, rng=stream(0, "spent"))
    assert [entry.name for entry in transcript.perturbed] == ["gradient"]


@pytest.mark.parametrize("number", range(5))
def test_the_tests_pass_where_amp_costs_more_than_is_left(small: Table, number: int) -> None:
    """Line 9 tests 0.001, line 11 subtracts 0.0022: whatever is drawn, 0.0015 left after line 7 is overspent.

    The paper's own first budgets at epsilon = 0.2, order 500; the total is set so that line 9 sees 0.0015.
    """
    share = 0.2 / 100
    probe = DpBlsgd(epsilon=0.2, orders=(500,), rho_grad=share**2 / 2, budget_bt=share)
    gradient = probe.transcript(small, rng=stream(0, "spent")).budgets[0, 0]
    epsilon = 0.0015 + gradient + np.log(1e8) / 499
    subject = DpBlsgd(epsilon=epsilon, orders=(500,), rho_grad=share**2 / 2, budget_bt=share)
    transcript = subject.transcript(small, rng=stream(number, "spent"))
    assert transcript.answers.size == 1
    assert (subject.total - transcript.budgets.sum(axis=0)).max() < -0.0005


def test_the_papers_text_releases_gradients_for_ever(small: Table) -> None:
    """Lines 21, 22 inside the while loop: the cap ends it, each iteration past the budget releases one gradient."""
    short, long = (DpBlsgd(text="paper", most_steps=steps) for steps in (200, 400))
    first, second = (each.transcript(small, rng=stream(0, "spent")) for each in (short, long))
    assert len(second.public["gradient-budget"]) == len(first.public["gradient-budget"]) + 200
    assert second.answers.tolist() == first.answers.tolist()
    assert (short.total - first.budgets.sum(axis=0)).max() < -0.3
    ended = DpBlsgd(text="diss", most_steps=400).transcript(small, rng=stream(0, "spent"))
    assert len(ended.step_sizes) < 100


@pytest.mark.parametrize("subject", [DpBlsgd, DpBlsgdRepaired])
def test_the_budget_rises_never_or_with_every_second_gradient(
    subject: type[DpBlsgd | DpBlsgdRepaired], small: Table
) -> None:
    """Figure 1(e): "no", "must" and "adap" (which here raises some of the time); the average is taken all the same."""
    settings = {"q": 0.4, "epsilon": 6.0, "rho_grad": 0.002, "budget_bt": 0.06, "max_it": 2, "most_steps": 25}
    risen = {}
    for raising in ("no", "must", "adap"):
        transcript = subject(raising=raising, **settings).transcript(small, rng=stream(1, "raising"))
        budgets = transcript.public["gradient-budget"]
        risen[raising] = budgets[-1] / 0.002
        second = budgets.size - len(transcript.step_sizes)
        assert second > 3
        if raising == "must":
            assert set(np.round(np.diff(np.log(budgets)) / np.log(1.3), 9)) == {0.0, 1.0}
            assert risen["must"] >= 1.3 ** (second - 1) * (1 - 1e-9)  # the last may raise what nothing is paid with
    assert risen["no"] == 1.0 < risen["adap"] < risen["must"]


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("number", range(3))
def test_all_that_adapts_follows_from_what_was_released(small: Table, adaptive: bool, number: int) -> None:
    """BL-POST, BL-AC: from noisy gradients and answers alone, every step, budget and threshold."""
    subject = (DpBlsgdAc if adaptive else DpBlsgd)(
        q=0.4, epsilon=6.0, orders=(2, 8, 32), rho_grad=0.02, budget_bt=0.6, eta0=40.0, max_it=5, tau=3, most_steps=25
    )
    transcript = subject.transcript(small, rng=stream(number, "post"))
    gradients, answers = iter(transcript.released("gradient")), iter(transcript.answers.tolist())
    events = [entry.name for entry in transcript.perturbed if entry.name != "query"]
    levels = Levels(rho_grad=0.02, budget_bt=0.6, c_grad=3.0, c_obj=1.0)
    weights, eta0, average, before, chosen = np.zeros(3), 40.0, RIGHT_ANGLE, None, list[float]()
    charged, searched, clips, steps, iterates = [], [], [], [], [weights]

    def gradient() -> np.ndarray:
        assert events.pop(0) == "gradient"
        charged.append(levels.rho_grad)
        clips.append((levels.c_grad, levels.c_obj))
        return next(gradients) + subject.l2 * weights

    while events:
        direction, lowered, eta = gradient(), False, 0.0
        while eta == 0.0 and events[:1] == ["threshold"]:
            events.pop(0)
            searched.append(levels.budget_bt)
            answer = next(answers)
            if answer < 5:
                eta = eta0 * 0.8**answer
                weights = weights - eta * direction
                average = average if before is None else mean_angle(average, angle_between(direction, before), 0.8)
            elif events:  # CHEB: in this text the run ends where it cannot be paid
                second = gradient()
                angle = angle_between(direction, second)
                after = enlarged(levels, angle, average, xi=0.3, phi_max=1.1, phi_min=0.5)
                if adaptive and after.rho_grad > levels.rho_grad and not lowered:
                    after, lowered = after.lowered(0.05), True
                levels, direction = after, (direction + second) / 2
        chosen += [eta] if eta else []
        if len(steps) % 3 == 2:
            eta0, chosen = reset(eta0, chosen, 1.2), []
        before = direction
        steps.append(eta)
        iterates.append(weights)
    assert transcript.iterates == pytest.approx(np.array(iterates), rel=1e-9, abs=1e-12)
    assert transcript.step_sizes == pytest.approx(np.array(steps))
    assert transcript.public["gradient-budget"] == pytest.approx(np.array(charged))
    assert transcript.public["search-budget"] == pytest.approx(np.array(searched))
    assert transcript.public["clip"] == pytest.approx(np.array(clips))


@pytest.mark.parametrize("adaptive", [False, True])
def test_noise_and_threshold_belong_together(small: Table, adaptive: bool) -> None:
    """BL-AC: each release's scale follows from the thresholds that are published with it, also within an update."""
    subject = (DpBlsgdAc if adaptive else DpBlsgd)(
        q=0.4, epsilon=6.0, orders=(2, 8, 32), rho_grad=0.02, budget_bt=0.6, eta0=40.0, max_it=5, most_steps=25
    )
    transcript = subject.transcript(small, rng=stream(0, "together"))
    gradients = [entry for entry in transcript.perturbed if entry.name == "gradient"]
    samples = [max(draw.values.size, 1) for draw in transcript.draws if draw.name == "batch"]
    for entry, size, rho, (c_grad, _) in zip(
        gradients, samples, transcript.public["gradient-budget"], transcript.public["clip"], strict=True
    ):
        assert entry.scale * size == pytest.approx(c_grad / np.sqrt(2 * rho))
        assert entry.sensitivity * size == pytest.approx(c_grad)
        assert np.linalg.norm(entry.clean) <= c_grad * (1 + 1e-12)
    thresholds = [entry for entry in transcript.perturbed if entry.name == "threshold"]
    queries = [entry for entry in transcript.perturbed if entry.name == "query"]
    ratios = {round(entry.sensitivity / entry.scale * 4, 9) for entry in queries}
    assert ratios == {round(float(budget), 9) for budget in transcript.public["search-budget"]}
    assert len(thresholds) == len(transcript.answers)


def test_claims(small: Table) -> None:
    subject = DpBlsgd()
    assert subject.guarantee() == ApproxDP(epsilon=0.2, delta=1e-8)
    curve = subject.claimed_renyi()
    assert curve is not None and curve.orders[0] == 94.0 and curve.epsilons[-1] == pytest.approx(0.163084808)
    transcript = subject.transcript(small, rng=stream(0, "claims"))
    composition = subject.composition(transcript)
    assert composition.size == len(transcript.budgets)
    assert composition.relation == "add-remove"
