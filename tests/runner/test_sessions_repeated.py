"""Sessions that are broken off and made again, and sessions that only seem to be others.

False alarms: audits that must not refute run at alpha = 1e-9.
"""

import json
import signal

import numpy as np
import pytest

from dpverify.adapters.probe import LOOK_BATCH
from dpverify.audits.callable_audit import CallableAudit
from dpverify.code_key.key import CodeKey
from dpverify.core.errors import InputError
from dpverify.stats.betting import product_e_values
from tests.runner.sessions import loud, noted, opened, own_noise, quiet, session

# Sessions that are broken off


@pytest.fixture(autouse=True)
def one_code(monkeypatch):
    """These mechanisms stand for one whose draws differ: its code is the same in all sessions."""
    monkeypatch.setattr(CallableAudit, "code_key", lambda *_: CodeKey("0123456789abcdef"))


PROBED = 2 * (LOOK_BATCH + 1500)
"""Draws before a session of 1500 pairs begins: the forms and the order of outputs are looked at on both data sets."""


def dying(after):
    calls = []

    def mechanism(dataset, size, rng):
        calls.append(size)
        if sum(calls) > PROBED + after:
            signal.raise_signal(signal.SIGINT)  # a person: what a mechanism merely raises ends no session
        return loud(dataset, size, rng)

    return mechanism


def test_a_killed_session_is_made_again_to_the_same_bits(tmp_path):
    whole, broken = tmp_path / "whole.json", tmp_path / "broken.json"
    expected = session(whole, seed=5, name="m", confidence=1 - 1e-9)
    with pytest.raises(KeyboardInterrupt):
        session(broken, mechanism=dying(1500), seed=5, name="m", confidence=1 - 1e-9)
    kept = json.loads(broken.read_text())["sessions"][0]
    assert not kept["done"]
    assert 0 < kept["pairs"] < 1500
    result = session(broken, seed=5, name="m", confidence=1 - 1e-9)
    assert broken.read_text() == whole.read_text()
    assert result.evidence.statistics["e_value"] == expected.evidence.statistics["e_value"]


def test_a_killed_session_counts_as_far_as_it_went_where_another_follows(tmp_path):
    file = tmp_path / "e.json"
    with pytest.raises(KeyboardInterrupt):
        session(file, mechanism=dying(1500), seed=5, name="m", confidence=1 - 1e-9)
    kept = json.loads(file.read_text())["sessions"][0]
    result = session(file, seed=6, name="m", confidence=1 - 1e-9)
    place = result.evidence.statistics["chain"]["values"].index(
        next(value for value in result.evidence.statistics["chain"]["values"] if value > 1.0)
    )
    s = result.evidence.statistics
    assert s["e_value"] == pytest.approx(kept["e_values"][place] * s["e_value_here"], rel=1e-9)
    with pytest.raises(InputError, match="seed 5 was used"):  # too late now
        session(file, seed=5, name="m", confidence=1 - 1e-9)


def test_a_session_that_does_not_come_back_is_told(tmp_path):
    file = tmp_path / "e.json"
    with pytest.raises(KeyboardInterrupt):
        session(file, mechanism=dying(1500), seed=5, name="m", confidence=1 - 1e-9)
    with pytest.raises(InputError, match="cannot be reproduced"):
        session(file, mechanism=quiet, seed=5, name="m", confidence=1 - 1e-9)


def test_a_mechanism_without_a_seed_cannot_make_a_session_again(tmp_path):
    path = tmp_path / "e.json"
    book = opened(path, seed=0)
    book.begin()
    book.drew(("a", "b"))
    noted(book, [2.0], pairs=10)
    with pytest.raises(InputError, match="cannot be reproduced"):
        opened(path, seed=0, reproducible=False)
    opened(path, seed=1, reproducible=False)


def test_a_session_that_was_broken_off_before_any_bet_counts_as_one(tmp_path):
    """It was stuck for good where the mechanism fails at the same draw every time."""
    path = tmp_path / "e.json"
    opened(path, seed=0).begin()
    opened(path, seed=0).begin()  # the same again
    book = opened(path, seed=1)
    book.begin()
    noted(book, [3.0], pairs=10, done=True)
    assert opened(path, seed=2).wealth == pytest.approx(3.0)


def test_a_mechanism_that_fails_does_not_block_the_file(tmp_path):
    calls = []

    def failing(dataset, size, rng):
        drawn = loud(dataset, size, rng)
        calls.append(size)
        if sum(calls) > PROBED + 200 and size >= 32 and drawn[0] > 1.0:
            raise RuntimeError("too large")
        return drawn

    file, verdicts = tmp_path / "e.json", []
    for seed in range(6):
        calls.clear()
        try:
            verdicts.append(session(file, mechanism=failing, seed=seed, name="m", confidence=1 - 1e-9).verdict)
        except InputError:
            verdicts.append(None)
        assert [one["seed"] for one in json.loads(file.read_text())["sessions"]] == list(range(seed + 1))
    assert None in verdicts


