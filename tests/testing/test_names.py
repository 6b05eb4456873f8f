"""The public names of `dpverify.testing` are there, and loading the package loads none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dpverify.testing


@pytest.mark.parametrize("name", dpverify.testing.__all__)
def test_every_name_is_found(name):
    assert getattr(dpverify.testing, name).__module__.startswith("dpverify.testing.")


def test_names_are_those_that_are_offered():
    assert sorted(dpverify.testing.__all__) == sorted(dpverify.testing._HOME)
    with pytest.raises(AttributeError, match="has no attribute 'nosuch'"):
        _ = dpverify.testing.nosuch


def test_loading_it_is_cheap():
    heavy = ("numpy", "hypothesis", "pytest")
    code = f"import sys, dpverify.testing; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
