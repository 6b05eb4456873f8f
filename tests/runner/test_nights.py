"""Pooling over nights: products, what is refused, and nights that are broken off and made again.

False alarms: audits that must not refute run at alpha = 1e-9.
"""

import json
import math

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.errors import InputError
from dpverify.core.protocols import Pair
from dpverify.core.verdict import Status
from dpverify.runner.nights import FORMAT, Identity, Night, Nights
from dpverify.stats.e_values import product_e_values

PAIR = Pair(d0=[0], d1=[1])
IDENTITY = Identity.of(claim="PureDP(epsilon=1)", relation="replace", mechanism="m", pair=PAIR, method="sequential 1")
CHAIN = {"kind": "epsilon"}


def loud(dataset, size, rng):
    return dataset[0] + 0.8 * rng.laplace(size=size)


def quiet(dataset, size, rng):
    return dataset[0] + rng.laplace(size=size)


def own_noise(dataset):
    return dataset[0] + np.random.default_rng().laplace()


def night(
    file, *, mechanism=loud, seed=0, trials=1500, confidence=0.999, claim="PureDP(epsilon=1)", pair=([0], [1]), **more
):
    return dpv.audit(
        mechanism,
        *pair,
        claim=claim,
        sequential=True,
        evidence_file=file,
        seed=seed,
        trials=trials,
        confidence=confidence,
        **more,
    )


def opened(path, *, seed=0, trials=100, reproducible=True, identity=IDENTITY):
    asked = Night(seed=seed, trials=trials, confidence=0.9)
    return Nights.open(path, identity, asked=asked, reproducible=reproducible)


def noted(book, values, *, pairs, done=False):
    before = book.wealth if book.nights else np.ones(len(values))
    wealth = before * np.array(values)
    book.note(chain=CHAIN, e_values=np.array(values), wealth=wealth, peaks=wealth, pairs=pairs, done=done)


# Products


def test_nights_multiply_and_refute_together_what_one_alone_does_not(tmp_path):
    """Each night has too few pairs at this confidence; no night of the first three refutes alone."""
    file, statuses, products = tmp_path / "evidence.json", [], []
    for seed in range(12):
        result = night(file, seed=seed, confidence=1 - 1e-9)
        statuses.append(result.verdict)
        s = result.evidence.statistics
        products.append(s["e_value_here"])
        assert s["e_value"] == pytest.approx(math.prod(products), rel=1e-6)
        if result.verdict is Status.REFUTED:
            break
    assert statuses[-1] is Status.REFUTED
    assert len(statuses) > 1
    assert max(products[:-1]) < 1e9
    kept = json.loads(file.read_text())
    assert kept["format"] == FORMAT
    assert [one["done"] for one in kept["nights"]] == [True] * len(statuses)
    again = night(file, seed=99, confidence=1 - 1e-9)  # what has fallen stays so, and costs no draws
    assert (again.verdict, again.evidence.trials) == (Status.REFUTED, 0)


def test_a_true_claim_gathers_nothing(tmp_path):
    file = tmp_path / "evidence.json"
    for seed in range(3):
        result = night(file, mechanism=quiet, seed=seed, confidence=1 - 1e-9, trials=3000)
        assert result.verdict is Status.NOT_REFUTED


def test_the_product_is_that_of_the_nights_and_peaks_stay(tmp_path):
    path = tmp_path / "e.json"
    for seed, values in enumerate(([4.0, 2.0], [0.5, 8.0])):
        book = opened(path, seed=seed)
        book.begin()
        noted(book, values, pairs=10, done=True)
    book = opened(path, seed=9)
    assert book.wealth.tolist() == [product_e_values([4.0, 0.5]), product_e_values([2.0, 8.0])]
    assert book.pairs == 20
    assert list(path.parent.iterdir()) == [path]


# What is refused


@pytest.mark.parametrize(
    ("other", "word"),
    [
        ({"claim": "PureDP(epsilon=0.9)"}, "claim"),
        ({"mechanism": quiet}, "mechanism"),
        ({"pair": ([0], [2])}, "pair"),
        ({"name": "another"}, "mechanism"),
    ],
)
def test_another_claim_mechanism_or_pair_is_refused_and_the_file_left_alone(tmp_path, other, word):
    file = tmp_path / "evidence.json"
    night(file)
    before = file.read_text()
    with pytest.raises(InputError, match=f"is about the {word}"):
        night(file, **({"seed": 1} | other))
    assert file.read_text() == before


def test_a_seed_used_before_is_refused(tmp_path):
    file = tmp_path / "evidence.json"
    night(file, seed=3)
    with pytest.raises(InputError, match=r"seed 3 was used .* pass --seed 4"):
        night(file, seed=3)
    with pytest.raises(InputError, match="seed 3 was used"):
        night(file, seed=3, trials=9999)


