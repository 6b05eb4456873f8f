"""The printed tables: naive twins of the recipes, what is matched, and a table that must not match."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import pytest

from dpverify.core.verdict import Status, judge
from dpverify.laws.balls import working_precision
from reference_impls.papers.accounting.lemmas import table_adpsgd, table_privbr
from reference_impls.papers.accounting.lemmas.table_adpsgd import (
    PRINTED,
    AdpSgdTable,
    exact_bracket,
    multiplier,
    search,
)
from reference_impls.papers.accounting.lemmas.table_privbr import PrivBrTable
from reference_impls.papers.accounting.lemmas.whole_order_tables import CONVERSIONS, LEMMAS, Recipe


def _step(lemma: str, q: float, sigma: float, order: int) -> float:
    """One step's bound, with integers and floats only."""
    curve = [k / (2 * sigma**2) for k in range(order + 1)]
    if lemma == "without-replacement":
        second = min(4 * (math.exp(curve[2]) - 1), 2 * math.exp(curve[2]))
        total = 1 + q * q * math.comb(order, 2) * second
        total += sum(q**j * math.comb(order, j) * 2 * math.exp((j - 1) * curve[j]) for j in range(3, order + 1))
    else:
        total = (1 - q) ** (order - 1) * (order * q - q + 1)
        for k in range(2, order + 1):
            factor = 3 if lemma == "poisson" and k > 2 else 1
            total += factor * math.comb(order, k) * q**k * (1 - q) ** (order - k) * math.exp((k - 1) * curve[k])
    return math.log(total) / (order - 1)


@pytest.mark.parametrize("conversion", CONVERSIONS)
@pytest.mark.parametrize("lemma", LEMMAS)
def test_a_recipe_against_its_naive_twin_and_its_balls(lemma, conversion):
    q, sigma, steps, delta = 0.01, 1.5, 200, 1e-4
    recipe = Recipe(lemma=lemma, conversion=conversion, delta=delta, last=30)
    values = []
    for order in range(2, 31):
        value = steps * _step(lemma, q, sigma, order) + math.log(1 / delta) / (order - 1)
        if conversion == "tight":
            value += math.log(1 - 1 / order) - math.log(order) / (order - 1)
        values.append(value)
    assert recipe.epsilon(q, sigma, steps) == pytest.approx(min(values), rel=1e-8)
    with working_precision():
        ball = recipe.ball(flint.arb(q), sigma, steps)
    assert float(ball.mid()) == pytest.approx(recipe.epsilon(q, sigma, steps), rel=1e-9)


def test_fourteen_of_sixteen_come_out_of_whole_folds_and_no_other_recipe_comes_near():
    described = PrivBrTable().describe()
    assert described["matched"] == 14
    assert {(row["sigma"], row["steps"]) for row in described["differ"]} == {(1.5, 200), (2.0, 200)}
    first, second = described["search"][:2]
    assert (first["recipe"], first["MQ2007"], first["MQ2008"]) == ("without-replacement/classic", 1356, 628)
    assert second["matched"] <= 4


def test_every_whole_number_near_the_found_ones_matches_fewer_cells():
    recipe = Recipe(lemma="without-replacement", conversion="classic", delta=table_privbr.DELTA, last=48)
    for name, sessions, others in (("MQ2007", 1356, (1353, 1354, 1355, 1357, 1358)), ("MQ2008", 628, (626, 627, 629))):
        cells = [
            (s, t, v) for s, two in table_privbr.PRINTED[name].items() for t, v in zip((200, 400), two, strict=True)
        ]
        counts = {
            n: sum(abs(recipe.epsilon(10 / n, s, t) - v) <= 1e-3 for s, t, v in cells) for n in (sessions, *others)
        }
        assert max(counts, key=counts.get) == sessions, counts


def test_verdicts_on_the_privbr_table(audit):
    own = {"mq2007": 1356, "mq2008": 628}
    refuted = audit(PrivBrTable, {}, own)
    assert judge(refuted) is Status.REFUTED
    assert refuted.bound == pytest.approx(495.94, abs=0.01)
    assert judge(audit(PrivBrTable, {}, own | {"mended": True})) is Status.NOT_REFUTED
    assert judge(audit(PrivBrTable, {}, own | {"mended": True, "mq2008": 627})) is Status.REFUTED


def test_the_noise_multipliers_are_the_papers():
    assert [round(multiplier(budget), 2) for budget in PRINTED] == [8.5, 5.66, 4.25, 2.12, 1.06]


