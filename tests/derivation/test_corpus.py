"""What is proved of functions that people write: right ones, beside their code, and none of the wrong ones."""

from __future__ import annotations

import contextlib
import gc
import json
import re

import pytest

import dpverify as dpv
from dpverify.definitions.claims import guarantee_of
from dpverify.derivation.derive import Derivation, derive
from dpverify.derivation.items import held
from dpverify.derivation.stop import NotDerivedError
from dpverify.proofs.check import check
from dpverify.proofs.operations import ProofError
from tests.derivation.corpus import (
    hostile_eighteenth_stopped,
    hostile_eighth_found,
    hostile_eighth_stopped,
    hostile_eleventh_stopped,
    hostile_fifteenth_found,
    hostile_fifteenth_stopped,
    hostile_fifth_found,
    hostile_fifth_stopped,
    hostile_found,
    hostile_fourteenth_found,
    hostile_fourteenth_stopped,
    hostile_fourth_found,
    hostile_fourth_stopped,
    hostile_ninth_found,
    hostile_ninth_stopped,
    hostile_second_found,
    hostile_second_stopped,
    hostile_seventeenth_found,
    hostile_seventeenth_stopped,
    hostile_seventh_found,
    hostile_seventh_stopped,
    hostile_sixteenth_found,
    hostile_sixteenth_names,
    hostile_sixteenth_stopped,
    hostile_sixth_found,
    hostile_sixth_stopped,
    hostile_stopped,
    hostile_tenth_found,
    hostile_tenth_stopped,
    hostile_third_found,
    hostile_third_stopped,
    hostile_thirteenth_found,
    hostile_thirteenth_stopped,
    hostile_thirtieth_found,
    hostile_thirtieth_stopped,
    hostile_thirty_fifth_natural,
    hostile_thirty_first_natural,
    hostile_thirty_fourth_stopped,
    hostile_thirty_second_found,
    hostile_thirty_second_stopped,
    hostile_thirty_seventh_found,
    hostile_thirty_seventh_stopped,
    hostile_thirty_sixth_stopped,
    hostile_thirty_third_found,
    hostile_thirty_third_stopped,
    hostile_twelfth_found,
    hostile_twelfth_stopped,
    hostile_twentieth_found,
    hostile_twentieth_stopped,
    hostile_twenty_fifth_natural,
    hostile_twenty_first_found,
    hostile_twenty_first_stopped,
    hostile_twenty_fourth_found,
    hostile_twenty_fourth_stopped,
    hostile_twenty_ninth_stopped,
    hostile_twenty_second_stopped,
    hostile_twenty_seventh_found,
    hostile_twenty_seventh_stopped,
    hostile_twenty_sixth_found,
    hostile_twenty_sixth_stopped,
    hostile_twenty_third_found,
    hostile_twenty_third_stopped,
    practice_right,
    practice_wrong,
)
from tests.derivation.corpus.case import Case
from tests.derivation.corpus.right import RIGHT
from tests.derivation.corpus.right_more import MORE
from tests.derivation.corpus.wrong import WRONG


def derived(case: Case) -> Derivation:
    return derive(case.function, claim=guarantee_of(case.claim), data=case.data, **case.domain)


@pytest.mark.parametrize("case", [*RIGHT, *MORE], ids=lambda case: case.name)
def test_right_functions_are_proved_and_the_proof_agrees_with_the_code(case):
    found = derived(case)
    assert found.outcome == "proved", found
    told = json.loads(json.dumps(found.certificate()))
    assert check(told, case.function) == found.upper


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_wrong_functions_are_not_proved(case):
    found = derived(case)
    assert found.outcome != "proved", found
    assert found.why or found.outcome == "above the claim"


STOPPED = {
    *("diffprivlib_var", "near_abuah_crosstab", "cap_from_noisy_count", "AccountedMean", "first_three_per_user"),
    *("capped_user_totals", "PipelineDPCount", "distinct_users", "near_abuah_noisy_gradient_descent"),
    *("binary_tree_partial_sums", "TumultSession", "synthetic_ages_loop", "synthetic_pairs", "HistogramSynthesizer"),
    "synthesize",
}
"""Of the right functions that were written by somebody who did not know the rules: those without a proof so far."""


def named(function: object) -> str:
    return getattr(function, "__name__", type(function).__name__)


