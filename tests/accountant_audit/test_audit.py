"""Audits of accountants: right ones are never accused, wrong ones fall by the row that is about their fault."""

import math

import pytest

import dpverify as dpv
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from tests.accountant_audit import accountants as some

SETTINGS = 8
UNDECIDED = {"refuted", "inconclusive"}


def verdicts(result):
    """The rows that say anything against the accountant."""
    return {row.name: row.word for row in result.rows if row.verdict in UNDECIDED}


@pytest.mark.parametrize("right", [some.Mixed, some.Inverse, some.right_function, some.ignores_q])
def test_a_right_accountant_is_not_accused_however_loose(right):
    found = dpv.audit_accountant(right, settings=SETTINGS)
    assert verdicts(found) == {}
    assert found.check() is found
    assert found.word == "no contradiction found"


@pytest.mark.parametrize("name", ["rdp", "gdp", "basic", "advanced", "enumeration", "pld"])
def test_our_own_are_not_accused(name):
    found = dpv.audit_accountant(name, settings=2)
    assert verdicts(found) == {}
    assert found["lower bound"].settings > 0


def test_one_of_our_own_that_ignores_counts_is_killed():
    right = registry().accountants.get("rdp")

    class Forgetful(type(right)):
        def compose(self, composition):
            return right.compose(Composition.of(*(part.step for part in composition)))

    found = dpv.audit_accountant(Forgetful(name="forgetful"), steps={"gaussian": ("sigma",)}, settings=SETTINGS)
    assert found["lower bound"].word == "refuted"


WRONG = [
    (some.IgnoresCounts, "count", "refuted"),
    (some.IgnoresCounts, "lower bound", "refuted"),
    (some.IgnoresCountsOfPure, "count", "refuted"),
    (some.SigmaSquared, "lower bound", "refuted"),
    (some.LastStepOnly, "order", "refuted"),
    (some.OrderMatters, "order", "inconsistent"),
    (some.ForgetsWhenSaved, "saved state", "refuted"),
    (some.NothingCosts, "no-op", "inconsistent"),
    (some.LinearAmplification, "lower bound", "refuted"),
    (some.DeltaTheWrongWay, "inverse", "refuted"),
    (some.one_direction, "lower bound", "refuted"),
    (some.sigma_as_variance, "lower bound", "refuted"),
    (some.wrong_sensitivity, "lower bound", "refuted"),
    (some.States, "count", "refuted"),
]


@pytest.mark.parametrize(("wrong", "row", "word"), WRONG, ids=lambda each: getattr(each, "__name__", each))
def test_a_wrong_one_falls_by_its_row(wrong, row, word):
    found = dpv.audit_accountant(wrong, settings=20)
    assert found[row].word == word
    assert found[row].shown and len(found[row].answers) == len(found[row].shown)
    with pytest.raises((dpv.ClaimRefuted, dpv.AuditError)):
        found.check()


def test_the_sum_of_epsilons_at_the_whole_delta_falls_where_delta_is_large():
    found = dpv.audit_accountant(some.DeltaOfEach)
    assert found["lower bound"].verdict is dpv.Status.REFUTED
    assert found["lower bound"].answers[0] < found["lower bound"].bound
    assert found["lower bound"].beside.startswith("dpverify account 'gaussian(sigma=")


def test_the_smallest_setting_is_shown():
    found = dpv.audit_accountant(some.IgnoresCountsOfPure, steps=("pure",), settings=20)["count"]
    first, second = found.shown
    assert first.endswith("for pure(epsilon=1)*2 at delta = 1e-05")
    assert second.endswith("for pure(epsilon=1)*2 composed one by one at delta = 1e-05")
    assert found.answers == (pytest.approx(1.10098, rel=1e-5), pytest.approx(2.10098, rel=1e-5))
    assert 1.99 < found.bound < 2


def test_an_error_that_is_stated_decides_between_inconsistent_and_refuted():
    unstated = dpv.audit_accountant(some.OrderMatters, settings=SETTINGS)
    stated = dpv.audit_accountant(some.OrderMatters, settings=SETTINGS, error=0.01)
    assert unstated["order"].word == "inconsistent" and unstated.verdict is dpv.Status.INCONCLUSIVE
    assert stated["order"].word == "refuted"
    assert "intervals that it states" in stated["order"].words


def test_an_answer_within_rounding_of_the_truth_is_not_accused():
    def exact(sigma, steps, delta):
        one = registry().accountants.get("gdp")
        composition = dpv.account(f"gaussian(sigma={sigma})*{steps}", delta=delta, accountants=["gdp"])
        assert one.name == "gdp"
        return composition.rows[0].bracket.lower * (1 - 1e-7)

    assert verdicts(dpv.audit_accountant(exact, settings=SETTINGS)) == {}


