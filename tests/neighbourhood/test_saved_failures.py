"""Made-up pairs that refuted a claim are saved and tried first, and only inside what is assumed of the data.

False alarms: audits of a true claim are at 1e-9 each.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dpverify as dpv
from dpverify.core.errors import InputError
from dpverify.core.json_text import dump
from dpverify.core.verdict import Status
from dpverify.datasets.neighbors.json_values import plain_dataset
from dpverify.neighbourhood.neighbours import neighbours_of
from dpverify.reporting.formatting import false_alarms
from dpverify.runner.record import record
from dpverify.runner.regressions import Regression, load, restored, save

SECRETS = [0.123456, 0.654321, 0.345678]
SURE = 1 - 1e-9


def too_little_noise(data, size, rng):
    return sum(data) + rng.laplace(scale=0.4, size=size)


def enough_noise(data, size, rng):
    return sum(data) + rng.laplace(scale=1.0, size=size)


def leaks_in_a_gap(data, size, rng):
    """Leaks where a record lies between 0.5 and 0.51, where nobody looks."""
    return 4.0 * any(0.5 < each < 0.51 for each in data) + rng.laplace(size=size)


enough_noise.__qualname__ = too_little_noise.__qualname__ = leaks_in_a_gap.__qualname__ = "noisy"


def audit(function, folder, data=SECRETS, **settings):
    words = {"claim": "PureDP(epsilon=1)", "trials": 20_000, "confidence": SURE} | settings
    return dpv.audit(function, data=data, regressions=folder, **words)


def notes(result):
    return [note for note in result.notes if note.startswith("regression: ")]


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A refutation, with the folder in which its pair was saved."""
    folder = tmp_path_factory.mktemp("first")
    return audit(too_little_noise, folder), folder


@pytest.fixture
def kept(first, tmp_path):
    """A copy of that folder."""
    return Path(shutil.copytree(first[1], tmp_path / "kept"))


def test_the_pair_of_a_refutation_is_saved_and_tried_first(first, kept):
    first, folder = first
    (saved,) = load(kept)
    assert first.verdict is Status.REFUTED
    assert notes(first) == [f"regression: the pair is saved in {folder / saved.file}"]
    assert [saved.d0, saved.d1] == [first.row.verdict.leading.witness[side] for side in ("d0", "d1")]
    again = audit(too_little_noise, kept, seed=1)
    assert again.verdict is Status.REFUTED
    assert notes(again) == [f"regression: {saved.file}: refuted"]
    assert again.row.verdict.leading.witness["pair"] == f"saved in {saved.file}"
    assert len(load(kept)) == 1


def test_a_repaired_mechanism_passes_with_what_is_left(kept):
    result = audit(enough_noise, kept)
    assert result.verdict is Status.NOT_REFUTED
    (said,) = notes(result)
    assert said.endswith((": not refuted", ": inconclusive"))
    # half of the false-alarm probability and a quarter of the draws went to the saved failure
    assert result.row.verdict.leading.trials <= 15_000
    leading = result.row.verdict.leading
    assert 1 - leading.confidence == pytest.approx(0.45e-9, rel=1e-6)  # a tenth is for what the example does not show
    assert leading.statistics["level_with_replays"] == pytest.approx(0.9e-9, rel=1e-6)
    assert false_alarms([record(result.row)]).endswith("at most 9e-10 (1 statistical audit).")


def test_no_record_of_the_example_is_saved(tmp_path):
    leaks_own = lambda data, size, rng: (5.0 if 0.345678 in data else 0.0) + rng.laplace(size=size)  # noqa: E731
    result = audit(leaks_own, tmp_path, show_records=True)
    assert result.verdict is Status.REFUTED
    assert "0.345678" in dump([record(result.row)])  # the pair is the user's own
    assert not list(tmp_path.iterdir())


def test_a_pair_outside_the_assumed_data_is_not_tried(tmp_path):
    audit(too_little_noise, tmp_path, bounds=(0.0, 3.0))
    result = audit(too_little_noise, tmp_path, bounds=(0.0, 1.0))
    assert "cannot be replayed" in notes(result)[0]
    assert "a record that is not float(0, 1)" in notes(result)[0]
    other_size = audit(too_little_noise, tmp_path, bounds=(0.0, 3.0), data=[*SECRETS, 0.2, 0.3])
    assert "records, where the example has 5" in notes(other_size)[0]


def test_a_saved_failure_of_another_claim_is_not_tried(kept):
    assert not [note for note in notes(audit(too_little_noise, kept, claim="PureDP(epsilon=2)")) if ": ref" in note]


def test_a_malformed_file_is_one_line(tmp_path):
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(InputError, match=r"regression .*bad\.json cannot be read"):
        audit(too_little_noise, tmp_path)


def test_a_folder_of_pairs_beside_a_pair_is_refused(tmp_path):
    with pytest.raises(InputError, match="regressions beside d0 and d1"):
        dpv.audit(too_little_noise, [1.0], [0.0], claim="PureDP(epsilon=1)", regressions=tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        [0.2, 0.9],
        [(1, "a"), (2, "b")],
        [{"age": 3, "user": "x"}, {"age": 5, "user": "y"}],
        np.array([[0.1, 0.2], [0.5, 0.6]]),
        pd.DataFrame({"age": [30, 40], "user": ["x", "y"]}),
        pl.DataFrame({"age": [30, 40], "user": ["x", "y"]}),
        pd.Series([1.5, 2.5], name="weight"),
        {"x": [1, 2], "y": np.array([0.1, 0.2])},
        (np.ones((3, 2)), np.array([1, -1, 1])),
    ],
    ids=lambda data: type(data).__name__,
)
def test_pairs_of_every_container_come_back_as_they_were(data, tmp_path):
    generator = neighbours_of(data)
    for pair in generator.candidates(None, limit=6, rng=np.random.default_rng(0)):
        for side in (pair.d0, pair.d1):
            back = restored(json.loads(json.dumps(plain_dataset(side), sort_keys=True)), data)
            assert type(back) is type(side)
            assert plain_dataset(back) == plain_dataset(side)
        assert generator.outside(pair.d0, pair.d1) is None


def test_users_of_a_saved_failure_may_have_any_name():
    data = [(1.0, "a"), (2.0, "a"), (5.0, "b")]
    generator = neighbours_of(data, unit="[1]")
    (pair, *_) = generator.candidates(None, limit=1, rng=np.random.default_rng(0))
    assert generator.outside(pair.d0, pair.d1) is None
    strange = [(record[0], "somebody") for record in pair.d0]
    assert generator.outside(strange, strange) is None
    assert "is not" in generator.outside([(9.0, "a")] * 3, strange)


def test_a_saved_failure_that_the_search_misses_is_found(tmp_path):
    save([Regression(claim="noisy", auditor="gate", d0=[0.0, 0.0, 0.505], d1=[0.0, 0.0])], tmp_path)
    assert audit(leaks_in_a_gap, None, bounds=(0.0, 1.0)).verdict is not Status.REFUTED
    result = audit(leaks_in_a_gap, tmp_path, bounds=(0.0, 1.0))
    assert result.verdict is Status.REFUTED