@pytest.mark.parametrize("case", practice_right.CASES, ids=lambda case: named(case[0]))
def test_right_functions_of_a_stranger_are_proved_or_name_the_line(case):
    function, claim, data, domain = case
    found = derive(function, claim=claim, data=data, **domain)
    assert found.outcome == ("not derived" if named(function) in STOPPED else "proved"), found
    assert found.why.startswith("practice_right.py:") or found.outcome == "proved"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("module", "name"),
    [
        pytest.param(module, name, id=name)
        for module in (hostile_twenty_fifth_natural, hostile_thirty_first_natural)
        for name in module.RIGHT
    ],
)
def test_right_natural_functions_are_proved(module, name):
    told = module.RIGHT[name]
    function = told.get("f") or getattr(module, name)
    found = derive(function, **{key: each for key, each in told.items() if key not in OF_RUNS})
    assert (found.outcome == "proved") is (name not in module.STOPPED), found


@pytest.mark.parametrize("case", practice_wrong.CASES, ids=lambda case: named(case[0]))
def test_wrong_functions_of_a_stranger_are_not_proved(case):
    function, claim, data, domain = case
    assert derive(function, claim=claim, data=data, **domain).outcome != "proved"


READINGS = (
    *(hostile_found, hostile_stopped, hostile_second_found, hostile_second_stopped),
    *(hostile_third_found, hostile_third_stopped, hostile_fourth_found, hostile_fourth_stopped),
    *(hostile_fifth_found, hostile_fifth_stopped, hostile_sixth_found, hostile_sixth_stopped),
    *(hostile_seventh_found, hostile_seventh_stopped, hostile_eighth_found, hostile_eighth_stopped),
    *(hostile_ninth_found, hostile_ninth_stopped, hostile_tenth_found, hostile_tenth_stopped),
    *(hostile_eleventh_stopped, hostile_twelfth_found, hostile_twelfth_stopped),
    *(hostile_thirteenth_found, hostile_thirteenth_stopped, hostile_fourteenth_found, hostile_fourteenth_stopped),
    *(hostile_fifteenth_found, hostile_fifteenth_stopped, hostile_sixteenth_found, hostile_sixteenth_stopped),
    *(hostile_sixteenth_names, hostile_seventeenth_found, hostile_seventeenth_stopped),
    *(hostile_eighteenth_stopped, hostile_twentieth_found, hostile_twentieth_stopped),
    *(hostile_twenty_first_found, hostile_twenty_first_stopped, hostile_twenty_second_stopped),
    *(hostile_twenty_third_found, hostile_twenty_third_stopped),
    *(hostile_twenty_fourth_found, hostile_twenty_fourth_stopped),
    *(hostile_twenty_fifth_natural, hostile_twenty_sixth_found, hostile_twenty_sixth_stopped),
    *(hostile_twenty_seventh_found, hostile_twenty_seventh_stopped),
    *(hostile_twenty_ninth_stopped, hostile_thirtieth_found, hostile_thirtieth_stopped),
    *(hostile_thirty_first_natural, hostile_thirty_second_found, hostile_thirty_second_stopped),
    *(hostile_thirty_third_found, hostile_thirty_third_stopped, hostile_thirty_fourth_stopped),
    *(hostile_thirty_fifth_natural, hostile_thirty_sixth_stopped),
    *(hostile_thirty_seventh_found, hostile_thirty_seventh_stopped),
)
OF_RUNS = ("f", "d0", "d1", "setup", "only_rules", "noise", "around")
RIGHT_AFTER_ALL = {
    *("matmul_wraps", "array_mod_kind", "kept_inverse", "counted_while", "geometric_doubled", "disjoint_releases"),
    *("default_released", "keyword_in_class", "norm_of_integers", "by_user"),
    *("random_zero_columns", "half_of_columns", "wide_group", "chained_condition", "inherited_scale"),
    *("most_of_a_user", "closures_with_defaults", "threshold_that_is_shown"),
    *("users_with_texts_that_are_stated", "norm_that_bounds_forget", "weight_index"),
    *("bincount_bool", "geo_mixed", "counter", "legacy", "legacy_noise"),
    *hostile_eighteenth_stopped.TRUE,
    *hostile_twentieth_stopped.TRUE,
    *hostile_twenty_first_stopped.TRUE,
    *hostile_twenty_fourth_stopped.TRUE,
    *hostile_twenty_sixth_stopped.TRUE,
    *hostile_twenty_seventh_found.EXCUSED,
    *hostile_twenty_seventh_stopped.TRUE,
    *hostile_thirty_third_stopped.TRUE,
    *hostile_thirty_seventh_stopped.PROVED,
}
"""Attacks that tell nothing, or that the assumptions of each proof exclude: their proofs hold."""

