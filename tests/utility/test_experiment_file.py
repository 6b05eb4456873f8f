"""Experiments as files: what one registers, and the line that it says for what does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

import reference_impls
from auditors.utility.shortfalls import ENOUGH
from dpverify.core.comparing import sign
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.utility.experiment_file import load_experiment
from dpverify.utility.measured import Measured

TEXT = """name = "small"
paper = "RSGD"
item = "Fig. 9"
title = "A small one"
sentence = ["It is better."]

[design]
data = ["breast-cancer"]
xs = [0.5, 5.0]
settings = { model = "logistic" }
evaluate = "reference_impls.models.evaluation.classified"
evaluation = { l2 = 0.001 }
prepare = ["dpverify.datasets.shaped.unit_rows"]
metrics = ["accuracy", "objective"]
floor = "Majority"
ceiling = "NonPrivate"
quick = { repetitions = 2, xs = [0.5] }
full = { repetitions = 4, moved = 1 }

[tuning]
rule = "oracle"
trials = 2

[[arm]]
label = "RSGD-AR"
algorithm = "rsgd-ar"
space = { epochs = [1, 2] }

[[arm]]
label = "Then"
algorithm = "rsgd-ar"
price = "then"

[[arm]]
label = "Printed"
algorithm = "nsgd"
price = "own"

[[arm]]
label = "Majority"
algorithm = "majority"
price = "none"

[[arm]]
label = "NonPrivate"
algorithm = "non-private"
price = "none"

[[unprinted]]
arm = "RSGD-AR"
setting = "interval"
used = 10
others = [5]
why = "not in the text"

