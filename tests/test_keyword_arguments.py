"""Claims written without the names of their numbers are one clear line; all else about the classes is as before."""

import copy
import inspect
import pickle

import pytest

import dpverify as dpv


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: dpv.PureDP(1), "PureDP(1); allowed: names, such as PureDP(epsilon=1)"),
        (lambda: dpv.ApproxDP(1, delta=1e-5), "names, such as ApproxDP(epsilon=1, delta=1e-05)"),
        (lambda: dpv.ApproxDP(1, 1e-5), "names, such as ApproxDP(epsilon=1, delta=1e-05)"),
        (lambda: dpv.GDP(0.5), "names, such as GDP(mu=0.5)"),
    ],
)
def test_numbers_without_names_are_told(make, hint):
    with pytest.raises(dpv.InputError) as found:
        make()
    assert hint in str(found.value)


@pytest.mark.parametrize("claim", [dpv.PureDP(epsilon=1), dpv.ApproxDP(epsilon=1, delta=1e-5), dpv.ZCDP(rho=0.5)])
def test_claims_are_copied_and_sent_as_before(claim):
    assert copy.copy(claim) == copy.deepcopy(claim) == pickle.loads(pickle.dumps(claim))  # noqa: S301 - our own
    assert dpv.PureDP is dpv.PureDP
    assert [*inspect.signature(dpv.ApproxDP).parameters] == ["epsilon", "delta"]