def test_options_that_need_a_sequential_audit_say_so(tmp_path):
    for more in ({"worth": 2.0}, {"evidence_file": tmp_path / "e.json"}):
        with pytest.raises(InputError, match="sequential"):
            dpv.audit(loud, [0], [1], claim="PureDP(epsilon=1)", **more)
    with pytest.raises(InputError, match="one or the other"):
        night(None, methods=["event"])
    with pytest.raises(InputError, match=r"worth = 0\.5"):
        night(None, worth=0.5)


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        '{"format": "other"}',
        json.dumps({"format": FORMAT}),
        json.dumps({"format": FORMAT, "identity": {}, "nights": [], "chain": {}}),
    ],
)
def test_files_of_another_kind_are_told(tmp_path, text):
    path = tmp_path / "e.json"
    path.write_text(text)
    with pytest.raises(InputError, match="evidence file"):
        opened(path)


def test_files_that_contradict_themselves_are_told(tmp_path):
    path = tmp_path / "e.json"
    book = opened(path)
    book.begin()
    noted(book, [4.0, 2.0], pairs=10, done=True)
    good = json.loads(path.read_text())
    for change in (
        lambda found: found["nights"][0].update(e_values=[4.0]),
        lambda found: found["nights"][0].update(e_values=[400.0, 2.0]),
        lambda found: found["nights"][0].update(e_values=[-4.0, 2.0]),
        lambda found: found["nights"][0].update(peaks=[]),
        lambda found: found.update(chain={}),
        lambda found: found["nights"].insert(0, {**found["nights"][0], "e_values": [], "peaks": [], "done": False}),
    ):
        bad = json.loads(json.dumps(good))
        change(bad)
        path.write_text(json.dumps(bad))
        with pytest.raises(InputError, match="evidence file"):
            opened(path, seed=1)


def test_two_nights_at_once_are_told(tmp_path):
    path = tmp_path / "e.json"
    first, second = opened(path, seed=0), opened(path, seed=1)
    first.begin()
    with pytest.raises(InputError, match="one night at a time"):
        second.begin()


# Nights that are broken off


def dying(after):
    calls = []

    def mechanism(dataset, size, rng):
        calls.append(size)
        if sum(calls) > after:
            raise KeyboardInterrupt
        return loud(dataset, size, rng)

    return mechanism


def test_a_killed_night_is_made_again_to_the_same_bits(tmp_path):
    whole, broken = tmp_path / "whole.json", tmp_path / "broken.json"
    expected = night(whole, seed=5, name="m", confidence=1 - 1e-9)
    with pytest.raises(KeyboardInterrupt):
        night(broken, mechanism=dying(1500), seed=5, name="m", confidence=1 - 1e-9)
    kept = json.loads(broken.read_text())["nights"][0]
    assert not kept["done"]
    assert 0 < kept["pairs"] < 1500
    result = night(broken, seed=5, name="m", confidence=1 - 1e-9)
    assert broken.read_text() == whole.read_text()
    assert result.evidence.statistics["e_value"] == expected.evidence.statistics["e_value"]


def test_a_killed_night_counts_as_far_as_it_went_where_another_follows(tmp_path):
    file = tmp_path / "e.json"
    with pytest.raises(KeyboardInterrupt):
        night(file, mechanism=dying(1500), seed=5, name="m", confidence=1 - 1e-9)
    kept = json.loads(file.read_text())["nights"][0]
    result = night(file, seed=6, name="m", confidence=1 - 1e-9)
    place = result.evidence.statistics["chain"]["values"].index(
        next(value for value in result.evidence.statistics["chain"]["values"] if value > 1.0)
    )
    s = result.evidence.statistics
    assert s["e_value"] == pytest.approx(kept["e_values"][place] * s["e_value_here"], rel=1e-9)
    with pytest.raises(InputError, match="seed 5 was used"):  # too late now
        night(file, seed=5, name="m", confidence=1 - 1e-9)


def test_a_night_that_does_not_come_back_is_told(tmp_path):
    file = tmp_path / "e.json"
    with pytest.raises(KeyboardInterrupt):
        night(file, mechanism=dying(1500), seed=5, name="m", confidence=1 - 1e-9)
    with pytest.raises(InputError, match="does not come back"):
        night(file, mechanism=quiet, seed=5, name="m", confidence=1 - 1e-9)


def test_a_mechanism_without_a_seed_cannot_make_a_night_again(tmp_path):
    path = tmp_path / "e.json"
    book = opened(path, seed=0)
    book.begin()
    noted(book, [2.0], pairs=10)
    with pytest.raises(InputError, match="do not come back"):
        opened(path, seed=0, reproducible=False)
    opened(path, seed=1, reproducible=False)


def test_a_night_that_was_broken_off_before_its_first_block_must_be_made(tmp_path):
    """Else a night whose beginning looked bad could be thrown away."""
    path = tmp_path / "e.json"
    opened(path, seed=0).begin()
    with pytest.raises(InputError, match="broken off in its first block"):
        opened(path, seed=1)
    opened(path, seed=0).begin()


def test_nothing_is_entered_for_an_audit_that_cannot_begin(tmp_path):
    file = tmp_path / "e.json"
    with pytest.raises(InputError, match="trials"):
        night(file, trials=10)
    assert not file.exists()
    night(file, mechanism=own_noise, trials=200)
    assert file.exists()
