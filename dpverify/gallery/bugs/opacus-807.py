"""Written anew: noise of adaptive clipping in Opacus 1.5.4; the claim comes from the library's accountant.

A step releases the clipped sum at the larger noise multiplier, and a noisy count of gradients that were not clipped;
both together cost what one release at the user's noise multiplier costs (Andrew et al. 2021, Theorem 1).
"""

import importlib.metadata
import importlib.util

RATE, STEPS, NOISE, COUNT, DELTA = 0.01, 1000, 1.0, 0.6, 1e-5


def claimed():
    """Epsilon by the library's RDP accountant with its own orders, and what ran."""
    files = importlib.metadata.distribution("opacus").files
    (path,) = (file.locate() for file in files if str(file) == "opacus/accountants/analysis/rdp.py")
    spec = importlib.util.spec_from_file_location("opacus_rdp", path)
    accountant = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(accountant)
    of_sum = (NOISE ** (-2) - (2 * COUNT) ** (-2)) ** (-1 / 2)  # which the optimizer keeps as its noise_multiplier
    orders = [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 64))
    divergences = accountant.compute_rdp(q=RATE, noise_multiplier=of_sum, steps=STEPS, orders=orders)
    epsilon, _ = accountant.get_privacy_spent(orders=orders, rdp=divergences, delta=DELTA)
    return {
        "composition": f"poisson-gaussian(q={RATE}, sigma={NOISE})*{STEPS}",
        "delta": DELTA,
        "epsilon": float(epsilon),
    }
