"""`dpv.canaries`: sound trainers pass, broken ones do not, coins are fair and hidden, one line for what is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import dpverify as dpv
from dpverify.canary_kit.result import Power
from tests.canary_kit import trainers

SURE = 1 - 1e-9
CLAIM = f"GDP(mu={trainers.MU})"
RNG = np.random.default_rng(0)
DATA = RNG.standard_normal((60, 5)) / 3, np.where(RNG.random(60) < 0.5, 1.0, -1.0)


def studied(trainer, **changed):
    """A whole study."""
    given = {"count": 400, "claim": CLAIM, "own_columns": True, "norm": 50.0, "confidence": SURE}
    with dpv.canaries(trainer, DATA, **given | changed) as study:
        study.train()
    return study.result


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_a_sound_trainer_is_not_refuted(relation):
    """False alarm: 1e-9; a blank record moves the sum by nothing, so replacing one costs the same here."""
    result = studied(trainers.sound, relation=relation)
    assert result.verdict is dpv.Status.NOT_REFUTED
    assert result.check() is result
    assert result.bound <= trainers.MU
    assert len(repr(result).splitlines()) <= 10
    assert "dpverify check-training" in result.notes[-1]


@pytest.mark.parametrize("trainer", [trainers.noise_off, trainers.noise_a_tenth, trainers.clip_off, trainers.Estimator])
def test_broken_ones_are_refuted(trainer):
    assert studied(trainer).verdict is dpv.Status.REFUTED  # at 1 - 1e-9, too
    result = studied(trainer, confidence=0.999)
    assert result.verdict is dpv.Status.REFUTED
    assert result.bound > trainers.MU
    assert result.epsilon_lower > 1
    assert not any("check-training" in note for note in result.notes)
    with pytest.raises(dpv.ClaimRefuted, match="is refuted"):
        result.check()


def test_mislabelled_records_are_found_by_a_model_that_memorises():
    for relation in ("add-remove", "replace"):
        result = studied(
            trainers.memorises,
            kind="label",
            count=50,
            relation=relation,
            own_columns=False,
            norm=None,
            confidence=0.99,
            claim="PureDP(epsilon=0.5)",
        )
        assert result.verdict is dpv.Status.REFUTED
        assert result.scored_by == "loss of the model"


@pytest.mark.parametrize(
    ("noise", "clip", "refuted"), [(2 / trainers.MU, 1.0, False), (0.1, 1.0, True), (2 / trainers.MU, 1e9, True)]
)
def test_planted_gradients(noise, clip, refuted):
    """Four steps at noise 2 / mu are mu-GDP together."""
    wide = np.zeros((60, 400))
    wide[:, :3] = DATA[0][:, :3]
    asked = {"count": 300, "kind": "gradient", "coordinates": np.arange(50, 350), "claim": CLAIM, "confidence": SURE}
    train = trainers.with_gradients(noise, clip)
    with dpv.canaries(train, (wide, (DATA[1] > 0).astype(float)), **asked) as study:
        study.train()
    assert study.result.verdict is (dpv.Status.REFUTED if refuted else dpv.Status.NOT_REFUTED)
    assert study.result.scored_by == "4 noisy sums along the canaries' directions"


def test_our_dp_sgd_and_its_twins():
    """Recipe of the README: noise off, clipping off; false alarm 1e-9."""
    make = dpv.registry().mechanisms.get("dp-sgd")

    def trainer(noise, clip=1.0):
        def train(features, labels, rng):
            table = TABLE(features=features, labels=labels, name="mixed", source="test")
            algorithm = make(model="logistic", rate=1.0, steps=4, noise_multiplier=noise, clip=clip)
            return algorithm.transcript(table, rng=rng).result

        return train

    data = dpv.load_table("breast-cancer").normalised()
    TABLE = type(data)
    few = data.features[:100], data.labels[:100]
    asked = {"own_columns": True, "norm": 100.0, "count": 300, "claim": "GDP(mu=0.25)", "confidence": SURE}
    for train, refuted in ((trainer(8.0), False), (trainer(0.01), True), (trainer(8e-6, clip=1e6), True)):
        with dpv.canaries(train, few, **asked) as study:
            study.train()
        assert study.result.verdict is (dpv.Status.REFUTED if refuted else dpv.Status.NOT_REFUTED)


@pytest.mark.slow
def test_half_the_noise_needs_many_canaries():
    """With 10000 canaries, at 0.999, one number of guesses: seen with more than 80 % power."""

    def halved(features, labels, rng):
        return trainers.noisy_mean(features, labels, noise=1.0, clip=1.0, rng=rng)

    asked = {"count": 10_000, "claim": "GDP(mu=0.5)", "guesses": 312, "own_columns": True, "norm": 50.0}
    with dpv.canaries(halved, DATA, **asked) as study:
        study.train()
    assert study.result.verdict is dpv.Status.REFUTED


def test_the_training_may_stand_in_the_block():
    with dpv.canaries(None, DATA, count=400, claim=CLAIM, own_columns=True) as study:
        features, labels = study.data
        weights = trainers.noise_off(features, labels, np.random.default_rng(1))
        study.score_by_loss(weights)
    assert study.result.verdict is dpv.Status.REFUTED
    with dpv.canaries(None, DATA, count=400, claim=CLAIM, own_columns=True) as again:
        rows, marks = again.canaries
        again.score(marks * (rows @ weights))
    assert np.array_equal(again.coins, study.coins)
    assert again.result.scored_by == "the caller's"
    assert again.result.bound == study.result.bound


def test_coins_are_fair_independent_and_hidden():
    """False alarm: 1e-9 each."""
    coins = []
    for seed in range(12):
        with dpv.canaries(None, DATA, count=200, claim=CLAIM, own_columns=True, seed=seed) as study:
            with pytest.raises(dpv.InputError, match="before the block ended"):
                _ = study.coins
            with pytest.raises(dpv.InputError, match="before the block ended"):
                _ = study.result
            features, _labels = study.data
            study.score(np.arange(200.0))
        inside = np.flatnonzero((features[:, 5:] > 0).any(axis=0))
        assert np.array_equal(np.flatnonzero(study.coins), inside)
        coins.append(study.coins)
    table = np.array(coins)
    assert stats.binomtest(int(table.sum()), table.size).pvalue > 1e-9
    for lag in (1, 2, 7):
        agree = int((table[:, lag:] == table[:, :-lag]).sum())
        assert stats.binomtest(agree, table[:, lag:].size).pvalue > 1e-9
    places = np.array([np.flatnonzero((features[:, 5:] > 0).any(axis=1))]).mean() / len(features)
    assert abs(places - 0.5) < 0.15  # mixed among the others


def test_power_is_said_before():
    with dpv.canaries(None, DATA, count=1000, claim="ApproxDP(epsilon=1, delta=1e-5)", own_columns=True) as study:
        said = study.power
        study.score(np.random.default_rng(0).random(1000))
    assert said.text().startswith("with 1000 canaries you could see epsilon(delta=1e-05) above 1.35")
    assert said.able
    few = dpv.canaries(None, DATA, count=20, claim="PureDP(epsilon=4)", own_columns=True)
    assert not few.power.able
    assert "no attack could refute" in few.power.text()


def test_a_study_shows_its_power_and_then_its_result():
    from matplotlib import pyplot

    with dpv.canaries(trainers.sound, DATA, count=200, own_columns=True, claim="GDP(mu=0.3)") as study:
        before = study._repr_html_()
        ax = study.plot()
        study.train()
    assert study.power.text() in before and "<svg" in before and "refuted" not in before
    assert ax.get_xlabel() == study.power.measure == "mu"
    assert study._repr_html_() == study.result._repr_html_() != before
    pyplot.close("all")


def test_what_could_have_seen_nothing_is_inconclusive():
    with dpv.canaries(None, DATA, count=400, claim=CLAIM, own_columns=True) as study:
        study.score(np.full(400, 3.0))
    assert study.result.verdict is dpv.Status.INCONCLUSIVE
    with pytest.raises(dpv.AuditError, match="all scores are equal"):
        study.result.check()
    with dpv.canaries(None, DATA, count=20, claim="PureDP(epsilon=4)", own_columns=True) as small:
        small.score(np.arange(20.0))
    assert small.result.verdict is dpv.Status.INCONCLUSIVE


def test_the_same_seed_gives_the_same_numbers_and_a_curve():
    one, two = studied(trainers.noise_a_tenth), studied(trainers.noise_a_tenth)
    assert one.record()["curve"] == two.record()["curve"]
    assert one.bound == two.bound
    curve = one.curve
    assert curve["false_positive"][0] == 0
    assert curve["false_negative"][0] == 1
    assert (curve["false_positive"][-1], curve["false_negative"][-1]) == (1, 0)
    assert min(np.array(curve["false_negative"]) - np.array(curve["claimed"])) < -0.3
    assert studied(trainers.noise_a_tenth, seed=1).inside != one.inside or one.canaries == 400


def test_a_randomised_response_at_the_claim_is_refuted_no_more_often_than_stated():
    """It tells each canary's coin with odds e^epsilon: exactly epsilon-DP. At 0.8: 1e-9 for this test."""
    found, times = 0, 12
    for seed in range(times):
        with dpv.canaries(
            None, DATA, count=100, claim="PureDP(epsilon=1)", own_columns=True, seed=seed, confidence=0.8
        ) as study:
            features, _ = study.data
            inside = (features[:, 5:] > 0).any(axis=0)
            told = np.random.default_rng(seed).random(100) < 1 / (1 + np.exp(-1.0))
            study.score(np.where(told, inside, ~inside).astype(float))
        found += study.result.verdict is dpv.Status.REFUTED
    assert stats.binom.sf(found - 1, times, 0.2) > 1e-9


