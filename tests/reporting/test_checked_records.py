"""Records of a dishonest sender: what contradicts itself is named, and what nobody checked is listed."""

import copy
import hashlib
import json

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.errors import InputError
from dpverify.core.json_text import dump
from dpverify.core.plugins import registry
from dpverify.reporting.checked_records import (
    TamperedError,
    checked_records,
    contradiction,
    entry_of,
    require_agreement,
    require_digest,
)
from dpverify.reporting.recheck_lines import recheck_lines
from dpverify.runner.record import record
from tests.dossier.made import record as made_record

COMMAND = "dpverify audit m:noisy --claim 'PureDP(epsilon=1)' --d0 '[1,0]' --d1 '[1]' --trials 4000"


def noisy(data, size, rng):
    return sum(data) + rng.laplace(scale=1.0, size=size)


@pytest.fixture(scope="module")
def honest():
    """A record that stands, and one that is refuted."""
    made = []
    for epsilon, name in ((1.0, "stands"), (0.5, "falls")):
        claim = dpv.PureDP(epsilon=epsilon)
        result = dpv.audit(noisy, [1.0, 1.0], [1.0], claim=claim, trials=4000, methods=["event"], name=name)
        item = json.loads(dump(record(result.row)))
        made.append(
            item | {"reproduce": COMMAND.replace("epsilon=1", f"epsilon={epsilon:g}"), "files": {"m.py": "0" * 64}}
        )
    assert [item["verdict"] for item in made] == ["not_refuted", "refuted"]
    return made


def both(item, field, value):
    """The field changed in the row and in its evidence."""
    item[field] = value
    item["evidence"][0][field] = value


TAMPERED = {
    "detectable": lambda item: both(item, "detectable", 1.1),
    "ceiling": lambda item: both(item, "ceiling", 50.0),
    "rarest": lambda item: item.update(rarest=1e-6),
    "no pair of replace": lambda item: item.update(relation="replace"),
    "seed": lambda item: item.update(seed=7),
    "claim": lambda item: item.update(reproduce=COMMAND.replace("=1)", "=3)")),
    "the command asks for histogram": lambda item: item.update(reproduce=COMMAND + " --method histogram"),
    "pair": lambda item: (item["witness"].update(d0=[5.0, 6.0]), item["evidence"][0]["witness"].update(d0=[5.0, 6.0])),
}


def test_honest_records_agree(honest, tmp_path):
    assert checked_records(honest).first_fault() == ""
    registry().writers.get("json").write(honest, tmp_path, title="run")
    found = checked_records(honest, tmp_path)
    assert found.first_fault() == "" and found.beside == ("summary.json", "records")


@pytest.mark.parametrize("what", sorted(TAMPERED))
def test_a_changed_field_is_named(what, honest):
    item = copy.deepcopy(honest[0])
    TAMPERED[what](item)
    fault = checked_records([item]).first_fault()
    assert what in fault, fault
    assert any("DIFFERS" in line for line in recheck_lines(checked_records([item]), expected=False))


def test_a_row_that_was_dropped_is_missed_by_the_summary(honest, tmp_path):
    registry().writers.get("json").write(honest, tmp_path, title="run")
    (tmp_path / "results.json").write_text(dump(honest[:1]))
    fault = checked_records(honest[:1], tmp_path).first_fault()
    assert "summary.json says 1 not refuted, 1 refuted, and the rows are 1 not refuted" in fault
    with pytest.raises(TamperedError, match="contradict themselves"):
        require_agreement(honest[:1], tmp_path)


def test_a_row_that_differs_from_its_own_file_is_named(honest, tmp_path):
    registry().writers.get("json").write(honest, tmp_path, title="run")
    changed = [honest[0] | {"notes": ["all is well"]}, honest[1]]
    assert "records/ has another row of stands" in checked_records(changed, tmp_path).first_fault()


def test_the_last_lines_say_what_was_not_checked(honest):
    undigested = honest[0] | {"files": {}}
    last = " ".join(" ".join(recheck_lines(checked_records([undigested]), expected=False)).split("Not checked: ")[1:])
    for told in ("which code ran (no digests of its files)", "left out or relabelled", "--expect-digest", "drawn"):
        assert told in " ".join(last.split()), last
    assert "--expect-digest" not in " ".join(recheck_lines(checked_records(honest), expected=True))
    hidden = copy.deepcopy(honest[0])
    for witness in (hidden["witness"], hidden["evidence"][0]["witness"]):
        witness.update(d0="records of the example are not shown")
    assert checked_records([hidden]).rows[0].unchecked == ("pairs that are not written down",)


def test_a_digest_from_elsewhere_shows_that_it_is_the_file(honest, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(dump(honest))
    found = checked_records(honest, tmp_path)
    right = hashlib.sha256(path.read_bytes()).hexdigest()
    require_digest(found, right.upper(), path)
    with pytest.raises(TamperedError, match="another file"):
        require_digest(found, "0" * 64, path)
    with pytest.raises(InputError, match="64 hexadecimal"):
        require_digest(found, "abc", path)
    with pytest.raises(InputError, match="one file"):
        require_digest(checked_records(honest), right, path)


def test_a_table_is_read_by_its_columns(honest):
    """One record replaced, and one added: each is a pair of its own relation alone."""
    item = copy.deepcopy(honest[0])
    item["reproduce"] = ""
    sides = {"d0": {"'age'": [1, 2], "'sex'": ["a", "b"]}, "d1": {"'age'": [1, 3], "'sex'": ["a", "b"]}}
    for witness in (item["witness"], item["evidence"][0]["witness"]):
        witness.update(sides)
    assert "no pair of add-remove" in checked_records([item]).first_fault()
    assert checked_records([item | {"relation": "replace"}]).first_fault() == ""
    assert np.isfinite(item["detectable"])


def certified(item, method):
    item = copy.deepcopy(item)
    proof = {"confidence": None, "error": 0.0, "proved": True, "bound": 0.4, "excess": 0.0, "ceiling": None}
    for place in (item, item["evidence"][0]):
        place.update({name: value for name, value in (proof | {"detectable": None}).items() if name in place})
    item.update(verdict="certified", method=method, rarest=None, tightness=0.8 if "0.5" in item["guarantee"] else 0.4)
    item["evidence"][0].update(says="certified", auditor=method, coverage="enclosure")
    return item


def test_a_proof_of_a_method_that_nobody_knows_is_not_printed(honest, tmp_path):
    for method in ("event", "trust-me"):
        (tmp_path / "results.json").write_text(dump([certified(honest[1], method)]))
        with pytest.raises(TamperedError, match=method):
            require_agreement([certified(honest[1], method)], tmp_path / "results.json")


def test_a_verdict_that_was_just_made_follows_from_counts(honest):
    assert contradiction(honest[0]) == contradiction(honest[1]) == ""
    exact = certified(honest[1], "exact")
    assert contradiction(exact) == "exact draws nothing, and was not asked"
    assert contradiction(exact, exact=True) == ""
    without = copy.deepcopy(honest[0])
    del without["evidence"][0]["statistics"]["k1"]
    assert "k1" in contradiction(without) and contradiction(without, pooled=True) == ""


def test_a_row_of_a_built_in_suite_expects_what_that_declares():
    known = registry()
    claim = known.entries.get("laplace").claim
    item = made_record(id="laplace", subject=claim.subject, guarantee=claim.guarantee.text(), expectation="broken")
    assert "expectation is printed as broken" in str(checked_records([item]).rows[0].faults)
    assert entry_of(item | {"location": {"file": "dpverify.toml", "line": 1}}, known) is None
    assert entry_of(item | {"subject": "own"}, known) is None
