"""Written anew: one step of DP-SGD with a batch of all records; the claim comes from the library's accountant.

Each record is the gradient of every one of 100 coordinates, clipped to norm 1.
"""

import importlib.metadata
import importlib.util
import math

import numpy as np

COORDINATES, NOISE, DELTA = 100, 2.0, 1e-5


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
    """Norms of updates."""
    rng = np.random.default_rng(seed)
    gradients = np.outer(np.asarray(data), np.ones(COORDINATES))
    gradients /= np.maximum(np.linalg.norm(gradients, axis=1, keepdims=True), 1.0)
    batch = int(len(data) * 1.0)
    noisy = gradients.sum(axis=0) + NOISE * rng.standard_normal((size, COORDINATES))
    return np.linalg.norm(noisy / batch, axis=1)
