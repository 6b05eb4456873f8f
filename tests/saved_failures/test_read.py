"""Saved failures are read from saved failures and from records, and from nothing else."""

from __future__ import annotations

import math

import pytest

from dpverify.core.errors import InputError
from dpverify.core.json_text import dump
from dpverify.neighbourhood.redact import REDACTED
from dpverify.runner.regressions import Regression, save
from dpverify.saved_failures.again import saved_failures
from tests.cli.test_compare import whole
from tests.runner.test_compare import evidence, item

REFUTED = whole(item(evidence(1.3), name="mymodule:f")) | {
    "method": "gate",
    "bound": "inf",
    "witness": {"d0": [1], "d1": [], "event": "x"},
}


def test_saved_failures_are_read(tmp_path):
    saved = Regression(claim="c", auditor="gate", d0=[1], d1=[], guarantee="PureDP(epsilon=1)", bound=math.inf)
    save([saved], tmp_path)
    (found,) = saved_failures(tmp_path)
    assert (found.claim, found.d0, found.bound, found.guarantee) == ("c", [1], math.inf, "PureDP(epsilon=1)")


@pytest.mark.parametrize("name", ["results.json", "mymodule.json"])
def test_refuted_records_are_read(tmp_path, name):
    records = [REFUTED, REFUTED | {"expectation": "broken"}, whole(item(name="passes"))]
    (tmp_path / name).write_text(dump(records))
    (found,) = saved_failures(tmp_path)
    assert (found.claim, found.mechanism, found.d0, found.bound) == ("mymodule:f", "mymodule:f", [1], math.inf)


def test_a_pair_that_was_left_out_of_its_record_is_none(tmp_path):
    (tmp_path / "r.json").write_text(dump(REFUTED | {"witness": {"d0": REDACTED, "d1": REDACTED}}))
    (found,) = saved_failures(tmp_path / "r.json")
    assert (found.d0, found.d1) == (None, None)


def test_nothing_and_nonsense(tmp_path):
    assert saved_failures(tmp_path) == []
    with pytest.raises(InputError, match="no file or folder"):
        saved_failures(tmp_path / "nowhere")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(InputError, match=r"bad\.json"):
        saved_failures(tmp_path)
