"""``dpverify check-proof``, and ``dpverify audit --proof``: exit statuses, one line, bad input."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from dpverify.proofs.operations import ProofError
from dpverify.proofs.told import holds
from tests.proofs.test_certificate import CHANGED, SAID, changed, other, places, told

CODE = """import numpy as np


def counts(data, rng):
    total = 0
    for x in data:
        if x > {threshold}:
            total += 1
    return total + rng.laplace(scale=1.0)


def twice(data, rng):
    return counts(data, rng) + counts(data, rng)
"""


@pytest.fixture
def made(call, tmp_path, request):
    """A folder with code and the certificate of its proof; the name of its module."""
    module = f"proved_{abs(hash(request.node.name))}"
    (tmp_path / f"{module}.py").write_text(CODE.format(threshold=0.5))
    words = ("--claim", "PureDP(epsilon=1)", "--data", "[0.2, 0.9, 1.0]", "--trials", 1000)
    status, _, err = call("audit", f"{module}:counts", *words, "--proof", "proof.json", "--json", "record.json")
    assert status == 0, err
    return module


def values(folder):
    return json.loads((folder / "proof.json").read_text())


def test_a_proof_is_checked_in_one_line(call, made, tmp_path):
    status, out, err = call("check-proof", "proof.json")
    assert (status, err) == (0, "")
    assert out.count("\n") == 1
    assert out.startswith("proved: PureDP(epsilon=1): epsilon <= 1.000000000001, from the code, for every data set")
    assert "float64 of any value or NaN, under add-remove; in real arithmetic, with ideal noise" in out
    assert "no code was run beside it" in out
    assert "It rests on: arithmetic of doubles is exact" in out


def test_the_record_of_an_audit_is_a_file_of_a_proof_too(call, made):
    status, out, _ = call("check-proof", "record.json", "--code", f"{made}:counts")
    assert status == 0
    assert f"the code {made}:counts was read again and run beside it" in out


def test_json_has_all_but_the_certificate(call, made):
    status, out, _ = call("check-proof", "proof.json", "--json", "-")
    found = json.loads(out)
    assert status == 0
    assert (found["proved"], found["claim"], found["relation"]) == (True, "PureDP(epsilon=1)", "add-remove")
    assert "certificate" not in found


def test_other_code_is_no_code_of_the_proof(call, made):
    status, out, _ = call("check-proof", "proof.json", "--code", f"{made}:twice")
    assert status == 1
    assert out == f"does not hold: the proof is of {made}:counts, and this is {made}:twice\n"


RARELY = """
def noisy(data, rng):
    return sum(data) + rng.laplace(0.0, 1.0)


def rarely(data, rng):
    noisy = sum(data) + rng.laplace(0.0, 1.0)
    return sum(data) if 0.5663 <= noisy < 0.5663001 else noisy
