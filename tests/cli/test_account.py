"""`dpverify account`: the answers, 80 columns, JSON by its schema, exit statuses, and one line for bad input."""

import json
from importlib.resources import files
from types import SimpleNamespace

import jsonschema
import pytest

from dpverify.cli.command_line import completed_arguments
from dpverify.core.composition import Bracket, Composition
from dpverify.core.plugins import registry

SCHEMA = json.loads(files("dpverify.reporting").joinpath("accounts.schema.json").read_text())
DP_SGD = ("account", "--poisson-gaussian", "256/50000", "1.0", "11700")
RDP = ("--accountant", "rdp")


def answers(out):
    item = json.loads(out)
    jsonschema.validate(item, SCHEMA)
    return item, {one["accountant"]: one for one in item["accountants"]}


def test_golden_values_side_by_side(call):
    status, out, _ = call(*DP_SGD, "--delta", "1e-5", "--json")
    item, found = answers(out)
    assert status == 0
    # 3.418229 on the usual grid of orders; the best real order is a little below it.
    assert 3.418 <= found["rdp"]["upper"] <= 3.418229
    assert found["pld"]["lower"] <= 3.1345
    assert found["pld"]["upper"] == pytest.approx(3.134, abs=1e-3)
    assert (item["asked"], item["given"], item["runs"]) == ("epsilon", {"delta": 1e-5}, 11700)
    assert item["lowest"] == "pld"
    assert {"basic", "gdp"} <= {one["accountant"] for one in item["refused"]}
    assert sorted([*found, *(one["accountant"] for one in item["refused"])]) == list(registry().accountants)
    assert item["reproduce"].startswith("dpverify account --poisson-gaussian 256/50000")


def test_the_table_fits_80_columns_and_says_all(call):
    status, out, _ = call("account", "randomised-response(epsilon=0.5)*10 + laplace(scale=2)*3")
    assert status == 0
    assert max(len(line) for line in out.splitlines()) <= 80
    for name in registry().accountants:
        assert f"{name} " in out
    assert "epsilon at delta = 1e-05; 13 runs" in out
    assert "sources" in out and "do not apply" in out


def test_delta_at_epsilon(call):
    item, found = answers(call("account", "gaussian(sigma=1)", "--epsilon", 1, "--json")[1])
    assert (item["asked"], item["given"]) == ("delta", {"epsilon": 1})
    # Phi(-1/2) - e Phi(-3/2)
    assert found["gdp"]["lower"] <= 0.12693673750664397 * (1 + 1e-12)
    assert found["gdp"]["upper"] == pytest.approx(0.12693673750664397, rel=1e-12)


def test_sigma_for_a_budget(call):
    words = ("--epsilon", "3.418229", "--delta", "1e-5", *RDP, "--json")
    item, found = answers(call("account", "--poisson-gaussian", "256/50000", "?", "11700", *words)[1])
    assert item["asked"] == "sigma"
    assert item["composition"] == "poisson-gaussian(q=0.00512, sigma=?)*11700"
    assert found["rdp"]["upper"] == pytest.approx(1.0, rel=1e-4)
    again, _ = answers(call("account", "--poisson-gaussian", "256/50000", "11700", *words)[1])
    assert again["accountants"][0]["upper"] == found["rdp"]["upper"]
    status, out, _ = call("account", "--poisson-gaussian", 0.01, "?", 100, "--epsilon", 1, *RDP)
    assert status == 0
    assert "suffices (rdp)" in out


def test_the_delta_that_was_typed_is_the_one_answered(call):
    words = ("account", "--poisson-gaussian", 0.01)
    item, at_given = answers(call(*words, 2, 100, "--delta", "1e-6", *RDP, "--json")[1])
    assert item["given"] == {"delta": 1e-6}
    step = registry().steps.get("poisson-gaussian")(q=0.01, sigma=2.0)
    composed = registry().accountants.get("rdp").compose(Composition.repeat(step, 100))
    assert at_given["rdp"]["upper"] == composed.epsilon(1e-6).upper > composed.epsilon(1e-5).upper
    budget = at_given["rdp"]["upper"]
    item, solved = answers(call(*words, 100, "--epsilon", budget, "--delta", "1e-6", *RDP, "--json")[1])
    assert item["given"] == {"epsilon": budget, "delta": 1e-6}
    assert solved["rdp"]["upper"] == pytest.approx(2.0, rel=2e-4)


