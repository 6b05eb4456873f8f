"""Records fit the published schema."""

import json
from importlib.resources import files
from typing import NotRequired, get_origin, get_type_hints

import jsonschema
import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.json_text import dump
from dpverify.core.record import EvidenceRecord, PublishedRecord, Record
from dpverify.runner import row as rows_module
from dpverify.runner.record import plain, record

CLAIM = "PureDP(epsilon=1)"
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


def test_a_record_computes_nothing(monkeypatch):
    """The search for the rarest leak was made when the row's evidence was there."""
    row = dpv.audit(
        lambda data, rng: sum(data) + rng.laplace(), [1.0], [0.0], claim="PureDP(epsilon=1)", trials=500
    ).row
    assert 0.0 < row.rarest < 1.0
    for name in ("rarest_leak", "_known"):
        monkeypatch.setattr(rows_module, name, None)
    assert record(row)["rarest"] == row.rarest


def required(kind):
    hints = get_type_hints(kind, include_extras=True)
    return {name for name, hint in hints.items() if get_origin(hint) is not NotRequired}


def test_the_type_of_a_record_is_the_schema():
    """Field by field; what old records may lack is required of none of them, and written now."""
    written = {"statement", "parameters", "space", "reason", "tightness", "excess", "proved", "estimate", "detectable"}
    written |= {"ceiling", "expectation", "surprise"}
    for kind, schema in ((Record, SCHEMA), (PublishedRecord, SCHEMA["properties"]["published"])):
        assert {*kind.__annotations__} == {*schema["properties"]}
        assert required(kind) - written == {*schema["required"]}
    assert {*SCHEMA["$defs"]["evidence"]["required"]} <= required(EvidenceRecord)
