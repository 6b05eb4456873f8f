"""Each rule of the contract of auditors can fail; a plain valid auditor and registered ones keep it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpverify.core.evidence import Again, Measure
from dpverify.core.plugins import registry
from dpverify.testing import AuditorContract, check_auditor, exact_boundaries
from dpverify.testing.contracts.auditor import RULES
from tests.calibration.boundaries import boundaries
from tests.calibration.plain import Plain

DIE = tuple(each for each in boundaries() if each.name == "die")
KNOWN = {rule.__name__: rule for rule in RULES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Plain):
    """The plain auditor, with a way to check it."""

    def recheck(self, guarantee, evidence):
        return Again(
            measure=evidence.measure,
            bound=evidence.bound,
            excess=evidence.excess,
            alpha=1 - evidence.confidence,
            trials=evidence.trials,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Restless(Checked):
    def audit(self, task):
        return replace(Plain.audit(self, task), estimate=float(np.random.default_rng().random()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Borrowed(Checked):
    def audit(self, task):
        return replace(Plain.audit(self, task), auditor="another")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsure(Checked):
    def audit(self, task):
        return replace(Plain.audit(self, task), confidence=0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Boasting(Checked):
    def recheck(self, guarantee, evidence):
        return replace(Checked.recheck(self, guarantee, evidence), bound=evidence.bound + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mute(Checked):
    def refuses(self, task):
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming(Checked):
    """Names a subject: "above-threshold" here, in prose, would be allowed."""

    favourite: str = "above-threshold"


SMALL = {"boundaries": DIE, "trials": 200, "audits": 20}


def test_a_valid_auditor_keeps_the_contract():
    check_auditor(replace(_unnamed(Checked)()), **SMALL)


def _unnamed(kind):
    """The same class as if its source were a file of its own without names of subjects."""
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": "tests.calibration.plain"})


@pytest.mark.parametrize(
    ("auditor", "said"),
    [
        (SimpleNamespace(name="nobody"), "is no Auditor: it lacks version"),
        (Checked(name="two words"), "a registry name without spaces"),
        (Checked(version=""), "a text is needed"),
        (Mute(), "one line that says why is needed"),
        (Restless(), r"other evidence on die from the same seed \(estimate\)"),
        (Borrowed(), "signs its evidence as another"),
        (Unsure(), "confidence 0.5"),
        (Plain(), "no method recheck"),
        (Boasting(), "does not get its evidence on die again"),
        (Checked(split=False), "was wrong on die in"),
        (Naming(), "names the subject 'above-threshold'"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_what_breaks_a_rule_is_one_line(auditor, said):
    with pytest.raises(AssertionError, match=said) as broken:
        check_auditor(auditor, **{**SMALL, "audits": 40})
    assert "\n" not in str(broken.value)


def test_an_auditor_that_examines_nothing_is_told():
    with pytest.raises(AssertionError, match="pass boundaries of its own"):
        check_auditor(registry().auditors.get("lemma"))


@pytest.mark.parametrize("name", ["histogram", "sequential"])
def test_registered_auditors_keep_it(name):
    """A few audits each; `tests.calibration` makes many. False alarms: below 1e-8 for each boundary."""
    check_auditor(registry().auditors.get(name), boundaries=exact_boundaries()[:2], audits=12)


def test_a_bound_above_the_truth_counts_as_wrong():
    """Though the claim is not refuted: the measure's truth comes from the exact law."""

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Above(Checked):
        def audit(self, task):
            measure = Measure(kind="epsilon", argument=0.5, claimed=100.0)
            return replace(Plain.audit(self, task), measure=measure, bound=50.0, excess=-50.0)

    with pytest.raises(AssertionError, match="was wrong on laplace in 40 of 40"):
        check_auditor(Above(), boundaries=exact_boundaries()[1:2], trials=100, audits=40)


class TestInherited(AuditorContract):
    auditor = registry().auditors.get("exact")


def test_every_rule_is_a_test_to_inherit():
    assert {name for name in dir(AuditorContract) if name.startswith("test_")} == {f"test_{name}" for name in KNOWN}
    with pytest.raises(AssertionError, match="lacks an auditor"):
        AuditorContract().test_names_no_subject()
