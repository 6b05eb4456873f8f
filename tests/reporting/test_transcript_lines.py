"""A white-box row in words: both results, each with its label, and nothing for other rows."""

from dpverify.reporting.row_lines import found_lines, row_lines
from dpverify.reporting.transcript_lines import transcript_lines

EVENT = {
    "k1": 30,
    "n1": 100,
    "k2": 2,
    "n2": 100,
    "direction": "d1 against d0",
    "event": {"score": {"kind": "likelihood ratio"}, "threshold": 2.5, "above": True},
}
FAMILY = {
    "label": "within the subsampled-Gaussian family",
    "claimed_sigma": 5.5,
    "claimed_epsilon": [3.99, 4.0],
    "refuted_sigma": 5.6,
    "epsilon": 3.9,
    "delta": 1e-5,
    "detectable_sigma": 5.3,
    "detectable_epsilon": 4.2,
}
FREE = {"label": "assumption-free, from the event's rectangle", "epsilon": 2.6, "delta": 1e-5, "events": [EVENT]}


def item(**changes):
    statistics = {"assumption_free": FREE, "family": {**FAMILY, **changes}, "basis": "the claim's own law"}
    return {"evidence": [{"statistics": statistics}], "witness": {}}


def test_both_results_stand_with_their_labels():
    text = " ".join(" ".join(line.split()) for line in transcript_lines(item()))
    assert ">= 2.6 (65% of the claim's 4) at delta 1e-05: assumption-free" in text
    assert ">= 3.9 (98% of the claim's 4) at delta 1e-05, within the subsampled-Gaussian family" in text
    assert "every sigma from 5.6 on is refuted, 5.5 is claimed" in text
    assert "sigma = 5.3, which is epsilon = 4.2" in text
    assert "likelihood ratio > 2.5 in 30 and 2 of 100 (d1 against d0)" in text
    assert all(len(line) <= 79 for line in transcript_lines(item()))
    assert found_lines(item()) == row_lines(item()) == transcript_lines(item())


def test_what_was_not_found_is_not_printed():
    text = " ".join(
        " ".join(line.split()) for line in transcript_lines(item(refuted_sigma=None, detectable_sigma=None))
    )
    assert "no member refuted, within the subsampled-Gaussian family" in text
    assert "80 %" not in text


def test_other_rows_have_no_such_lines():
    assert transcript_lines({"evidence": [], "witness": {}}) == []
    assert transcript_lines({"evidence": [{"statistics": {"k1": 1}}], "witness": {}}) == []
