"""The rest of ADADP's rows: closed forms and naive twins of both sides, mutants that fall, remarks that hold."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from auditors.accounting.lemma import LemmaAuditor
from auditors.utility.expectation import ExpectationAuditor
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.measure import Enclosed
from dpverify.core.protocols import Task
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.canaries import BLANK, DIRAC, FLIPPED, canary_table
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.definitions.expectation import Expectation
from dpverify.laws.balls import working_precision
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.optimizers import (
    adadp_costs,
    adadp_equalities,
    adadp_local_error,
    adadp_networks,
    adadp_rate,
    adadp_replaced,
    adadp_runs,
    adadp_shuffled,
    adadp_stationary,
)
from reference_impls.optimizers.adadp import Adadp
from reference_impls.optimizers.adadp_costs import EqualCost, HalfAsMany, PostProcessed, TwoMoments
from reference_impls.optimizers.adadp_equalities import ClientUpdate, ScaledExactly, ScaledRuns, exact_iterates
from reference_impls.optimizers.adadp_local_error import LocalError
from reference_impls.optimizers.adadp_networks import DenseCount, FlattenedCount
from reference_impls.optimizers.adadp_rate import RateOfRecords
from reference_impls.optimizers.adadp_rule import StepRule
from reference_impls.optimizers.adadp_runs import AdadpNoisySums, AdadpShuffledScore
from reference_impls.optimizers.adadp_stationary import SPREAD, WITHIN, Growth, RuleOnNoise, Stationary, mean_weight

CLAIMS = Registry()
for module in (
    adadp_costs, adadp_equalities, adadp_local_error, adadp_networks, adadp_rate, adadp_replaced, adadp_runs,
    adadp_shuffled, adadp_stationary,
):  # fmt: skip
    module.register(CLAIMS)
SINGLE = {name: entry.claim for name, entry in CLAIMS.entries.items()}


def task_of(name: str, build: Callable[..., Any] | None = None, **changed: Any) -> Task:
    claim = SINGLE[name]
    made = build or CLAIMS.mechanisms.get(claim.subject)
    parameters = {**claim.parameters, **changed}
    return Task(
        claim=claim,
        build=lambda **searched: made(**{**parameters, **searched}),
        neighbors=Numbers(),
        alpha=1e-5,
        trials=2_000_000,
        stream=lambda *names: stream(0, name, *names),
        effort=0.1,
    )


def audited(name: str, build: Callable[..., Any] | None = None, **changed: Any) -> Evidence:
    task = task_of(name, build, **changed)
    auditor = ExpectationAuditor() if isinstance(task.claim.guarantee, Expectation) else LemmaAuditor()
    assert auditor.refuses(task) is None
    return auditor.audit(task)


LEMMAS = [name for name in SINGLE if "-RUN" not in name]


@pytest.mark.parametrize("name", LEMMAS)
def test_repaired_claims_stand_and_no_claim_carries_an_expectation(name: str) -> None:
    assert dict(CLAIMS.entries.items())[name].expectation is None
    evidence = audited(name)
    if name.split(".")[0].endswith("-R"):
        assert judge(evidence) is Status.NOT_REFUTED
    if judge(evidence) is Status.REFUTED:
        assert name in CLAIMS.remarks
        assert f"{name.split('.')[0]}-R" in {other.split(".")[0] for other in SINGLE}


def test_every_remark_is_about_a_claim_and_holds() -> None:
    for name, remark in CLAIMS.remarks.items():
        assert name == remark.claim
        assert name in SINGLE
        shown = remark.shown()
        assert shown.holds, (name, shown.numbers)
        assert shown.numbers == remark.shown().numbers


# AD-2MOMENTS


@pytest.mark.parametrize(("low", "cut"), [(1.0, 0.0), (0.3, 0.7), (0.0, -2.0)])
def test_the_joint_moment_is_the_double_integral(low: float, cut: float) -> None:
    sigma, q, order = 1.2, 0.3, 4
    x = np.linspace(-14.0, 22.0, 6001)

    def moment(points: np.ndarray, length: float) -> np.ndarray:
        base, moved = stats.norm.pdf(points, 0, sigma), stats.norm.pdf(points, length, sigma)
        return base * ((1 - q) + q * moved / base) ** order

    def part(first: float, last: float, length: float) -> float:
        return integrate.quad(lambda at: moment(np.array(at), length), first, last, limit=200, epsabs=1e-12)[0]

    whole = part(cut, x[-1], 1.0) * part(x[0], x[-1], 1.0) + part(x[0], cut, 1.0) * part(x[0], x[-1], low)
    one = TwoMoments(sigma=sigma, q=q, order=order, low=low, cut=cut)
    assert one.truth().value == pytest.approx(math.log(whole) / (order - 1), rel=1e-8)
    assert one.printed().value == pytest.approx(
        2 * float(PoissonGaussianStep(q=q, sigma=sigma).renyi(np.array([4.0]))[0]), rel=1e-12
    )
    assert one.proved_ratio().value == pytest.approx(one.truth().value / one.printed().value, rel=1e-8)


@dataclass(frozen=True, kw_only=True)
class OneMoment(TwoMoments):
    """A mutant: 1.9 moments for 2."""

    def printed(self) -> Enclosed:
        return Enclosed(value=0.95 * TwoMoments.printed(self).value)

    def proved_ratio(self) -> Enclosed | None:
        proof = TwoMoments.proved_ratio(self)
        return Enclosed(value=proof.value / 0.95, error=2 * proof.error + 1e-12, proved=True)


def test_less_than_two_moments_are_not_enough() -> None:
    assert judge(audited("AD-2MOMENTS", OneMoment)) is Status.REFUTED


# AD-POST, AD-HALF


@dataclass(frozen=True, slots=True, kw_only=True)
class Peeking(Adadp):
    """A fault: what is published of the error is not computed from the noisy sums alone."""

    def run(self, dataset: Any, tape: Tape) -> Any:
        result = Adadp.run(self, dataset, tape)
        tape.publish("error", float(dataset.features[0, 0]))
        return result


@dataclass(frozen=True, kw_only=True)
class PeekingTwins(PostProcessed):
    @property
    def algorithm(self) -> Adadp:
        return Peeking(batch_size=4, noise_multiplier=2.0, steps=3)


def test_runs_that_are_given_the_same_sums_show_the_same_and_a_look_at_the_data_shows() -> None:
    one = PostProcessed()
    first = one.algorithm.transcript(one.table("first"), rng=stream(0, "adadp-post"))
    second = one.algorithm.replay(one.table("second"), first)
    assert not np.array_equal(first.iterates, second.iterates)  # without their sums held, the runs part
    assert one.difference == 0.0
    assert judge(audited("AD-POST.paper", PeekingTwins)) is Status.REFUTED


@dataclass(frozen=True, kw_only=True)
class ThreeAccounts(HalfAsMany):
    """A mutant: an iteration accounted as one batch."""

    def truth(self) -> Enclosed:
        other = HalfAsMany(steps=2 * self.steps, q=self.q, sigma=self.sigma, delta=self.delta)
        return Enclosed(value=abs(_epsilon(self) - _epsilon(other)))


def _epsilon(one: HalfAsMany) -> float:
    from dpverify.accounting.accountants.moments import MomentsAccountant

    account = Adadp(steps=round(one.steps), rate=one.q, noise_multiplier=one.sigma).composition(10)
    return MomentsAccountant().compose(account).epsilon(one.delta).upper


def test_half_as_many_cost_the_same_and_as_many_do_not() -> None:
    assert HalfAsMany().truth().value == 0.0
    assert judge(audited("AD-HALF.privacy", ThreeAccounts)) is Status.REFUTED
    assert EqualCost(half=3, batch_size=2).truth().value == 0.0


# AD-SCALE, AD-FED-EQ


def test_fractions_follow_the_rule() -> None:
    sums, step, tol = [Fraction(-3), Fraction(2), Fraction(5), Fraction(-7)], Fraction(1, 4), Fraction(1, 2)
    found = exact_iterates(sums, [2] * 4, step, tol)
    given = iter([float(each) / 2 for each in sums])
    weights, size, rule = np.zeros(1), float(step), StepRule(tol=float(tol))
    tape = Tape.recording(stream(0, "rule"))
    for expected in found:
        weights, size = rule.advanced(weights, size, lambda at: np.array([next(given)]), tape)
        assert weights[0] == pytest.approx(float(expected), rel=1e-14)


def test_a_shared_factor_only_scales_and_another_one_does_not() -> None:
    assert ScaledExactly(nominal=7.0).difference == 0.0
    assert ScaledRuns(doublings=4).difference == 0.0
    assert ScaledExactly(nominal=0.0).difference > 0
    alike = ScaledExactly(nominal=0.0, first=4, second=4, third=4, fourth=4)
    assert alike.difference == 0.0
    assert judge(audited("AD-SCALE.realised")) is Status.REFUTED
    assert (
        judge(audited("AD-SCALE.nominal", lambda **each: ScaledExactly(**{**each, "nominal": 0.0}))) is Status.REFUTED
    )


def test_a_client_parts_from_algorithm_2_where_a_step_is_discarded() -> None:
    own = ClientUpdate()
    assert adadp_equalities.first_error(own.step, 10) == pytest.approx(0.25)
    assert own.difference == 1.0  # the client stays at 0, Algorithm 2 goes to eta |B| and stays there
    assert ClientUpdate(step=0.01).difference == 0.0
    assert ClientUpdate(discard=True).difference == 0.0
    assert judge(audited("AD-FED-EQ-R", lambda **each: ClientUpdate(**{**each, "discard": False}))) is Status.REFUTED


# AD-EXTRAP


@pytest.mark.parametrize("family", adadp_local_error.FAMILIES)
def test_the_flow_is_the_flow(family: str) -> None:
    one = LocalError(family=family, step=0.3, curvature=1.7, start=1.2)
    with working_precision():
        start, end = float(one._start()), float(one._flow())

    def slope(_: float, theta: Any) -> Any:
        t = theta[0]
        return [-1.7 * {"quadratic": t, "cubic": t * t, "kink": max(t, 1.0)}[family]]

    solved = integrate.solve_ivp(slope, (0, 0.3), [start], rtol=1e-11, atol=1e-12, max_step=1e-3)
    assert end == pytest.approx(solved.y[0, -1], abs=1e-7)


def test_twice_the_difference_is_of_the_third_order_and_once_of_the_second() -> None:
    steps = np.array([0.1, 0.05, 0.025])
    for family, factor, order in (("quadratic", 2.0, 3), ("cubic", 2.0, 3), ("quadratic", 1.0, 2), ("kink", 2.0, 2)):
        off = [LocalError(step=float(step), family=family, factor=factor).truth().value for step in steps]
        assert np.log2(off[1] / off[2]) == pytest.approx(order, abs=0.15), family
    assert judge(audited("AD-EXTRAP.printed")) is Status.REFUTED
    assert judge(audited("AD-EXTRAP.twice", factor=1.9)) is Status.REFUTED
    assert judge(audited("AD-EXTRAP.cubic", factor=1.9)) is Status.REFUTED


# AD-TOL


@pytest.mark.parametrize("spread", [0.2, 1.0, 4.0])
def test_the_mean_weight_is_the_integral(spread: float) -> None:
    numbers = np.linspace(0.0, 12.0, 400_001)
    weights = np.minimum(1.0, 1.0 / np.maximum(spread * numbers, 1e-9) ** 2)
    expected = 2 * integrate.trapezoid(weights * stats.norm.pdf(numbers), numbers)
    with working_precision():
        import flint

        assert float(mean_weight(flint.arb(spread)).mid()) == pytest.approx(expected, abs=1e-8)


def test_the_stationary_step_is_the_formulas_at_the_papers_own_and_not_far_out() -> None:
    assert Stationary(dimension=12).truth().value == pytest.approx(
        12 * float(1 / stats.chi2.expect(lambda x: 1 / x, (12,))) ** -1
    )
    assert Stationary(spread=SPREAD).truth().value < 1.001
    assert judge(audited("AD-TOL.relative")) is Status.REFUTED
    assert judge(audited("AD-TOL.growth")) is Status.REFUTED
    assert judge(audited("AD-TOL.plain")) is Status.NOT_REFUTED


def test_the_noise_grows_as_its_own_recursion_does() -> None:
    """s^2 <- s^2 + 2 tol^2 / (d m(s)), one step at a time, at d = 2000."""
    import flint

    square, x = 1e-6, 0.0
    while square < 9.0:
        with working_precision():
            weight = float(mean_weight(flint.arb(math.sqrt(square))).mid())
        square, x = square + 1e-3 / weight, x + 1e-3
    assert Growth(spread=math.sqrt(square)).printed().value == pytest.approx(WITHIN * math.sqrt(x), rel=2e-3)


@dataclass(frozen=True, kw_only=True)
class LessNoise(RuleOnNoise):
    """A mutant: the formula without its factor 2 in the root, eta^2 = tol^2 / (sigma^2 C^2 d)."""

    def statistic(self, size: int, *, rng: np.random.Generator) -> Any:
        return 2 * RuleOnNoise.statistic(self, size, rng=rng)


def test_the_rule_on_noise_comes_to_rest_at_the_formula_and_at_no_other() -> None:
    small = {"dimension": 200, "draws": 4000, "iterations": 6}
    assert judge(audited("AD-TOL.simulated", LessNoise, **small)) is Status.REFUTED
    far = audited("AD-TOL.simulated", **small, spread=3.0)  # where (6) counts less than d coordinates
    assert judge(far) is Status.REFUTED
    assert far.bound < Stationary(spread=3.0).truth().value * 1.1


# AD-SIZE


def test_networks_are_counted() -> None:
    assert DenseCount().counted == 784 * 256 + 256 * 256 + 256 * 10
    assert DenseCount(biases=True).counted == DenseCount().counted + 256 + 256 + 10
    assert DenseCount(hidden=3.0).counted == DenseCount().stated
    assert FlattenedCount().counted == 64 * 6 * 6
    assert FlattenedCount(padding=1.0).counted == 64 * 8 * 8
    assert FlattenedCount(pool=3.0).counted == FlattenedCount(kernel=5.0).counted == 64 * 5 * 5
    assert judge(audited("AD-SIZE-R", stated=334_335.0)) is Status.REFUTED
    assert judge(audited("AD-SIZE-CIFAR-R")) is Status.NOT_REFUTED
    assert judge(audited("AD-SIZE-CIFAR-R", pool=2.0)) is Status.REFUTED  # with all that is printed kept


def test_the_repaired_image_network_changes_nothing_that_is_printed() -> None:
    printed = FlattenedCount()
    mended = FlattenedCount(**SINGLE["AD-SIZE-CIFAR-R"].parameters)
    assert (mended.kernel, mended.padding, mended.stated) == (printed.kernel, printed.padding, printed.stated)


# AD-RATE


@pytest.mark.parametrize("public", [False, True])
def test_the_batch_is_the_mixture_over_all_who_may_take_part(public: bool) -> None:
    """Naively: each of 2^5 subsets of the others, the new record in or out; integrated on a fine grid."""
    sigma, records, size, order = 1.5, 5, 2, 3
    one = RateOfRecords(sigma=sigma, batch_size=size, records=records, share=0.6, order=order, public=public)
    x = np.linspace(-14.0, 12.0, 20_001)
    rates = (size / records if public else size / (records + 1), size / records)
    sides = []
    for q, new in zip(rates, (True, False), strict=True):
        density = np.zeros_like(x)
        for members in itertools.product((0, 1), repeat=records + new):
            chance = math.prod(q if each else 1 - q for each in members)
            mean = -sum(members[:3]) + (members[-1] if new else 0)
            density += chance * stats.norm.pdf(x, mean, sigma)
        sides.append(density)
    truth = math.log(integrate.trapezoid(sides[0] ** order * sides[1] ** (1 - order), x)) / (order - 1)
    assert 0.98 * truth < one.truth().value <= truth
    cells = one.cells
    assert cells[0].sum() == pytest.approx(1.0, abs=1e-12)
    assert one.proved_ratio().value == pytest.approx(one.truth().value / one.printed().value, rel=1e-4)


def test_others_whose_rate_moves_exceed_the_account_in_small_batches_only() -> None:
    assert RateOfRecords(batch_size=1, share=1.0).proved_ratio().lower > 2.5
    assert RateOfRecords(share=1.0).proved_ratio().upper < 1
    assert RateOfRecords(batch_size=1, share=1.0, public=True).proved_ratio().upper < 1
    assert judge(audited("AD-RATE-R", lambda **each: RateOfRecords(**{**each, "public": False}))) is Status.REFUTED


# Runs


@pytest.mark.parametrize("sampling", ["poisson", "shuffled"])
def test_traces_are_the_noisy_sums_of_the_loop(sampling: str) -> None:
    algorithm = Adadp(model="logistic", sampling=sampling, batch_size=3, steps=3, clip=0.5, divisor=2.0)
    rng = stream(0, "table")
    table = replace(
        canary_table([DIRAC] * 8, high=1.0, name="t"), features=rng.normal(size=(8, 2)), labels=np.tile([1.0, -1.0], 4)
    )
    found = algorithm.traces(table, 2, rng=stream(0, "traces"))
    slow = algorithm.transcript(table, rng=stream(0, "traces")).released("gradient")
    assert found.shape == (2, 6, 2)
    np.testing.assert_allclose(found[0], np.stack(slow) / 0.5, rtol=1e-11, atol=1e-12)
    with pytest.raises(InputError, match="linear model"):
        Adadp(model="mlp:2-3-2").traces(table, 1, rng=rng)


def test_runs_show_their_traces_and_the_score_adds_up_what_the_batches_say_for_the_record() -> None:
    subject = AdadpShuffledScore(batch_size=2, steps=2)
    table = canary_table([*[FLIPPED] * 7, BLANK], high=1e9, name="t")
    scores = subject.sample(table, 3, rng=stream(0, "score"))
    traces = subject.algorithm.traces(table, 3, rng=stream(0, "score"))
    numbers = 2 - traces[:, :, 0]
    expected = (np.exp((2 * numbers - 2) / 4) - np.exp((numbers - 0.5) / 4)).sum(axis=1)
    np.testing.assert_allclose(scores, expected)
    shown = AdadpNoisySums(batch_size=2, steps=2, sampling="shuffled").sample(table, 3, rng=stream(0, "score"))
    np.testing.assert_array_equal(shown, traces[:, :, 0])
