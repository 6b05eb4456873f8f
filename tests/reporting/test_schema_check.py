"""Our reading of our schemas, against a general validator: the same records pass, and the same do not."""

import copy
import json
import random
from importlib.resources import files

import jsonschema
import pytest

from dpverify.ledger.committed_records import records_folder
from dpverify.reporting.read_records import schema
from dpverify.reporting.schema_check import schema_fault

JUNK = [None, True, False, 0, 1, -1, 2, 0.5, 1.5, "", "x y", "inf", "refuted", [], [1], {}, {"a": 1}]
RECORDS = sorted(records_folder().glob("*.json"))


def valid(item):
    return jsonschema.Draft202012Validator(schema()).is_valid(item)


def changes(item, rng):
    """The item with a value replaced, a name dropped, or one added, somewhere near the top."""
    for _ in range(60):
        made = copy.deepcopy(item)
        inside = rng.choice([made, made, *made["evidence"], *(part["measure"] for part in made["evidence"])])
        name = rng.choice(list(inside))
        action = rng.randrange(4)
        if action == 0:
            del inside[name]
        elif action == 1:
            inside["another"] = rng.choice(JUNK)
        else:
            inside[name] = rng.choice(JUNK)
        yield made


def test_every_committed_record_passes():
    assert RECORDS
    for path in RECORDS:
        assert schema_fault(json.loads(path.read_text()), schema()) == ""


@pytest.mark.parametrize("seed", range(4))
def test_it_says_what_a_general_validator_says(seed):
    rng = random.Random(seed)
    seen = set()
    for path in rng.sample(RECORDS, 4):
        for item in changes(json.loads(path.read_text()), rng):
            assert (schema_fault(item, schema()) == "") == valid(item), schema_fault(item, schema())
            seen.add(valid(item))
    assert seen == {True, False}


@pytest.mark.parametrize("item", [*JUNK, [[]]], ids=repr)
def test_what_is_no_object_is_no_record(item):
    assert (schema_fault(item, schema()) == "") == valid(item)
    assert schema_fault(item, schema())


def test_the_other_schemas_use_no_word_that_is_not_known():
    for path in files("dpverify.reporting").iterdir():
        if path.name.endswith(".schema.json"):
            whole = json.loads(path.read_text())
            for each in parts_of(whole):
                schema_fault({}, each, root=whole)


def parts_of(part):
    """A schema and all that lie in it, where no value need be looked at to find them."""
    yield part
    for name in ("properties", "$defs"):
        for each in part.get(name, {}).values():
            yield from parts_of(each)
    for name in ("items", "additionalProperties"):
        if isinstance(part.get(name), dict):
            yield from parts_of(part[name])


@pytest.mark.parametrize(
    ("value", "of"),
    [
        (0, {"const": False}),
        (1, {"enum": [True]}),
        (True, {"type": "integer"}),
        (1.0, {"exclusiveMinimum": 1}),
        ("a b", {"pattern": "^\\S+$"}),
        ({"a": 1}, {"properties": {"a": {"type": "string"}}}),
        ({"a": 1}, {"additionalProperties": {"type": "string"}}),
        ([1, "a"], {"items": {"type": "integer"}}),
    ],
)
def test_single_words(value, of):
    assert schema_fault(value, of)
    assert not jsonschema.Draft202012Validator(of).is_valid(value)


def test_a_word_that_is_not_known_is_never_skipped():
    with pytest.raises(ValueError, match="maxLength"):
        schema_fault([], {"maxLength": 1})
