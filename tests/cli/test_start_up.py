"""What start-up puts off is there when it is asked for, whichever way."""

import subprocess
import sys
import textwrap

import pytest

CODE = """
    import sys
    from dpverify.cli.start_up import importing

    with importing():
        import numpy
        from scipy import special
    {after}
"""
AFTER = {
    "a name of one": ("print(numpy.ma.masked_array([1.0], mask=[True]).mask[0])", "True"),
    "a module below one": ("import numpy.ma.core; print(numpy.ma.core.MaskedArray.__name__)", "MaskedArray"),
    "names that are imported": ("from numpy.polynomial import Polynomial; print(Polynomial([0.0, 2.0])(3.0))", "6.0"),
    "a module that imports the one put off": (
        "from numpy.polynomial.legendre import leggauss; print(leggauss(1)[1][0])",
        "2.0",
    ),
    "all names of one": ("from numpy.ma import *; print(masked_array([1.0]).size)", "1"),
    "modules of scipy that come later": ("import scipy.stats; print(scipy.stats.norm.cdf(0.0))", "0.5"),
    "twice": ("with importing(): print(numpy.testing.assert_equal.__name__)", "assert_equal"),
}


@pytest.mark.parametrize("name", AFTER)
def test_what_is_put_off_is_there_when_it_is_used(name):
    code, printed = AFTER[name]
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CODE).format(after=code)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == [printed]
    assert ran.stderr == ""
