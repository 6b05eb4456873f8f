"""Compositions as text: what every step writes reads back, quotients are exact, anything else is one line."""

from fractions import Fraction

import pytest

from dpverify.accounting.composition_grammar import WrittenStep, parse_number, parse_steps
from dpverify.accounting.composition_spec import read_composition
from dpverify.accounting.side_by_side import written
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.definitions.grammar import LONGEST

STEPS = [step for _, factory in registry().steps.items() for step in getattr(factory, "examples", tuple)()]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.text())
def test_what_a_step_writes_reads_back_as_that_step(step):
    composition = Composition.repeat(step, 3)
    assert read_composition(written(composition), registry()) == composition


def test_steps_counts_and_steps_inside():
    found = parse_steps(" first-one(q=0.5, step=inner(s=2))*10+second() * 1e3 ")
    inner = WrittenStep(name="inner", arguments={"s": 2.0})
    assert found == [
        WrittenStep(name="first-one", arguments={"q": 0.5, "step": inner}, count=10),
        WrittenStep(name="second", arguments={}, count=1000),
    ]


@pytest.mark.parametrize(
    ("value", "means"),
    [
        ("1/3", Fraction(1, 3)),
        ("0.1*3", 0.3),
        ("256/50000", 0.00512),
        ("-2", -2.0),
        ("sqrt(2)", 2**0.5),
        ("1/log(1e1)", 0.43429448190325176),
        ("inf", float("inf")),
        ('"text"', "text"),
        ("(1, 1/2)", (1.0, 0.5)),
        ("(1)", 1.0),
        ("(1,)", (1.0,)),
        ('["1/3", 2]', ("1/3", 2.0)),
        ("()", ()),
    ],
)
def test_values(value, means):
    (found,) = parse_steps(f"s(a={value})")
    assert found.arguments == {"a": means}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the text ends"),
        ("gaussian", "'(' after gaussian"),
        ("gaussian(sigma=1", "',' or ')'"),
        ("gaussian(1)", "argument=value"),
        ("gaussian(sigma=1)*n", "a count"),
        ("gaussian(sigma=1)*2*3", "nothing more"),
        ("gaussian(sigma=1) laplace(scale=1)", "position 19"),
        ("gaussian(sigma=1) +", "the name of a step"),
        ("gaussian(sigma=1, sigma=2)", "'sigma' twice"),
        ("gaussian(sigma=1/0)", "is a double"),
        ("gaussian(sigma=1e300*1e300)", "is a double"),
        ("gaussian(sigma=sqrt(-1))", "in its range"),
        ("gaussian(sigma=\x00)", "a number"),
        ("__import__('os')", "argument=value"),
        ("s(a=" * 4000, "too deeply"),
        ("x" * (LONGEST + 1), f"at most {LONGEST}"),
    ],
)
def test_anything_else_is_an_input_error(text, said):
    with pytest.raises(InputError) as caught:
        parse_steps(text)
    assert said in str(caught.value)


def test_numbers():
    assert parse_number("256/50000", "q") == 256 / 50000
    for text in ("", "x", "1 2", "1/0", "(1)"):
        with pytest.raises(InputError, match="q = "):
            parse_number(text, "q")
