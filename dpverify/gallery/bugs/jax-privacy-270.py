"""The Gaussian auditor of canary scores, on scores whose law does not depend on the canary."""

import importlib.metadata
import importlib.util
import sys

import numpy as np


def _auditing():
    files = importlib.metadata.distribution("jax-privacy").files
    (path,) = (file.locate() for file in files if str(file) == "jax_privacy/auditing.py")
    spec = importlib.util.spec_from_file_location("jax_privacy_auditing", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


AUDITING = _auditing()
SIGNIFICANCE = 0.05


def claimed():
    """The share of failures that is asked for."""
    return SIGNIFICANCE


def draw(data, size, seed):
    """1 where the stated lower bound is above 0, the truth."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(size):
        auditor = AUDITING.CanaryScoreAuditor(rng.normal(size=500), rng.normal(size=500))
        found.append(float(auditor.epsilon_from_gdp(SIGNIFICANCE, 1e-5) > 0))
    return found
