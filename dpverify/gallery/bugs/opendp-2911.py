"""Noisy max of two scores under the zCDP measure."""

import opendp.prelude as dp

dp.enable_features("contrib")
SPACE = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
MECHANISM = dp.m.make_noisy_max(*SPACE, dp.zero_concentrated_divergence(), scale=1.0)


def claimed():
    """The library's privacy map."""
    return f"ZCDP(rho={MECHANISM.map(1)!r})"


def draw(data, size, seed):
    """The chosen candidate; the library has no seed."""
    del seed
    return [float(MECHANISM(data)) for _ in range(size)]