[[statement]]
id = "U-SMALL"
says = "RSGD-AR is at or above majority."
guarantee = 'Ordering(metric="accuracy", better=("RSGD-AR",), worse=("Majority",))'
"""


class Known:
    """The registry, to which nothing is added."""

    def __init__(self) -> None:
        self.added = Registry()
        self.known = registry()

    def __getattr__(self, name):
        kept = getattr(self.known, name)
        if name in ("experiments", "rows", "claims"):
            return getattr(self.added, name)
        return self.added.add_entry if name == "add_entry" else kept


def load(tmp_path: Path, text: str = TEXT) -> Registry:
    path = tmp_path / "small.toml"
    path.write_text(text)
    known = Known()
    load_experiment(path, known)
    return known.added


def test_what_a_file_registers(tmp_path):
    added = load(tmp_path)
    found = added.experiments.get("small")
    assert [arm.label for arm in found.design.arms] == ["RSGD-AR", "Then", "Printed", "Majority", "NonPrivate"]
    assert found.design.quick.xs == (0.5,)
    assert found.unprinted == {"RSGD-AR: interval": "not in the text"}
    assert added.subject("small")() == Measured(design=found.design)
    claim = added.claims.get("U-SMALL")
    assert (claim.subject, claim.relation, claim.source.text()) == ("small", "replace", "RSGD Fig. 9")
    assert added.entries.get("U-SMALL").suites == ("utility",)
    assert added.rows.get("U-SMALL").claims == ("U-SMALL",)


@pytest.mark.parametrize(
    ("old", "new", "header", "said"),
    [
        ('title = "A small one"', 'titel = "x"', "name", "unknown field 'titel' of file"),
        ('paper = "RSGD"', 'paper = "RGSD"', "name", "paper = 'RGSD'"),
        ("xs = [0.5, 5.0]", "xs = [5.0, 0.5]", "[design]", "strictly increasing"),
        ('data = ["breast-cancer"]', 'data = ["breast-canser"]', "[design]", "breast-canser"),
        ("quick = { repetitions = 2, xs = [0.5] }", "quick = { repetitions = 0 }", "[design]", "repetitions"),
        (
            "quick = { repetitions = 2, xs = [0.5] }",
            "quick = { repetitions = 2, xs = [0.7] }",
            "[design]",
            "some of the design's xs",
        ),
        ("models.evaluation.classified", "models.evaluation.clasified", "[design]", "no function at"),
        ('rule = "oracle"', 'rule = "guess"', "[tuning]", "guess"),
        ('rule = "oracle"', 'rule = "other"', "[tuning]", "tuning without a data set for 'breast-cancer'"),
        ("space = { epochs = [1, 2] }", "space = { epochs = [1] }", "[design]", "allowed: 2, the number of trials"),
        ('algorithm = "nsgd"', 'algorithm = "nsdg"', "printed", "nsdg"),
        ('price = "own"', 'price = "two"', "printed", "one, own, none, then"),
        ('id = "U-SMALL"', 'id = "SMALL"', "[[statement]]", "begins with U-"),
        ('worse=("Majority",)', 'worse=("Minority",)', "[[statement]]", "no arm 'Minority'"),
        ('metric="accuracy"', 'metric="speed"', "[[statement]]", "metric 'speed'"),
        ('worse=("Majority",)', 'worse=("Then",)', "[[statement]]", "as accounted then"),
        ('worse=("Majority",)', 'worse=("Printed",)', "[[statement]]", "which are not at one"),
        ('floor = "Majority"\n', "", "[[statement]]", "a margin in ranges without a range"),
        ("Ordering(", "PureDP(epsilon=1)#", "[[statement]]", "U-SMALL|guarantee|claim"),
        ('setting = "interval"', "", "[[unprinted]]", "unprinted without 'setting'"),
        ('arm = "RSGD-AR"', 'arm = "RGSD"', "[design]", "speaks of an arm 'RGSD'"),
        ("[tuning]", "[tunning]", "name", "tunning"),
        ('"It is better."', '"It is', "", "TOML"),
    ],
)
def test_what_does_not_fit_is_one_line_with_its_place(tmp_path, old, new, header, said):
    assert old in TEXT
    with pytest.raises(InputError, match=said) as problem:
        load(tmp_path, TEXT.replace(old, new, 1))
    text = str(problem.value)
    assert "small.toml" in text
    assert "\n" not in text
    if header:
        lines = TEXT.replace(old, new, 1).splitlines()
        arms = [number for number, each in enumerate(lines, start=1) if each == "[[arm]]"]
        places = {"name": 1, "printed": arms[2]}
        assert f", line {places.get(header) or lines.index(header) + 1}:" in text


def test_a_claim_of_robustness_needs_to_know_what_learning_nothing_gives(tmp_path):
    flat = 'Shape(kind="flat", metric="accuracy", of=("RSGD-AR",), margin=0.1, unit="own")'
    text = TEXT.replace('Ordering(metric="accuracy", better=("RSGD-AR",), worse=("Majority",))', flat)
    assert load(tmp_path, text).experiments.get("small").statement("U-SMALL").guarantee.learned() == ("RSGD-AR",)
    without = text.replace('floor = "Majority"\n', "")
    with pytest.raises(InputError, match="without the accuracy of an arm that learns nothing"):
        load(tmp_path, without)
    load(tmp_path, without.replace("[design]", "[design]\nchance = { accuracy = 0.5 }"))


def test_every_file_of_ours_loads_and_speaks_of_a_paper():
    known = registry()
    folder = Path(reference_impls.__file__).parent / "papers"
    files = sorted(folder.glob("*/experiments/*.toml"))
    assert len(known.experiments) == len(files) > 0
    for name, found in known.experiments.items():
        assert found.sentences, name
        assert all(statement.id in known.entries for statement in found.statements)
        full, drawn = found.design.full, any(not arm.computes for arm in found.design.arms)
        if drawn:  # a verdict needs so many, and so does one that a moved setting turns
            assert full.repetitions >= ENOUGH, name
            assert full.moved == 0 or full.moved >= ENOUGH, name
        for statement in found.statements:
            lower = sum(sign(metric) < 0 for metric in statement.guarantee.metrics())
            assert not (lower and "at or above" in statement.says), statement.id
