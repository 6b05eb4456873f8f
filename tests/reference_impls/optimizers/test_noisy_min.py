"""NoisyMin: its law in closed form and by sampling, its claim for losses that move one way, and when they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.definitions.pure_dp import PureDP
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.optimizers.noisy_min import NoisyMin


def test_two_losses_in_closed_form() -> None:
    """P(Lap - Lap' > gap) = e^-g (2 + g) / 4 with g = gap / b."""
    mechanism = NoisyMin(epsilon=0.5, sensitivity=2.0)
    assert mechanism.noise_scale == 4.0
    law = np.exp(mechanism.output_law([3.0, 9.0]).log_probabilities)
    assert law[1] == pytest.approx(math.exp(-1.5) * 3.5 / 4, rel=1e-12)
    assert mechanism.guarantee() == PureDP(epsilon=0.5)


def test_selections_and_samples_follow_the_law() -> None:
    """Pearson's chi-square, false alarm 1e-9 each."""
    losses, mechanism = [0.0, 1.0, 2.5, 0.5], NoisyMin(epsilon=1.0, sensitivity=1.5)
    expected = np.exp(mechanism.output_law(losses).log_probabilities)
    tape = Tape.recording(stream(0, "select"), keep=False)
    selected = [mechanism.select(losses, tape) for _ in range(4000)]
    for seen in (selected, mechanism.sample(losses, 100_000, rng=stream(0, "sample"))):
        counts = np.bincount(seen, minlength=4)
        statistic = np.sum((counts - len(seen) * expected) ** 2 / (len(seen) * expected))
        assert stats.chi2.sf(statistic, 3) > 1e-9


LOSSES = st.lists(st.floats(0.0, 20.0), min_size=2, max_size=8)


@given(st.data())
def test_one_record_of_losses_below_delta_costs_at_most_epsilon(data: st.DataObject) -> None:
    before = np.array(data.draw(LOSSES))
    moves = np.array(data.draw(st.lists(st.floats(0.0, 1.5), min_size=before.size, max_size=before.size)))
    mechanism = NoisyMin(epsilon=0.7, sensitivity=1.5)
    pair = mechanism.output_law(before).against(mechanism.output_law(before + moves))
    assert pair.epsilon(0.0).lower <= 0.7
    assert pair.swap().epsilon(0.0).lower <= 0.7


def test_opposite_moves_cost_more_and_epsilon_is_the_limit() -> None:
    mechanism = NoisyMin(epsilon=0.7, sensitivity=1.5)

    def cost(before: list[float], after: list[float]) -> float:
        return mechanism.output_law(before).against(mechanism.output_law(after)).epsilon(0.0).lower

    assert cost([38.5, 1.5, 1.5], [40.0, 0.0, 0.0]) > 1.3
    assert 0.69 < cost([600.0, 0.0], [601.5, 0.0]) <= 0.7


def test_its_noise_is_hidden() -> None:
    tape = Tape.recording(stream(0, "hidden"))
    NoisyMin(sensitivity=2.0).select([1.0, 2.0], tape)
    noted = tape.transcript([0.0]).perturbed
    assert [(each.name, each.scale, each.sensitivity, each.released) for each in noted] == [
        ("objective", 20.0, 2.0, False)
    ] * 2


@pytest.mark.parametrize("losses", [[], [[1.0]], [math.nan], [math.inf, 1.0]])
def test_bad_losses_are_refused(losses: list[object]) -> None:
    with pytest.raises(InputError, match="losses of shape"):
        NoisyMin().query(losses)


@pytest.mark.parametrize("wrong", [{"epsilon": 0.0}, {"sensitivity": math.inf}])
def test_bad_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        NoisyMin(**wrong)
