import math
from fractions import Fraction

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.rules import (
    BELOW_ONE,
    FINITE,
    NON_NEGATIVE,
    OPEN_UNIT,
    POSITIVE,
    PROBABILITY,
    REFUSED,
    SHARE,
    Between,
    Each,
    OneOf,
    OrNone,
    allowed_text,
)

COUNT = Between(1, math.inf, whole=True)


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        (FINITE, (-1e300, 0, 1e300), (math.inf, -math.inf, math.nan)),
        (POSITIVE, (5e-324, 1), (0, -1, math.inf, math.nan)),
        (NON_NEGATIVE, (0, 0.0, 1e300), (-5e-324, math.inf, math.nan)),
        (PROBABILITY, (0, 0.5, 1), (-1e-9, 1 + 1e-9, math.nan)),
        (BELOW_ONE, (0, math.nextafter(1, 0)), (1, -1e-9)),
        (OPEN_UNIT, (1e-9, math.nextafter(1, 0)), (0, 1, 0.0, 1.0)),
        (SHARE, (1e-9, 1), (0, 1.5)),
        (Between(0, math.inf, open="low"), (1e-9, math.inf), (0, math.nan)),
        (Between(2, 3), (2, 3.0), (1.999, 3.001)),
        (COUNT, (1, 10**30, np.int64(3)), (0, 1.0, 1.5, np.float64(2), Fraction(3))),
    ],
)
def test_ends_of_ranges(rule: Between, inside: tuple[object, ...], outside: tuple[object, ...]) -> None:
    assert [rule.kept(value) for value in inside] == list(inside)
    assert all(rule.kept(value) is REFUSED for value in outside)


@pytest.mark.parametrize("value", [True, False, np.bool_(True), "1", None, 1j, (1,), np.array([1.0]), np.array(1.0)])
@pytest.mark.parametrize("rule", [FINITE, NON_NEGATIVE, COUNT, Between(0, 2, plain=True)])
def test_what_is_no_number_is_refused(rule: Between, value: object) -> None:
    assert rule.kept(value) is REFUSED


def test_numbers_are_kept_as_they_came_or_plain() -> None:
    for value in (np.float32(0.25), np.int64(1), Fraction(1, 3), 1):
        assert PROBABILITY.kept(value) is value
        plain = Between(0, 1, plain=True).kept(value)
        assert type(plain) is float
        assert plain == float(value)
    whole = Between(1, 9, whole=True, plain=True)
    assert [(type(whole.kept(value)), whole.kept(value)) for value in (4, 4.0, np.int8(4))] == [(int, 4)] * 3
    assert whole.kept(4.5) is REFUSED
    assert Between(0, math.inf, open="high", plain=True).kept(10**400) is REFUSED  # no double


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (FINITE, "a finite number"),
        (POSITIVE, "a finite number > 0"),
        (NON_NEGATIVE, "a finite number >= 0"),
        (BELOW_ONE, "a number in [0, 1)"),
        (SHARE, "a number in (0, 1]"),
        (Between(0, math.inf, open="low"), "a number > 0"),
        (Between(1e-300, 1e6), "a number in [1e-300, 1e+06]"),
        (COUNT, "a whole number >= 1"),
        (Between(1, 20, whole=True), "a whole number in [1, 20]"),
        (Each(PROBABILITY), "a tuple, each a number in [0, 1]"),
        (OneOf(("laplace", "gaussian")), "laplace, gaussian"),
        (OneOf(("", 2)), "'', 2"),
        (OrNone(POSITIVE), "a finite number > 0, or None"),
    ],
)
def test_what_is_allowed_in_words(rule: Between, text: str) -> None:
    assert rule.allowed == text


def test_a_refusal_has_the_name_the_value_and_the_remedy() -> None:
    with pytest.raises(InputError, match=r"^A: q = 2\.5; allowed: a number in \[0, 1\]; take a share$"):
        Between(0, 1, remedy="take a share").checked("A: q", np.float64(2.5))


def test_one_number_is_a_python_float() -> None:
    assert type(NON_NEGATIVE.number("x", np.int64(3))) is float
    with pytest.raises(InputError, match=r"x = '3'; allowed: a finite number >= 0"):
        NON_NEGATIVE.number("x", "3")


@pytest.mark.parametrize("values", [[0, 1], (0.0, 1.0), np.array([0, 1])])
def test_each(values: object) -> None:
    kept = Each(PROBABILITY).checked("x", values)
    assert kept == (0.0, 1.0)
    assert [type(item) for item in kept] == [float, float]


@pytest.mark.parametrize("values", [3, "12", None])
def test_each_needs_several(values: object) -> None:
    with pytest.raises(InputError, match=r"a tuple, each .*write \(2, 4, 8\)"):
        Each(PROBABILITY).checked("x", values)


@pytest.mark.parametrize(
    ("values", "text"), [((1, -2), r"x\[1\] = -2"), ((-2,), "x = -2"), ((1, None), r"x\[1\] = None")]
)
def test_each_names_the_place(values: object, text: str) -> None:
    with pytest.raises(InputError, match=text):
        Each(PROBABILITY).checked("x", values)


def test_one_of() -> None:
    rule = OneOf(("l1", "l2"))
    assert rule.kept("l1") == "l1"
    for value in ("l3", None, 1, ["l1"], np.array(["l1", "l2"]), True):
        assert rule.kept(value) is REFUSED
    assert OneOf((1, 2)).kept(1.0) == 1
    assert OneOf((1, 2)).kept(True) is REFUSED
    assert OneOf((True, False)).kept(True) is True


def test_none_beside_a_rule() -> None:
    assert OrNone(POSITIVE).kept(None) is None
    with pytest.raises(InputError, match="x = 0; allowed: a finite number > 0"):
        OrNone(POSITIVE).checked("x", 0)


def test_values_in_messages() -> None:
    assert [allowed_text(value) for value in (np.float64(1.5), np.int64(2), 2.0, "a")] == ["1.5", "2", "2.0", "'a'"]
    assert allowed_text(16**5000) == "a huge number"
