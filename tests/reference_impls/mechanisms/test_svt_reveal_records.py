from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.sparse_vector_variants import Svt1
from reference_impls.mechanisms.svt_reveal_records import SvtRevealRecords

PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def test_the_last_record_is_asked_for_again_and_again() -> None:
    mechanism = SvtRevealRecords(queries=4)
    np.testing.assert_array_equal(mechanism.query([0.2, 0.5, 7.0]), [1.0, 1.0, 1.0, 0.5])
    np.testing.assert_array_equal(mechanism.query([0.3]), [0.3, 0.3, 0.3, 0.0])
    np.testing.assert_array_equal(mechanism.query([]), np.zeros(4))


def test_it_is_the_variant_on_these_answers() -> None:
    mechanism = SvtRevealRecords(epsilon=1.0, noise_multiplier=0.9)
    inner = Svt1(epsilon=1.0, noise_multiplier=0.9, threshold=0.5, cutoff=1)
    answers = np.append(np.full(9, 1.0), 0.0)
    mine, its = (m.sample(d, 500, rng=stream(60)) for m, d in ((mechanism, [0.0, 1.0]), (inner, answers)))
    np.testing.assert_array_equal(mine, its)
    pair = mechanism.output_law([0.0, 1.0]).against(inner.output_law(answers))
    assert pair.epsilon(0.0).value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("multiplier", "true"), [(1.0, 0.98069), (0.9, 1.0891)])
def test_a_new_last_record_costs_almost_epsilon(multiplier: float, true: float) -> None:
    mechanism = SvtRevealRecords(epsilon=1.0, noise_multiplier=multiplier)
    pair = mechanism.output_law([1.0, 0.0, 1.0]).against(mechanism.output_law([1.0, 0.0]))
    proofs = [one.prove(PURE) for one in (pair, pair.swap())]
    assert max(proof.lower for proof in proofs if proof is not None) == pytest.approx(true, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "status", "trials"),
    [
        ("svt1-reveal-records", Status.NOT_REFUTED, 50_000),
        ("svt1-reveal-records-noise-0.9", Status.REFUTED, 1000),  # the exact law refutes these three
        ("svt3-reveal-records", Status.REFUTED, 1000),
        ("svt4-reveal-records", Status.REFUTED, 1000),
        ("svt5-reveal-records", Status.REFUTED, 30_000),
        ("svt6-reveal-records", Status.REFUTED, 200_000),
    ],
)
def test_verdicts(name: str, status: Status, trials: int) -> None:
    # False-alarm probability 1e-9 for the sound one; the runner finds the pairs by itself.
    row = execute(make_plan(registry(), [registry().entries.get(name)], confidence=1 - 1e-9, trials=trials))[0]
    assert row.verdict.status == status


def test_one_query_is_refused() -> None:
    with pytest.raises(InputError):
        SvtRevealRecords(queries=1)
