"""Moves and renames all over the house make no record stale: a copy of the sources is moved about, and asked."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger.rows import ledger_records

ROOT = Path(__file__).parents[3]
PACKAGES = ("dpverify", "auditors", "reference_impls")

MODULES = {
    "reference_impls.papers.blsgd.lemmas.shared_sample": "reference_impls.papers.blsgd.one_sample",
    "reference_impls.papers.blsgd.lemmas.shared_sample_remarks": "reference_impls.papers.blsgd.said",
    "reference_impls.optimizers.noisy_sgd": "reference_impls.training.noisy",
    "reference_impls.optimizers.rsgd_training": "reference_impls.papers.rsgd_training",
    "reference_impls.training.clipping": "reference_impls.gradient_clips",
    "reference_impls.papers.diss.lemmas.admm.closed_forms": "reference_impls.papers.diss_forms",
    "reference_impls.papers.diss.lemmas.ranking.slopes_remarks": "reference_impls.papers.diss_slopes",
    "auditors.accounting.lemma_search": "auditors.accounting.deep.looking",
    "auditors.privacy.event_bounds": "auditors.aims",
    "dpverify.laws.balls": "dpverify.laws.enclosures",
    "dpverify.stats.intervals": "dpverify.stats.binomial",
    "dpverify.datasets.neighbors.bounded_moves": "dpverify.datasets.neighbors.steps_between",
}
RENAMED = 60


@pytest.mark.ci
def test_no_row_is_stale_after_modules_have_moved_and_definitions_have_other_names(tmp_path):
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "reports/records", tmp_path / "reports/records")
    for old, new in MODULES.items():
        source, target = (tmp_path.joinpath(*name.split(".")).with_suffix(".py") for name in (old, new))
        for folder in (target.parent, target.parent.parent):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "__init__.py").touch()
        shutil.move(source, target)
    paths = sorted(path for package in PACKAGES for path in (tmp_path / package).rglob("*.py"))
    claims = sorted((tmp_path / "reference_impls" / "papers").rglob("*.toml"))  # claims and experiments
    names = renamed({path: path.read_text() for path in paths}, "\n".join(path.read_text() for path in claims))
    assert len(names) == RENAMED
    words = {**{re.escape(old): new for old, new in MODULES.items()}, **{name: f"{name}_x" for name in names}}
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(words)})(?!\w)")
    for path in (*paths, *claims):
        path.write_text(pattern.sub(lambda found: words[re.escape(found[0])], path.read_text()))
    code = "from dpverify.cli import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", code, "ledger", "--json"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert len(found) > 300
    here = {item["id"]: (item["ledger"]["stale"], item["ledger"]["replayed"]) for item in ledger_records(registry())}
    assert {item["id"]: (item["ledger"]["stale"], item["ledger"]["replayed"]) for item in found} == here


def renamed(texts: dict[Path, str], data: str) -> list[str]:
    """Top-level functions and classes whose names are written for nothing else, in code or in data."""
    defined: Counter[str] = Counter()
    other: set[str] = set(re.findall(r"\w+", data))
    for path, text in texts.items():
        tree = ast.parse(text)
        if not {"core", "runner"} & set(path.parts):  # what is not followed is told by its name
            defined.update(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node not in tree.body:
                other.add(node.name)  # bound in a block, too: such names are in the digest, and a rename is seen
            elif isinstance(node, ast.Attribute):
                other.add(node.attr)
            elif isinstance(node, ast.arg | ast.keyword):
                other.add(str(node.arg))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                other.update(re.findall(r"\w+", node.value))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                other.add(node.id)
    known = sorted(name for name, count in defined.items() if count == 1 and name not in other and len(name) > 5)
    return known[:: len(known) // RENAMED][:RENAMED]
