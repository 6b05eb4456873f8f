"""`dpverify dossier`: what it writes, its exit statuses, and one line for bad input."""

from __future__ import annotations

import json

import pytest

from tests.dossier.made import REFUTED, SIGNED, record, runs


@pytest.fixture
def run(call, tmp_path):
    (tmp_path / "mymodule.py").write_text("")
    runs(tmp_path / "run", record(files={"mymodule.py": "a" * 64}))
    runs(tmp_path / "bad", record(id="count", **REFUTED))
    (tmp_path / "d.toml").write_text(SIGNED + "[[claim]]\nid = 'sum'\nunit = 'user'\n")
    return call


def test_files_and_statuses(run, tmp_path):
    status, out, err = run("dossier", "run", "--out", "out", "--attest", "a.json")
    assert status == 0
    assert out.startswith("1 audited claim: 1 not refuted. Not refuted is no proof")
    assert "dpverify: written: a.json (result: PASSED)" in err
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"dossier.html", "dossier.md", "dossier.json"}
    assert json.loads((tmp_path / "a.json").read_text())["predicate"]["passedTests"] == ["sum"]
    assert run("dossier", "run", "bad")[0] == 1
    status, out, _ = run("dossier", "run", "--declarations", "d.toml", "--attest", "a.json")
    assert status == 1
    assert out.startswith("CONTRADICTED: unit of sum: declared user, but")
    assert json.loads((tmp_path / "a.json").read_text())["predicate"]["result"] == "FAILED"
    status, out, _ = run("dossier", "run", "--json", "-")
    assert (status, json.loads(out)["contradictions"]) == (0, [])


def test_a_first_file_is_never_written_over(run, tmp_path):
    status, out, _ = run("dossier", "run", "--init", "new.toml")
    assert status == 0
    assert (
        out == "wrote new.toml; fill in what you can answer for, then: dpverify dossier run --declarations new.toml\n"
    )
    text = (tmp_path / "new.toml").read_text()
    status, _, err = run("dossier", "run", "--init", "new.toml")
    assert (status, err.count("\n")) == (2, 1)
    assert "new.toml is there already" in err
    assert (tmp_path / "new.toml").read_text() == text
    assert run("dossier", "--init", "bare.toml")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no run is given"),
        (["nothing"], "no file or folder nothing"),
        (["run", "run"], "a run is given twice"),
        (["run", "--declarations", "no.toml"], "`dpverify dossier --init no.toml` writes a first one"),
        (["run", "--subject", "mymodule.py"], "--subject without --attest"),
        (["run", "--init", "x.toml", "--out", "out"], "--init with other options"),
        (["run", "--attest", "a.json", "--subject", "no.py"], "cannot read the subject no.py: No such file"),
    ],
)
def test_bad_input_is_one_line(run, tmp_path, words, said):
    status, out, err = run("dossier", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not (tmp_path / "a.json").exists()


def test_a_claim_that_calls_itself_a_control_has_to_be_declared_one(run, tmp_path):
    runs(tmp_path / "own", record(id="own", expectation="broken", **REFUTED))
    status, out, err = run("dossier", "own")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert 'controls = ["own"]' in err
    assert run("dossier", "own", "--init", "first.toml")[0] == 0
    text = (tmp_path / "first.toml").read_text()
    assert '# controls = ["own"]' in text
    (tmp_path / "first.toml").write_text(text.replace("# controls", "controls").replace('""', '"Ada"', 2))
    status, out, err = run("dossier", "own", "--declarations", "first.toml")
    assert status == 0 and "1 of 1 known-broken mechanisms" in out, err
    (tmp_path / "first.toml").write_text('controls = "own"\n')
    assert "a list of ids" in run("dossier", "own", "--declarations", "first.toml")[2]