def test_a_file_and_json_to_a_file(call, tmp_path):
    (tmp_path / "c.json").write_text('{"steps": [{"step": "pure", "epsilon": 0.5, "count": 3}]}')
    status, out, _ = call("account", "c.json", "--delta", 0, "--json", "out/a.json")
    assert status == 0
    assert "1.5" in out
    item, found = answers((tmp_path / "out" / "a.json").read_text())
    assert found["basic"]["upper"] == 1.5
    assert item["composition"] == "pure(epsilon=0.5)*3"
    assert call("account", "c.json", "--quiet")[1] == ""


def test_an_unfinished_account_exits_with_three(call, monkeypatch):
    assert call("account", "gaussian(sigma=1)", "--accountant", "basic")[0] == 3
    composed = SimpleNamespace(epsilon=lambda _: Bracket(upper=0.1))
    wrong = SimpleNamespace(version="1", source="", side="upper", refuses=lambda _: None, compose=lambda _: composed)
    monkeypatch.setitem(registry().accountants._items, "wrong", wrong)
    status, out, _ = call("account", "gaussian(sigma=1)", "--accountant", "wrong", "--accountant", "gdp")
    assert status == 3
    assert "one of them is wrong" in " ".join(out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no composition"),
        (("gaussian(sigma=1)", *DP_SGD[1:]), "two compositions"),
        (("gaussian(sigma=1)", "--delta", 1), "delta = 1"),
        (("gaussian(sigma=1)", "--delta", "nan"), "delta = nan"),
        (("gaussian(sigma=1)", "--delta", "small"), "a valid "),
        (("gaussian(sigma=1)", "--epsilon", -1), "epsilon = -1"),
        (("gaussian(sigma=1)", "--epsilon", 1, "--delta", 0.1), "one of the two"),
        (("gaussian(sigma=1)", "--accountant", "gdpr"), "gdpr"),
        (("gaussian(sigma=1)", "--json", "/"), "cannot write"),
        (("gaussian(sigma=-1)",), "sigma = -1"),
        (("gaussian(scale=1)",), "sigma"),
        (("gaussian()",), "missing a required argument: 'sigma'"),
        (("gausian(sigma=1)",), "allowed: gaussian"),
        (("gaussian(sigma=1",), "the text ends"),
        (("__import__('os')",), "__import__"),
        (("gaussian(sigma=1)*1e13",), "from 0 to 1e12"),
        (("nowhere.json",), "no file nowhere.json"),
        (("--poisson-gaussian", 2, 1, 10), "q = 2"),
        (("--poisson-gaussian", "a", 1, 10), "q = 'a'"),
        (("--poisson-gaussian", 0.1, -1, 10), "sigma = -1"),
        (("--poisson-gaussian", 0.1, 0, 10), "sigma = 0"),
        (("--poisson-gaussian", 0.1, 1, -10), "steps = -10"),
        (("--poisson-gaussian", 0.1, 1, 1.5), "steps = 1.5"),
        (("--poisson-gaussian", 0.1, 1, "1e400"), "steps = inf"),
        (("--poisson-gaussian", 0.1, 10), "without a budget"),
        (("--poisson-gaussian", 0.1, "?", 10), "without a budget"),
        (("--poisson-gaussian", 0.1, 10, "--epsilon", 0), "epsilon = 0"),
        (("--poisson-gaussian", 0.1), "requires 3 arguments"),
    ],
)
def test_bad_input_is_one_clear_line_and_two(call, words, said):
    status, out, err = call("account", *words)
    assert status == 2, (out, err)
    assert out == ""
    assert err.startswith("dpverify: ")
    assert err.count("\n") == 1
    assert said in err
    assert "Traceback" not in err


def test_words_are_completed():
    assert completed_arguments(["list", "steps", "--json"]) == ["list", "steps", "--json", "-"]
    assert completed_arguments(["--json", "--quiet"]) == ["--json", "-", "--quiet"]
    assert completed_arguments(["--json", "-", "x"]) == ["--json", "-", "x"]
    for words in (["0.1", "1", "10"], ["0.1", "?", "10"], ["-0.1", "-1", "-10"], ["0.1"]):
        assert completed_arguments(["--poisson-gaussian", *words, "--json", "f"]) == [
            "--poisson-gaussian",
            *words,
            "--json",
            "f",
        ]
    assert completed_arguments(["--poisson-gaussian", "0.1", "10", "--epsilon", "1"]) == [
        *("--poisson-gaussian", "0.1", "?", "10", "--epsilon", "1")
    ]


def test_risk_in_words_and_json(call):
    status, out, _ = call("account", "laplace(scale=1)", "--risk", "--prior", "0.5")
    assert status == 0 and max(map(len, out.splitlines())) <= 80
    assert "0.01       0.0271829" in out and "where it was 0.5 before" in out
    item, _ = answers(call("account", "laplace(scale=1)", "--risk", "--json")[1])
    assert item["risk"]["power"]["0.01"] == pytest.approx(0.0271828, rel=1e-5)
    assert item["risk"]["side"] == "upper" and item["risk"]["prior"] == 0.1
    assert "risk" not in answers(call("account", "laplace(scale=1)", "--json")[1])[0]


