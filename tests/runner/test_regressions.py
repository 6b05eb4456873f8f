"""Saved failures: written and read back whole, and evidence of nothing by themselves."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status
from dpverify.datasets.neighbors.json_values import plain_dataset
from dpverify.runner.regressions import load, new_failures, restored, save
from tests.runner.saved import HARMLESS, SAVED, Looker, fixed, row, task


def test_failures_come_from_refuted_rows_that_nobody_expected():
    evidence = Looker().audit(task(neighbors=fixed([0.0, 0.0], [0.0, 2.0])))
    (found,) = new_failures([row(evidence)])
    assert (found.d0, found.d1, found.parameters) == ([0.0, 0.0], [0.0, 2.0], {"gain": 1.0})
    assert len(new_failures([row(evidence, expectation="stands")])) == 1
    assert new_failures([row(evidence, expectation="broken")]) == []
    assert new_failures([row(evidence, status=Status.NOT_REFUTED)]) == []
    named = {"shape": [30_000], "type": "float64", "sha256": "0"}
    assert new_failures([row(replace(evidence, witness={**evidence.witness, "d0": named}))]) == []
    assert new_failures([row(replace(evidence, witness={"event": "no pair"}))]) == []


def test_saved_and_loaded_again(tmp_path):
    folder = tmp_path / "new" / "regressions"
    (path,) = save([SAVED], folder)
    (again,) = load(folder)
    assert again == replace(SAVED, file=path.name)
    assert save([SAVED], folder) == []  # the same failure has the same name
    assert len(save([HARMLESS, SAVED], folder)) == 1
    assert [each.name for each in folder.iterdir() if each.suffix != ".json"] == []
    assert load(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1]",
        "{}",
        '{"schema": 3}',
        json.dumps({"schema": 2, "claim": "moves"}),
        json.dumps(
            {
                "schema": 2,
                "claim": 3,
                "auditor": "",
                "d0": 0,
                "d1": 1,
                "parameters": {},
                "claimed": "",
                "event": "",
                "seed": 0,
            }
        ),
        "\xff",
    ],
)
def test_a_bad_file_is_one_line(tmp_path, text):
    (tmp_path / "bad.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as problem:
        load(tmp_path)
    assert "bad.json" in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="folder"):
        load(tmp_path / "file")


@dataclass(frozen=True)
class Rows:
    rows: np.ndarray
    names: tuple


@pytest.mark.parametrize(
    ("value", "like"),
    [
        ([1.0, 2.5], np.array([0.0])),
        ([[1, 2]], np.array([[0, 0]])),
        (3, 7),
        ([1, 2], [0]),
        ({"a": [1.0], "b": 2}, {"a": np.array([0.0]), "b": 1}),
        ({"rows": [[1.0]], "names": ["x"]}, Rows(rows=np.zeros((2, 1)), names=("y",))),
        (2, np.int64(1)),
    ],
)
def test_data_sets_take_the_form_of_the_generators(value, like):
    found = restored(value, like)
    assert type(found) is type(like)
    assert plain_dataset(found) == value
    if isinstance(like, np.ndarray):
        assert found.dtype == like.dtype


def test_a_file_says_only_where_to_look(tmp_path):
    (path,) = save([SAVED], tmp_path)
    assert set(json.loads(path.read_text())) == {
        "schema", "claim", "auditor", "d0", "d1", "parameters", "claimed", "event", "seed",
    }  # fmt: skip
