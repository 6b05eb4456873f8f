"""Recipe: diffprivlib's logistic regression with made-up records; noise off and clipping off are refuted."""

from __future__ import annotations

import warnings

import pytest

import dpverify as dpv

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from diffprivlib.models import LogisticRegression
except ImportError as problem:
    pytest.skip(f"diffprivlib cannot be imported: {problem}", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")

CLAIM = "PureDP(epsilon=1)"


class WithoutClipping(LogisticRegression):
    def _clip_to_norm(self, array, clip):
        return array


@pytest.mark.parametrize(
    ("model", "changed", "refuted"),
    [
        (LogisticRegression(epsilon=1.0, data_norm=1.0), {}, False),
        (LogisticRegression(epsilon=1.0, data_norm=1.0), {"norm": 1e4, "guesses": (0, 80)}, False),
        (LogisticRegression(epsilon=1e6, data_norm=1.0), {}, True),
        (WithoutClipping(epsilon=1.0, data_norm=1.0), {"norm": 1e4, "guesses": (0, 80)}, True),
    ],
    ids=["sound", "sound, long canaries", "noise off", "clipping off"],
)
def test_logistic_regression(model, changed, refuted):
    """One record replaced; of long records, the loss tells which are not there."""
    table = dpv.load_table("breast-cancer").normalised()
    with dpv.canaries(
        model,
        table,
        count=500,
        relation="replace",
        own_columns=True,
        claim=CLAIM,
        confidence=0.999 if refuted else 1 - 1e-9,
        **changed,
    ) as study:
        study.train()
    assert study.result.verdict is (dpv.Status.REFUTED if refuted else dpv.Status.NOT_REFUTED), study.result
