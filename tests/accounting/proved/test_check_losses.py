"""The checker takes right files and refuses every other: changed, forged, and those that mutants of the prover make."""

from __future__ import annotations

import copy
import hashlib
import inspect
import json
import math
import random
import subprocess
import sys
import types
from fractions import Fraction
from pathlib import Path

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.composition_spec import read_composition
from dpverify.accounting.proved import check_losses, grid, masses, prove, step_law
from dpverify.accounting.proved.check_losses import FixedPoint, LossProofError, checked
from dpverify.accounting.proved.prove import ProvedAccountant
from dpverify.accounting.proved.shown import outward, shown
from dpverify.core.plugins import registry
from dpverify.laws.balls import working_precision
from tests.accounting.proved import exact
from tests.code_lines import code_lines

SMALL = ("laplace(scale=1)*3", "poisson-laplace(q=0.25, scale=1)*2", "approx(epsilon=0.5, delta=1e-7)*3")


def made(text, **given):
    composed = ProvedAccountant().compose(read_composition(text, registry()))
    found = composed.epsilon(given["delta"]) if "delta" in given else composed.delta(given["epsilon"])
    return json.loads(json.dumps(found.certificate))


@pytest.fixture(scope="module")
def files():
    return [made(text, delta=1e-5) for text in SMALL] + [made("randomised-response(epsilon=1)*2", epsilon=0.5)]


def signed(told):
    rest = {key: each for key, each in told.items() if key != "digest"}
    return {**rest, "digest": hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()}


def refused(told):
    try:
        checked(told)
    except LossProofError:
        return True
    return False


def places(told, above=()):
    """Every number of a file: by keys, and in a row of masses by its place."""
    if isinstance(told, dict | list):
        for key, each in told.items() if isinstance(told, dict) else enumerate(told):
            yield from places(each, (*above, key))
    elif isinstance(told, str) and " " in told and above[-1] in ("masses", "at"):
        yield from ((*above, place) for place in range(len(told.split())))
    else:
        yield above


def changed(told, place, change):
    made = copy.deepcopy(told)
    inner = made
    for key in place[:-1]:
        outer, inner, last = inner, inner[key] if not isinstance(inner, str) else inner, key
    if isinstance(inner, str):
        row = inner.split()
        row[place[-1]] = str(change(int(row[place[-1]])))
        outer[last] = " ".join(row)
    else:
        inner[place[-1]] = change(inner[place[-1]] if isinstance(inner, list) else inner.get(place[-1]))
    return made


def test_right_files_are_taken(files):
    for told in files:
        found = checked(told)
        assert found["lower"] <= found["upper"] and f"<= {told['asked']} <=" in shown(found)


@pytest.mark.parametrize(
    "text",
    [
        "gaussian(sigma=20)*100",
        "mixture-gaussian(weights=(0.5, 0.5), shifts=(0, 1), sigma=5)*50",
        "mixture(weights=(0.5, 0.3, 0.2), shifts=(0, 1, 2), sigma=5)*50",
        "mixture(weights=(1,), shifts=(1,), sigma=4)*3",
        "poisson-gaussian-replace(q=0.1, sigma=5)*50",
        "poisson-laplace-replace(q=0.2, scale=2)*3 + discrete-laplace(scale=5, sensitivity=3)",
        'discrete(p=("1/3", "2/3"), q=("1/4", "3/4"))*4 + pure(epsilon=0.1)',
        "discrete-gaussian(sigma=2)*3 + randomised-response(epsilon=0.5, size=4)",
    ],
)
def test_every_step_is_checked(text):
    assert not refused(made(text, delta=1e-5))


@pytest.mark.parametrize("text", ["discrete(p=(1, 0), q=(0, 1))", "approx(epsilon=0, delta=0.1)"])
def test_what_is_infinite_is_proved(text):
    told = made(text, epsilon=0.7)
    assert not refused(told)
    assert Fraction(told["lower"]) > 0.09 and Fraction(told["upper"]) >= Fraction(told["lower"])


def test_two_hundred_random_corruptions_are_refused(files):
    rng, done = random.Random(11), 0
    for told in files:
        for place in rng.choices(sorted(places(told), key=str), k=50):
            other = changed(told, place, lambda old: rng.choice(_others(rng, old)))
            assert other == told or refused(other), place
            done += 1
    assert done == 200


