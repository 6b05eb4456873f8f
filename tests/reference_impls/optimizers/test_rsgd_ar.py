"""NSGD and RSGD-AR: their limits without noise, what they claim and log, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.definitions.rdp import RDP
from dpverify.sampling.streams import stream
from reference_impls.optimizers.nsgd import Nsgd
from reference_impls.optimizers.nsgd_repaired import NsgdRepaired
from reference_impls.optimizers.rsgd_ar import RsgdAr
from reference_impls.optimizers.rsgd_ar_repaired import RsgdArRepaired
from reference_impls.optimizers.rsgd_training import RsgdTraining

ALL = (Nsgd, NsgdRepaired, RsgdAr, RsgdArRepaired)
RNG = np.random.default_rng(0)
TABLE = Table(features=RNG.normal(size=(60, 3)), labels=RNG.choice([-1.0, 1.0], 60)).normalised()


def optimum() -> np.ndarray:
    """Of the mean logistic loss with (0.1 / 2) |w|^2: scikit-learn's with C = 1 / (n l2)."""
    fitted = LogisticRegression(C=1 / (60 * 0.1), fit_intercept=False, tol=1e-12, max_iter=1000)
    return fitted.fit(TABLE.features, TABLE.labels).coef_[0]


def test_without_noise_and_with_one_batch_nsgd_finds_the_optimum() -> None:
    algorithm = Nsgd(epochs=300, batch_size=60, initial_step=3.0, l2=0.1, sigma=0.0, schedule="fixed")
    assert algorithm.train(TABLE, rng=stream(0, "limit")) == pytest.approx(optimum(), abs=1e-10)


def test_without_noise_rsgd_ar_comes_near_the_optimum() -> None:
    """Restarts keep the steps from vanishing, averages the batches' noise from staying."""
    algorithm = RsgdAr(epochs=200, batch_size=10, initial_step=0.5, l2=0.1, sigma=0.0, interval=10)
    assert algorithm.train(TABLE, rng=stream(0, "limit")) == pytest.approx(optimum(), abs=0.02)


@pytest.mark.parametrize("kind", ALL)
def test_the_noise_is_scaled_to_the_claim(kind: type[RsgdTraining]) -> None:
    algorithm = kind(batch_size=10, order=5.0, epsilon=0.4)
    assert algorithm.guarantee(60) == RDP(order=5, epsilon=0.4)
    sigma = algorithm.noise_scale(60)
    assert kind(batch_size=10, order=5.0, sigma=sigma).guarantee(60).epsilon == pytest.approx(0.4, rel=1e-9)
    whole = algorithm.transcript(TABLE, rng=stream(0, "claim"))
    assert whole.perturbed[-1].scale == sigma
    assert whole.perturbed[-1].sensitivity == algorithm.sensitivity(60)
    (part,) = algorithm.composition(60)
    assert float(part.step.renyi(np.array([5.0]))[0]) == pytest.approx(0.4, rel=1e-9)


def test_published_and_repaired_agree_where_nothing_is_wrong() -> None:
    """Equal batches and steps below 2 / L."""
    for published, repaired in ((Nsgd, NsgdRepaired), (RsgdAr, RsgdArRepaired)):
        assert published(batch_size=10).noise_scale(60) == repaired(batch_size=10).noise_scale(60)
        assert published(batch_size=7).noise_scale(60) < repaired(batch_size=7).noise_scale(60)


def test_nsgd_takes_alpha_delta_squared_over_2_epsilon() -> None:
    algorithm = Nsgd(batch_size=10, order=5.0, epsilon=0.4)
    assert algorithm.noise_scale(60) == pytest.approx(algorithm.sensitivity(60) * math.sqrt(5 / 0.8), rel=1e-11)


