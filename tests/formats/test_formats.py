"""A file of every version of every format, made once and never again: each is read for as long as the page promises.

A new version of a format needs a file of its own here, and the older ones stay.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dpverify.core.errors import InputError
from dpverify.proofs import certificate
from dpverify.proofs.check import check
from dpverify.reporting.read_records import read_records
from dpverify.runner import record, regressions, session
from dpverify.runner.evidence_file import EvidenceFile
from dpverify.runner.session import Identity, sessions_of
from dpverify.runner.store import schema
from dpverify.runner.store.store import NAME
from dpverify.suite_file import read as suite_file
from tests import forked

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reference" / "promises.md"


def number(text):
    return int(re.findall(r"\d+", text)[-1])


VERSIONS = {
    "record": (1, record.SCHEMA_VERSION),
    "certificate": (1, number(certificate.FORMAT)),
    "store": (schema.OLDEST, schema.VERSION),
    "evidence": (number(session.OLDER), number(session.FORMAT)),
    "suite-file": (1, suite_file.SCHEMA_VERSION),
    "saved-failure": (2, regressions.SCHEMA),
}
"""The oldest version that is read, and the newest."""

FILES = sorted(path for path in HERE.iterdir() if not path.name.startswith(("test_", "__")))


def test_every_version_that_is_read_has_a_file():
    kept = {(path.stem.rpartition("-")[0], number(path.stem)) for path in FILES}
    assert kept == {(name, each) for name, (old, new) in VERSIONS.items() for each in range(old, new + 1)}


def test_the_page_says_which_versions_are_read():
    rows = re.findall(r"^\| \w[^|]+\| `([\w-]+)` \| (\d+) \| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    assert {name: (int(old), int(new)) for name, new, old in rows} == VERSIONS


@pytest.mark.parametrize("name", ["record-1.json", "store-1.sqlite", "store-2.sqlite"])
def test_records_are_read_and_rechecked(tmp_path, name):
    path = tmp_path / (NAME if name.startswith("store") else name)
    shutil.copy(HERE / name, path)
    (found,) = read_records(path)
    assert found["verdict"] == "refuted"
    assert found["evidence"][0]["bound"] > 1.0
    done = forked.run([sys.executable, "-m", "dpverify", "recheck", str(path)])
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_proof_is_checked():
    assert check(certificate.read(HERE / "certificate-1.json")) == pytest.approx(1.0, abs=1e-11)


def evidence(tmp_path, name):
    path = tmp_path / name
    shutil.copy(HERE / name, path)
    kept = json.loads(path.read_text())
    newest = [*sessions_of(json.loads((HERE / "evidence-2.json").read_text()))]
    identity = Identity(**{"code": "of now", **kept["identity"]})
    return EvidenceFile.open(path, identity, asked=replace(newest[0], seed=1), reproducible=True), newest


def test_evidence_goes_on(tmp_path):
    found, sessions = evidence(tmp_path, "evidence-2.json")
    assert found.sessions == sessions
    assert not found.anew


def test_evidence_of_the_first_form_begins_anew(tmp_path):
    found, _ = evidence(tmp_path, "evidence-1.json")
    assert found.sessions == []
    assert "begins anew" in found.anew


def test_a_suite_file_is_read():
    found = suite_file.read(HERE / "suite-file-1.toml")
    assert [each.name for each in found.entries] == ["half"]


def test_a_saved_failure_is_read():
    (found,) = regressions.load(HERE / "saved-failure-2")
    assert (found.claim, found.guarantee) == ("subjects:half", "PureDP(epsilon=1)")


@pytest.mark.parametrize(("name", "reads"), [("record-1.json", read_records), ("suite-file-1.toml", suite_file.read)])
def test_a_file_of_a_later_version_is_refused_in_one_line(tmp_path, name, reads):
    text = (HERE / name).read_text()
    newer = tmp_path / name
    newer.write_text(re.sub(r'^("?\s*"?schema"?\s*[:=] )1', r"\g<1>99", text, count=1, flags=re.MULTILINE))
    assert newer.read_text() != text
    with pytest.raises(InputError, match="update dpverify") as caught:
        reads(newer)
    assert len(str(caught.value).splitlines()) == 1


def test_a_proof_and_evidence_of_a_later_version_are_refused(tmp_path):
    proof = json.loads((HERE / "certificate-1.json").read_text())
    (tmp_path / "proof.json").write_text(json.dumps({**proof, "format": "dpverify proof 99"}))
    with pytest.raises(Exception, match="is no dpverify proof"):
        certificate.read(tmp_path / "proof.json")
    kept = json.loads((HERE / "evidence-2.json").read_text())
    (tmp_path / "e.json").write_text(json.dumps({**kept, "format": "dpverify sequential evidence, version 99"}))
    asked = next(iter(sessions_of(kept)))
    with pytest.raises(InputError, match="version 99"):
        EvidenceFile.open(tmp_path / "e.json", Identity(**kept["identity"]), asked=asked, reproducible=True)