def _others(rng, old):
    if isinstance(old, int):
        return [old + 1, old - 1, -old, old ^ (1 << rng.randrange(120)), 0, 7]
    digits = str(old)
    return [digits + "0", digits[:-1], "0", "1/2", None, [], {}, 1e300, f"{digits}x"]


def test_whoever_signs_a_change_proves_nothing_false(files):
    """A change that is taken, with its digest made anew, leaves ends that hold: laws are checked, not the digest."""
    rng, taken, others = random.Random(12), 0, 0
    truths = [checked(told) for told in files]
    for told, truth in zip(files, truths, strict=True):
        for place in rng.choices(sorted(places(told), key=str), k=25):
            other = signed(changed(told, place, lambda old: rng.choice(_others(rng, old))))
            try:
                found = checked(other)
            except LossProofError:
                others += 1
                continue
            taken += 1
            if all(found[key] == truth[key] for key in ("steps", "asked", "given")):
                assert found["lower"] <= truth["upper"] and truth["lower"] <= found["upper"], place
            else:  # another claim: it has to hold for what it says now
                assert place[0] in ("steps", "asked", "given")
    assert others > 40 and taken > 10


def test_forgeries_are_refused(files):
    laplace, sampled, approx, response = files
    low, high = (Fraction(laplace[end]) for end in ("lower", "upper"))

    def forged(told, *changes):
        for place, value in changes:
            told = changed(told, place, lambda _, value=value: value)
        return signed(told)

    for forgery in (
        forged(laplace, (("upper",), str(high - Fraction(1, 1 << 12)))),
        forged(laplace, (("lower",), str(low + Fraction(1, 1 << 12)))),
        forged(laplace, (("given",), "1/1000000000")),
        forged(laplace, (("steps", 0, "count"), 4)),
        forged(laplace, (("steps", 0, "count"), 2)),
        forged(laplace, (("steps", 0, "scale"), "99/100")),
        forged(laplace, (("steps", 0, "scale"), "101/100")),
        forged(laplace, (("steps", 0, "step"), "gaussian")),
        forged(laplace, (("steps", 0, "step"), "laplace-of-mine")),
        forged(sampled, (("steps", 0, "q"), "1/8")),
        forged(sampled, (("steps", 0, "q"), "-1/4")),
        forged(sampled, (("ways",), sampled["ways"][:1])),
        forged(sampled, (("ways",), sampled["ways"][1:] * 2)),
        forged(approx, (("steps", 0, "delta"), "1/1000000")),
        forged(approx, (("steps", 0, "size"), "9")),
        forged(sampled, (("steps", 0, "shifts"), ["0", "1/2"])),
        forged(approx, (("ways", 0, "upper", "laws", 0, "infinite"), 0)),
        forged(approx, (("ways", 0, "lower", "laws", 0, "infinite"), 1 << 120)),
        forged(response, (("grid", 0), response["grid"][0] * 2)),
        forged(response, (("bits",), response["bits"] - 1)),
        forged(response, (("bits",), response["bits"] + 1)),
        forged(response, (("asked",), "sigma")),
        forged(response, (("steps",), [])),
        forged(response, (("ways",), [])),
        {**laplace, "format": "dpverify proof 1"},
        {},
    ):
        assert refused(forgery)


def test_forged_mixtures_are_refused(monkeypatch):
    monkeypatch.setattr(grid, "FEWEST", 200)
    monkeypatch.setattr(grid, "MOST_KNOTS", 200)
    told = made("mixture(weights=(0.5, 0.25, 0.25), shifts=(0, 1, 2), sigma=2)*2", delta=1e-5)
    assert not refused(told)
    (outputs,) = told["ways"][0]["outputs"]
    for place, value in (
        (("steps", 0, "weights"), ["1/2", "1/5", "3/10"]),
        (("steps", 0, "weights"), ["1/2", "3/10", "1/5"]),
        (("steps", 0, "weights"), ["2/3", "0", "1/3"]),
        (("steps", 0, "weights"), ["1", "1"]),
        (("steps", 0, "weights"), ["0", "0", "0"]),
        (("steps", 0, "shifts"), ["0", "1", "21/10"]),
        (("steps", 0, "shifts"), ["0", "1", "19/10"]),
        (("steps", 0, "step"), "mixture-gaussian"),
        (("ways", 0, "outputs", 0), outputs[:2]),
        (("ways", 0, "outputs", 0), outputs[0]),
        (("ways", 0, "outputs", 0), None),
        (("ways", 0, "outputs", 0), []),
        (("ways", 0, "outputs", 0), [outputs[0], outputs[2], outputs[1]]),
    ):
        assert refused(signed(changed(told, place, lambda _, value=value: value))), (place, value)
    for weights, shifts in (([], []), (["0"], ["1000000"]), (["0", "0"], ["1", "2"])):  # of no parts: it would cost 0
        free = changed(told, ("ways", 0, "outputs", 0), lambda _: [])
        for side, first in (("upper", 1 << told["bits"]), ("lower", 0)):  # all mass where it costs nothing
            law = free["ways"][0][side]["laws"][0]
            law["masses"], law["infinite"] = " ".join([str(first), *["0"] * (len(law["masses"].split()) - 1)]), 0
        for place, value in (
            *((("steps", 0, "weights"), weights), (("steps", 0, "shifts"), shifts)),
            *((("lower",), "0"), (("upper",), "0")),
        ):
            free = changed(free, place, lambda _, value=value: value)
        assert refused(signed(free))


