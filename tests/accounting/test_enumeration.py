from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.accounting import enumeration
from dpverify.accounting.accountants.enumeration import EnumerationAccountant
from dpverify.accounting.enumeration import adaptive, number_of_types, repeated
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.guarantees import RandomisedResponseStep
from dpverify.core.composition import Composition, Part
from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.laws.balls import at_working_precision
from dpverify.laws.discrete import DiscreteLaw

accountant = EnumerationAccountant()


def law(*weights):
    return DiscreteLaw.from_fractions([Fraction(weight, sum(weights)) for weight in weights])


def naive_delta(rows, epsilon):
    """Over all transcripts, one by one, in fractions up to e^epsilon."""
    total = 0.0
    for outcome in itertools.product(*(range(len(p)) for p, _ in rows)):
        p = math.prod((row[0][i] for row, i in zip(rows, outcome, strict=True)), start=Fraction(1))
        q = math.prod((row[1][i] for row, i in zip(rows, outcome, strict=True)), start=Fraction(1))
        total += max(float(p) - math.exp(epsilon) * float(q), 0.0)
    return total


@st.composite
def rows(draw, largest=4):
    size = draw(st.integers(2, largest))
    found = [draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)) for _ in range(2)]
    return tuple(tuple(Fraction(value, sum(row)) for value in row) for row in found)


@given(st.lists(st.tuples(rows(), st.integers(1, 3)), min_size=1, max_size=2), st.floats(0, 3))
def test_types_give_what_all_transcripts_give(parts, epsilon):
    steps = Composition(parts=tuple(Part(step=DiscreteStep(p=p, q=q), count=count) for (p, q), count in parts))
    spread = [row for row, count in parts for _ in range(count)]
    truth = max(naive_delta(spread, epsilon), naive_delta([row[::-1] for row in spread], epsilon))
    found = accountant.compose(steps).delta(epsilon)
    assert found.lower - 1e-12 <= truth <= found.upper + 1e-12
    assert found.upper - found.lower < 1e-10


@given(st.lists(st.tuples(rows(), st.integers(1, 4)), min_size=1, max_size=2), st.sampled_from([1.5, 2.0, 7.0]))
@settings(max_examples=40, deadline=None)
def test_renyi_adds_up(parts, order):
    for way in (0, 1):
        pairs = [DiscreteStep(p=row[way], q=row[1 - way]).laws()[0] for row, _ in parts]
        whole = [repeated(pair, count) for pair, (_, count) in zip(pairs, parts, strict=True)]
        for pair, table, (_, count) in zip(pairs, whole, parts, strict=True):
            one, many = pair.renyi(order), table.renyi(order)
            if math.isinf(one.value):
                assert math.isinf(many.value)
            else:
                assert abs(many.value - count * one.value) <= many.error + count * one.error + 1e-14 * many.value


def test_proofs_enclose_the_exact_rational():
    pair = repeated(law(1, 2).against(law(2, 1)), 3)
    # types 0..3 of the first outcome: p = (8, 12, 6, 1)/27, q = (1, 6, 12, 8)/27
    proof = pair.prove(Measure(kind="delta", argument=0.0, claimed=1.0))
    assert proof is not None and proof.proved
    assert Fraction(proof.lower) <= Fraction(7 + 6, 27) <= Fraction(proof.upper)
    assert proof.error < 1e-15
    assert pair.prove(Measure(kind="epsilon", argument=0.0, claimed=1.0)).value == pytest.approx(3 * math.log(2))


@at_working_precision
def farthest(pair):
    """The largest distance of a float log-probability from the logarithm of its ball, both laws, in falling order."""
    gaps = []
    for logs, balls in zip((pair.log_p, pair.log_q), pair.enclose(), strict=True):
        exact = sorted((ball.log() for ball in balls), key=float)
        gaps += [float(abs(a - b).upper()) for a, b in zip(sorted(logs.tolist()), exact, strict=True)]
    return max(gaps)


