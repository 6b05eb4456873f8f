"""One byte, through randomised response with f = 0.5."""

import opendp.prelude as dp

dp.enable_features("contrib")
MECHANISM = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=0.5)


def claimed():
    """The library's privacy map."""
    return f"PureDP(epsilon={MECHANISM.map(1)!r})"


def draw(data, size, seed):
    """The released byte's bits, the first one first; the library has no seed."""
    del seed
    released = [MECHANISM(bytes([data]))[0] for _ in range(size)]
    return [[byte >> bit & 1 for bit in range(8)] for byte in released]