def test_no_recipe_matches_all_five_and_every_print_lies_between():
    best = search()[0]
    assert best["matched"] == 3
    for budget, value in PRINTED.items():
        sigma = multiplier(budget)
        classic, tight = (
            Recipe(lemma="tight", conversion=conversion, delta=1e-5).epsilon(256 / 50000, sigma, 11700)
            for conversion in CONVERSIONS
        )
        assert tight + 0.005 < value < classic - 0.005


def test_an_exact_bracket_lies_below_the_print():
    bracket = exact_bracket(0.8)
    assert 0.21 < bracket.lower <= bracket.upper < 0.22


def _recipe(lemma: str, conversion: str, sigma: float) -> float:
    return round(Recipe(lemma=lemma, conversion=conversion, delta=1e-5).epsilon(256 / 50000, sigma, 11700), 4)


def test_every_column_of_the_adpsgd_table():
    described = AdpSgdTable().describe()
    assert described["every print is above the exact cost"]
    for row, (budget, value) in zip(described["tight curve"], PRINTED.items(), strict=True):
        sigma, bracket = multiplier(budget), exact_bracket(budget)
        low, high = row.pop("pld >="), row.pop("<=")
        assert low <= bracket.lower < low + 1e-4
        assert high - 1e-4 < bracket.upper <= high
        assert row == {
            "sigma": round(sigma, 4),
            "print": value,
            "classic": _recipe("tight", "classic", sigma),
            "tight": _recipe("tight", "tight", sigma),
            "mended": round(_recipe("tight", "classic", sigma), 2),
            "between": True,
        }
    names = {"L.4": "poisson", "L.2.3": "without-replacement"}
    for row, (budget, value) in zip(described["printed lemmas"], PRINTED.items(), strict=True):
        pairs = [(locus, how) for locus in names for how in CONVERSIONS]
        found = {f"{locus} {how}": _recipe(names[locus], how, multiplier(budget)) for locus, how in pairs}
        assert row == {"print": value, **found}


def test_the_search_of_recipes_by_hand_and_in_order():
    found = search()
    assert len(found) == 3 * 2 * 6 * 5 * 4 * 3
    keys = [(-row["matched"], row["off by"]) for row in found]
    assert keys == sorted(keys)
    shown = AdpSgdTable().describe()["the closest of 2160 recipes"]
    assert shown == [{name: row[name] for name in row if name != "values"} for row in found[:6]]
    for row in (*found[:6], *found[6::300]):
        lemma, conversion = row["recipe"].split("/")
        recipe = Recipe(lemma=lemma, conversion=conversion, delta=row["delta"], last=int(row["orders"][3:]))
        values = [recipe.epsilon(float(Fraction(row["q"])), multiplier(b), row["steps"]) for b in PRINTED]
        assert row["values"] == pytest.approx(values, abs=6e-5)
        assert row["matched"] == sum(abs(a - b) <= 5e-3 for a, b in zip(values, PRINTED.values(), strict=True))
        assert row["off by"] == pytest.approx(
            max(abs(a / b - 1) for a, b in zip(values, PRINTED.values(), strict=True)), abs=6e-5
        )


@pytest.mark.parametrize("value", [0.2, 0.5])
def test_a_print_outside_is_said_to_be(value, monkeypatch):
    search()  # it is kept: of the paper's prints
    monkeypatch.setitem(table_adpsgd.PRINTED, 0.8, value)
    described = AdpSgdTable().describe()
    assert [row["between"] for row in described["tight curve"]] == [False, True, True, True, True]
    assert described["every print is above the exact cost"] is (value == 0.5)


def test_the_mended_prints_are_what_the_recipes_give():
    for (name, sigma, steps), value in table_privbr.REPAIRS.items():
        recipe = Recipe(lemma="without-replacement", conversion="classic", delta=table_privbr.DELTA)
        sessions = {"MQ2007": 1356, "MQ2008": 628}[name]
        assert value == round(recipe.epsilon(10 / sessions, sigma, steps), 3)
    for budget, value in table_adpsgd.REPAIRED.items():
        assert value == round(_recipe("tight", "classic", multiplier(budget)), 2)


def test_verdicts_on_the_adpsgd_table():
    assert AdpSgdTable().proved_ratio().lower > 1
    mended = AdpSgdTable(mended=True)
    assert mended.truth().upper <= 5e-3
    assert mended.proved_ratio().upper < 1
