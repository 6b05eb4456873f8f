"""Written anew: one step of ghost clipping with a batch of all records; the claim comes from the library's accountant.

Each record is its gradient of one weight; the divisor of the noisy sum is the expected batch size, which is public.
"""

import importlib.metadata
import importlib.util
import math

import numpy as np

NOISE, DELTA, CLIP, BATCH = 2.0, 1e-5, 1.0, 2


def claimed():
    """Epsilon by the library's RDP accountant with its own orders, rounded up to two digits."""
    files = importlib.metadata.distribution("opacus").files
    (path,) = (file.locate() for file in files if str(file) == "opacus/accountants/analysis/rdp.py")
    spec = importlib.util.spec_from_file_location("opacus_rdp", path)
    accountant = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(accountant)
    orders = [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 64))
    divergences = accountant.compute_rdp(q=1.0, noise_multiplier=NOISE, steps=1, orders=orders)
    epsilon, _ = accountant.get_privacy_spent(orders=orders, rdp=divergences, delta=DELTA)
    return f"ApproxDP(epsilon={math.ceil(100 * epsilon) / 100:g}, delta={DELTA!r})"


def draw(data, size, seed):
    """Updates."""
    rng = np.random.default_rng(seed)
    gradients = np.asarray(data, dtype=float)[:, None]  # of losses of shape (B, 1)
    coefficients = np.minimum(CLIP / (np.abs(gradients[:, 0]) + 1e-6), 1.0)  # of shape (B,)
    total = (coefficients * gradients).sum()  # the sum of a B x B table
    return (total + CLIP * NOISE * rng.standard_normal(size)) / BATCH