@pytest.mark.parametrize("claim", ["ZCDP(rho=0.5)", "PureDP(epsilon=1)"])
def test_a_session_that_finds_nothing_to_bet_against_is_done_and_counts_as_one(tmp_path, claim):
    """Sides that look alike teach no event: no point of attack is chosen among those of zCDP."""
    same, file = tmp_path / "same.json", tmp_path / "e.json"
    options = {"claim": claim, "name": "m", "confidence": 1 - 1e-9}
    result = session(same, mechanism=lambda dataset, size, rng: np.zeros(size), **options)
    (entry,) = json.loads(same.read_text())["sessions"]
    assert (entry["done"], entry["pairs"], result.evidence.statistics["pairs_bet"]) == (True, 1500, 0)
    assert set(entry["e_values"]) <= {1.0}
    assert (claim == "ZCDP(rho=0.5)") == (entry["e_values"] == [])
    for seed in range(3):
        session(file, mechanism=lambda dataset, size, rng: rng.laplace(size=size), seed=seed, **options)
    assert [one["done"] for one in json.loads(file.read_text())["sessions"]] == [True] * 3


def test_a_session_made_again_must_pass_through_the_same_numbers(tmp_path):
    path = tmp_path / "e.json"
    book = opened(path, seed=0)
    book.begin()
    book.drew(("a", "b"))
    noted(book, [0.01], pairs=80)
    kept = path.read_text()
    for values, pairs, done in (([50.0], 64, True), ([0.02], 80, False), ([50.0], 128, False), ([50.0], 128, True)):
        again = opened(path, seed=0)
        again.begin()
        again.drew(("a", "b"))
        noted(again, [1.0], pairs=32)
        with pytest.raises(InputError, match="cannot be reproduced: its e-values after 80 pairs"):
            noted(again, values, pairs=pairs, done=done)
        assert path.read_text() == kept
    with pytest.raises(InputError, match="cannot be reproduced: its first draws"):
        opened(path, seed=0).drew(("a", "c"))
    again = opened(path, seed=0)
    again.begin()
    noted(again, [0.01], pairs=80)
    noted(again, [2.0], pairs=128, done=True)
    assert opened(path, seed=1).wealth == pytest.approx(2.0)


# Sessions that are no other sessions


def module_with_its_own_seed():
    """What a fresh process sees of a module that makes its generator when it is imported."""
    generator = np.random.default_rng(26)

    def mechanism(dataset):
        return dataset[0] + generator.laplace()

    return mechanism


def ignoring(dataset, size, rng):
    return dataset[0] + np.random.default_rng(26).laplace(size=size)


def test_a_generator_that_is_seeded_anew_every_session_is_refused(tmp_path):
    """Their e-values would multiply as if they were independent, and refute a true claim where one is above 1."""
    file = tmp_path / "e.json"
    options = {"name": "m", "confidence": 1 - 1e-9, "trials": 600}
    assert not session(file, mechanism=module_with_its_own_seed(), seed=1, **options).reproducible
    before = opened_wealth(file)
    for seed in (2, 3):
        with pytest.raises(InputError, match="those of the session of seed 1") as caught:
            session(file, mechanism=module_with_its_own_seed(), seed=seed, **options)
        assert str(caught.value).count("\n") == 0
    assert opened_wealth(file) == before
    session(file, mechanism=own_noise, seed=4, **options)
    assert len(json.loads(file.read_text())["sessions"]) == 4


def opened_wealth(file):
    each = [one["e_values"] for one in json.loads(file.read_text())["sessions"] if one["e_values"]]
    return [product_e_values(column) for column in zip(*each, strict=True)]


def test_what_comes_back_is_refused_where_the_seed_is_taken_but_not_used(tmp_path):
    file = tmp_path / "e.json"
    session(file, mechanism=ignoring, seed=1, trials=200, confidence=1 - 1e-9)
    with pytest.raises(InputError, match="those of the session of seed 1"):
        session(file, mechanism=ignoring, seed=2, trials=200, confidence=1 - 1e-9)


def test_one_side_that_comes_back_is_one_too_many_without_a_seed(tmp_path):
    path = tmp_path / "e.json"
    book = opened(path, seed=0, reproducible=False)
    book.begin()
    book.drew(("a", "b"))
    noted(book, [2.0], pairs=10, done=True)
    for reproducible, first, refused in (
        (True, ("a", "b"), True),
        (True, ("a", "c"), False),
        (False, ("a", "c"), True),
        (False, ("c", "b"), True),
        (False, ("c", "d"), False),
    ):
        book = opened(path, seed=1, reproducible=reproducible)
        if refused:
            book._begun = lambda book=book: book.asked
            with pytest.raises(InputError, match="those of the session of seed 0"):
                book.drew(first)
        else:
            before = path.read_text()
            book.begin()
            book.drew(first)
            path.write_text(before)


def test_without_a_digest_there_is_no_pooling_of_what_has_no_seed(tmp_path):
    path = tmp_path / "e.json"
    book = opened(path, seed=0)
    book.begin()
    noted(book, [2.0], pairs=10, done=True)
    with pytest.raises(InputError, match="no digest in that of seed 0"):
        opened(path, seed=1, reproducible=False)
    opened(path, seed=1)


def test_e_values_that_come_back_count_once_at_most(tmp_path):
    """Rounding of the division by earlier sessions aside; sessions that bet nothing may be alike."""
    path = tmp_path / "e.json"
    for seed, values in enumerate(([4.0, 0.5], [1.0, 1.0], [1.0, 1.0])):
        book = opened(path, seed=seed)
        book.begin()
        noted(book, values, pairs=10, done=True)
    book = opened(path, seed=3)
    book.begin()
    with pytest.raises(InputError, match="e-values are those of the session of seed 0"):
        noted(book, [4.0 * (1 + 1e-14), 0.5], pairs=10)
    after = opened(path, seed=4)
    assert after.wealth == pytest.approx([4.0, 0.25])
    assert after.sessions[-1].done
