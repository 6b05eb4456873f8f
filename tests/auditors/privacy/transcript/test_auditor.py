"""The white-box auditor: closed form without sampling, DP-SGD's three claims, its faults, and refusals.

Audits that must not refute run at alpha = 1e-10; those that must are of violations many deviations wide.
"""

import numpy as np
import pytest

import auditors.privacy.transcript.auditor as auditor_module
import auditors.privacy.transcript.evidence as evidence_module
from auditors.privacy.transcript import level_curve
from auditors.privacy.transcript.auditor import TranscriptAuditor
from auditors.privacy.transcript.level_curve import FAMILY
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.plan import subject_builder, task_streams
from dpverify.stats.epsilon import epsilon_lower
from dpverify.stats.joint import JointRegion

SAFE = 1e-10
ENTRIES = {name: entry for name, entry in registry().entries.items() if "white-box" in entry.suites}
PART = {1: 0.55, 4: 0.6, 10: 0.5}
"""What the assumption-free bound must reach of epsilon at most 1e5 transcripts a side and 95 %."""


class Normal:
    """Each step shows N(1, scale^2) where the record is, N(0, scale^2) where it is not."""

    def __init__(self, scale, steps):
        self.scale, self.steps = scale, steps

    def traces(self, dataset, size, *, rng):
        return float(dataset) + self.scale * rng.normal(size=(size, self.steps, 1))


def task_of(guarantee, subject, *, trials, alpha, seed=0):
    claim = Claim(
        id="normal",
        guarantee=guarantee,
        relation="value",
        subject="normal",
        source=Source(paper="", locus=""),
        space=SearchSpace(),
    )
    return Task(
        claim=claim,
        build=lambda **_searched: subject,
        neighbors=FixedPair(d0=0, d1=1, relation="value"),
        alpha=alpha,
        trials=trials,
        stream=task_streams(seed, "normal"),
        seed=seed,
    )


def audited(name, *, trials, alpha, seed=0):
    claim = ENTRIES[name].claim
    task = Task(
        claim=claim,
        build=subject_builder(registry(), claim),
        neighbors=registry().neighbors.get(claim.space.generator),
        alpha=alpha,
        trials=trials,
        stream=task_streams(seed, name),
        seed=seed,
    )
    return TranscriptAuditor().audit(task)


def test_without_sampling_both_results_are_those_of_two_normal_laws(monkeypatch):
    monkeypatch.setattr(level_curve, "TOLERANCE", 0.02)  # the family's epsilon is held against wide limits
    guarantee, exact = SubsampledGaussian(rate=1, sigma=4, steps=9), GDP(mu=0.75)
    evidence = TranscriptAuditor().audit(task_of(guarantee, Normal(4.0, 9), trials=20_000, alpha=SAFE))
    assert judge(evidence) is Status.NOT_REFUTED
    events = evidence.statistics["assumption_free"]["events"]
    assert len(events) == 2
    assert sum(event["alpha"] for event in events) <= SAFE * (1 + 1e-12), "the two events share one error probability"
    for event in events:
        again = JointRegion(
            k1=event["k1"], n1=event["n1"], k2=event["k2"], n2=event["n2"], alpha=event["alpha"],
            share=event["region"]["share"],
        )  # fmt: skip
        assert epsilon_lower(again, delta=guarantee.at_delta) <= evidence.statistics["assumption_free"]["epsilon"]
        p, q = event["k1"] / event["n1"], event["k2"] / event["n2"]
        allowed = 1 - float(exact.tradeoff(q))
        assert p == pytest.approx(allowed, abs=8 * np.sqrt(allowed / 20_000))  # the best test there is
    family = evidence.statistics["family"]
    assert family["label"] == FAMILY
    assert 0.7 * evidence.measure.claimed < family["epsilon"] < evidence.measure.claimed
    assert 0.2 * evidence.measure.claimed < evidence.bound < family["epsilon"]
    assert evidence.measure.claimed < evidence.detectable < evidence.ceiling
    assert evidence.statistics["detectable_rests_on"] is None
    assert family["detectable_epsilon"] > evidence.measure.claimed


def test_less_noise_than_claimed_is_refuted_and_more_is_not(monkeypatch):
    guarantee = SubsampledGaussian(rate=1, sigma=4, steps=9)

    def audit(scale):
        return TranscriptAuditor().audit(task_of(guarantee, Normal(scale, 9), trials=8000, alpha=1e-4))

    monkeypatch.setattr(level_curve, "TOLERANCE", 0.02)
    less = audit(3)
    assert judge(less) is Status.REFUTED
    assert less.statistics["family"]["refuted_sigma"] < 4
    monkeypatch.setattr(evidence_module, "_family", lambda *_: {"detectable_epsilon": None})
    assert judge(audit(5)) is Status.NOT_REFUTED


def test_the_same_task_gives_the_same_bits(no_family):
    first, second = (audited("dp-sgd-poisson-replace-zero-out", trials=300, alpha=0.05) for _ in range(2))
    assert first == second
    assert first != audited("dp-sgd-poisson-replace-zero-out", trials=300, alpha=0.05, seed=1)