@pytest.mark.parametrize(
    ("trainer", "says"),
    [
        (trainers.raises, "raised ValueError on .* records: no more"),
        (trainers.returns_nothing, "returned nothing"),
        (trainers.hangs, "longer than its limit of 0.5 s"),
        (trainers.sees_the_coins, "the coins are kept from the training"),
        (trainers.needs_more, "needs third"),
        (trainers.needs_a_word, "needs width"),
        (trainers.waits_for_others, "is an async function"),
        (trainers.no_signature, "takes no data"),
        (7, "is a int"),
        (None, "no trainer"),
        (lambda data: np.zeros(3), r"an array of shape \(3,\) for records of 405 columns"),
        (lambda data: np.array(["a"]), "no array of numbers"),
        (lambda data: lambda rows: np.zeros(3), r"shape \(3,\) for 400 records"),
        (lambda data: lambda rows: np.zeros((400, 7)), "7 scores a record for 2 classes"),
        (lambda data: lambda rows: 1 / 0, "raised ZeroDivisionError"),
    ],
)
def test_hostile_trainers_are_one_line(trainer, says):
    with pytest.raises(dpv.InputError, match=says) as caught:
        studied(trainer, max_seconds=0.5)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"count": 5}, "count = 5"),
        ({"count": True}, "count = True"),
        ({"kind": "pixel"}, "kind 'pixel'"),
        ({"relation": "labels"}, "relation 'labels'"),
        ({"claim": "nonsense"}, "claim"),
        ({"claim": "Sensitivity(bound=1)"}, "no guarantee is called"),
        ({"norm": -1.0}, "norm = -1"),
        ({"kind": "label", "own_columns": False, "count": 60}, "60 canaries of 60 records"),
        ({"kind": "label"}, "own columns"),
        ({"coordinates": [1]}, "kind='gradient'"),
        ({"confidence": 1.0}, "confidence"),
        ({"guesses": "x"}, "guesses"),
        ({"guesses": (300, 300)}, "guesses of in"),
    ],
)
def test_bad_settings_are_one_line(changed, says):
    with pytest.raises(dpv.InputError, match=says):
        studied(trainers.sound, **changed)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (7, "data of type int"),
        ("no-such-data", "no-such-data"),
        ((np.zeros((3, 2)), np.zeros(4)), r"shape \(3, 2\) and labels of shape \(4,\)"),
        ((np.zeros(3), np.zeros(3)), r"shape \(3,\)"),
        ((np.full((3, 2), np.nan), np.arange(3)), "not finite"),
        ((np.array([["a"], ["b"]]), np.arange(2)), "features of type"),
        ((np.ones((3, 2)), np.ones(3)), "all labels are 1.0"),
        ((np.zeros((3, 2)), np.arange(3)), "all features are 0"),
    ],
)
def test_bad_data_are_one_line(data, says):
    with pytest.raises(dpv.InputError, match=says):
        dpv.canaries(None, data, count=20, claim=CLAIM)


