"""How long a released bit vector is; each number of the data set is one byte."""

import opendp.prelude as dp

dp.enable_features("contrib")
MECHANISM = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=0.5)


def claimed():
    """The library's privacy map."""
    return f"PureDP(epsilon={MECHANISM.map(1)!r})"


def draw(data, size, seed):
    """The length in bytes; the library has no seed."""
    del seed
    return [float(len(MECHANISM(bytes(data)))) for _ in range(size)]
