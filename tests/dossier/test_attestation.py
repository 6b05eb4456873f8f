"""The in-toto statement: by its schema, with the digest of what was audited, and no pass where nothing was seen."""

from __future__ import annotations

import hashlib
import json
import os
import sys

import jsonschema
import pytest

from dpverify.core.errors import InputError
from dpverify.core.json_text import dump
from dpverify.dossier.attestation import TAKEN, schema, statement
from dpverify.dossier.subject_files import subject_files
from tests.dossier.made import REFUTED, VACUOUS, record, runs


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "mymodule.py").write_text("raise SystemExit('imported')\n")
    return tmp_path


def attested(folder, *records, against=(), subject=()):
    read = runs(folder / "run", *records)
    made = json.loads(dump(statement(read, subject_files(read, subject), against)))
    jsonschema.validate(made, schema())
    return made


def test_the_statement_names_what_was_audited_and_how(here):
    made = attested(here, record())
    digest = hashlib.sha256((here / "mymodule.py").read_bytes()).hexdigest()
    assert made["_type"] == "https://in-toto.io/Statement/v1"
    assert made["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert made["subject"] == [
        {
            "name": "mymodule.py",
            "digest": {"sha256": digest},
            "annotations": {"what": "the module mymodule; not what it imports", "taken": TAKEN},
        }
    ]
    (configuration,) = made["predicate"]["configuration"]
    assert configuration["digest"]["sha256"] == hashlib.sha256(dump(record()).encode()).hexdigest()
    assert configuration["annotations"]["claim"] == "PureDP(epsilon=1)"


@pytest.mark.parametrize(
    ("records", "against", "result", "lists"),
    [
        ([record()], [], "PASSED", (["sum"], [], [])),
        ([record(), record(id="b", **VACUOUS)], [], "WARNED", (["sum"], ["b"], [])),
        ([record(detectable="inf")], [], "WARNED", ([], ["sum"], [])),
        ([record(), record(id="b", **VACUOUS), record(id="c", **REFUTED)], [], "FAILED", (["sum"], ["b"], ["c"])),
        ([record(verdict="error")], [], "FAILED", ([], [], ["sum"])),
        (
            [record(), record(id="k", expectation="broken", **REFUTED)],
            [],
            "PASSED",
            (["sum", "k (control: is refuted)"], [], []),
        ),
        ([record()], [{"what": "unit", "id": "sum"}], "FAILED", (["sum"], [], ["declared unit of sum"])),
    ],
)
def test_what_passed(here, records, against, result, lists):
    made = attested(here, *records, against=against)["predicate"]
    assert made["result"] == result
    assert tuple(made[f"{name}Tests"] for name in ("passed", "warned", "failed")) == lists


def test_the_schema_refuses_what_is_no_statement(here):
    made = attested(here, record())
    jsonschema.Draft202012Validator.check_schema(schema())
    for change in (
        {"predicateType": "https://in-toto.io/attestation/test-result/v0.2"},
        {"subject": [{"name": "a", "digest": {"sha256": "12"}, "annotations": {"what": "", "taken": ""}}]},
        {"predicate": {**made["predicate"], "result": "REFUTED"}},
        {"predicate": {"result": "PASSED"}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(made | change, schema())


def test_a_control_is_no_subject(here):
    """A consumer finds a statement by the digest of its subject: a broken mechanism must not be found as passed."""
    broken = {"expectation": "broken", "subject": "laplace-as-gaussian", "reproduce": "dpverify run core"}
    made = attested(here, record(), record(id="k", **broken, **REFUTED))
    assert [each["name"] for each in made["subject"]] == ["mymodule.py"]
    with pytest.raises(InputError, match="known-broken"):
        attested(here, record(**broken, **REFUTED))


def test_a_subject_that_was_changed_since_is_refused(here):
    os.utime(here / "mymodule.py", (2_000_000_001, 2_000_000_001))
    with pytest.raises(InputError, match=r"mymodule\.py was changed after the records were written"):
        attested(here, record())


def test_subjects_of_every_kind(here):
    (here / "pack").mkdir()
    for name in ("__init__", "sums"):
        (here / "pack" / f"{name}.py").write_text("")
    (here / "noisy").write_text("#!/bin/sh\n")
    suite = here / "dpverify.toml"
    suite.write_text('[[audit]]\nmechanism = "mymodule:f"\nclaim = "PureDP(epsilon=1)"\ndata = [1.0]\n')
    names = {
        "dpverify audit pack.sums:f --claim x": ["pack/__init__.py", "pack/sums.py"],
        "dpverify audit --command './noisy {data} {seed}' --claim x": ["noisy"],
        "dpverify run core --only laplace": ["reference_impls/mechanisms/laplace.py"],
    }
    for command, expected in names.items():
        made = attested(here, record(reproduce=command, subject="laplace"))
        assert [each["name"] for each in made["subject"]] == expected
    located = record(reproduce="dpverify run", location={"file": "dpverify.toml", "line": 1})
    assert [each["name"] for each in attested(here, located)["subject"]] == ["mymodule.py"]
    (library,) = attested(here, record(library="jinja2", version=__import__("jinja2").__version__))["subject"]
    assert library["name"].endswith("RECORD")
    given = attested(here, record(reproduce="elsewhere"), subject=[here / "noisy"])
    assert [each["name"] for each in given["subject"]] == ["noisy"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"reproduce": "dpverify audit nothere:f"}, "cannot be told from its record"),
        ({"reproduce": "python my.py"}, "give it with --subject FILE"),
        ({"reproduce": "dpverify audit --command 'cat x'"}, "no file in the command 'cat x'"),
        ({"library": "jinja2", "version": "0.1"}, "allowed: jinja2 0.1, as it was audited"),
        ({"library": "notathing", "version": "0.1"}, "notathing is not installed"),
    ],
)
def test_a_subject_that_cannot_be_found_is_one_line(here, changes, said):
    with pytest.raises(InputError) as caught:
        attested(here, record(**changes))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
