"""Each accountant with a name whose library is here: plain steps cost no less than the truth, and not ten times it."""

import math

import pytest

from dpverify.accountant_audit.judge import Judge, is_below
from dpverify.accountant_audit.kinds import NUMBERS, AuditedRun
from dpverify.accountant_audit.subject import subject_of
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry

DELTA, COUNT = 1e-3, 3
LOWER_ENDS_UNKNOWN = {"opacus.gdp"}
"""Libraries that say themselves that these answers may be too low."""


def subject(name):
    limit = TimeLimit(per_call=60.0)
    return subject_of(name, steps=None, relation=None, error=None, limit=limit, name=None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(registry().library_accountants))
def test_plain_steps_cost_what_they_should(name):
    try:
        registry().library_accountants.get(name).version()
    except InputError as problem:
        pytest.skip(str(problem))
    asked, judge = subject(name), Judge(relation="add-remove")
    for kind, numbers in asked.steps.items():
        runs = (AuditedRun(kind, tuple((each, NUMBERS[each].plain[0]) for each in numbers), COUNT),)
        upper, least = asked.epsilon(runs, DELTA).upper, judge.epsilon(runs, DELTA).value
        assert math.isfinite(upper) and upper < 10 * least, kind
        assert name in LOWER_ENDS_UNKNOWN or not is_below(upper, least), kind


def test_one_that_is_not_installed_is_one_line():
    absent = [name for name, one in registry().library_accountants.items() if not _is_here(one)]
    for name in absent:
        with pytest.raises(InputError, match="is not installed"):
            subject(name)


def _is_here(one):
    try:
        return bool(one.version())
    except InputError:
        return False
