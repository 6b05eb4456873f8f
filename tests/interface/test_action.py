"""The composite action and the workflow of the page on CI, as far as no runner is needed: bash runs their steps."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import dpverify

ROOT = Path(dpverify.__file__).parents[1]
ACTION = ROOT / ".github/actions/dpverify/action.yml"
if not ACTION.is_file():
    pytest.skip("an installed package has no action beside it", allow_module_level=True)

MODULE = """
def noisy_sum(data, size, rng):
    return sum(data) + rng.laplace(size=size)

def half(data, size, rng):
    return sum(data) + rng.laplace(scale=0.5, size=size)
"""
SUITE = """
[[audit]]
name = "sum"
mechanism = "mymodule:{function}"
claim = "PureDP(epsilon=1)"
data = [0.0, 1.0, 0.3]
trials = 20000
"""


def action():
    return yaml.safe_load(ACTION.read_text())


def workflow():
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "docs/howto/ci.md").read_text(), re.DOTALL | re.MULTILINE)
    return yaml.safe_load(block)


def filled(text, inputs):
    """An expression that a runner would replace."""
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], text)


def run_steps(folder, **given):
    """All steps of the action; (exit status of each step that ran, the job's summary, what was printed)."""
    inputs = {name: each["default"] for name, each in action()["inputs"].items()} | given
    summary = folder / "summary.md"
    environment = {name: value for name, value in os.environ.items() if name != "DPVERIFY_OUTERMOST"}
    environment |= {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    environment["GITHUB_OUTPUT"] = str(folder / "output.txt")
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    statuses, printed = {}, ""
    for step in action()["runs"]["steps"]:
        if "uses" in step:  # the runner's cache
            continue
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]  # inputs come as environment variables, never as text of a script
        if "baseline" in step.get("if", "") and not inputs["baseline"]:
            continue
        words = {name: filled(value, inputs) for name, value in step.get("env", {}).items()}
        words.pop("NUMBA_CACHE_DIR", None)  # the kernels that the tests have compiled serve here
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=environment | words,
            capture_output=True,
            text=True,
            check=False,
        )
        statuses[step["name"]] = ran.returncode
        printed += ran.stdout + ran.stderr
    return statuses, summary.read_text() if summary.exists() else "", printed


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    (folder / "mymodule.py").write_text(MODULE)
    (folder / "dpverify.toml").write_text(SUITE.format(function="noisy_sum"))
    return folder


@pytest.mark.ci
def test_a_sound_package_passes_and_one_that_breaks_fails_on_its_own_line(package):
    statuses, summary, printed = run_steps(package, install="")
    assert statuses == {"Install": 0, "Key": 0, "Warm up": 0, "Audit": 0}, printed
    assert "kernels: " in printed
    assert "not refuted" in summary
    assert {each.name for each in (package / "dpverify-report").iterdir()} >= {
        "report.html",
        "results.json",
        "junit.xml",
        "report.sarif",
    }
    (package / "baseline.json").write_bytes((package / "dpverify-report" / "results.json").read_bytes())
    (package / "dpverify.toml").write_text(SUITE.format(function="half"))
    statuses, summary, printed = run_steps(package, install="", baseline="baseline.json")
    assert statuses == {"Install": 0, "Key": 0, "Warm up": 0, "Audit": 1, "Compare": 1}, printed
    assert re.search(r"^::error file=dpverify\.toml,line=\d+,title=dpverify%3A sum::", printed, re.MULTILINE)
    assert "refuted" in summary


def test_kernels_are_cached_where_they_are_compiled_and_looked_for():
    steps = {step["name"]: step for step in action()["runs"]["steps"]}
    folder = steps["Cache"]["with"]["path"]
    assert [steps[name]["env"]["NUMBA_CACHE_DIR"] for name in ("Warm up", "Audit")] == [folder, folder]
    assert f"steps.{steps['Key']['id']}.outputs.key" in steps["Cache"]["with"]["key"]
    assert list(steps).index("Key") < list(steps).index("Cache") < list(steps).index("Warm up")


def test_the_workflow_of_the_readme_uses_the_action_as_it_is():
    steps = workflow()["jobs"]["audit"]["steps"]
    (used,) = [step for step in steps if ".github/actions/dpverify" in step.get("uses", "")]
    assert used["with"].keys() <= action()["inputs"].keys()
    for step in steps:
        for name in re.findall(rf"steps\.{used['id']}\.outputs\.(\w+)", str(step)):
            assert name in action()["outputs"]
    assert used["uses"].endswith(f"@v{dpverify.__version__}")
