"""Records fit the published schema."""

import json
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

from dpverify.core.json_text import dump
from dpverify.runner.record import plain, record

SCHEMA = json.loads(files("dpverify.reporting").joinpath("record.schema.json").read_text())


def test_records_fit_the_schema_and_json(rows, house, entry):
    found = [record(row) for row in rows(house(entry("a", "stands"), entry("b", "broken", shift=9.0)))]
    jsonschema.validate(found[0], SCHEMA)
    jsonschema.validate(found[1], SCHEMA)
    assert json.loads(dump(found)) == found
    assert found[1]["verdict"] == "refuted"
    assert found[1]["reproduce"].startswith("dpverify run core")


def test_a_wrong_record_does_not_fit_the_schema(rows, house, entry):
    found = record(rows(house(entry("a")))[0]) | {"verdict": "private"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, SCHEMA)


def test_plain_values():
    assert plain({"a": np.float64(1.5), "b": np.array([1, 2]), "c": float("inf"), "d": float("nan")}) == {
        "a": 1.5,
        "b": [1, 2],
        "c": "inf",
        "d": None,
    }
