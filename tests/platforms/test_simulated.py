"""Other systems, as far as one can be simulated: what the page on installing promises for them, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests import forked
from tests.platforms.simulated import LACKS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.ci
SYSTEMS = sorted(LACKS)
PAIR = ("--claim", "PureDP(epsilon=1)", "--d0", "[1.0]", "--d1", "[]", "--trials", "20000")
SUBJECTS = """
def noisy_sum(data, size, rng):
    return min(max(sum(data), 0.0), 1.0) + rng.laplace(scale=1.0, size=size)


def half(data, rng):
    return min(max(sum(data), 0.0), 1.0) + rng.laplace(scale=0.5)
"""
ISOLATED = """
import sys
from tests.platforms.simulated import pretend
pretend("windows")
import dpverify as dpv
from subjects import half
try:
    dpv.audit(half, claim="PureDP(epsilon=1)", d0=[1.0], d1=[], trials=2000, isolate=True)
except dpv.InputError as problem:
    print(problem)
print(dpv.audit(half, claim="PureDP(epsilon=1)", d0=[1.0], d1=[], trials=20000).verdict.value)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("platform")
    (made / "subjects.py").write_text(SUBJECTS)
    return made


def run(folder, *words):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [ROOT, folder]))}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def there(folder, system, *words):
    return run(folder, "-m", "tests.platforms.simulated", system, *words)


def results(text):
    """The lines of a result but for the one that has seconds."""
    return [line for line in text.splitlines() if " s" not in line]


@cache
def here(folder, name, *words):
    """The audit of a subject as this system makes it, once for all systems that are simulated."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [ROOT, folder]))}
    command = [sys.executable, "-m", "dpverify", "audit", f"subjects:{name}", *PAIR, *words]
    return forked.run(command, cwd=folder, env=environment)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(("name", "status"), [("noisy_sum", 0), ("half", 1)])
def test_an_audit_there_has_the_verdict_and_the_bits_of_here(folder, system, name, status):
    done = there(folder, system, "audit", f"subjects:{name}", *PAIR, "--json", f"{system}-{name}.json")
    usual = here(folder, name)
    assert done.returncode == usual.returncode == status, done.stdout + done.stderr
    assert results(done.stdout) == results(usual.stdout)
    again = there(folder, system, "recheck", f"{system}-{name}.json")
    assert again.returncode == 0, again.stdout + again.stderr


@pytest.mark.parametrize("system", SYSTEMS)
def test_other_commands_print_there(folder, system):
    for words, said in ((("account", "gaussian(sigma=8)*10"), "pld"), (("list", "auditors"), "event")):
        done = there(folder, system, *words)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_limit_that_nothing_would_enforce_is_refused_in_one_line(folder, system):
    done = there(folder, system, "audit", "subjects:half", *PAIR, "--max-memory", "1")
    assert done.returncode == 2, done.stdout
    assert "--max-memory on this system" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_run_with_workers_ends_on_a_simulated_macos(folder):
    done = there(folder, "macos", "run", "core", "--only", "laplace", "--out", "out", "--quiet")
    assert done.returncode == 0, done.stdout + done.stderr


def test_isolation_is_refused_without_fork_and_an_audit_goes_on_without_it(folder):
    done = run(folder, "-c", ISOLATED)
    assert done.returncode == 0, done.stderr
    refused, verdict = done.stdout.splitlines()
    assert refused.startswith("isolate=True on this system")
    assert verdict == "refuted"


def test_here_the_limits_are_there(folder):
    """The refusals are those of other systems."""
    done = here(folder, "half", "--max-memory", "1")
    assert done.returncode == 1, done.stderr
