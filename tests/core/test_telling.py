"""What tells a result takes nothing else with it when it fails."""

import pytest

from dpverify.core.errors import InputError
from dpverify.core.telling import Telling


def broken(problem):
    def tell():
        raise problem

    return tell


def test_what_is_told_is_returned_and_what_fails_is_a_line_of_its_own():
    tell = Telling()
    assert tell("one", lambda: "told", "") == "told" and not tell.faults
    assert tell("the words", broken(KeyError("Eve Adams")), "plain") == "plain"
    (fault,) = tell.faults
    assert fault.startswith("the words could not be made (KeyError in test_telling.py, line ")
    assert fault.endswith("); the verdict and its numbers stand") and "Eve" not in fault


@pytest.mark.parametrize(("quotes", "told"), [(False, "InputError in "), (True, "cannot write x; allowed: y")])
def test_messages_of_our_own_are_quoted_where_no_data_are_near(quotes, told):
    tell = Telling(quotes=quotes)
    tell("the page", broken(InputError("cannot write x", allowed="y")), None)
    assert told in tell.faults[0]


@pytest.mark.parametrize("problem", [BrokenPipeError(), KeyboardInterrupt()])
def test_who_ends_the_program_ends_it(problem):
    with pytest.raises(type(problem)):
        Telling()("the page", broken(problem), None)
