"""`dpv.audit_sampler`: loaders are named rightly, deviations are seen, hostile ones are one line each."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import dpverify as dpv
from dpverify.loaders import result as loader_result
from dpverify.loaders.audit import audit_sampler
from tests.loaders import loaders

ACCOUNTED = "poisson(rate=0.05)"
SURE = 1 - 1e-9
EPOCHS = 150


def audited(loader, **changed):
    given = {"records": loaders.N, "accounted": ACCOUNTED, "epochs": EPOCHS, "confidence": SURE}
    return audit_sampler(loader, **given | changed)


@pytest.mark.parametrize(
    ("loader", "found"),
    [
        (loaders.poisson, "poisson(rate=0.05)"),
        (loaders.masks, "poisson(rate=0.05)"),
        (loaders.rate_off, "poisson(rate=0.05"),
        (loaders.fixed_size, "fixed-size(size=25)"),
        (loaders.with_replacement, "with-replacement(size=25)"),
        (loaders.shuffled, "shuffled(size=25)"),
        (loaders.drop_last, "shuffled(size=30), the last one of a pass dropped"),
        (loaders.Once, "shuffled-once(size=25)"),
        (loaders.CYCLIC, "cyclic(size=25)"),
        (loaders.balls_in_bins, "balls-in-bins(batches=20)"),
        (loaders.cyclic_poisson, "cyclic-poisson(rate=0.1"),
        (loaders.weighted, "weighted(size=25): "),
        (loaders.weighted_poisson, "weighted-poisson (rates "),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_loaders_are_named(loader, found):
    """The first two are right, the others refuted. False alarm: 1e-9 each."""
    result = audited(loader)
    assert result.found.startswith(found)
    right = loader in (loaders.poisson, loaders.masks)
    assert result.verdict is (dpv.Status.NOT_REFUTED if right else dpv.Status.REFUTED)
    assert len(repr(result).splitlines()) <= 10


@pytest.mark.parametrize(
    ("loader", "kind"),
    [
        (loaders.rate_off, "the sampling rate"),
        (loaders.cyclic_poisson, "inclusion depends on other batches"),
        (loaders.sticky, "inclusion depends on other batches"),
        (loaders.twins, "inclusion depends on other records"),
        (loaders.never_the_first, "records taken unequally often"),
        (loaders.weighted_poisson, "records taken unequally often"),
        (loaders.reseeded, "batches come again"),
        (loaders.capped, "batch sizes"),
        (loaders.fixed_size, "batch sizes"),
        (loaders.buffered, "the place in a pass depends on the record"),
        (loaders.with_replacement, "records never or several times in a pass"),
        (loaders.without_empty, "records never or several times in a pass"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_deviations_are_told_by_their_kind(loader, kind):
    result = audited(loader, accounted="poisson" if loader is loaders.without_empty else ACCOUNTED)
    assert result.verdict is dpv.Status.REFUTED
    assert kind in [each for each, _, _ in result.deviations]
    with pytest.raises(dpv.ClaimRefuted, match="is not poisson"):
        result.check()
    with pytest.raises(dpv.InputError, match="true or false"):
        bool(result)


def test_only_the_rate_is_blamed_where_only_the_rate_is_off():
    result = audited(loaders.rate_off)
    assert [kind for kind, _, _ in result.deviations] == ["the sampling rate"]
    assert audited(loaders.rate_off, accounted="poisson").verdict is dpv.Status.NOT_REFUTED


def test_a_pass_says_what_would_have_been_seen_and_more_is_seen_in_more():
    result = audited(loaders.poisson)
    more = audited(loaders.poisson, epochs=4 * EPOCHS)
    assert result.check() is result
    assert set(result.detectable) == set(more.detectable)
    for words, size in more.detectable.items():
        assert 0 < size < result.detectable[words]
    assert result.detectable["rate"] == pytest.approx(0.029, abs=0.005)
    assert "would have been seen with 80 % power: rate +" in repr(result)


def test_a_deviation_that_would_be_seen_is_seen():
    """A rate that is off by what is seen with 80 % power: fewer than 4 of 15 audits see it with probability 1e-6."""
    detectable = audited(loaders.poisson, epochs=20).detectable["rate"]

    def off(rng):
        for _ in range(loaders.BATCHES):
            yield np.flatnonzero(rng.random(loaders.N) < loaders.RATE * (1 + detectable))

    seen = sum(audited(off, epochs=20, seed=each).verdict is dpv.Status.REFUTED for each in range(15))
    assert seen >= 4


@pytest.mark.parametrize("axis", [0, 1], ids=["batches", "records"])
def test_a_correlation_that_would_be_seen_is_seen(axis):
    """Neighbours share their coin with probability rho: fewer than 4 of 15 audits see it with probability 1e-6."""
    words = ("a record's inclusion in neighbouring batches", "neighbouring records in a batch")[axis]
    rho = audited(loaders.poisson, epochs=20).detectable[f"correlation of {words}"]

    def paired(rng):
        coins = rng.random((loaders.BATCHES, loaders.N))
        other = np.roll(coins, 1, axis=axis)
        odd = (np.arange(coins.shape[axis]) % 2 == 1)[(slice(None), None) if axis == 0 else (None, slice(None))]
        coins = np.where(odd & (rng.random(coins.shape) < rho), other, coins)
        return [np.flatnonzero(each < loaders.RATE) for each in coins]

    seen = sum(audited(paired, epochs=20, seed=each).verdict is dpv.Status.REFUTED for each in range(15))
    assert seen >= 4


def test_other_schemes_can_be_accounted_for():
    assert audited(loaders.shuffled, accounted="shuffled(size=25)").verdict is dpv.Status.NOT_REFUTED
    assert audited(loaders.shuffled, accounted="shuffled(size=20)").verdict is dpv.Status.REFUTED
    assert audited(loaders.balls_in_bins, accounted="balls-in-bins").verdict is dpv.Status.NOT_REFUTED
    assert audited(loaders.poisson, accounted="weighted-poisson").verdict is dpv.Status.NOT_REFUTED
    assert audited(loaders.CYCLIC, accounted="cyclic", epochs=3).verdict is dpv.Status.NOT_REFUTED


def test_too_little_is_inconclusive_and_never_a_pass():
    def few(rng):
        return [np.flatnonzero(rng.random(4) < 0.5) for _ in range(2)]

    result = audited(few, records=4, epochs=1, accounted="poisson(rate=0.5)")
    assert result.verdict is dpv.Status.INCONCLUSIVE
    assert "read more" in result.reason
    with pytest.raises(dpv.AuditError, match="inconclusive"):
        result.check()
    empty = audited([[], []], epochs=3, accounted="poisson")
    assert empty.verdict is dpv.Status.INCONCLUSIVE


def test_the_same_seed_gives_the_same_numbers():
    one, two, other = (audited(loaders.poisson, epochs=20, seed=seed) for seed in (0, 0, 1))
    assert (one.p_value, one.inclusions) == (two.p_value, two.inclusions)
    assert one.inclusions != other.inclusions


def test_the_number_of_passes_is_told_before_and_repeats_the_run():
    told: list[str] = []
    result = audited(loaders.poisson, epochs=None, seconds=0.05, say=told.append)
    assert told == [f"{result.passes} passes of 20 batches are read (--epochs {result.passes} repeats this)"]
    assert audited(loaders.poisson, epochs=result.passes).inclusions == result.inclusions


def test_epsilon_of_what_it_really_is():
    """Shuffled at sigma 0.5, 20 passes: one Gaussian a pass is far above the Poisson account, and so is what shows."""
    asked = {"noise_multiplier": 0.5, "training_epochs": 20, "relation": "replace"}
    result = audited(loaders.shuffled, **asked)
    assert result.accounted_epsilon.upper < result.found_epsilon.lower < result.found_epsilon.upper
    assert "the account is too low" in "\n".join(result.lines())
    assert result.record()["found_epsilon"]["lower"] == result.found_epsilon.lower
    safe = audited(loaders.poisson, accounted="cyclic(size=25)", **asked)
    assert "the account is on the safe side" in "\n".join(safe.lines())
    none = audited(loaders.sticky, **asked)
    assert "really: no accountant or bound here covers it" in none.lines()


def test_the_relation_that_tells_is_named_where_the_default_does_not():
    asked = {"noise_multiplier": 1.0, "training_epochs": 20}
    result = audited(loaders.shuffled, **asked)
    assert result.replace_tells
    assert result.lines()[-1].endswith("too low; those where a record is replaced do: --relation replace")
    there = audited(loaders.shuffled, **asked, relation="replace")
    assert "the account is too low" in there.lines()[-1]
    assert not there.replace_tells


def test_an_endless_loader_is_cut():
    result = audited(loaders.endless, batches_per_epoch=10, epochs=200)
    assert (result.steps, result.verdict) == (10, dpv.Status.NOT_REFUTED)


@pytest.mark.parametrize(
    ("loader", "says"),
    [
        (loaders.no_batch, "gave no batch in pass 1"),
        (loaders.words, "batch 1 of pass 1 of words is a list of shape"),
        (loaders.outside, "has record 500 of 500 records"),
        (loaders.below, "has record -1 of 500 records"),
        (loaders.raises, "raised ValueError in batch 2 of pass 1: no more"),
        (loaders.leaves, "raised SystemExit in batch 2 of pass 1"),
        (loaders.hangs, "ran longer than its limit of 0.5 s"),
        (loaders.endless, "ran longer than its limit of 0.5 s"),
        (loaders.floats, "type float64"),
        (loaders.single, "is the single number 1, not a batch"),
        (loaders.rows, r"of shape \(2, 3\)"),
        (loaders.nothing, "gave a NoneType"),
        (loaders.needs_more, "needs_more needs size"),
        (loaders.GENERATOR, "can be read only once"),
        (7, "gave a int"),
        ("nonsense", "PACKAGE.MODULE:LOADER"),
        ("json:nothing", "'json' has no 'nothing'"),
        (("ab", "cd"), "batch 1 of pass 1 of tuple is"),
    ],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_hostile_loaders_are_one_line(loader, says):
    with pytest.raises(dpv.InputError, match=says) as caught:
        audited(loader, max_seconds_per_epoch=0.5)
    assert "\n" not in str(caught.value)


def test_an_endless_loader_that_is_quick_is_told(monkeypatch):
    monkeypatch.setattr("dpverify.loaders.source.MOST_BATCHES", 1000)
    with pytest.raises(dpv.InputError, match="had not ended after 1000 batches"):
        audited(loaders.endless)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"records": None}, "how many records"),
        ({"records": 0}, "records = 0"),
        ({"epochs": 0}, "epochs = 0"),
        ({"epochs": 10**6}, "epochs = 1000000"),
        ({"seconds": float("nan")}, "seconds = nan"),
        ({"batches_per_epoch": 30}, "ended after 20 batches"),
        ({"steps": 3}, "steps without a noise multiplier"),
        ({"noise_multiplier": 1.0}, "without one of steps"),
        ({"noise_multiplier": -1.0, "steps": 3}, "noise_multiplier"),
        ({"noise_multiplier": 1.0, "steps": 3, "delta": 0.0}, "delta = 0"),
        ({"noise_multiplier": 1.0, "steps": 3, "relation": "labels"}, "relation 'labels'"),
        ({"confidence": 1.0}, "confidence"),
        ({"accounted": "fixed-size(size=501)"}, "size=501"),
    ],
)
def test_bad_settings_are_one_line(changed, says):
    with pytest.raises(dpv.InputError, match=says):
        audited(loaders.poisson, **changed)


@pytest.mark.parametrize(("p", "failed", "power"), [(1.0, (1e-6, 1e-3), 5.0), (1e-4, (), 4.0), (0.0, (0.0,), 99.0)])
def test_a_picture_shows_the_power_of_ten_of_all_tests_together(p, failed, power):
    held = SimpleNamespace(p=p, tests=10, failed=[SimpleNamespace(p=each) for each in failed])
    assert loader_result._against(held) == pytest.approx(power)
