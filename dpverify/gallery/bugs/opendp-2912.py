"""The deprecated report-noisy-max of two scores."""

import warnings

import opendp.prelude as dp

warnings.filterwarnings("ignore")
dp.enable_features("contrib")
SPACE = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
MECHANISM = dp.m.make_report_noisy_max_gumbel(*SPACE, scale=1.0, optimize="max")


def claimed():
    """The library's privacy map; the reported fault must be there, too."""
    often = sum(MECHANISM([0, 5]) == 1 for _ in range(100))
    assert often < 50, "the larger score is chosen: this release has no such fault"
    return f"PureDP(epsilon={MECHANISM.map(1)!r})"


def draw(data, size, seed):
    """The chosen candidate; the library has no seed."""
    del seed
    return [float(MECHANISM(data)) for _ in range(size)]
