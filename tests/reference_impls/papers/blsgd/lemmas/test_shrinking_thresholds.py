"""BL-AC: moves over shrinking_thresholds by hand, and noise that is made for too little."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from reference_impls.line_search import adaptive_levels
from reference_impls.papers.blsgd.lemmas import shrinking_thresholds
from reference_impls.papers.blsgd.lemmas.shrinking_thresholds import ACTIVE, ThresholdRuns


def test_moves_are_those_of_one_clipped_record():
    """A gradient's threshold is C_grad over the divisor, among the adaptive_levels that (9) makes of it."""
    subject = ThresholdRuns(runs=1.0, left_out=4.0)
    size = 0.1 * 64
    known = [ACTIVE["c_grad"] * 0.95**k for k in range(20)], [ACTIVE["c_obj"] * 0.95**k for k in range(20)]
    names = set()
    for name, moved, made_for in subject.moves():
        names.add(name)
        made = made_for * (size if name == "gradient" else 1.0)
        assert np.min(np.abs(np.array(known[name == "query"]) - made)) <= 1e-9
        assert moved <= made_for * (1 + 1e-9)
    assert names == {"gradient", "query"}


def test_the_row_stands_close_to_one(examined, status):
    assert status("BL-AC.run") is Status.NOT_REFUTED
    assert examined("BL-AC.run").bound > 0.999


def test_noise_for_a_lowered_threshold_falls(monkeypatch, status):
    """One dropped factor: gradients are clipped at C_grad, their noise is made for (1 - zeta) C_grad."""
    whole = adaptive_levels.release_gradient

    def short(tape, model, table, batch, weights, at, *, divisor, l2=0.0):
        perturb = tape.perturb

        class Short:
            def publish(self, *both):
                tape.publish(*both)

            def perturb(self, name, clean, *, law, scale, sensitivity):
                return perturb(name, clean, law=law, scale=0.95 * scale, sensitivity=0.95 * sensitivity)

        return whole(Short(), model, table, batch, weights, at, divisor=divisor, l2=l2)

    from reference_impls.line_search import line_search_training

    monkeypatch.setattr(line_search_training, "release_gradient", short)
    # floating-point sums prove nothing, so an excess is inconclusive and not less
    assert status("BL-AC.run") is Status.INCONCLUSIVE
    ratio = max(moved / made_for for _, moved, made_for in ThresholdRuns().moves())
    assert ratio == pytest.approx(1 / 0.95, rel=1e-9)


@pytest.mark.parametrize("reading", ["run", "late"])
def test_remarks_show_what_they_say(reading):
    assert registry().remarks.get(f"BL-AC.{reading}").shown().holds


def test_each_lowering_leaves_the_noise_shorter():
    moves = [float(shrinking_thresholds._lagging(k).query([[1.0, 1e6, 0.0]])[0]) for k in range(4)]
    assert moves == pytest.approx([0.95**-k for k in range(4)])


def test_a_late_search_costs_three_quarters_of_its_move():
    """epsilon_1 M for the threshold, epsilon_2 M for the last query: 3/4 M epsilon, nearly reached by 30 candidates;
    by two, from the densities: the first fails, the second is found."""
    for count in (0, 3, 10):
        assert shrinking_thresholds.spent_late(count) == pytest.approx(0.75 * 0.95**-count, rel=1e-5)
        assert shrinking_thresholds.spent_late(count) < 0.75 * 0.95**-count
    assert shrinking_thresholds.spent_late(2, budget=1.0, size=1) == 0.0
    draws = np.linspace(-60.0, 60.0, 240_001)
    density = np.exp(-np.abs(draws) / 2.0) / 4.0
    fails = np.where(draws > 0, 1 - np.exp(-np.abs(draws) / 4) / 2, np.exp(-np.abs(draws) / 4) / 2)
    later = np.interp(draws + 1.0, draws, fails, right=1.0)
    chances = [np.trapezoid(density * each * (1 - fails), draws) for each in (fails, later)]
    assert shrinking_thresholds.spent_late(0, budget=1.0, size=2) >= abs(np.log(chances[1] / chances[0])) - 1e-6


def test_no_lag_shows_nothing(monkeypatch):
    monkeypatch.setattr(shrinking_thresholds, "ZETA", 0.0)
    assert not shrinking_thresholds.shown_late().holds


def test_bad_settings_are_said():
    with pytest.raises(InputError):
        ThresholdRuns(left_out=65.0)