@pytest.mark.ci
def test_epsilon_4_in_a_slice(monkeypatch):
    monkeypatch.setattr(level_curve, "TOLERANCE", 0.02)
    evidence = audited("dp-sgd-epsilon-4", trials=5000, alpha=0.05)
    exact = ENTRIES["dp-sgd-epsilon-4"].claim.guarantee.bracket()
    assert exact.upper == pytest.approx(4.0, abs=2e-4)
    assert evidence.measure.label() == "epsilon(delta=1e-05)"
    assert evidence.statistics["basis"] == "the claim's own law"
    assert 0.3 * exact.upper < evidence.bound
    family = evidence.statistics["family"]
    assert family["epsilon"] > 0.85 * exact.upper
    # the event of the tail could catch no epsilon with so few draws: what the family would show is told as such
    assert exact.upper < evidence.detectable == family["detectable_epsilon"]
    assert evidence.statistics["detectable_rests_on"] == FAMILY


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1, 4, 10])
def test_the_three_claims_at_full_size(epsilon):
    """96,000 transcripts a side are counted and 3,840 are the pilot; at 95 % a bound above the truth is no surprise, so
    only the sizes are asserted."""
    evidence = audited(f"dp-sgd-epsilon-{epsilon}", trials=96_000, alpha=0.05)
    exact = ENTRIES[f"dp-sgd-epsilon-{epsilon}"].claim.guarantee.bracket()
    assert exact.upper == pytest.approx(epsilon, rel=1e-4)
    assert evidence.statistics["assumption_free"]["epsilon"] >= PART[epsilon] * exact.upper
    assert evidence.statistics["family"]["epsilon"] >= 0.85 * exact.upper


@pytest.fixture
def no_family(monkeypatch):
    """Leaves out the search for the least refuted sigma', which no verdict rests on."""
    monkeypatch.setattr(evidence_module, "_family", lambda *_: {"detectable_epsilon": None})


BROKEN = {
    "dp-sgd-noise-of-mean": 150,
    "dp-sgd-unclipped-last": 150,
    "dp-sgd-noise-per-epoch": 300,
    "dp-sgd-fixed-size-add-remove-canaries": 2000,
    "dp-sgd-fixed-size-replace-canaries": 2000,
    "dp-sgd-poisson-replace-canaries": 4000,
    "dp-sgd-shuffled-add-remove-canaries": 400,
    "dp-sgd-shuffled-replace-canaries": 1000,
    "dp-sgd-shuffled-one-record-batches": 4000,
    "dp-sgd-clip-mean": 150,
    "dp-sgd-realised-size": 200,
    "dp-sgd-noise-0.8": 30_000,
    "dp-sgd-noise-0.9": 90_000,
}


@pytest.mark.parametrize(("name", "trials"), BROKEN.items())
def test_broken_ones_are_refuted(no_family, name, trials, monkeypatch):
    if trials <= 200:  # gross: half of the smallest pilot is enough
        monkeypatch.setattr(auditor_module, "FEWEST_PILOT", 100)
    evidence = audited(name, trials=trials, alpha=1e-3)
    assert judge(evidence) is Status.REFUTED
    assert evidence.bound > evidence.measure.claimed


def test_every_entry_is_looked_at():
    broken = {name for name, entry in ENTRIES.items() if entry.expectation == "broken"}
    assert broken == set(BROKEN)


@pytest.mark.parametrize("name", ["dp-sgd-poisson-replace-zero-out", "dp-sgd-poisson-one-record-batches"])
def test_poisson_batches_keep_the_price_that_others_do_not(no_family, name):
    assert judge(audited(name, trials=2000, alpha=SAFE)) is Status.NOT_REFUTED


@pytest.mark.slow
def test_shuffled_batches_leak_more_than_one_and_a_half_times_the_claim_at_the_headline():
    evidence = audited("dp-sgd-shuffled-one-record-batches", trials=96_000, alpha=0.05)
    assert evidence.measure.kind == "epsilon"
    assert evidence.bound > 1.5 * evidence.measure.claimed


def test_other_claims_and_subjects_are_refused():
    auditor, guarantee = TranscriptAuditor(), SubsampledGaussian(rate=1, sigma=4, steps=9)
    assert auditor.by_request
    assert auditor.refuses(task_of(guarantee, Normal(4, 9), trials=100, alpha=0.1)) is None
    assert "no law" in auditor.refuses(task_of(PureDP(epsilon=1), Normal(4, 9), trials=100, alpha=0.1))
    assert "no traces" in auditor.refuses(task_of(guarantee, object(), trials=100, alpha=0.1))
    with pytest.raises(AuditError, match="no law"):
        auditor.audit(task_of(PureDP(epsilon=1), Normal(4, 9), trials=100, alpha=0.1))


def test_too_few_trials_and_wrong_steps_are_refused():
    auditor, guarantee = TranscriptAuditor(), SubsampledGaussian(rate=1, sigma=0.5, steps=9)
    task = task_of(guarantee, Normal(0.5, 9), trials=100, alpha=1e-6)
    fewest = auditor.lacks(task)
    assert fewest > 100
    with pytest.raises(InputError, match="cannot refute"):
        auditor.audit(task)
    wrong = task_of(SubsampledGaussian(rate=1, sigma=4, steps=9), Normal(4, 8), trials=1000, alpha=0.1)
    with pytest.raises(InputError, match="of 9 steps"):
        auditor.audit(wrong)
