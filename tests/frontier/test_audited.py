import pytest

from dpverify.frontier.audited import runs_needed


@pytest.mark.parametrize("least", [11, 12, 55, 99, 100, 101, 1234, 58_321, 999_999, 10**6])
def test_it_suffices_has_two_digits_and_is_near_the_least(least):
    found = runs_needed(lambda runs: runs >= least, above=10, most=10**6)
    assert least <= found <= 1.125 * least
    assert found == float(f"{found:.2g}")


def test_where_nothing_suffices_there_is_none():
    assert runs_needed(lambda runs: False, above=10, most=10**6) is None
    assert runs_needed(lambda runs: runs > 10**6, above=10**6, most=10**6) is None