def test_a_delta_within_the_rounding_of_its_epsilon_is_not_accused():
    class Rounded:
        """Its delta is the exact one at an epsilon that is larger by less than rounding."""

        steps = ("gaussian",)

        def __init__(self):
            self.runs = []

        def compose(self, step, count):
            self.runs.append(f"gaussian(sigma={step['sigma']!r})*{count}")

        def epsilon(self, delta):
            return dpv.account(" + ".join(self.runs), delta=delta, accountants=["gdp"]).rows[0].bracket.upper

        def delta(self, epsilon):
            found = dpv.account(" + ".join(self.runs), epsilon=epsilon * (1 + 1e-7), accountants=["gdp"])
            return found.rows[0].bracket.upper

    assert verdicts(dpv.audit_accountant(Rounded, settings=30)) == {}


def test_more_than_rounding_below_is_refuted():
    def below(sigma, steps, delta):
        found = dpv.account(f"gaussian(sigma={sigma})*{steps}", delta=delta, accountants=["gdp"])
        return found.rows[0].bracket.lower * (1 - 1e-5)

    assert dpv.audit_accountant(below, settings=SETTINGS)["lower bound"].word == "refuted"


def test_an_epsilon_that_no_mechanism_has_is_refuted_without_a_mechanism():
    class Negative(some.Right):
        relation = "replace"
        steps = ("poisson-gaussian",)

        def epsilon(self, delta):
            return -1.0

    found = dpv.audit_accountant(Negative, settings=SETTINGS)
    assert found["lower bound"].verdict is dpv.Status.UNSUPPORTED
    assert found.verdict is dpv.Status.NOT_REFUTED  # all of its answers agree, and none is compared

    class Differs(Negative):
        def epsilon(self, delta):
            return -1.0 - 0.1 * float(self.curve[0])

    assert dpv.audit_accountant(Differs, settings=SETTINGS)["twice"].word == "refuted"


def test_nan_is_no_answer_to_rely_on():
    def nothing(sigma, steps, delta):
        return math.nan

    assert dpv.audit_accountant(nothing, settings=SETTINGS)["lower bound"].word == "inconsistent"


def test_an_answer_that_changes_is_inconsistent():
    class Drifts(some.Right):
        asked = 0

        def epsilon(self, delta):
            Drifts.asked += 1
            return super().epsilon(delta) * (1 + 0.01 * Drifts.asked)

    assert dpv.audit_accountant(Drifts, settings=SETTINGS)["repeated"].word == "inconsistent"


def test_where_it_raises_it_is_not_accused():
    def small(sigma, steps, delta):
        if steps > 10:
            raise ValueError("too many")
        return some.right_function(sigma, steps, delta)

    found = dpv.audit_accountant(small, settings=20)
    assert verdicts(found) == {}
    assert 0 < found["lower bound"].unanswered < found["lower bound"].settings
    assert "too many" in found["lower bound"].words


def test_the_same_seed_asks_the_same_questions():
    def questions(seed):
        asked = []

        def noted(sigma, steps, delta):
            asked.append((sigma, steps, delta))
            return some.right_function(sigma, steps, delta)

        return dpv.audit_accountant(noted, settings=4, seed=seed).rows, asked

    assert questions(3) == questions(3)
    assert questions(3)[1] != questions(4)[1]


@pytest.mark.parametrize(
    ("accountant", "how", "says"),
    [
        (lambda sigma, steps: 1.0, {}, "a function of sigma, steps, delta"),
        (3, {}, "an accountant that is a"),
        (some.Right, {"steps": ("gauss",)}, "a step 'gauss'"),
        (some.Right, {"steps": {"gaussian": ("rate",)}}, "numbers of gaussian"),
        (some.Right, {"relation": "swap"}, "relation 'swap'"),
        (some.Right, {"settings": 0}, "settings = 0"),
        (some.Right, {"error": 2.0}, "error"),
        ("no-such", {}, "no library accountants called 'no-such'"),
        (lambda sigma, steps, delta: "much", {}, "answered 'much'"),
        (lambda sigma, steps, delta: 1 / 0, {}, "ZeroDivisionError"),
        (lambda sigma, steps, delta: (2.0, 1.0), {}, "answered 2 to 1"),
    ],
)
def test_bad_input_is_one_line(accountant, how, says):
    with pytest.raises(InputError, match=says.replace("(", r"\(")) as problem:
        dpv.audit_accountant(accountant, **how)
    assert "\n" not in str(problem.value)


def test_a_call_that_hangs_is_limited():
    def slow(sigma, steps, delta):
        while True:
            pass

    with pytest.raises(InputError, match="ran longer than its limit"):
        dpv.audit_accountant(slow, max_seconds_per_call=0.2)


def test_objects_are_copied_and_functions_of_nothing_called():
    one = some.Right()
    for each in (one, lambda: some.Right()):
        assert verdicts(dpv.audit_accountant(each, settings=2, name="it")) == {}
    assert not one.curve.any()


def test_the_result_shows_itself():
    found = dpv.audit_accountant(some.IgnoresCounts, settings=SETTINGS, name="mine")
    assert repr(found).startswith("REFUTED: mine as an accountant of gaussian")
    assert "mine" in found._repr_html_()
    made = found.record()
    assert made["word"] == "refuted" and made["rows"][0]["bound"] > made["rows"][0]["answers"][0]
    assert "lower bound" in found.finding_line()
