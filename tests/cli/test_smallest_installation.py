"""The smallest installation audits and rechecks without what `CAN_BE_LEFT_OUT` names, and says what else it lacks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpverify.core.extras import CAN_BE_LEFT_OUT

SUBJECTS = """
def noisy_sum(data, size, rng):
    return min(max(sum(data), 0.0), 1.0) + rng.laplace(scale=1.0, size=size)


def half(data, rng):
    return min(max(sum(data), 0.0), 1.0) + rng.laplace(scale=0.5)


def wide(data, size, rng):
    return min(max(sum(data), 0.0), 1.0) + rng.laplace(scale=9.0, size=(size, 5))
"""

WITHOUT = f"""
import sys

LEFT_OUT = {sorted(CAN_BE_LEFT_OUT)!r}

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in LEFT_OUT:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Without())
from importlib import util
found = util.find_spec
util.find_spec = lambda name, package=None: None if name.partition(".")[0] in LEFT_OUT else found(name, package)
from dpverify.cli import main
main()
"""

pytestmark = pytest.mark.ci
AUDIT = ("--claim", "PureDP(epsilon=1)", "--d0", "[1.0]", "--d1", "[]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("small")
    (made / "subjects.py").write_text(SUBJECTS)
    whole = [sys.executable, "-m", "dpverify", "list", "claims"]  # makes the index, as a wheel brings it
    subprocess.run(whole, cwd=made, capture_output=True, check=True)
    return made


def run(folder, *words):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    command = [sys.executable, "-c", WITHOUT, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("name", "status"), [("noisy_sum", 0), ("half", 1)])
def test_a_callable_is_audited_and_its_record_rechecked(folder, name, status):
    done = run(folder, "audit", f"subjects:{name}", *AUDIT, "--trials", "20000", "--json", f"{name}.json")
    assert done.returncode == status, done.stdout + done.stderr
    whole = subprocess.run(
        [sys.executable, "-m", "dpverify", "audit", f"subjects:{name}", *AUDIT, "--trials", "20000"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert _numbers(done.stdout) == _numbers(whole.stdout)  # nothing is lost: the same bits
    again = run(folder, "recheck", f"{name}.json")
    assert again.returncode == 0, again.stdout + again.stderr


def test_what_needs_more_says_which_package_in_one_line(folder):
    for words, package in (
        (("account", "gaussian(sigma=8)*10"), "numba"),
        (("run", "core", "--only", "laplace"), "joblib"),
        (("report", "half.json", "--out", "pages"), "jinja2"),
    ):
        done = run(folder, *words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert f"pip install {package}" in done.stderr
        assert "internal error" not in done.stderr
        assert len(done.stderr.splitlines()) == 1
    done = run(folder, "audit", "subjects:wide", "--claim", "PureDP(epsilon=5)", "--d0", "[1.0]", "--d1", "[]")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "pip install" in " ".join(done.stdout.split())


def test_the_page_on_installing_names_what_is_needed():
    """The command of the page, and every dependency on one side or the other."""
    root = Path(__file__).parents[2]
    page = (root / "docs" / "howto" / "install.md").read_text()
    small = re.search(r"pip install (numpy [^\n]+)\n", page)
    assert small is not None
    import tomllib

    named = {
        re.split("[<>=]", each)[0]
        for each in tomllib.loads((root / "pyproject.toml").read_text())["project"]["dependencies"]
    }
    assert named == set(small[1].split()) | {*CAN_BE_LEFT_OUT.values(), "llvmlite"}


def _numbers(text):
    return re.sub(r"[\d.]+ s\b", "", text)
