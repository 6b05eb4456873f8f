"""`dpverify init`: what it writes loads, says what to check, and is never written over another file."""

from __future__ import annotations

import pytest

from dpverify.suite_file import candidates
from dpverify.suite_file.check import check
from dpverify.suite_file.read import read

SUMS = '''
import os

def noisy_sum(data: list[float], rng, epsilon=0.5):
    return sum(data) + rng.laplace(scale=1 / epsilon)

def gauss(data, rng, epsilon, delta):
    """Differentially private with epsilon = 1 and delta = 1e-6."""
    return sum(data) + rng.normal(scale=6 / epsilon)

def needs_a_model(data, rng, model):
    return model(data)

def dies(data, rng):
    os._exit(3)

def größe(data, rng):
    return len(data) + rng.laplace()

def helper(a, b):
    return a
'''


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "src" / "initpackage"
    (folder / "tests").mkdir(parents=True)
    (folder / "__init__.py").write_text("print('hello')\n")
    (folder / "sums.py").write_text(SUMS)
    (folder / "bad.py").write_text("raise RuntimeError('not today')\n")
    (folder / "hangs.py").write_text("import time\ntime.sleep(1e6)\n")
    (folder / "tests" / "__init__.py").write_text("raise SystemExit\n")
    return tmp_path


def test_what_it_writes_loads_and_can_be_run(package, call, monkeypatch):
    monkeypatch.setattr(candidates, "LONGEST_IMPORT", 2.0)
    status, out, err = call("init", "initpackage")
    assert (status, err.replace("hello\n", "")) == (0, "")
    assert out == "wrote dpverify.toml: 3 audits, 2 more as comments; check it, then: dpverify run\n"
    text = (package / "dpverify.toml").read_text()
    suite = read(package / "dpverify.toml")
    assert [(each.name, each.claim) for each in suite.entries] == [
        ("gauss", "ApproxDP(epsilon=1, delta=1e-06)"),
        ("größe", "PureDP(epsilon=1)"),
        ("noisy_sum", "PureDP(epsilon=0.5)"),
    ]
    assert text.count("# check the claim; it rests on ") == 5
    assert (
        text.count("# check: the range of the example; with bounds nothing outside of them is audited (nor NaN)") == 5
    )
    assert [each.words["bounds"] for each in suite.entries] == [[0.0, 1.0]] * 3
    assert "# dies cannot be audited like this: the process at work died (exit status 3)" in text
    assert "# needs_a_model cannot be audited like this: it needs model" in text
    assert "# left out: initpackage.bad cannot be imported (RuntimeError: not today)" in text
    assert "# left out: initpackage.hangs cannot be imported (it takes longer than 2 s)" in text
    from dpverify.core.plugins import registry

    asked = [(entry, entry.asked.over(suite.asked)) for entry in suite.entries]
    assert len(check(asked, definitions=registry().definitions.mapping())) == 3


def test_it_never_overwrites(package, call):
    (package / "dpverify.toml").write_text("mine")
    status, out, err = call("init", "initpackage")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert "dpverify.toml is a suite file already" in err
    assert (package / "dpverify.toml").read_text() == "mine"
    (package / "dpverify.toml").unlink()
    (package / "pyproject.toml").write_text("[tool.dpverify]\n")
    assert call("init", "initpackage")[0] == 2
    assert not (package / "dpverify.toml").exists()


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("", "no_such_package", "'no_such_package' cannot be imported (ModuleNotFoundError"),
        ("", "a b", "package 'a b'; allowed: the name of a package"),
        ("def helper(a, b): ...\n", "nothing_in_it", "no function of nothing_in_it can be audited as it is"),
        ("def f(data, rng, model): ...\n", "needs_more", "as it is (f: it needs model"),
        ("raise SystemExit(3)\n", "exits_on_import", "exits_on_import raised SystemExit: 3"),
        ("import os\nos._exit(4)\n", "dies_on_import", "exit status 4"),
    ],
)
def test_a_package_without_mechanisms_is_one_line(tmp_path, call, content, name, said):
    if content:
        (tmp_path / f"{name}.py").write_text(content)
    status, out, err = call("init", name)
    assert (status, out) == (3 if name == "dies_on_import" else 2, "")
    assert len(err.splitlines()) == 1
    assert said in err
    assert not (tmp_path / "dpverify.toml").exists()
