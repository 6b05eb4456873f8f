"""The checker in one file needs numpy alone, and says of right and of changed proofs what the many files say."""

from __future__ import annotations

import copy
import importlib.util
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from dpverify.derivation.derive import derive
from dpverify.proofs.certificate import checked
from dpverify.proofs.operations import ProofError
from tests.release import one_file, proved_sums

FORMATS = Path(__file__).parents[1] / "formats"
ALONE = """
import sys
class Alone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("dpverify", "auditors", "reference_impls", "scipy", "numba", "flint"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Alone())
sys.argv = sys.argv[1:]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"))
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made, *_ = one_file.write(tmp_path_factory.mktemp("one"))
    return made


@pytest.fixture(scope="module")
def alone(path):
    spec = importlib.util.spec_from_file_location("check_proof_alone", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def proofs():
    asked = [
        (proved_sums.clipped, "PureDP(epsilon=1)", [0.2, 0.9]),
        (proved_sums.clipped, "ApproxDP(epsilon=1, delta=1e-6)", [0.2, 0.9]),
        (proved_sums.gaussian, "GDP(mu=0.5)", [0.2, 0.9]),
        (proved_sums.gaussian, "ZCDP(rho=0.125)", [0.2, 0.9]),
        (proved_sums.twice, "PureDP(epsilon=0.5)", [0.2, 0.9]),
    ]
    made = []
    for function, claim, data in asked:
        found = derive(function, claim=claim, data=data, bounds="0:1" if function is proved_sums.twice else None)
        made.append(json.loads(json.dumps(found.certificate())))
    return made


def says(check, told, errors):
    try:
        return check(told)[1]
    except errors:
        return "refused"


def places(told, above=()):
    """Every leaf of a proof, by the keys that lead to it."""
    if isinstance(told, dict | list):
        for key, each in told.items() if isinstance(told, dict) else enumerate(told):
            yield from places(each, (*above, key))
    else:
        yield above


def changed(told, place, value):
    made = copy.deepcopy(told)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return made


def test_right_proofs_are_checked_alike(alone, proofs):
    for told in proofs:
        assert alone.checked(told)[1] == checked(told)[1]


def test_changed_proofs_are_checked_alike(alone, proofs):
    rng = random.Random(7)
    answers = []
    for told in proofs:
        for place in rng.sample(sorted(places(told), key=str), 40):
            other = changed(told, place, rng.choice([0, 1, -1, 0.5, True, None, "x", "inf", "laplace", 1e9]))
            found = says(checked, other, ProofError)
            assert says(alone.checked, other, alone.ProofError) == found, place
            answers.append(found)
    assert answers.count("refused") > 50  # else nothing was changed that matters
    assert answers.count("refused") < len(answers)


def test_it_runs_with_numpy_alone(path, tmp_path):
    right = FORMATS / "certificate-1.json"
    told = json.loads(right.read_text())
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps({**told, "upper": 0.5}))
    lacking = tmp_path / "lacking.json"
    lacking.write_text(json.dumps({name: each for name, each in told.items() if name != "assumptions"}))
    given = {right: (0, "proved: PureDP(epsilon=1)"), wrong: (1, "does not hold"), lacking: (1, "does not hold")}
    given |= {tmp_path / "nowhere.json": (1, "does not hold")}
    for proof, (status, said) in given.items():
        command = [sys.executable, "-I", "-c", ALONE, str(path), str(proof)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.startswith(said)) == (status, True), done.stdout + done.stderr
        assert not done.stderr


def test_it_is_short_enough_to_be_read(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 2_600
    assert "from dpverify" not in text
    assert not any(module in text for module in ("import scipy", "from scipy", "import numba"))
