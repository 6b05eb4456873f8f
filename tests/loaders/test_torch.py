"""Loaders of torch and Opacus, where they are installed."""

from __future__ import annotations

import pytest

import dpverify as dpv

torch = pytest.importorskip("torch")
data = pytest.importorskip("torch.utils.data")

N = 1000
DATA = data.TensorDataset(torch.zeros(N, 3), torch.zeros(N))


@pytest.mark.parametrize(
    ("loader", "found"),
    [
        (lambda: data.DataLoader(DATA, batch_size=50, shuffle=True), "shuffled(size=50)"),
        (data.DataLoader(range(N), batch_size=50, shuffle=True), "shuffled(size=50)"),
        (data.DataLoader(DATA, batch_size=50), "cyclic(size=50)"),
        (lambda: data.DataLoader(DATA, batch_size=48, shuffle=True, drop_last=True), "shuffled(size=48), the last"),
        (data.DataLoader(DATA, batch_size=50, sampler=data.RandomSampler(DATA, replacement=True)), "with-replacement"),
        (data.DataLoader(DATA, 50, sampler=data.WeightedRandomSampler(torch.arange(1, N + 1), N)), "weighted(size=50)"),
    ],
)
def test_loaders_of_torch_are_named(loader, found):
    result = dpv.audit_sampler(loader, accounted="poisson(rate=0.05)", epochs=60, confidence=1 - 1e-9)
    assert result.found.startswith(found)
    assert result.verdict is dpv.Status.REFUTED
    assert result.records == N


def test_opacus_samples_as_poisson_says_and_not_where_that_is_turned_off():
    pytest.importorskip("opacus")
    from opacus.data_loader import DPDataLoader

    plain = data.DataLoader(DATA, batch_size=50)
    result = dpv.audit_sampler(lambda: DPDataLoader.from_data_loader(plain), accounted="poisson(rate=0.05)", epochs=60)
    assert result.verdict is dpv.Status.NOT_REFUTED
    assert "batch sampler of a DPDataLoader" in result.notes[0]
    wrong = dpv.audit_sampler(DPDataLoader(DATA, sample_rate=0.06), accounted="poisson(rate=0.05)", epochs=60)
    assert [kind for kind, _, _ in wrong.deviations] == ["the sampling rate"]
