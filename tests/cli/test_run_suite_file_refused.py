"""What `dpverify run` refuses before anything is drawn: each fault of a suite file, and options without one."""

from __future__ import annotations

import re

import pytest

from tests.cli.test_run_suite_file import MODULE, entry


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "suitemodule.py").write_text(MODULE)
    (tmp_path / "raises_suite.py").write_text("raise RuntimeError('no')")
    (tmp_path / "exits_suite.py").write_text("import os\nos._exit(4)")
    return tmp_path


def test_all_faults_are_said_before_anything_is_drawn(folder, call):
    text = (
        entry("noisy_sum")
        + entry("noisy_sum", name="bad-claim").replace("PureDP(epsilon=1)", "PureDP(epsilom=1)")
        + entry("missing")
        + entry("x", name="no-module").replace("suitemodule", "no_such_module")
        + entry("x", name="raises").replace("suitemodule", "raises_suite")
        + entry("x", name="exits").replace("suitemodule", "exits_suite")
        + entry("scaled", name="needs-more")
        + entry("noisy_sum", name="no-records", data="[]")
        + entry("noisy_sum", name="no-file", data='"nowhere.csv"')
        + entry("noisy_sum", name="no-relation", more='relation = "sideways"')
        + entry("noisy_sum", name="not-finite", data="[nan]")
        + entry("noisy_sum", "parameters = { scale = 2 }", name="unknown-parameter")
        + entry("Sum", name="a-class")
        + entry("Sum(scale=1.0)")
        + entry("Sum", "parameters = { scale = 1.0 }", name="with-parameters")
    )
    (folder / "dpverify.toml").write_text(text)
    status, out, err = call("run", "--out", "out")
    lines = err.strip().split("\n")
    assert (status, out) == (2, "")
    assert len(lines) == 12
    said = dict(line.split("the audit ")[1].split(": ", 1) for line in lines)
    at = [text.split("\n")[int(line.split(":")[2]) - 1].split(" =")[0] for line in lines]
    assert " ".join(at) == (
        "claim mechanism mechanism mechanism mechanism [[audit]] [[audit]] data relation data parameters [[audit]]"
    )
    assert "epsilom" in said["'bad-claim'"]
    assert "no module called 'no_such_module'" in said["'no-module'"]
    assert "suitemodule:Sum(scale=...)" in said["'a-class'"]
    assert "exit status 4" in said["'exits'"]
    assert all("allowed" in line for name, line in said.items() if name != "'exits'")
    assert not (folder / "out" / "results.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no suite file in .* or above it; allowed: dpverify.toml"),
        (["no.toml"], "no file no.toml"),
        (["core", "--strict"], "--strict with a built-in suite"),
        (["core", "--seconds", "3"], "--seconds with a built-in suite"),
    ],
)
def test_what_is_refused_without_a_file(tmp_path, call, words, said):
    (tmp_path / ".git").mkdir()
    status, _, err = call("run", *words)
    assert status == 2
    assert len(err.strip().split("\n")) == 1
    assert re.search(said, err), err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--method", "event"], "--method with a suite file"),
        (["--backend", "threads"], "--backend with a suite file"),
        (["--profile", "benchmark"], "--profile benchmark of a suite file; allowed: quick, full"),
        (["--only", "x*"], "--only 'x*' matches no audit of dpverify.toml; allowed: noisy_sum"),
        (["--confidence", "1"], "confidence 1.0"),
    ],
)
def test_what_is_refused_with_one(folder, call, words, said):
    (folder / "dpverify.toml").write_text(entry("noisy_sum"))
    status, _, err = call("run", *words)
    assert status == 2
    assert said in err
