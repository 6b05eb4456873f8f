"""All accountants on one question: golden values, order, refusals, failures and contradictions."""

import math
from types import SimpleNamespace

import pytest
from dp_accounting import dp_event

import dpverify
from dpverify.accounting.composition_spec import read_composition
from dpverify.accounting.side_by_side import DEFAULT_DELTA, account
from dpverify.core.composition import Bracket, Composition
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry

DP_SGD = "poisson-gaussian(q=0.01, sigma=1.1)*10000"


def fake(bracket, *, side="upper", reason=None):
    """An accountant that always says the same; an exception in place of a bracket is raised."""

    def say(_):
        if isinstance(bracket, Exception):
            raise bracket
        return bracket

    return SimpleNamespace(
        version="1",
        source="nowhere",
        side=side,
        refuses=lambda _: reason,
        compose=lambda _: SimpleNamespace(epsilon=say, delta=say),
    )


@pytest.fixture
def only(monkeypatch):
    """Replace all accountants by the given ones."""

    def replace(**given):
        monkeypatch.setattr(registry().accountants, "_items", given)

    return replace


def test_sums_of_pure_steps():
    found = account("pure(epsilon=0.5)*3 + pure(epsilon=0.25)", delta=0, accountants=("basic",))
    (row,) = found.rows
    assert row.bracket.upper == 1.75
    assert (found.asked, found.given, found.runs, found.relation) == ("epsilon", {"delta": 0.0}, 4, "any")
    assert found.complete


def test_golden_values_of_dp_sgd():
    rows = {row.accountant: row for row in account(DP_SGD, accountants=("rdp", "pld")).rows}
    assert list(rows) == ["pld", "rdp"]
    assert rows["rdp"].bracket.upper == pytest.approx(5.632, abs=5e-4)
    assert rows["pld"].bracket.lower <= 5.1926 + 5e-5
    assert rows["pld"].bracket.upper == pytest.approx(5.1926, abs=1e-3)


def test_delta_at_epsilon_is_the_way_back():
    epsilon = account(DP_SGD, delta=1e-6, accountants=("rdp",)).rows[0].bracket.upper
    found = account(DP_SGD, epsilon=epsilon, accountants=("rdp",))
    assert (found.asked, found.given) == ("delta", {"epsilon": epsilon})
    assert found.rows[0].bracket.upper == pytest.approx(1e-6, rel=1e-5)


def test_delta_is_stated_when_nothing_is_given():
    assert account("gaussian(sigma=1)", accountants=("gdp",)).given == {"delta": DEFAULT_DELTA}


def test_every_registered_accountant_is_asked_and_answers_or_says_why():
    found = account("randomised-response(epsilon=0.5)*4 + no-op()")
    names = [row.accountant for row in found.rows] + [item.accountant for item in found.refusals]
    assert sorted(names) == list(registry().accountants)
    assert all(item.reason and "\n" not in item.reason for item in found.refusals)
    assert found.complete
    assert found.contradiction is None


def test_the_composition_reads_back():
    composition = read_composition(DP_SGD + " + no-op()*2", registry())
    found = account(composition, accountants=("rdp",))
    assert read_composition(found.composition, registry()) == composition
    nothing = account(Composition(), accountants=("basic",))
    assert read_composition(nothing.composition, registry()) == Composition()
    assert nothing.rows[0].bracket.upper == 0


def test_order_and_what_may_be_relied_on(only):
    only(
        a=fake(Bracket(upper=3.0)),
        b=fake(Bracket(lower=1.0, upper=2.0), side="bracket"),
        c=fake(Bracket(upper=0.5), side="printed"),
        d=fake(Bracket()),
        e=fake(Bracket(lower=1.5), side="lower"),
        f=fake(Bracket(), reason="it rains"),
    )
    found = account("gaussian(sigma=1)")
    assert [row.accountant for row in found.rows] == ["b", "a", "e", "d", "c"]
    assert (found.lowest.accountant, found.highest.accountant) == ("b", "e")
    assert [(item.accountant, item.reason, item.failed) for item in found.refusals] == [("f", "it rains", False)]
    assert found.complete


def test_a_printed_number_contradicts_nobody(only):
    only(a=fake(Bracket(lower=1.0, upper=2.0), side="bracket"), b=fake(Bracket(upper=0.5), side="printed"))
    assert account("gaussian(sigma=1)").contradiction is None


def test_accountants_that_exclude_each_other_are_told(only):
    only(high=fake(Bracket(lower=1.0, upper=2.0), side="bracket"), low=fake(Bracket(upper=0.999)))
    found = account("gaussian(sigma=1)")
    assert "high proves epsilon >= 1, low proves epsilon <= 0.999" in found.contradiction
    assert not found.complete
    only(high=fake(Bracket(lower=1.0, upper=2.0), side="bracket"), low=fake(Bracket(upper=1 - 1e-12)))
    assert account("gaussian(sigma=1)").complete
    only(never=fake(Bracket(lower=math.inf), side="bracket"), low=fake(Bracket(upper=1.0)))
    assert not account("gaussian(sigma=1)").complete


def test_one_failure_hides_no_other_answer(only):
    only(
        bad=fake(ZeroDivisionError("one\ntwo")),
        unfit=fake(InputError("no", allowed="yes")),
        good=fake(Bracket(upper=1.0)),
    )
    found = account("gaussian(sigma=1)")
    assert [row.accountant for row in found.rows] == ["good"]
    bad, unfit = found.refusals
    assert bad.failed and bad.reason == "failed: ZeroDivisionError: one two; please report it"
    assert not unfit.failed
    assert not found.complete


def test_nobody_applies(only):
    only(a=fake(Bracket(), reason="no"))
    found = account("gaussian(sigma=1)")
    assert (found.lowest, found.highest, found.complete) == (None, None, False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"delta": 1e-5, "epsilon": 1.0}, "one of the two"),
        ({"delta": 1.0}, "delta = 1"),
        ({"delta": math.nan}, "delta = nan"),
        ({"epsilon": -1.0}, "epsilon = -1"),
        ({"epsilon": math.inf}, "epsilon = inf"),
        ({"accountants": ("gdpr",)}, "gdpr"),
    ],
)
def test_bad_questions(given, said):
    with pytest.raises(InputError) as caught:
        account("gaussian(sigma=1)", **given)
    assert said in str(caught.value)


def test_the_python_door():
    assert dpverify.account is account


def test_a_composition_may_be_what_a_file_holds():
    text = account("gaussian(sigma=2)*3", delta=1e-5)
    step = {"step": "gaussian", "sigma": 2, "count": 3}
    for given in ({"steps": [step]}, [step], step):
        assert [row.bracket for row in account(given, delta=1e-5).rows] == [row.bracket for row in text.rows]


@pytest.mark.parametrize(
    "given", [dp_event.UnsupportedDpEvent(), [dp_event.GaussianDpEvent(1.0)], {"sigma": 1}, [1], 3, None, b"x", {"a"}]
)
def test_what_is_no_composition_is_one_line(given):
    with pytest.raises(InputError) as caught:
        account(given)
    assert "\n" not in str(caught.value)
