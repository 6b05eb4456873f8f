"""ADP-SGD: its sequences, what it claims, what an attained pair costs, its limit without noise, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.accounting.accountants.pld import PldAccountant
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.ada_grad import AdaGrad
from reference_impls.optimizers.ada_grad_repaired import AdaGradRepaired
from reference_impls.optimizers.adp_sgd import AdpSgd
from reference_impls.optimizers.adp_sgd_schedules import alphas, boosts, least_noise_cost, noise_cost, polynomial

RNG = np.random.default_rng(6)
TABLE = Table(features=RNG.normal(size=(40, 3)), labels=RNG.choice([-1.0, 1.0], 40)).normalised()
POSITIVE = st.lists(st.floats(0.01, 100.0), min_size=1, max_size=12)


@given(st.data())
def test_remark_41_no_alpha_costs_less_than_the_root_of_b(data: st.DataObject) -> None:
    b = np.array(data.draw(POSITIVE))
    alpha = np.array(data.draw(st.lists(st.floats(0.01, 100.0), min_size=b.size, max_size=b.size)))
    least = least_noise_cost(b)
    assert noise_cost(alpha, b) >= least * (1 - 1e-12)
    assert noise_cost(alphas("sqrt-b", b), b) == pytest.approx(least, rel=1e-12)
    assert noise_cost(alphas("one", b), b) == pytest.approx(b.size * np.sum(1 / b**2), rel=1e-12)
    assert noise_cost(3.0 * alphas("sqrt-b", b), b) == pytest.approx(least, rel=1e-12)  # sigma makes up for a factor


@given(POSITIVE)
def test_the_second_choice_after_remark_41_is_no_other(values: list[float]) -> None:
    """alpha_t alpha_{T-(t-1)} = b_t makes b a palindrome, and M least only where alpha_t^2 = b_t."""
    alpha = np.array(values)
    b = alpha * alpha[::-1]
    assert np.array_equal(b, b[::-1])
    cost, least = noise_cost(alpha, b), least_noise_cost(b)
    assert cost == pytest.approx(np.sum(1 / alpha**2) ** 2, rel=1e-12)
    same = np.allclose(alpha**2, b, rtol=1e-3)
    assert cost >= least * (1 - 1e-12)
    if not same:
        assert cost > least * (1 + 1e-12)


def test_the_sequences() -> None:
    assert polynomial(20.0, 1.0, 3).tolist() == [math.sqrt(21), math.sqrt(22), math.sqrt(23)]
    assert AdpSgd(steps=5).alphas == pytest.approx(np.sqrt(AdpSgd(steps=5).planned))
    assert AdaGrad(steps=3, b0_squared=2.0, growth=0.5).alphas == pytest.approx([2.5**0.25, 3**0.25, 3.5**0.25])
    assert boosts(512.0, 400)[[0, 1, 194, 195, 399]].tolist() == [512, 256, 512 / 195, 512, 512 / 10]
    assert boosts(3.0, 5).tolist() == [3, 1.5, 1, 1, 1]
    assert boosts(1.0, 300).tolist() == [1.0] * 300
    with pytest.raises(InputError, match="alpha"):
        alphas("two", np.ones(2))  # type: ignore[arg-type]


def test_the_noise_is_that_of_equation_6() -> None:
    algorithm = AdpSgd(steps=50, epsilon=2.0, delta=1e-4, clip=0.7)
    total = sum(1 / math.sqrt(20 + t) for t in range(1, 51))
    b_delta = math.log(16 * 50 / (40 * 1e-4)) * math.log(1.25 / 1e-4)
    assert algorithm.noise_scale(40) == pytest.approx(16 * 0.7 / (40 * 2.0) * math.sqrt(b_delta * total), rel=1e-13)
    assert algorithm.guarantee(40) == ApproxDP(epsilon=2.0, delta=1e-4)
    given_sigma = AdpSgd(steps=50, delta=1e-4, clip=0.7, sigma=algorithm.noise_scale(40) / 3)
    assert given_sigma.guarantee(40).epsilon == pytest.approx(6.0, rel=1e-12)
    with pytest.raises(InputError, match="without noise"):
        AdpSgd(alpha="zero").guarantee(40)
    with pytest.raises(InputError, match="without noise"):
        AdpSgd(sigma=0.0).guarantee(40)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 39), st.integers(0, 2**32), st.sampled_from([1, 8]), st.sampled_from(["logistic", "hinge"]))
def test_no_replaced_record_moves_a_mean_gradient_further(index: int, seed: int, m: int, model: str) -> None:
    rng = np.random.default_rng(seed)
    algorithm = AdpSgd(model=model, clip=0.3, batch_size=m)
    other = TABLE.replaced(index, 5 * rng.normal(size=3), float(rng.choice([-1.0, 1.0])))
    batch, weights = rng.permutation(40)[:m], rng.normal(size=3)
    one, two = (find_model(model).gradient(weights, each, batch, clip=0.3) / m for each in (TABLE, other))
    assert np.linalg.norm(one - two) <= algorithm.sensitivity() * (1 + 1e-12)


def test_one_step_of_an_attained_pair_refutes_theorem_41_at_the_experiments_numbers() -> None:
    """Drawn with probability 1 / n = 2 delta and seen: epsilon = 16 epsilon_bar, n, T and delta as in section 6."""
    first = AdpSgd().attained(50000).parts[0].step
    assert first.shifts == (0.0, 2.0)
    assert first.sigma == pytest.approx(AdpSgd().alphas[0] * AdpSgd().noise_scale(50000), rel=1e-15)
    assert first.laws()[0].delta(12.8).lower > 1.9e-5
    constant = AdpSgd(alpha="one", epsilon=0.8)  # one step is within the claim here; the run is not
    (part,) = constant.attained(50000).parts
    assert part.count == 11700
    assert part.step.laws()[0].delta(0.8).upper < 1e-5
    few = PldAccountant().compose(Composition.repeat(part.step, 100))
    assert few.delta(0.8).lower > 1e-5


def test_batches_cost_less() -> None:
    (part,) = AdpSgd(alpha="one", batch_size=256).attained(50000).parts
    assert part.step.shifts == (0.0, 2 / 256)
    assert part.step.laws()[0].delta(12.8).upper < 1e-12
    (whole,) = AdpSgd(alpha="one", batch_size=40, steps=3).attained(40).parts
    assert whole.step.weights == (1.0,)


def test_what_accountants_take() -> None:
    given = AdpSgd(steps=6, sigma=2.0, batch_size=4)
    assert given.composition(40).size == given.attained(40).size == 6
    assert {part.step.q for part in given.composition(40)} == {0.1}


def test_a_raw_step_size_follows_the_record_and_a_noisy_one_does_not() -> None:
    """White box, one step, the same draws on a neighbour: the scale of what is released moves, or it does not."""
    other = TABLE.replaced(0, np.zeros(3), 1.0)
    for kind, moves in ((AdaGrad, True), (AdaGradRepaired, False)):
        algorithm = kind(steps=1, sigma=1.0, beta=512.0, batch_size=40)
        whole = algorithm.transcript(TABLE, rng=stream(0, "white"))
        again = algorithm.replay(other, whole)
        assert (whole.perturbed[0].scale != again.perturbed[0].scale) == moves


@pytest.mark.parametrize("kind", [AdpSgd, AdaGradRepaired])
def test_a_published_step_leads_from_iterate_to_iterate(kind: type[AdpSgd | AdaGradRepaired]) -> None:
    whole = kind(steps=6, sigma=1.0, eta=0.7, batch_size=4).transcript(TABLE, rng=stream(0, "steps"))
    moves = np.array([-step * each.value for step, each in zip(whole.step_sizes, whole.perturbed, strict=True)])
    assert np.diff(whole.iterates, axis=0) == pytest.approx(moves, rel=1e-12, abs=1e-15)


def test_a_raw_step_scales_noise_and_sensitivity_alike() -> None:
    """2 G / m times eta / b, and alpha sigma times the same, where what is released is the step itself."""
    algorithm = AdaGrad(steps=6, sigma=1.5, eta=0.7, batch_size=4, clip=0.3)
    whole = algorithm.transcript(TABLE, rng=stream(0, "raw"))
    updates = [each for each in whole.perturbed if each.name == "update"]
    hidden = [each for each in whole.perturbed if each.name == "squared-b"]
    assert (len(updates), len(hidden)) == (6, 6)
    for k in range(6):
        step = 0.7 / math.sqrt(hidden[k].clean[0])
        assert updates[k].scale == pytest.approx(step * algorithm.alphas[k] * 1.5, rel=1e-12)
        assert updates[k].sensitivity == pytest.approx(step * 2 * 0.3 / 4, rel=1e-12)
        assert whole.iterates[k + 1] == pytest.approx(whole.iterates[k] - updates[k].value, rel=1e-12)
        assert not hidden[k].released


def test_without_noise_it_finds_the_optimum() -> None:
    """Full batches; the loss is strictly convex on these records, which no plane parts."""
    for algorithm in (
        AdpSgd(steps=4000, alpha="zero", batch_size=40, a=1.0, c=0.0, eta=4.0),
        AdaGradRepaired(steps=4000, alpha="zero", batch_size=40, b0_squared=0.01, nu=1e-12, eta=2.0),
    ):
        weights = algorithm.train(TABLE, rng=stream(0, "limit"))
        assert np.abs(find_model("logistic").gradient(weights, TABLE) / 40).max() < 1e-6


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"steps": 0}, "steps"),
        ({"batch_size": 0}, "batch_size"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"eta": math.inf}, "eta"),
        ({"clip": math.inf}, "clip"),
        ({"sigma": -1.0}, "sigma"),
        ({"alpha": "half"}, "alpha"),
        ({"a": 0.0}, "a = "),
        ({"c": -1.0}, "c = "),
        ({"model": "no-such"}, "no-such"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(InputError, match=named):
        AdpSgd(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "value"), [("b0_squared", 0.0), ("nu", 0.0), ("beta", 0.5), ("growth", -1.0)])
def test_bad_growth_is_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match=name):
        AdaGrad(**{name: value})


def test_a_batch_above_the_table_is_refused_and_no_noise_needs_no_clipping() -> None:
    with pytest.raises(InputError, match="41 of 40"):
        AdpSgd(batch_size=41).train(TABLE, rng=stream(0, "bad"))
    AdpSgd(alpha="zero", clip=math.inf, steps=3).train(TABLE, rng=stream(0, "good"))


def test_any_model_will_do_and_a_network_starts_where_its_seed_says() -> None:
    classes = Table(features=TABLE.features, labels=np.arange(40) % 3.0)
    for algorithm in (
        AdpSgd(model="softmax:3", steps=5, batch_size=4, sigma=0.1),
        AdaGrad(model="mlp:3-4-3", steps=5, batch_size=4, sigma=0.1),
        AdaGradRepaired(model="mlp:3-4-3", steps=5, sigma=0.1, start_seed=2),
    ):
        model = find_model(algorithm.model)
        whole = algorithm.transcript(classes, rng=stream(0, "any"))
        assert whole.result.shape == (model.dimension(3),)
        assert np.array_equal(whole.iterates[0], model.start(3, rng=stream(algorithm.start_seed, "start")))
        assert np.array_equal(algorithm.sample(classes, 2, rng=stream(0, "any"))[0], whole.result)
