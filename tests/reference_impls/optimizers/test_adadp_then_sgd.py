"""ADADP, then SGD with a decaying step size: which batches, which step sizes, what it costs."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adadp import Adadp
from reference_impls.optimizers.adadp_then_sgd import AdadpThenSgd

RNG = np.random.default_rng(4)
TABLE = Table(features=0.4 * RNG.normal(size=(14, 3)), labels=RNG.choice([-1.0, 1.0], 14))


@pytest.mark.parametrize(("batch_size", "length"), [(4, 4), (5, 3)])
def test_step_sizes_decay_from_the_last_adapted_one(batch_size: int, length: int) -> None:
    """Three adaptive epochs of four batches (six iterations) or three (four iterations, and a batch left over)."""
    algorithm = AdadpThenSgd(epochs=6, adaptive_epochs=3, batch_size=batch_size, sampling="shuffled")
    whole = algorithm.transcript(TABLE, rng=stream(0, "then"))
    assert algorithm.batch_count(14) == len(whole.perturbed) == 6 * length
    iterations = 3 * length // 2
    start = Adadp(steps=iterations, batch_size=batch_size, sampling="shuffled").transcript(TABLE, rng=stream(0, "then"))
    assert np.array_equal(whole.iterates[: iterations + 1], start.iterates)
    eta = start.step_sizes[-1] * min(max(1.0 / start.public["error"][-1], 0.9), 1.1)
    wanted = [eta] * (3 * length % 2) + [eta / (1 + 0.1 * (k - 3)) for k in (4, 5, 6) for _ in range(length)]
    assert whole.step_sizes[iterations:] == pytest.approx(wanted, rel=1e-12)
    w = start.result
    for step, each in zip(wanted, whole.perturbed[2 * iterations :], strict=True):
        w = w - step * each.value
    assert whole.result == pytest.approx(w, rel=1e-12)
    assert sum(draw.name == "batch" for draw in whole.draws) == 6


def test_every_batch_is_a_subsampled_gaussian() -> None:
    """The paper's MNIST: 100 epochs of 300 batches."""
    algorithm = AdadpThenSgd()
    assert algorithm.composition(60_000) == Adadp(steps=15_000).composition(60_000)
    assert AdadpThenSgd(sampling="shuffled").sound_composition(60_000).size == 100
    fixed = AdadpThenSgd(rate=0.3, epochs=4)
    assert fixed.batch_count(999) == 12
    assert fixed.sound_composition(999) == fixed.composition(7)


def test_without_a_rate_the_transcripts_length_follows_the_table_and_nothing_is_claimed() -> None:
    algorithm = AdadpThenSgd(epochs=2, batch_size=13)
    lengths = [len(algorithm.transcript(t, rng=stream(0, "n")).iterates) for t in (TABLE, TABLE.without(13))]
    assert lengths == [3, 2]
    with pytest.raises(InputError, match="rate"):
        algorithm.sound_composition(14)


def test_few_epochs_are_adaptive_all_the_way() -> None:
    fast = AdadpThenSgd(epochs=2, batch_size=4).train(TABLE, rng=stream(0, "few"))
    assert np.array_equal(fast, Adadp(steps=4, batch_size=4).train(TABLE, rng=stream(0, "few")))


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"adaptive_epochs": 0}, {"decay": -0.1}, {"tol": 0.0}])
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        AdadpThenSgd(**wrong)  # type: ignore[arg-type]
