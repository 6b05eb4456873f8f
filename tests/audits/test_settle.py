"""Of a large example a part is taken, drawn by the seed, and a line says so."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dpverify as dpv
from dpverify.audits import settle
from dpverify.audits.settle import sample_of
from dpverify.core.errors import InputError

MOST = 20


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(settle, "MOST", MOST)


NUMBERS = [float(each) for each in range(100)]
EXAMPLES = {
    "list": NUMBERS,
    "tuple": tuple(NUMBERS),
    "dicts": [{"a": each} for each in NUMBERS],
    "array": np.array(NUMBERS),
    "matrix": np.array(NUMBERS * 2).reshape(2, 100).T,
    "features and labels": (np.array(NUMBERS)[:, None], np.array(NUMBERS)),
    "columns": {"a": NUMBERS, "b": np.array(NUMBERS)},
    "table": pd.DataFrame({"a": NUMBERS}),
    "column": pd.Series(NUMBERS),
}


def records(data):
    if isinstance(data, dict):
        return [*zip(*data.values(), strict=True)]
    if isinstance(data, tuple) and isinstance(data[0], np.ndarray):
        return [(*one, other) for one, other in zip(*(part.tolist() for part in data), strict=True)]
    if isinstance(data, pd.DataFrame):
        return data["a"].tolist()
    return data.tolist() if hasattr(data, "tolist") else list(data)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_sample_has_records_of_the_example_in_their_order(name):
    whole = EXAMPLES[name]
    found, line = sample_of(whole, relation=None, seed=1)
    assert type(found) is type(whole)
    assert line.startswith(f"of 100 records {MOST} were taken, drawn by the seed")
    taken, places = records(found), records(whole)
    assert len(taken) == MOST
    at = [places.index(each) for each in taken]
    assert at == sorted(set(at))
    assert records(sample_of(whole, relation=None, seed=1)[0]) == taken
    assert records(sample_of(whole, relation=None, seed=2)[0]) != taken


@pytest.mark.parametrize("module", ["polars", "pyarrow"])
def test_tables_of_other_packages_are_sampled_too(module):
    package = pytest.importorskip(module)
    whole = (package.DataFrame if module == "polars" else package.table)({"a": NUMBERS})
    found, _ = sample_of(whole, relation="add-remove", seed=1)
    assert len(found) == MOST


def test_an_example_of_few_records_is_taken_whole():
    data = NUMBERS[:MOST]
    assert sample_of(data, relation=None, seed=1) == (data, "")
    assert sample_of(7, relation=None, seed=1) == (7, "")


def test_where_the_size_is_public_no_part_is_taken():
    with pytest.raises(InputError, match=r"100 records under replace.*allowed: at most 20"):
        sample_of(NUMBERS, relation="replace", seed=1)


def test_an_audit_of_many_records_is_one_of_a_part_and_says_so():
    seen = set()

    def noisy(data, rng):
        seen.add(len(data))
        return sum(data) / 99 + rng.laplace()

    result = dpv.audit(noisy, data=NUMBERS, claim="PureDP(epsilon=1)", trials=200, bounds=(0, 99))
    assert max(seen) <= MOST + 1
    assert any(f"of 100 records {MOST} were taken" in note for note in result.notes)
