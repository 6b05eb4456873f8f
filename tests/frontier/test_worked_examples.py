"""Trainers of others as they stand: a model of diffprivlib, a loop of Opacus; skipped where these are not here."""

import functools

import numpy as np
import pytest

import dpverify as dpv
from tests.frontier.trainers import two_clouds

WORDS = {"against": (), "splits": 2, "audit_trials": 40, "confidence": 1 - 1e-9}


def test_a_model_of_diffprivlib():
    """False alarm: 1e-9."""
    models = pytest.importorskip("diffprivlib.models", exc_type=ImportError)
    model = models.LogisticRegression(data_norm=1.0)
    found = dpv.utility_frontier(model, two_clouds(), epsilons=[1.0, 4.0], delta=0.0, **WORDS)
    assert not found.failures
    assert found.points[1]["mean"] > 0.6
    assert found.audits[0]["claim"] == "PureDP(epsilon=1.0)"


@functools.cache
def noise_for(epsilon, delta, rate, steps):
    """Found once a price, not once a training."""
    from opacus.accountants.utils import get_noise_multiplier

    return get_noise_multiplier(target_epsilon=epsilon, target_delta=delta, sample_rate=rate, steps=steps)


def train_with_opacus(table, epsilon, delta, rng):
    import torch
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    steps, rate = 10, 1.0
    features, labels = (torch.tensor(each, dtype=torch.float32) for each in (table.features, table.labels))
    model = GradSampleModule(torch.nn.Linear(table.columns, 1, bias=False))
    torch.nn.init.zeros_(model._module.weight)
    optimizer = DPOptimizer(
        torch.optim.SGD(model.parameters(), lr=4.0),
        noise_multiplier=noise_for(epsilon, delta, rate, steps),
        max_grad_norm=1.0,
        expected_batch_size=table.rows,
    )
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.softplus(-labels * model(features)[:, 0]).mean().backward()
        optimizer.step()
    return model._module.weight


@pytest.mark.filterwarnings("ignore")
def test_a_loop_of_opacus():
    """False alarm: 1e-9. Its noise is that of torch's global generator, which is seeded before each training."""
    pytest.importorskip("torch", exc_type=ImportError)
    pytest.importorskip("opacus", exc_type=ImportError)
    found = dpv.utility_frontier(train_with_opacus, two_clouds(), epsilons=[1.0, 4.0], **WORDS)
    assert not found.failures
    assert found.found["reproducible"]
    assert np.mean([point["mean"] for point in found.points]) > 0.6
