"""Texts name models, objectives and scoring functions: the first file that reads one, or one line with all texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from reference_impls.models.model import find_model
from reference_impls.named_by_text import NamedBy, find_in


def test_the_file_that_reads_a_text_builds_the_thing() -> None:
    assert find_in("reference_impls.models", "softmax:3", kind="model") == find_model("softmax:3")
    assert find_in("reference_impls.ranking.scorers", "linear", kind="scoring function").name == "linear"


def test_an_unknown_text_is_told_what_all_files_read() -> None:
    with pytest.raises(InputError, match="no listwise objective called 'no'; allowed: bayesrank, listmle, listnet"):
        find_in("reference_impls.ranking.objectives", "no", kind="listwise objective")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Checked):
    model: Annotated[str, NamedBy(find_model)] = "logistic"


def test_a_field_keeps_the_text_and_says_what_the_finder_says() -> None:
    assert Named(model="hinge").model == "hinge"
    for wrong, said in (("no", "no model called 'no'"), (3, "model = 3; allowed: a text")):
        with pytest.raises(InputError, match=said):
            Named(model=wrong)  # type: ignore[arg-type]