@pytest.mark.parametrize("kind", ALL)
def test_l_has_the_regulariser_in_it_and_r_has_not(kind: type[RsgdTraining]) -> None:
    """One epoch, two batches, eta = 16: Delta[1] = rho Delta[2], rho = 16 (1/4 + 1/10) - 1, Delta[2] = 32 R / 30."""
    steps = {"epochs": 1, "batch_size": 30, "initial_step": 16.0, "l2": 0.1}
    assert kind(**steps).sensitivities(60) == pytest.approx([4.6 * 32 / 30, 32 / 30])
    given = kind(**steps, lipschitz=2.0, smoothness=0.5)
    assert given.sensitivities(60) == pytest.approx([7.0 * 64 / 30, 64 / 30])


@pytest.mark.parametrize("kind", ALL)
def test_r_and_l_below_the_models_own_are_taken_on_the_callers_word_alone(kind: type[RsgdTraining]) -> None:
    """Logistic, rows of norm 2: R = 2, L = 4 / 4 + l2, attained."""
    own = {"norm": 2.0, "l2": 0.1}
    kind(**own, lipschitz=2.0, smoothness=1.1)
    for wrong in ({"lipschitz": 1e-9}, {"lipschitz": 1.999}, {"smoothness": 1.0}, {"smoothness": 1.0999}):
        ((name, value),) = wrong.items()
        with pytest.raises(InputError, match=rf"{name} = {value}; allowed: at least .* model 'logistic'.*vouched"):
            kind(**own, **wrong)
        assert getattr(kind(**own, **wrong, vouched=True), name) == value
    with pytest.raises(InputError, match=r"smoothness = 0.05; allowed: at least 0.1"):
        kind(l2=0.1, smoothness=0.05, vouched=True)
    for model, wrong in (("squared", {"lipschitz": 3.0}), ("hinge", {"smoothness": 3.0})):
        with pytest.raises(InputError, match="at least inf"):
            kind(model=model, **wrong)
    with pytest.raises(InputError, match="constants of 'mlp:3-2-2'"):
        kind(model="mlp:3-2-2", lipschitz=1.0, smoothness=1.0)


@pytest.mark.parametrize("kind", [RsgdAr, RsgdArRepaired])
def test_the_place_of_a_small_batch_is_rare(kind: type[RsgdTraining]) -> None:
    """60 records by 7: the last batch has 4. Published every place is one in nine, repaired |B_j| / n."""
    weights = kind(batch_size=7).parts(60)[1]
    expected = [1 / 9] * 9 if kind is RsgdAr else [7 / 60] * 8 + [4 / 60]
    assert weights == pytest.approx(expected, rel=1e-15)


def test_noise_for_a_step_that_underflows_is_refused() -> None:
    for kind in ALL:
        with pytest.raises(InputError, match="initial step"):
            kind(initial_step=1e-300).noise_scale(60)


def test_a_fixed_step_is_accounted_for_by_the_recursion() -> None:
    """Below Proposition 2's closed form, and that in the end."""
    few, many = (
        Nsgd(schedule="fixed", epochs=epochs, batch_size=20, l2=0.1, initial_step=2.0).sensitivity(60)
        for epochs in (2, 400)
    )
    closed = 2 * 2.0 / (20 * (1 - 0.8**3))
    assert few < closed * 0.95
    assert many == pytest.approx(closed, rel=1e-12)


def test_random_places_take_less_noise_than_the_last() -> None:
    """Section 4.2: with steps up to 2 / L and many batches of which most come early."""
    steps = {"batch_size": 6, "initial_step": 4.0, "l2": 0.1, "epochs": 1}
    assert RsgdAr(**steps).noise_scale(60) < 0.95 * Nsgd(**steps).noise_scale(60)


def test_the_batches_are_all_records_in_order_and_the_last_is_the_rest() -> None:
    algorithm = Nsgd(batch_size=7)
    batches = algorithm.batches(60)
    assert np.concatenate(batches).tolist() == list(range(60))
    assert [batch.size for batch in batches] == algorithm.batch_sizes(60) == [7] * 8 + [4]
    assert algorithm.believed_sizes(60) == [7] * 9
    assert Nsgd().batch_sizes(60) == Nsgd().believed_sizes(60) == [60]  # fewer records than one batch


