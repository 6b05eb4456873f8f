"""The in-toto statement: by its schema, with the digest of what was audited, and no pass where nothing was seen."""

from __future__ import annotations

import hashlib
import json
import os
from importlib import metadata

import jsonschema
import pytest

from dpverify.core.errors import InputError
from dpverify.core.json_text import dump
from dpverify.dossier.attestation import schema, statement, subject_files
from tests.dossier.made import REFUTED, VACUOUS, record, runs

MINE = {"files": {"mymodule.py": "a" * 64}}


def mine(**changes):
    """A record of one's own code, which carries the digest of its file."""
    return record(**(MINE | changes))


def attested(folder, *records, against=(), subject=()):
    read = runs(folder / "run", *records)
    made = json.loads(dump(statement(read, subject_files(read, subject), against)))
    jsonschema.validate(made, schema())
    return made


def test_the_statement_names_what_was_audited_and_how(tmp_path):
    made = attested(tmp_path, mine())
    assert made["_type"] == "https://in-toto.io/Statement/v1"
    assert made["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    (subject,) = made["subject"]
    assert (subject["name"], subject["digest"]) == ("mymodule.py", {"sha256": "a" * 64})
    assert "before the audit" in subject["annotations"]["what"]
    (configuration,) = made["predicate"]["configuration"]
    assert configuration["digest"]["sha256"] == hashlib.sha256(dump(mine()).encode()).hexdigest()
    assert configuration["annotations"]["claim"] == "PureDP(epsilon=1)"


@pytest.mark.parametrize(
    ("records", "against", "result", "lists"),
    [
        ([mine()], [], "PASSED", (["sum"], [], [])),
        ([mine(), mine(id="b", **VACUOUS)], [], "WARNED", (["sum"], ["b"], [])),
        ([mine(detectable="inf")], [], "WARNED", ([], ["sum"], [])),
        ([mine(), mine(id="b", **VACUOUS), mine(id="c", **REFUTED)], [], "FAILED", (["sum"], ["b"], ["c"])),
        ([mine(verdict="error")], [], "FAILED", ([], [], ["sum"])),
        (
            [mine(), mine(id="k", expectation="broken", **REFUTED)],
            [],
            "PASSED",
            (["sum", "k (control: is refuted)"], [], []),
        ),
        ([mine()], [{"what": "unit", "id": "sum"}], "FAILED", (["sum"], [], ["declared unit of sum"])),
    ],
)
def test_what_passed(tmp_path, records, against, result, lists):
    made = attested(tmp_path, *records, against=against)["predicate"]
    assert made["result"] == result
    assert tuple(made[f"{name}Tests"] for name in ("passed", "warned", "failed")) == lists


def test_the_schema_refuses_what_is_no_statement(tmp_path):
    made = attested(tmp_path, mine())
    jsonschema.Draft202012Validator.check_schema(schema())
    for change in (
        {"predicateType": "https://in-toto.io/attestation/test-result/v0.2"},
        {"subject": [{"name": "a", "digest": {"sha256": "12"}, "annotations": {"what": ""}}]},
        {"predicate": {**made["predicate"], "result": "REFUTED"}},
        {"predicate": {"result": "PASSED"}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(made | change, schema())


def test_a_control_is_no_subject(tmp_path):
    """A consumer finds a statement by the digest of its subject: a broken mechanism must not be found as passed."""
    broken = {"expectation": "broken", "subject": "laplace-as-gaussian"}
    made = attested(tmp_path, mine(), record(id="k", **broken, **REFUTED))
    assert [each["name"] for each in made["subject"]] == ["mymodule.py"]
    with pytest.raises(InputError, match="known-broken"):
        attested(tmp_path, record(**broken, **REFUTED))


def test_two_versions_of_one_file_are_refused(tmp_path):
    other = mine(id="b", files={"mymodule.py": "b" * 64})
    with pytest.raises(InputError, match=r"two audits of mymodule\.py, which was another file each time"):
        attested(tmp_path, mine(), other)
    assert len(attested(tmp_path, mine(), mine(id="b"))["subject"]) == 1


def test_subjects_that_are_read_now(tmp_path):
    (built_in,) = attested(tmp_path, record(subject="laplace"))["subject"]
    assert built_in["name"] == "reference_impls/mechanisms/laplace.py"
    assert "no newer than the records" in built_in["annotations"]["what"]
    (library,) = attested(tmp_path, record(library="jinja2", version=metadata.version("jinja2")))["subject"]
    assert library["name"].endswith("RECORD")
    noisy = tmp_path / "noisy"
    noisy.write_text("#!/bin/sh\n")
    (given,) = attested(tmp_path, record(), subject=[noisy])["subject"]
    assert given["digest"]["sha256"] == hashlib.sha256(b"#!/bin/sh\n").hexdigest()
    os.utime(noisy, (2_000_000_001, 2_000_000_001))
    with pytest.raises(InputError, match="noisy was changed after the records were written"):
        attested(tmp_path, record(), subject=[noisy])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "the record of sum does not say in which file noisy_sum is; allowed: "),
        ({"files": {}}, "give it with --subject FILE"),
        ({"library": "jinja2", "version": "0.1"}, "allowed: jinja2 0.1, as it was audited"),
        ({"library": "notathing", "version": "0.1"}, "notathing is not installed"),
    ],
)
def test_a_subject_that_cannot_be_found_is_one_line(tmp_path, changes, said):
    with pytest.raises(InputError) as caught:
        attested(tmp_path, record(**changes))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
