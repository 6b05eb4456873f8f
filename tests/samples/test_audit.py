"""Draws made already: verdicts on both sides of the claim, bounds that err low, and draws that nobody may use."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.recorded_draws import choosing_of, draws_for
from dpverify.samples import audit as module
from tests.unwatched import unwatched

CLAIM = "PureDP(epsilon=1)"


def laplace(shift, scale, size, *, seed):
    return shift + scale * np.random.default_rng(seed).laplace(size=size)


def found(scale, size, *, seed=0, **words):
    d0, d1 = (laplace(shift, scale, size, seed=(seed, shift)) for shift in (1, 0))
    return dpv.audit_samples(d0=d0, d1=d1, claim=CLAIM, **words)


def test_half_the_noise_is_refuted_and_enough_is_not():
    assert found(0.5, 4_000, confidence=1 - 1e-9).verdict == "refuted"
    passed = found(1.0, 20_000, confidence=1 - 1e-9)
    assert passed.verdict == "not_refuted"
    assert passed.evidence.detectable < 2.0  # what would have been caught is no empty word
    assert passed.evidence.trials == 20_000 - choosing_of(20_000)
    assert any("taken for granted" in note for note in passed.notes)


@pytest.mark.slow
def test_bounds_err_low():
    """Of 100 audits at the exact boundary and 90 %, each wrong with 1/10 at most: 33 wrong ones have 4e-10."""
    wrong = sum(found(1.0, 1_000, seed=seed, confidence=0.9).verdict == "refuted" for seed in range(100))
    assert wrong < 33


def test_no_draw_both_chooses_and_counts(monkeypatch):
    parts = []
    given = module._parted
    monkeypatch.setattr(module, "_parted", lambda *words: parts.append(given(*words)) or parts[-1])
    d0, d1 = laplace(0, 1, 900, seed=1), laplace(0, 1, 1_000, seed=2)
    dpv.audit_samples(d0=d0, d1=d1, claim=CLAIM)
    for side, given_side in enumerate((d0, d1[:900])):
        choosing, counting = parts[0].choosing[side], parts[0].counting[side]
        assert (len(choosing), len(counting)) == (300, 600)
        assert sorted([*choosing, *counting]) == sorted(given_side)  # each once
        assert not np.array_equal(choosing, given_side[:300])  # no matter in which order they came


def test_too_few_draws_say_how_many_would_do():
    few = found(0.2, 100)
    assert few.verdict == "inconclusive"
    assert "150 a side could" in few.row.verdict.reason
    assert found(0.2, 150).evidence.trials == 100
    alike = dpv.audit_samples(d0=laplace(0, 1, 300, seed=1), d1=laplace(0, 1, 300, seed=2), claim=CLAIM)
    assert alike.verdict == "inconclusive"
    assert "draws a side might detect epsilon = 2" in alike.row.verdict.reason
    assert [draws_for(n) - choosing_of(draws_for(n)) >= n for n in (1, 100, 10**6)] == [True] * 3


def test_a_weak_pass_says_what_would_be_enough():
    weak = found(1.0, 3_000, detect=1.2)
    assert any(note.startswith("weak: ") and "draws a side might" in note for note in weak.notes)


def test_labels_and_rows():
    coins = np.random.default_rng(3)
    yes, no = (["yes" if u < share else "no" for u in coins.random(3_000)] for share in (0.9, 0.1))
    refuted = dpv.audit_samples(d0=yes, d1=no, claim=CLAIM)
    assert refuted.verdict == "refuted"
    assert set(refuted.evidence.witness["labels"]) == {"yes", "no"}
    rows = [coins.normal(size=(2_000, 3)) + np.array([shift, 0, 0]) for shift in (3, 0)]
    assert dpv.audit_samples(d0=rows[0], d1=rows[1], claim=CLAIM).verdict == "refuted"
    identities = [[f"id-{side}-{place}" for place in range(600)] for side in (0, 1)]
    blind = dpv.audit_samples(d0=identities[0], d1=identities[1], claim=CLAIM)
    assert blind.verdict != "not_refuted"  # what cannot be compared is never a pass


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"d0": []}, "no draws"),
        ({"d0": 3}, "a int"),
        ({"d0": np.sort(laplace(0, 1, 2_000, seed=5))}, "depend on one another"),
        ({"d0": np.tile(laplace(0, 1, 500, seed=5), 4)}, "depend on one another"),
        ({"relation": "cousins"}, "relation 'cousins'"),
        ({"claim": "PureDP(epsilon=-1)"}, "epsilon"),
        ({"detect": 0.5}, "detect = 0.5"),
        ({"confidence": 2.0}, "confidence"),
    ],
)
def test_bad_input_is_one_line(words, said):
    given = {"d0": laplace(0, 1, 2_000, seed=1), "d1": laplace(0, 1, 2_000, seed=2), "claim": CLAIM}
    with pytest.raises(dpv.InputError, match=said) as caught:
        dpv.audit_samples(**given | words)
    assert "\n" not in str(caught.value)


def test_the_same_seed_gives_the_same_bits():
    first, second = (found(0.7, 2_000, seed=1).evidence for _ in range(2))
    assert (first.bound, first.statistics, first.witness) == (second.bound, second.statistics, second.witness)


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.savetxt("d0.csv", laplace(1, 0.4, 4_000, seed=1))
    np.save("d1.npy", laplace(0, 0.4, 4_000, seed=2))

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["dpverify", *words])
        with pytest.raises(SystemExit) as caught:
            unwatched()
        return caught.value.code, *capsys.readouterr()

    return run


def test_by_command_line(call):
    files = ("--samples-d0", "d0.csv", "--samples-d1", "d1.npy")
    status, out, _ = call("audit", *files, "--claim", CLAIM, "--json", "r.json")
    assert status == 1
    assert "taken for" in out
    assert call("recheck", "r.json")[0] == 0
    (item,) = json.loads(Path("r.json").read_text())
    assert item["reproduce"].startswith("dpverify audit --samples-d0 d0.csv --samples-d1 d1.npy")
    assert item["id"] == "d0.csv-d1.npy"
    assert call("scores", "--scores-in", "d0.csv", "--scores-out", "d1.npy", "--claim", CLAIM)[0] == 1
    for words, said in (
        (("audit", "--samples-d0", "d0.csv"), "--samples-d1 is missing"),
        (("audit", "--samples-d0", "d0.csv", "--samples-d1", "d1.npy", "--trials", "5"), "--trials with --samples-d0"),
        (("audit", *files, "--show-records", "--outputs", "json"), "--outputs, --show-records with --samples-d0"),
        (("audit", "mine:function", *files), "mechanism with --samples-d0"),
        (("scores", "--scores-in", "d0.csv"), "one of --scores-in and --scores-out"),
        (("scores",), "no scores"),
    ):
        status, _, err = call(*words, "--claim", CLAIM)
        assert status == 2
        assert said in err