BY_RUNS = {
    hostile_fifteenth_found: ("changed_value", "changed_scale", "a_list_comes_back", "single_precision"),
    hostile_sixteenth_found: (
        *("no_dimensions", "no_dimensions_in_a_function", "no_dimensions_asked_twice", "late_in_place", "late_size"),
        *("late_in_place_straight", "late_exception", "same_array_again"),
    ),
    hostile_sixteenth_stopped: ("declared_size", "declared_of_an_integer", "declared_within"),
    hostile_eighteenth_stopped: ("declared_negative_scale",),
    hostile_twenty_first_stopped: hostile_twenty_first_stopped.BY_RUNS,
    hostile_twenty_third_found: hostile_twenty_third_found.BY_RUNS,
}
"""Attacks by a false declaration, which the rules take for true: the runs of the code see it."""

HOSTILE = [
    pytest.param(module, name, id=name)
    for module in READINGS
    for name in module.ATTACKS
    if name not in {*RIGHT_AFTER_ALL, *BY_RUNS.get(module, ())}
]


@pytest.mark.ci
@pytest.mark.parametrize(("module", "name"), HOSTILE)
def test_what_attacks_the_rules_is_not_proved_by_the_rules_alone(module, name, monkeypatch):
    monkeypatch.setattr("dpverify.derivation.derive.check", lambda *_: None)  # the code is not run
    try:
        told = {key: each for key, each in module.ATTACKS[name].items() if key not in OF_RUNS}
        function = module.ATTACKS[name].get("f") or getattr(module, "FUNCTIONS", {}).get(name) or getattr(module, name)
        with module.ATTACKS[name].get("around", contextlib.nullcontext)():
            found = derive(function, **told)
    except dpv.InputError:
        return
    assert found.outcome != "proved", found


@pytest.mark.parametrize(
    ("module", "name"), [pytest.param(module, name, id=name) for module, names in BY_RUNS.items() for name in names]
)
def test_a_false_declaration_is_seen_by_runs(module, name):
    told = {key: each for key, each in module.ATTACKS[name].items() if key not in OF_RUNS}
    found = derive(getattr(module, name), **told)
    assert found.outcome == "not derived"
    assert re.search(SEEN, found.why), found.why


SEEN = (
    r"returns a (list|float32|ndarray), |changes what it is given|that it returned before|gives UFuncTypeErr|scale < 0"
)


def test_a_proof_is_not_of_other_code():
    right = next(each for each in RIGHT if each.name == "count_loop")
    told = derived(right).certificate()
    other = next(each for each in RIGHT if each.name == "sum_loop")
    with pytest.raises(ProofError, match=r"the proof is of \S+:count_loop"):
        check(told, other.function)
    told["code"]["function"] = told["code"]["function"].replace("count_loop", "sum_loop")
    with pytest.raises(ProofError, match=r"returns|released values"):
        check(told, other.function)


def test_a_certificate_is_of_what_is_proved():
    wrong = next(each for each in WRONG if each.name == "half_the_noise")
    with pytest.raises(dpv.InputError, match="certificate"):
        derived(wrong).certificate()


def test_a_norm_without_a_bound_is_told_in_words():
    """The square of its bound is no double."""
    told = hostile_twenty_sixth_found.ATTACKS["underflow"]
    found = derive(
        hostile_twenty_sixth_found.underflow, **{key: each for key, each in told.items() if key not in OF_RUNS}
    )
    assert found.why == "the noise gives no bound of the kind GDP"


class Changed:
    window = 1000.0


def test_what_a_class_holds_is_what_python_finds():
    """Python keeps what it looked up, and the dict of a class can be changed without it."""
    for _ in range(100):
        assert Changed.window == 1000.0
    (names,) = [each for each in gc.get_referents(Changed.__dict__) if isinstance(each, dict)]
    names["window"] = 0.0
    try:
        assert held(Changed, "window") == Changed.window
    except NotDerivedError:
        pass
    finally:
        names["window"] = 1000.0
