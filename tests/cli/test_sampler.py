"""`dpverify sampler`: lines, JSON, exit statuses."""

import json
import sys
from pathlib import Path

import pytest

from tests import forked
from tests.cli.conftest import unless_typed
from tests.loaders import loaders

WORDS = ("--records", "500", "--accounted", "poisson(rate=0.05)", "--epochs", "100", "--confidence", 1 - 1e-9)


@pytest.fixture
def sampler(call, tmp_path, monkeypatch):
    """Run `dpverify sampler own:NAME` in a folder that has the loaders."""
    (tmp_path / "own.py").write_text(Path(loaders.__file__).read_text())
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name, *words: call("sampler", f"own:{name}", *unless_typed(WORDS, words), *words)
    sys.modules.pop("own", None)


def test_a_right_loader_is_not_refuted(sampler):
    status, out, err = sampler("poisson")
    assert status == 0, err
    assert out.startswith("not refuted: own:poisson was not told apart from poisson(rate=0.05)\n")
    assert "100 passes of 20 batches are read (--epochs 100 repeats this)" in err
    assert max(map(len, out.splitlines())) <= 80
    assert sampler("poisson", "--quiet")[:2] == (0, "")


def test_a_wrong_one_is_status_1_with_its_cost(sampler):
    status, out, _ = sampler("shuffled", "--noise-multiplier", "1", "--steps", "400", "--relation", "replace")
    assert status == 1
    assert out.startswith("REFUTED: own:shuffled is not poisson(rate=0.05); it fits shuffled(size=25)\n")
    assert "the account is too low" in out


def test_json_has_all_schemes(sampler):
    status, out, _ = sampler("CYCLIC", "--json")
    found = json.loads(out)
    assert status == 1
    assert (found["format"], found["verdict"], found["found"]) == ("dpverify sampler 1", "refuted", "cyclic(size=25)")
    assert [each["scheme"] for each in found["schemes"] if not each["ruled_out"]] == ["cyclic(size=25)"]
    assert found["reproduce"].startswith("dpverify sampler own:CYCLIC")


def test_other_statuses(sampler):
    assert sampler("poisson", "--epochs", "1", "--records", "500")[0] == 0
    status, out, _ = sampler("raises")
    assert (status, out) == (2, "")
    (Path("own.py")).write_text("def few(rng):\n    return [rng.permutation(3)[:1]]\n")
    sys.modules.pop("own", None)
    status, out, _ = sampler("few", "--records", "3", "--epochs", "1", "--accounted", "poisson")
    assert (status, out.startswith("inconclusive: own:few: ")) == (3, True)


def test_a_loader_that_ends_the_process_is_one_line(sampler, tmp_path):
    ran = forked.run(
        [sys.executable, "-m", "dpverify", "sampler", "own:ends_the_process", *map(str, WORDS)], cwd=tmp_path
    )
    assert (ran.returncode, ran.stdout) == (3, "")
    assert len([line for line in ran.stderr.splitlines() if "died" in line]) == 1
