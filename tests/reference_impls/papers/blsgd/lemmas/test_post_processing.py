"""BL-POST: the public part again from releases alone, and with a hand on the data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.sampling.streams import stream
from reference_impls.line_search.dp_blsgd_ac import DpBlsgdAc
from reference_impls.papers.blsgd.lemmas import post_processing
from reference_impls.papers.blsgd.lemmas.budget_run import line
from reference_impls.papers.blsgd.lemmas.post_processing import SETTINGS, PublicPart, difference


def test_there_is_something_to_compute():
    assert all(count > 0 for count in PublicPart().describe().values())


def test_every_bit_comes_out_again(status):
    for run, again in PublicPart().pairs():
        assert np.array_equal(run.result, again.result)
        assert np.array_equal(run.iterates, again.iterates)
        assert all(np.array_equal(values, again.public[name]) for name, values in run.public.items())
    assert status("BL-POST") is Status.NOT_REFUTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Peeking(DpBlsgdAc):
    """A reset of eta0 that looks at the data: at the loss, in its last bits."""

    def begin(self, dataset):
        model, table, weights = DpBlsgdAc.begin(self, dataset)
        return model, table, weights + 1e-12 * float(np.sum(table.features))


def test_a_run_that_peeks_is_caught(status, monkeypatch):
    monkeypatch.setattr(post_processing, "DpBlsgdAc", Peeking)
    assert status("BL-POST") is Status.REFUTED


def test_the_realised_divisor_is_no_part_of_it():
    """Line 6's divisor moves what is released, not what is computed from it; the row's public divisor is a setting."""
    run = DpBlsgdAc(**{**SETTINGS, "divisor": "realised"}).transcript(line(), rng=stream(0, "public-part"))
    scales = {each.scale for each in run.perturbed if each.name == "gradient"}
    assert len(scales) > np.unique(run.public["gradient-budget"]).size


def test_other_lengths_differ_by_everything():
    run, again = next(PublicPart().pairs())
    assert difference(run, replace(again, iterates=again.iterates[:-1])) == np.inf


def test_remarks_show_what_they_say():
    assert registry().remarks.get("BL-POST").shown().holds


def test_bad_settings_are_said():
    with pytest.raises(InputError):
        PublicPart(runs=0.0)
