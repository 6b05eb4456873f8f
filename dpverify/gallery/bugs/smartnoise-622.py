"""The noisy covariance of two columns with bounds (0, 1)."""

import importlib.metadata
import importlib.util
import warnings

import pandas as pd

warnings.filterwarnings("ignore")


def _covariance():
    files = importlib.metadata.distribution("smartnoise-synth").files
    (path,) = (file.locate() for file in files if str(file) == "snsynth/models/dp_covariance.py")
    spec = importlib.util.spec_from_file_location("dp_covariance", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODULE = _covariance()


def claimed():
    """The budget that the library itself keeps."""
    return f"PureDP(epsilon={_mechanism(2).globalEps:g})"


def draw(data, size, seed):
    """Variance of the first column, covariance, variance of the second."""
    del seed  # numpy's generator, which the library draws from, is seeded
    return [_mechanism(len(data)).release(pd.DataFrame(data)) for _ in range(size)]


def _mechanism(records):
    return MODULE.DPcovariance(records, [0, 1], pd.DataFrame({0: [0.0, 1.0], 1: [0.0, 1.0]}), 1.0)
