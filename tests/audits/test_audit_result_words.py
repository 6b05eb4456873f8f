"""Events on outputs of an unknown form say what their number stands for."""

from dataclasses import replace

import pytest

import dpverify as dpv
from dpverify.audits.finding import Finding
from dpverify.audits.judges import OF_STRANGE, Known, in_words
from dpverify.core.verdict import Status


def noisy_sum(data, size, rng):
    return sum(data) + rng.laplace(size=size)


def noisy_text(data, rng):
    return f"{sum(data) + rng.laplace():.3f}"


@pytest.mark.parametrize(
    ("event", "told"),
    [("output <= -1.14348415e+61", True), ("output > -3.21e+60", False), ("output <= 0.5", False)],
)
def test_an_output_of_an_unknown_form_is_told_in_words(event, told):
    row = dpv.audit(noisy_sum, claim="PureDP(epsilon=1)", data=[0.0, 1.0, 0.3], trials=4_000).row
    leading = replace(row.verdict.leading, witness={"event": event})
    row = replace(row, verdict=replace(row.verdict, evidence=(leading,)))
    found = in_words(Finding(row=row), Known(columns=tuple)).row.verdict.leading.witness["event"]
    assert found.startswith(event) and (OF_STRANGE in found) is told


def test_texts_are_no_dependent_draws():
    for seed in range(3):
        found = dpv.audit(noisy_text, claim="PureDP(epsilon=1)", data=[0.2, 0.9, 1.0, 0.0], trials=4_000, seed=seed)
        assert found.verdict in (Status.INCONCLUSIVE, Status.NOT_REFUTED)