"""


def test_a_branch_that_is_left_out_is_no_proof(call, tmp_path, request):
    """It is too narrow to be met by chance; the code is read again."""
    module = f"rarely_{abs(hash(request.node.name))}"
    (tmp_path / f"{module}.py").write_text(RARELY)
    words = ("--claim", "PureDP(epsilon=1)", "--data", "[0.5, 1.0]", "--bounds", "0:1", "--trials", 1000)
    status, _, err = call("audit", f"{module}:noisy", *words, "--proof", "proof.json")
    assert status == 0, err
    told = values(tmp_path)
    told["code"]["function"] = f"{module}:rarely"
    (tmp_path / "proof.json").write_text(json.dumps(told))
    assert call("check-proof", "proof.json")[0] == 0
    status, out, _ = call("check-proof", "proof.json", "--code", f"{module}:rarely")
    assert status == 1
    assert out.startswith("does not hold: ") and "is returned" in out and out.count("\n") == 1


def test_a_file_that_changed_is_told(call, made, tmp_path):
    (tmp_path / f"{made}.py").write_text(CODE.format(threshold=0.7))
    status, out, _ = call("check-proof", "proof.json", "--code", f"{made}:counts")
    assert status == 1
    assert "is not the one that was read" in out


def test_recheck_looks_at_the_proof_of_a_record(call, made, tmp_path):
    assert call("recheck", "record.json")[0] == 0
    item = json.loads((tmp_path / "record.json").read_text())
    item[0]["proof"]["certificate"]["upper"] = 0.5
    (tmp_path / "record.json").write_text(json.dumps(item))
    status, out, _ = call("recheck", "record.json")
    assert status == 1
    assert "the proof does not hold" in out


def test_of_what_is_not_proved_no_file_is_written(call, made, tmp_path):
    words = ("--claim", "PureDP(epsilon=0.5)", "--data", "[0.2, 0.9, 1.0]", "--trials", 1000)
    _, _, err = call("audit", f"{made}:counts", *words, "--proof", "other.json")
    assert "--proof other.json was not written: nothing was proved" in err
    assert not (tmp_path / "other.json").exists()


def test_a_folder_is_no_file_for_a_proof(call, made, tmp_path):
    words = ("--claim", "PureDP(epsilon=1)", "--data", "[0.2, 0.9, 1.0]")
    status, _, err = call("audit", f"{made}:counts", *words, "--proof", tmp_path)
    assert status == 2
    assert "cannot write --proof" in err


BAD = {
    "nothing": None,
    "no JSON": "proof",
    "deep JSON": "[" * 5000,
    "a list": "[]",
    "another format": '{"format": "another"}',
    "a number": "3",
    "a proof that is none": '{"proof": 3}',
    "not UTF-8": b"\xff\xfe\xff",
    "a record without a proof": '{"schema": 1, "verdict": "not_refuted"}',
    "a huge integer": f'{{"format": {"9" * 5000}}}',
}


@pytest.mark.parametrize("why", BAD)
def test_bad_input_is_one_line_and_status_2(call, tmp_path, why):
    text = BAD[why]
    if text is not None:
        (tmp_path / "bad.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    status, out, err = call("check-proof", "bad.json")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_bad_options_are_status_2(call, made, tmp_path):
    assert call("check-proof", tmp_path)[0] == 2
    assert call("check-proof", "proof.json", "--code", "no_module_of_this_name:f")[0] == 2
    assert call("check-proof", "proof.json", "--code", f"{made}:no_function")[0] == 2
    assert call("check-proof", "proof.json", "--max-seconds", 0)[0] == 2
    assert call("check-proof", "proof.json", "--json", tmp_path)[0] == 2


def test_code_that_takes_longer_than_its_limit_is_broken_off(call, made):
    status, _, err = call("check-proof", "proof.json", "--code", f"{made}:counts", "--max-seconds", 1e-4)
    assert status == 2
    assert "ran longer than its limit" in err


def test_two_records_have_no_one_proof(call, made, tmp_path):
    item = json.loads((tmp_path / "record.json").read_text())
    (tmp_path / "two.json").write_text(json.dumps([*item, *item]))
    status, _, err = call("check-proof", "two.json")
    assert status == 2
    assert "2 proofs" in err


def nodes(whole, op):
    return [each for each in whole["paths"][0]["nodes"] if each["op"] == op]


BY_HAND = {
    "upper below": lambda told: told.update(upper=0.9),
    "upper above": lambda told: told.update(upper=1.1),
    "upper none": lambda told: told.update(upper=None),
    "claim below": lambda told: told["claim"]["parameters"].update(epsilon=0.9),
    "claim empty": lambda told: told["claim"].update(parameters={}),
    "claim of another kind": lambda told: told["claim"].update(kind="GDP"),
    "claim of no kind": lambda told: told["claim"].update(kind=[]),
    "relation none": lambda told: told.update(relation=None),
    "relation unknown": lambda told: told.update(relation="add"),
    "no paths": lambda told: told.update(paths=[]),
    "paths a text": lambda told: told.update(paths="none"),
    "a path without nodes": lambda told: told["paths"][0].update(nodes=[]),
    "a path without a return": lambda told: told["paths"][0].pop("returned"),
    "a return of data": lambda told: told["paths"][0].update(returned={"kind": "node", "value": 0}),
    "a return of nothing there": lambda told: told["paths"][0].update(returned={"kind": "node", "value": 999}),
    "a condition on data": lambda told: told["paths"][0].update(conditions=[[0, True]]),
    "no assumptions": lambda told: told.update(assumptions=[]),
    "one assumption less": lambda told: told["assumptions"].pop(),
    "another assumption": lambda told: told["assumptions"].append("the data are kind"),
    "no domain": lambda told: told.pop("domain"),
    "domain without fields": lambda told: told["domain"].update(fields={}),
    "domain of another type": lambda told: told["domain"]["fields"][""].update(type="complex128"),
    "domain backwards": lambda told: told["domain"]["fields"][""].update(low=1.0, high=0.0),
    "domain of wide records": lambda told: told["domain"]["fields"][""].update(shape=[10**12]),
    "an unknown operation": lambda told: nodes(told, "sum")[0].update(op="summed"),
    "an operand of the future": lambda told: nodes(told, "release")[0].update({"in": [99, 100]}),
    "a release without noise": lambda told: nodes(told, "release")[0].update(
        {"in": nodes(told, "release")[0]["in"][:1]}
    ),
    "another law": lambda told: nodes(told, "draw")[0]["params"].update(law="normal"),
    "an unknown law": lambda told: nodes(told, "draw")[0]["params"].update(law="cauchy"),
    "operands a text": lambda told: nodes(told, "sum")[0].update({"in": "0"}),
    "parameters of nothing": lambda told: nodes(told, "draw")[0].update(params={}),
    "less noise": lambda told: less_noise(told),
    "a scale of nothing": lambda told: less_noise(told, 0.0),
}


def less_noise(told, scale=0.5):
    told["paths"][0]["nodes"][nodes(told, "draw")[0]["in"][0]]["params"]["value"] = scale


def test_corruptions_by_hand_do_not_hold(call, made, tmp_path):
    """Each is told in one line with status 1; a certificate that says nothing else passes."""
    whole = values(tmp_path)
    assert len(BY_HAND) >= 30
    assert holds(whole)["upper"] == whole["upper"]
    for spoil in BY_HAND.values():
        worse = copy.deepcopy(whole)
        spoil(worse)
        with pytest.raises(ProofError):
            holds(worse)
    (tmp_path / "worse.json").write_text(json.dumps(worse))
    status, out, err = call("check-proof", "worse.json")
    assert (status, out.count("\n"), err) == (1, 1, "")
    assert out.startswith("does not hold: ")


def test_random_corruptions_raise_nothing_but_that_the_proof_does_not_hold():
    """Some are other proofs, which hold as well: the tests of certificates run the code beside those."""
    rng, refused, passed = np.random.default_rng(3), 0, 0
    for name in CHANGED:
        whole = told(name)
        leaves = [at for at in places(whole) if at[0] not in SAID]
        for _ in range(60):
            at = leaves[int(rng.integers(len(leaves)))]
            inner = whole
            for key in at:
                inner = inner[key]
            try:
                holds(changed(whole, at, other(rng, inner)))
            except ProofError:
                refused += 1
            else:
                passed += 1
    assert refused >= 200, (refused, passed)


def test_the_proof_of_an_account(call, tmp_path):
    assert call("account", "laplace(scale=2)*5", "--prove", "--json", "account.json")[0] == 0
    status, out, err = call("check-proof", "account.json")
    assert (status, err, out.count("\n")) == (0, "", 1)
    assert out.startswith("proved: ") and "laplace(scale=2, sensitivity=1)*5" in out and "Zhu, Dong, Wang 2022" in out
    (row,) = [each for each in json.loads((tmp_path / "account.json").read_text())["accountants"] if "proved" in each]
    certificate = row["certificate"]
    (tmp_path / "alone.json").write_text(json.dumps(certificate))
    status, out, _ = call("check-proof", "alone.json", "--json")
    told = json.loads(out)
    assert status == 0 and told["proved"] and told["lower"] <= row["lower"] and row["upper"] <= told["upper"]
    (tmp_path / "wrong.json").write_text(json.dumps({**certificate, "upper": "1"}))
    status, out, err = call("check-proof", "wrong.json")
    assert (status, out.count("\n"), err) == (1, 1, "") and out.startswith("does not hold: ")
    status, _, err = call("check-proof", "alone.json", "--code", "math:sqrt")
    assert status == 2 and "of no code" in err and len(err.splitlines()) == 1
