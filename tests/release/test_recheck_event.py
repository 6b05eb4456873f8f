"""The recheck in one file needs numpy and scipy alone, and computes the bounds that dpverify computes."""

from __future__ import annotations

import copy
import importlib.util
import json
import random
import subprocess
import sys

import pytest

import dpverify as dpv
from auditors.privacy.sampled_evidence import one_event
from dpverify.core.errors import InputError
from dpverify.core.evidence import ContradictionError, LackingError
from dpverify.runner.recheck_printed import printed_evidence
from tests.release import one_file

ALONE = """
import sys
class Alone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("dpverify", "auditors", "reference_impls", "numba", "flint", "sklearn"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Alone())
sys.argv = sys.argv[1:]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"))
"""


def half(data, rng):
    return sum(data) + rng.laplace(scale=0.5)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    _, made, *_ = one_file.write(tmp_path_factory.mktemp("one"))
    return made


@pytest.fixture(scope="module")
def alone(path):
    spec = importlib.util.spec_from_file_location("recheck_event_alone", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def records():
    made = [
        dpv.audit(half, [1.0], [], claim=claim, trials=5_000).record()
        for claim in ("PureDP(epsilon=1)", "ApproxDP(epsilon=1, delta=1e-3)", "PureDP(epsilon=3)")
    ]
    return json.loads(json.dumps(made))


def guarantee(record):
    if record["guarantee"].startswith("Pure"):
        return dpv.PureDP(epsilon=float(record["claimed"]))
    return dpv.ApproxDP(epsilon=1.0, delta=1e-3)


def ours(record):
    try:
        return one_event(guarantee(record), printed_evidence("r", record["evidence"][0])).bound
    except (InputError, ContradictionError, LackingError):
        return "refused"


def theirs(alone, record):
    try:
        return alone.again(record)[2]
    except (alone.InputError, alone.ContradictionError, alone.LackingError):
        return "refused"


def test_right_records_have_the_same_bound(alone, records):
    for record in records:
        assert record["evidence"][0]["auditor"] == "event"
        measure, printed, bound, level = alone.again(record)
        assert bound == printed == record["bound"] == ours(record)
        assert (measure.kind, level) == ("epsilon", pytest.approx(1e-3))


def test_changed_counts_are_counted_alike(alone, records):
    rng = random.Random(11)
    answers = []
    for _ in range(200):
        record = copy.deepcopy(rng.choice(records))
        said = record["evidence"][0]["statistics"]
        name = rng.choice(["k1", "k2", "n1", "n2", "alpha", "direction"])
        said[name] = rng.choice([0, 1, 7, 4_999, 5_000, 5_001, -1, 2.5, 1e-4, True, None, "x", "d0 against d1"])
        answers.append(ours(record))
        if name != "alpha":  # the level is held against the confidence of the record, too
            assert theirs(alone, record) == answers[-1]
    assert answers.count("refused") > 40
    assert sum(isinstance(each, float) for each in answers) > 40


def test_it_runs_with_numpy_and_scipy_alone(path, tmp_path, records):
    first, _, third = records
    fewer = copy.deepcopy(first)
    fewer["evidence"][0]["statistics"]["k1"] -= 400
    surer = copy.deepcopy(first)
    surer["evidence"][0]["confidence"] = 0.999999
    refuted = {**copy.deepcopy(third), "verdict": "refuted"}
    other = {**first, "guarantee": "GDP(mu=1)"}
    given = {
        "right": (first, 0, "confirmed: half: refuted: epsilon >= "),
        "passed": (third, 0, "confirmed: half: not refuted: epsilon >= "),
        "fewer": (fewer, 1, "differs: half: "),
        "surer": (surer, 3, "not checked: the level spend"),
        "refuted": (refuted, 1, "differs: half: not refuted: "),
        "other": (other, 3, "not checked: the claim GDP(mu=1); allowed: PureDP and ApproxDP"),
        "nothing": ({}, 3, "not checked: not in its form: KeyError"),
    }
    for name, (record, status, said) in given.items():
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(record))
        command = [sys.executable, "-I", "-c", ALONE, str(path), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.startswith(said)) == (status, True), done.stdout + done.stderr
        assert not done.stderr
    done = subprocess.run([sys.executable, path, tmp_path / "nowhere"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "cannot be read" in done.stdout


def test_it_is_short_enough_to_be_read(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 2_600
    assert not any(f"from {each}" in text or f"import {each}" in text for each in ("dpverify", "auditors", "numba"))