def test_no_float_is_farther_from_its_ball_than_the_stated_error():
    """And some are away from it: an error of 0 would be a lie."""
    step = law(1, 2, 4).against(law(3, 5, 1))
    first, second = (law(1, 2), law(2, 5)), (law(1, 6), law(3, 8))
    tree = adaptive(lambda seen: [first, second, second, None][len(seen)])
    for pair in (repeated(step, 1), repeated(step, 7), repeated(step, 40), tree):
        assert 0 < farthest(pair) <= pair.error


def test_types_are_few():
    pair = RandomisedResponseStep(epsilon=1.0, size=6).laws()[0]
    assert number_of_types(pair, 30) == math.comb(32, 2)  # four outcomes look alike
    assert repeated(pair, 30).log_p.size == math.comb(32, 2)
    assert repeated(pair, 0).epsilon(0.0).value == 0


def test_a_tree_that_does_not_look_is_the_product():
    first, second = (law(1, 3), law(3, 2)), (law(1, 1, 2), law(2, 1, 1))
    tree = adaptive(lambda seen: [first, second, None][len(seen)])
    for epsilon in (0.0, 0.4, 1.0):
        product = naive_delta(
            [
                ([Fraction(1, 4), Fraction(3, 4)], [Fraction(3, 5), Fraction(2, 5)]),
                ([Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]),
            ],
            epsilon,
        )
        assert tree.delta(epsilon).value == pytest.approx(product, abs=1e-14)
        proof = tree.prove(Measure(kind="delta", argument=epsilon, claimed=1.0))
        assert proof.lower - 1e-15 <= product <= proof.upper + 1e-15


def test_a_tree_that_looks_by_hand():
    """After outcome 0 the run ends; after 1 a second answer is asked for."""
    table = {(): (law(1, 1), law(1, 3)), (1,): (law(1, 4), law(4, 1))}
    tree = adaptive(table.get)
    # (0): 1/2, 1/4;  (1, 0): 1/10, 3/5;  (1, 1): 2/5, 3/20
    assert tree.delta(0.0).value == pytest.approx(0.25 + 0.25)
    assert tree.epsilon(0.0).value == pytest.approx(math.log(8 / 3))
    assert tree.swap().epsilon(0.0).value == pytest.approx(math.log(6))


def test_an_adaptive_tree_stays_below_its_steps_summed():
    """Each next step is at most e: so are two of them at 2 e, and the tree at delta above the composition's worst."""
    response = {answer: RandomisedResponseStep(epsilon=0.5).laws()[0] for answer in (0, 1)}
    worst = repeated(response[0], 2)
    strong, weak = (law(3, 2), law(2, 3)), (law(1, 1), law(1, 1))
    tree = adaptive(lambda seen: strong if not seen else (weak if seen == (0,) else strong) if len(seen) == 1 else None)
    assert math.log(1.5) < 0.5
    for epsilon in np.linspace(0, 1, 11):
        assert tree.delta(float(epsilon)).lower <= worst.delta(float(epsilon)).upper


def test_what_cannot_be_listed_is_refused(monkeypatch):
    gaussian = accountant.refuses(Composition.of(GaussianStep(sigma=1.0)))
    assert gaussian is not None and "infinitely many" in gaussian
    many = Composition.repeat(DiscreteStep(p=(0.1, 0.2, 0.3, 0.4), q=(0.4, 0.3, 0.2, 0.1)), 500)
    assert accountant.refuses(many) is not None
    with pytest.raises(InputError):
        repeated(many.parts[0].step.laws()[0], 500)
    with pytest.raises(InputError, match="different sizes"):
        adaptive(lambda seen: (law(1, 1), law(1, 1, 1)))
    monkeypatch.setattr(enumeration, "LARGEST_TREE", 256)
    with pytest.raises(InputError, match="at most 256"):
        adaptive(lambda seen: (law(1, 1), law(1, 2)) if len(seen) < 40 else None)