def test_a_study_is_one_run():
    with (
        pytest.raises(dpv.InputError, match="nothing was trained or scored"),
        dpv.canaries(None, DATA, count=20, claim=CLAIM),
    ):
        pass
    with (
        pytest.raises(dpv.InputError, match=r"scores of shape \(3,\)"),
        dpv.canaries(None, DATA, count=20, claim=CLAIM) as study,
    ):
        study.score([1.0, 2.0, 3.0])
    with dpv.canaries(trainers.sound, DATA, count=20, claim=CLAIM) as study:
        study.train()
        with pytest.raises(dpv.InputError, match="one run a study"):
            study.train()
    with pytest.raises(ZeroDivisionError), dpv.canaries(None, DATA, count=20, claim=CLAIM):
        _ = 1 / 0
    with dpv.canaries(None, DATA, count=20, claim=CLAIM) as study:
        study.score(np.arange(20))
    with pytest.raises(dpv.InputError, match="the study is over"):
        study.score(np.arange(20))
    with (
        pytest.raises(dpv.InputError, match="observed no step"),
        dpv.canaries(trainers.returns_nothing, DATA, count=20, kind="gradient", claim=CLAIM) as study,
    ):
        study.train()


def test_what_no_attack_could_refute_has_no_dot_of_what_would_be_seen():
    able = Power(canaries=10, measure="epsilon", claimed=1.0, detectable=1.5, ceiling=2.0, confidence=0.95)
    assert able.view().dots.rows == [("one run", (1.0, 1.5, 2.0))]
    assert replace(able, ceiling=0.9).view().dots.rows == [("one run", (1.0, None, 0.9))]
