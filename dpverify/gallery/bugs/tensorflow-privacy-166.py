"""The numbers of the report: one step of the sampled Gaussian mechanism, with an order next to 1."""

import importlib.metadata
import importlib.util

RATE, DELTA = 105 / 100000, 1e-3


def claimed():
    """What the library says this step costs."""
    files = importlib.metadata.distribution("tensorflow-privacy").files
    name = "tensorflow_privacy/privacy/analysis/rdp_accountant.py"
    (path,) = (file.locate() for file in files if str(file) == name)
    spec = importlib.util.spec_from_file_location("rdp_accountant", path)
    accountant = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(accountant)
    orders = [1 + 1e-8] + [1 + x / 10.0 for x in range(1, 100)] + list(range(12, 64))
    divergences = accountant.compute_rdp(q=RATE, noise_multiplier=1, steps=1, orders=orders)
    epsilon, _, _ = accountant.get_privacy_spent(orders, divergences, target_delta=DELTA)
    return {"composition": f"poisson-gaussian(q={RATE!r}, sigma=1)", "delta": DELTA, "epsilon": float(epsilon)}
