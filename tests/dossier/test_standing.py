"""What a record can answer for: nothing that could have seen nothing ever passes, and nothing says "private"."""

from __future__ import annotations

from itertools import product

import pytest

from dpverify.dossier.standing import saw_nothing, standing, words
from tests.dossier.made import REFUTED, VACUOUS, record


@pytest.mark.parametrize(
    ("changes", "stands"),
    [
        ({}, "passed"),
        ({"verdict": "certified"}, "passed"),
        (REFUTED, "failed"),
        ({"verdict": "error", "reason": "it died"}, "failed"),
        (VACUOUS, "warned"),
        ({"verdict": "unsupported", "evidence": []}, "warned"),
        ({"detectable": "inf"}, "warned"),
        ({"detectable": "inf", "ceiling": None}, "warned"),
        ({"detectable": None}, "warned"),
        ({"detectable": 7.0, "ceiling": 6.0}, "warned"),
        ({"detectable": None, "confidence": None}, "passed"),  # a search without draws that saw a change
        ({"detectable": None, "confidence": None, "bound": 0.0}, "warned"),
        ({"expectation": "stands"} | REFUTED, "failed"),
        ({"expectation": "broken"} | REFUTED, "passed"),
        ({"expectation": "broken"}, "failed"),  # a control that was missed
        ({"expectation": "broken"} | VACUOUS, "warned"),
        ({"expectation": "broken", "verdict": "error"}, "failed"),
    ],
)
def test_standing(changes, stands):
    assert standing(record(**changes)) == stands


def test_what_is_not_decided_never_passes():
    numbers = (None, 1.5, "inf")
    for verdict, able, ceiling in product(("inconclusive", "unsupported", "error"), numbers, numbers):
        for expectation in ("stands", "broken", None):
            one = record(verdict=verdict, detectable=able, ceiling=ceiling, expectation=expectation)
            assert standing(one) != "passed"
            assert saw_nothing(one)


def test_words_do_not_overstate():
    for changes in ({}, REFUTED, VACUOUS, {"verdict": "certified"}, {"detectable": "inf"}, {"verdict": "error"}):
        told = words(record(**changes))
        assert "private" not in told
        assert "satisf" not in told
    assert words(record()).startswith("not refuted, which is no proof: the audit would have detected epsilon ≥ 1.5")
    assert words(record(**REFUTED)) == "refuted: epsilon is at least 1.4, claimed 1"