MUTANTS = [
    # the upper side's tails: the left one dropped, the right one finite; in a law, and when losses are added
    (step_law, "(over - under) * (value - (1 << grid.bits + _FINER))\n        row", "0\n        row"),
    (step_law, "-(-values[-1] >> _FINER), low)", "0, low)"),
    (masses, "kept[0] + left, infinite + right", "kept[0], infinite + right"),
    (masses, "kept[0] + left, infinite + right", "kept[0] + left, infinite"),
    # the lower side's: the left one moved up, the right one to infinity
    (masses, "kept[-1] += right", "kept[-1] += right + left"),
    (masses, "kept[-1] += right", "infinite += right"),
    (step_law, "else tuple(row), infinite, first)", "else tuple(row), infinite + 1, first)"),
    # masses rounded to nearest
    (
        step_law,
        "row.append(max(0, -((left - under * right) // ((over - under) << _FINER))))",
        "row.append(max(0, (2 * (under * right - left) // ((over - under) << _FINER) + 1) // 2))",
    ),
    (
        step_law,
        "(x[at] * (slope - before)).lower().floor()) >> _FINER",
        "(x[at] * (slope - before)).lower().floor()) + (1 << _FINER - 1) >> _FINER",
    ),
    (
        masses,
        "tuple(-(-each >> self.bits) for each in kept)",
        "tuple(each + (1 << self.bits - 1) >> self.bits for each in kept)",
    ),
    (
        masses,
        "tuple(each >> self.bits for each in kept)",
        "tuple(each + (1 << self.bits - 1) >> self.bits for each in kept)",
    ),
    # cells shifted by one
    (step_law, "-(-values[-1] >> _FINER), low)", "-(-values[-1] >> _FINER), low - 2)"),
    (step_law, "else tuple(row), infinite, first)", "else tuple(row), infinite, first + 2)"),
    (masses, "first = a.first + b.first + 2 * low", "first = a.first + b.first + 2 * low + 2"),
    (masses, "first = a.first + b.first + 2 * low", "first = a.first + b.first + 2 * low - 2"),
    # enclosures from their wrong ends
    (
        step_law,
        "self.unit).upper().ceil()) + (1 << _FINER - _SLACK)",
        "self.unit).lower().floor()) - (1 << _FINER - _SLACK)",
    ),
    (
        step_law,
        "self.unit).lower().floor()) - (1 << _FINER - _SLACK)",
        "self.unit).upper().ceil()) + (1 << _FINER - _SLACK)",
    ),
]


def cost_at(law, x, eta, bits):
    """G(x) in exact fractions."""
    found = Fraction(law.infinite)
    for k, mass in enumerate(law.row):
        found += mass * max(Fraction(0), 1 - x / eta ** (law.first + 2 * k))
    return found / (1 << bits)


def added_exactly(found, laws, counts, eta, bits, upper):
    """The sums of a module's Adder are on their side of the exact sums, at every place and between."""
    total = {0: Fraction(1)}
    finite = Fraction(1)
    every = Fraction(1)
    for law, count in zip(laws, counts, strict=True):
        for _ in range(count):
            new = {}
            for place, mass in total.items():
                for k, other in enumerate(law.row):
                    at = place + law.first + 2 * k
                    new[at] = new.get(at, Fraction(0)) + mass * Fraction(other, 1 << bits)
            total = new
            finite *= Fraction(sum(law.row), 1 << bits)
            every *= Fraction(sum(law.row) + law.infinite, 1 << bits)
    for place in (*total, found.first - 2, found.first):
        for x in (eta**place, eta**place * Fraction(9, 8), Fraction(1, 1000)):
            truth = every - finite + sum(m * max(Fraction(0), 1 - x / eta**at) for at, m in total.items())
            mine = cost_at(found, x, eta, bits)
            assert mine >= truth if upper else mine <= truth