def test_noise_for_an_advantage(call):
    words = (
        "account",
        "--poisson-gaussian",
        "1",
        "?",
        "1",
        "--advantage",
        "0.1",
        "--accountant",
        "gdp",
        "--accountant",
        "pld",
    )
    status, out, _ = call(*words, "--risk", "--json")
    item, found = answers(out)
    assert status == 0 and (item["asked"], item["given"]) == ("sigma", {"advantage": 0.1})
    assert found["pld"]["upper"] == pytest.approx(3.979, abs=1e-2)
    assert item["risk"]["advantage"] <= 0.1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("laplace(scale=1)", "--prior", "0.2"), "--prior without --risk"),
        (("laplace(scale=1)", "--risk", "--prior", "2"), "prior = 2"),
        (("laplace(scale=1)", "--advantage", "0.1"), "--advantage with a known sigma"),
        (("--poisson-gaussian", "0.1", "?", "10"), "without a budget"),
        (("--poisson-gaussian", "0.1", "?", "10", "--advantage", "7"), "advantage = 7"),
    ],
)
def test_a_risk_that_cannot_be_asked_is_one_line(call, words, said):
    status, out, err = call("account", *words)
    assert (status, out) == (2, "") and said in err and len(err.strip().splitlines()) == 1


PROOF = json.loads(files("dpverify.reporting").joinpath("loss_proof.schema.json").read_text())


def test_a_proof_beside_the_others(call, tmp_path):
    file = tmp_path / "proved.json"
    status, out, _ = call("account", "laplace(scale=2)*5", "--prove", "--json", file)
    assert status == 0 and max(len(line) for line in out.splitlines()) <= 80
    assert "proved" in out and "check-proof FILE" in out
    item, found = answers(file.read_text())
    row = found["proved"]
    assert row["proved"] is True and row["side"] == "bracket" and item["contradiction"] is None
    assert row["lower"] <= found["pld"]["upper"] and found["pld"]["lower"] <= row["upper"]
    jsonschema.validate(row["certificate"], PROOF)
    assert not any("certificate" in each for name, each in found.items() if name != "proved")


def test_a_proof_where_there_is_none(call):
    status, out, _ = call("account", "no-op()*2", "--prove", "--json")
    refused = {one["accountant"]: one["reason"] for one in json.loads(out)["refused"]}
    assert status == 0 and "nothing is left to prove" in refused["proved"]
    status, _, err = call("account", "--poisson-gaussian", "0.01", "?", "100", "--epsilon", 1, "--prove")
    assert status == 2 and "allowed: a sigma" in err and len(err.splitlines()) == 1


def test_renyi_divergences_at_orders(call):
    words = ("account", "gaussian(sigma=2)*6", "--order", 8, "--order", 1.5)
    item, _ = answers(call(*words, "--json")[1])
    assert [point["order"] for point in item["renyi"]] == [8, 1.5]
    assert all(point["lower"] <= 6 * point["order"] / 8 <= point["upper"] for point in item["renyi"])
    status, out, _ = call(*words)
    assert status == 0 and "Renyi divergence at order 8: 5.99999 to 6.00001 nats" in out
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "renyi" not in answers(call(*words[:2], "--json")[1])[0]
    for wrong in (
        ("account", "gaussian(sigma=2)", "--order", 1),
        (*DP_SGD[:3], "?", "10", "--epsilon", 1, "--order", 8),
    ):
        status, _, err = call(*wrong)
        assert status == 2 and "order" in err and err.count("\n") == 1


def test_a_composition_of_another_library(call, tmp_path):
    path = tmp_path / "event.txt"
    path.write_text("SelfComposedDpEvent(event=GaussianDpEvent(noise_multiplier=2.0), count=3)\n")
    status, out, _ = call("account", "--from", str(path), "--json", *RDP)
    assert status == 0 and answers(out)[0]["composition"] == "gaussian(sigma=2, sensitivity=1)*3"
    path.write_text("SelfComposedDpEvent(event=NonPrivateDpEvent(), count=3)")
    status, _, err = call("account", "--from", str(path))
    assert status == 2 and "SelfComposedDpEvent.event: NonPrivateDpEvent, which costs no finite amount" in err
    status, _, err = call("account", "no-op()", "--from", str(path))
    assert status == 2 and "two compositions" in err