def test_the_weights_on_the_way_are_logged_and_not_released() -> None:
    whole = RsgdAr(epochs=4, batch_size=20, interval=2).transcript(TABLE, rng=stream(0, "log"))
    hidden = [each for each in whole.perturbed if each.name == "iterate"]
    assert len(hidden) == 4 * 3 + 2
    assert not any(each.released or each.noise.any() for each in hidden)
    assert np.array_equal(hidden[-1].clean, whole.perturbed[-1].clean)
    assert hidden[-1].clean == pytest.approx(np.mean([each.clean for each in hidden[7:13]], axis=0), rel=1e-12)
    assert whole.iterates.tolist() == [[0.0, 0.0, 0.0]]
    assert whole.step_sizes.tolist() == [0.5] * 3 + [0.25] * 3 + [0.5] * 3 + [0.25] * 3


def test_nsgds_law_is_exact() -> None:
    algorithm = Nsgd(epochs=3, batch_size=20)
    law = algorithm.output_law(TABLE)
    other = algorithm.output_law(TABLE.replaced(0, -TABLE.features[0], float(TABLE.labels[0])))
    assert law.against(other).renyi(8.0).value <= 1.0
    whole = algorithm.transcript(TABLE, rng=stream(0, "law"))
    assert np.array_equal(law.locations, whole.perturbed[-1].clean)
    assert (law.scales == whole.perturbed[-1].scale).all()


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "wrong",
    [
        {"epochs": 0},
        {"batch_size": 0},
        {"initial_step": 0.0},
        {"l2": -1.0},
        {"norm": 0.0},
        {"order": 1.0},
        {"order": "a"},
        {"epochs": 2.0},
        {"initial_step": "a"},
        {"order": math.inf},
        {"epsilon": 0.0},
        {"sigma": -1.0},
        {"lipschitz": 0.0},
        {"smoothness": math.inf},
        {"schedule": "weekly"},
        {"model": "no-such"},
    ],
)
def test_bad_settings_are_refused(kind: type[RsgdTraining], wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match="no-such" if "model" in wrong else next(iter(wrong))):
        kind(**wrong)


def test_settings_of_rsgd_ar_alone_are_refused() -> None:
    with pytest.raises(InputError, match="interval"):
        RsgdAr(interval=0)
    with pytest.raises(InputError, match="accounting"):
        RsgdAr(accounting="guessed")
    with pytest.raises(InputError, match="rsgd-ar offers"):
        RsgdArRepaired(accounting="printed")


@pytest.mark.parametrize("kind", ALL)
def test_data_that_the_accounting_does_not_cover_is_refused(kind: type[RsgdTraining]) -> None:
    long = TABLE.replaced(3, np.array([1.0, 1.0, 0.0]), 1.0)
    with pytest.raises(InputError, match="record 3 has L2 norm"):
        kind().train(long, rng=stream(0, "bad"))
    kind(norm=1.5).train(long, rng=stream(0, "bad"))
    for model in ("hinge", "squared"):  # no L, no R
        with pytest.raises(InputError, match="unbounded sensitivity"):
            kind(model=model).train(TABLE, rng=stream(0, "bad"))
    assert math.isfinite(kind(model="squared", lipschitz=3.0, vouched=True).sensitivity(60))


def test_no_noise_makes_no_claim() -> None:
    with pytest.raises(InputError, match="sigma"):
        RsgdAr(sigma=0.0).guarantee(60)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("rows", [0, -1, 2.0, "60"])
def test_a_claim_needs_a_number_of_records(kind: type[RsgdTraining], rows: int) -> None:
    for sigma in (None, 1.0):
        with pytest.raises(InputError, match=f"a claim for {rows!r} records"):
            kind(sigma=sigma).guarantee(rows)
        with pytest.raises(InputError, match=f"a claim for {rows!r} records"):
            kind(sigma=sigma).composition(rows)