def adds_exactly(module):
    """Whether small laws are added on their sides, with few bits and with wide cuts."""
    rng, eta = random.Random(5), Fraction(5, 4)
    for tail, infinite in ((1e-9, 0), (1e-9, 4), (0.3, 0), (0.6, 4)) * 4:
        for upper in (True, False):
            laws = [
                module.GridMasses(tuple(rng.randrange(1, most) for most in row), infinite, rng.randrange(-5, 3))
                for row in ((6, 120, 120, 6), (4, 8, 200, 90, 6))
            ]
            adder = module.Adder(8, upper, tail)
            added_exactly(adder.total(laws, [3, 2]), laws, [3, 2], eta, 8, upper)


def test_losses_are_added_to_their_side():
    adds_exactly(masses)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=6), st.integers(1, 6), st.booleans(), st.floats(0, 9))
def test_losses_are_added_to_their_side_whatever_they_are(row, count, upper, tail):
    law = masses.GridMasses(tuple(row), 3, -4)
    found = masses.Adder(8, upper, tail).total([law], [count])
    added_exactly(found, [law], [count], Fraction(3, 2), 8, upper)


@pytest.mark.parametrize(
    ("module", "old", "new"), MUTANTS, ids=[f"{m.__name__[-8:]}:{new[:40]}" for m, _, new in MUTANTS]
)
def test_mutants_are_caught(module, old, new, monkeypatch):
    source = inspect.getsource(module)
    assert old in source
    mutant = types.ModuleType("mutant")
    monkeypatch.setitem(sys.modules, "mutant", mutant)
    exec(compile(source.replace(old, new), "mutant", "exec"), mutant.__dict__)  # noqa: S102
    if module is masses:
        with pytest.raises(AssertionError):
            adds_exactly(mutant)
        return
    monkeypatch.setattr(prove, "law_of", mutant.law_of)
    answers = []
    for text in ("gaussian(sigma=8)*30", *SMALL):
        try:
            answers.append(refused(made(text, delta=1e-5)))
        except AssertionError:  # ends that contradict each other
            answers.append(True)
    assert any(answers)


@pytest.mark.parametrize(
    "x", [Fraction(0), Fraction(1, 7), Fraction(-5, 3), Fraction(123, 10), Fraction(-40), Fraction(300)]
)
def test_enclosures_of_functions(x):
    numbers = FixedPoint(200)
    with working_precision(2000):
        ball, unit = exact.ball(x), flint.arb(2) ** 200
        laplace = (-ball).exp() / 2 if x >= 0 else 1 - ball.exp() / 2
        for (low, high), truth in (
            (numbers.exp(x), ball.exp()),
            (numbers.gaussian(x), exact.above(ball)),
            (numbers.laplace(x), laplace),
            (numbers.density(), 1 / (2 * flint.arb.pi()).sqrt()),
        ):
            assert low <= truth * unit <= high
            assert high - low <= 4 + truth * unit / flint.arb(2) ** 190


@given(st.fractions(-20, 20, max_denominator=10**9))
def test_enclosures_of_functions_anywhere(x):
    test_enclosures_of_functions(x)


def test_it_is_one_short_file_of_the_standard_library(files, tmp_path):
    path = Path(check_losses.__file__)
    assert code_lines(path.read_text()) <= 250
    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
    right.write_text(json.dumps(files[0]))
    wrong.write_text(json.dumps(signed({**files[0], "upper": "1"})))
    for file, status, said in (
        (right, 0, "proved: "),
        (wrong, 1, "does not hold: "),
        (tmp_path / "none", 1, "does not"),
    ):
        command = [sys.executable, "-I", "-S", str(path), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == status and (done.stdout + done.stderr).startswith(said), done.stdout + done.stderr


def test_shown_ends_are_rounded_outward(files):
    found = checked(files[0])
    words = shown(found).split()
    assert Fraction(words[0]) <= found["lower"] and Fraction(words[4]) >= found["upper"]
    third = Fraction(1, 3)
    assert Fraction(outward(third, up=False)) < third < Fraction(outward(third, up=True))
    assert outward(Fraction(1, 4), up=True) == 0.25
    assert math.isclose(float(words[0]), float(found["lower"]), rel_tol=1e-10)
