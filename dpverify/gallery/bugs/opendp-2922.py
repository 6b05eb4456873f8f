"""Which keys of a table of counts are released, with noisy counts; each number of the data set is a key."""

import opendp.prelude as dp

dp.enable_features("contrib")
COUNTS = dp.t.make_count_by(dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance())
MECHANISM = COUNTS >> dp.m.then_laplace_threshold(scale=1.0, threshold=2)


def claimed():
    """The library's privacy map."""
    epsilon, delta = MECHANISM.map(1)
    return f"ApproxDP(epsilon={epsilon!r}, delta={delta!r})"


def draw(data, size, seed):
    """The noisy count of key 1, or -1 where the key is not released; the library has no seed."""
    del seed
    return [float(MECHANISM(data).get(1, -1)) for _ in range(size)]
