"""The library's account of five epochs, beside the composition of the steps that see one record of fixed batches."""

import importlib.util
import sys
import types

# The package is entered without its __init__, which imports everything else.
_package = types.ModuleType("jax_privacy")
_package.__path__ = list(importlib.util.find_spec("jax_privacy").submodule_search_locations)
sys.modules["jax_privacy"] = _package

from jax_privacy import accounting  # noqa: E402

RECORDS, BATCH, EPOCHS, NOISE, DELTA = 60_000, 256, 5, 1.0, 1e-5


def claimed():
    """What the library says the training costs, and what it does."""
    accountant = accounting.DpsgdTrainingAccountant(accounting.PldAccountantConfig())
    parameters = accounting.DpParams(noise_multipliers=NOISE, num_samples=RECORDS, delta=DELTA, batch_size=BATCH)
    epsilon = accountant.compute_epsilon(EPOCHS * (RECORDS // BATCH), parameters)
    return {"composition": f"gaussian(sigma={NOISE})*{EPOCHS}", "delta": DELTA, "epsilon": float(epsilon)}
