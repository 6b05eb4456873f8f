"""`dpverify audit-accountant`: lines, JSON, exit statuses."""

import json
import sys

import pytest

OWN = """
import math


def right(sigma, steps, delta):
    rho = steps / (2 * sigma**2)
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def wrong(sigma, steps, delta):
    return right(sigma, 1, delta)


class Orders:
    def __init__(self):
        self.rho, self.runs = 0.0, 0

    def compose(self, step, count):
        self.runs += 1
        self.rho += count * (2 + 1 / self.runs) / (2 * step["sigma"] ** 2)

    def epsilon(self, delta):
        return self.rho + 2 * math.sqrt(self.rho * math.log(1 / delta))
"""


@pytest.fixture
def audited(call, tmp_path, monkeypatch):
    """Run `dpverify audit-accountant own:NAME` in a folder that has them."""
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name, *words: call("audit-accountant", f"own:{name}", "--settings", "12", *words)
    sys.modules.pop("own", None)


def test_a_right_one_is_status_0(audited):
    status, out, err = audited("right")
    assert status == 0, err
    assert out.startswith("no contradiction found: own:right as an accountant of gaussian")
    assert max(map(len, out.splitlines())) <= 80


def test_a_wrong_one_is_status_1_with_json(audited):
    status, out, _ = audited("wrong", "--json", "-")
    found = json.loads(out)
    assert status == 1 and found["verdict"] == "refuted"
    assert found["reproduce"].startswith("dpverify audit-accountant own:wrong --settings 12")
    row = next(row for row in found["rows"] if row["name"] == "lower bound")
    assert row["answers"][0] < row["bound"]


def test_an_inconsistent_one_is_status_3(audited):
    status, out, _ = audited("Orders")
    assert status == 3
    assert out.startswith("inconsistent: own:Orders")
    assert max(map(len, out.splitlines())) <= 80


def test_a_stated_error_refutes_it(audited):
    assert audited("Orders", "--error", "0.001")[0] == 1


def test_names_are_listed(call):
    status, out, _ = call("audit-accountant", "--list")
    assert status == 0
    assert "dp_accounting.rdp" in out and "rdp-classic" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no accountant"),
        (("no-such",), "no library accountants called"),
        (("own:missing",), "has no 'missing'"),
        (("own:right", "--relation", "swap"), "relation 'swap'"),
        (("own:right", "--error", "7"), "error"),
        (("own:Orders", "--steps", "gauss"), "a step 'gauss'"),
    ],
)
def test_bad_input_is_status_2_in_one_line(audited, call, words, says):
    status, _, err = call("audit-accountant", *words)
    assert status == 2
    assert says in err and len(err.strip().splitlines()) == 1
