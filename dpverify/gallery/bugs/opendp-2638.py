"""An integer with discrete Laplace noise of scale 3."""

import opendp.prelude as dp

dp.enable_features("contrib")
MECHANISM = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=3.0)


def claimed():
    """The library's privacy map."""
    return f"PureDP(epsilon={MECHANISM.map(1)!r})"


def draw(data, size, seed):
    """Noisy integers; the library has no seed."""
    del seed
    return [float(MECHANISM(data)) for _ in range(size)]
