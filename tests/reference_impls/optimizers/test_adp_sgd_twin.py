"""The versions of ADP-SGD beside Algorithm 1 in plain NumPy, their kernel beside their loops, and section 3's cases."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.optimizers.ada_grad import AdaGrad
from reference_impls.optimizers.ada_grad_repaired import AdaGradRepaired
from reference_impls.optimizers.adp_sgd import AdpSgd
from reference_impls.optimizers.dp_sgd_fixed_size import DpSgdFixedSize
from reference_impls.training.trainer import Training

RNG = np.random.default_rng(5)
TABLE = Table(features=RNG.normal(size=(12, 3)), labels=RNG.choice([-1.0, 1.0], 12))
COMMON = {"steps": 7, "sigma": 0.8, "clip": 0.4, "eta": 1.3}
SLOPE = {"b0_squared": 0.5, "nu": 0.01, "beta": 3.0, "growth": 0.3}


def mean_gradient(batch: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Clipped logistic gradients, averaged."""
    gradients = [
        -TABLE.labels[i] * TABLE.features[i] / (1 + np.exp(TABLE.labels[i] * (TABLE.features[i] @ w))) for i in batch
    ]
    return np.mean([g / max(1.0, np.linalg.norm(g) / 0.4) for g in gradients], axis=0)


@pytest.mark.parametrize("m", [1, 4])
@pytest.mark.parametrize("alpha", ["sqrt-b", "one", "zero"])
@pytest.mark.parametrize("version", ["public", "raw", "noisy"])
def test_it_is_algorithm_1(version: str, alpha: str, m: int) -> None:
    if version == "public":
        algorithm = AdpSgd(**COMMON, alpha=alpha, batch_size=m, a=0.5, c=0.3)
    else:
        algorithm = {"raw": AdaGrad, "noisy": AdaGradRepaired}[version](**COMMON, **SLOPE, alpha=alpha, batch_size=m)
    whole = algorithm.transcript(TABLE, rng=stream(0, "twin", version))
    batches = [draw.values for draw in whole.draws if draw.name == "batch"]
    units = [draw.values for draw in whole.draws if draw.name != "batch"]
    assert [len(batch) for batch in batches] == [m] * 7
    w, square = np.zeros(3), 0.5
    for t, (batch, unit) in enumerate(zip(batches, units, strict=True)):
        planned = np.sqrt(0.5 + 0.3 * (t + 1))
        scale = {"sqrt-b": np.sqrt(planned), "one": 1.0, "zero": 0.0}[alpha] * 0.8
        g = mean_gradient(batch, w)
        followed = g + scale * unit if version == "noisy" else g
        square += max(max(3.0 / (t % 195 + 1), 1.0) * (followed @ followed), 0.01)
        step = 1.3 / (planned if version == "public" else np.sqrt(square))
        w = w - step * (g + scale * unit)
        assert whole.iterates[t + 1] == pytest.approx(w, rel=1e-12, abs=1e-14)
        noise = next(each for each in itertools.islice((e for e in whole.perturbed if e.law == "gaussian"), t, None))
        factor = step if version == "raw" else 1.0
        assert noise.clean == pytest.approx(factor * g, rel=1e-12, abs=1e-14)
        assert noise.scale == pytest.approx(factor * scale, rel=1e-12)
        assert noise.sensitivity == pytest.approx(factor * 2 * 0.4 / m, rel=1e-12)
    if version == "raw":
        assert "step-size" not in whole.public  # line 6 releases the product alone
        assert [each.released for each in whole.perturbed] == [True, False] * 7
    else:
        assert len(whole.step_sizes) == 7


@pytest.mark.parametrize("loss", [*LINEAR_LOSSES, "huber-svm:0.1"])
@pytest.mark.parametrize("m", [1, 5])
def test_the_kernel_is_the_loop(loss: str, m: int) -> None:
    for kind, more in ((AdpSgd, {"a": 0.5, "c": 0.3}), (AdaGrad, SLOPE), (AdaGradRepaired, SLOPE)):
        algorithm = kind(model=loss, batch_size=m, **COMMON, **more)
        fast = algorithm.sample(TABLE, 4, rng=stream(0, "kernel", loss))
        slow = Training.sample(algorithm, TABLE, 4, rng=stream(0, "kernel", loss))
        assert fast == pytest.approx(slow, rel=1e-12, abs=1e-13)


def test_with_alpha_one_and_a_constant_step_it_is_dp_sgd_bit_for_bit() -> None:
    plain = DpSgdFixedSize(steps=7, batch_size=1, clip=0.5, noise_multiplier=1.5, step_size=0.65)
    special = AdpSgd(steps=7, sigma=0.75, clip=0.5, alpha="one", a=4.0, c=0.0, eta=1.3)
    rng = [stream(0, "reduce") for _ in range(2)]
    one, other = plain.transcript(TABLE, rng=rng[0]), special.transcript(TABLE, rng=rng[1])
    assert np.array_equal(one.iterates, other.iterates)
    assert np.array_equal(one.released("gradient"), other.released("gradient"))


def test_with_alpha_one_it_is_dp_sgd_with_decaying_steps_bit_for_bit() -> None:
    whole = AdpSgd(**COMMON, alpha="one", a=0.5, c=0.3).transcript(TABLE, rng=stream(0, "decay"))
    w = np.zeros(3)
    for t, noisy in enumerate(whole.released("gradient"), start=1):
        w = w - 1.3 / np.sqrt(0.5 + 0.3 * t) * noisy
        assert np.array_equal(whole.iterates[t], w)
    assert {each.scale for each in whole.perturbed} == {0.8}


def test_with_alpha_zero_it_is_sgd_bit_for_bit() -> None:
    """Whatever sigma; and AdaGrad-norm then is WWB19's on both readings of line 4."""
    none = [AdpSgd(steps=7, sigma=sigma, alpha="zero").train(TABLE, rng=stream(0, "sgd")) for sigma in (None, 0.0, 9.0)]
    assert np.array_equal(none[0], none[1])
    assert np.array_equal(none[0], none[2])
    raw, noisy = (
        kind(steps=7, alpha="zero", **SLOPE).transcript(TABLE, rng=stream(0, "sgd"))
        for kind in (AdaGrad, AdaGradRepaired)
    )
    assert raw.result == pytest.approx(noisy.result, rel=1e-13)
    assert not any(each.noise.any() for each in raw.perturbed)
