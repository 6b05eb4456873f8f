"""The worked examples of docs/programs: each passes, and its broken twin is refuted (false alarms: 1e-9 each)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import dpverify as dpv

HERE = Path(__file__).parents[2] / "docs" / "programs"
if not HERE.is_dir():
    pytest.skip("an installed package has no documents beside it", allow_module_level=True)

ASKED: dict[str, Any] = {"claim": "PureDP(epsilon=1)", "trials": 20_000, "confidence": 1 - 1e-9, "methods": ["gate"]}


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"there is no {program}")


def compiled(folder, *flags):
    made = folder / "noisy_sum"
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", *flags, "-o", made, HERE / "noisy_sum.c", "-lm"], check=True)
    return made


@needs("cc")
@pytest.mark.parametrize(
    ("flags", "words", "outputs", "verdict"),
    [
        ((), "", "json", "not_refuted"),
        (("-DNOISE=0.5",), "", "json", "refuted"),
        (("-DNOISE=0.5",), " doubles", "doubles", "refuted"),
    ],
)
def test_c(tmp_path, flags, words, outputs, verdict):
    compiled(tmp_path, *flags)
    program = dpv.command(f"./noisy_sum{words}", outputs=outputs, folder=tmp_path)
    found = dpv.audit(program, [0.5, 1.0], [0.5], **ASKED)
    assert found.verdict == verdict
    assert found.reproducible
    assert f"dpverify.command('./noisy_sum{words}'" in found.row.reproduce


@needs("cc")
def test_both_kinds_of_outputs_are_the_same_numbers_and_a_seed_gives_them_back(tmp_path):
    compiled(tmp_path)
    lines = dpv.command("./noisy_sum", folder=tmp_path)
    raw = dpv.command("./noisy_sum doubles", outputs="doubles", folder=tmp_path)
    first, second, again = (f([0.5, 1.0, 7.0], 1000, dpv.stream(0, "c")) for f in (lines, raw, lines))
    lines.close()
    raw.close()
    assert first == list(second) == again
    assert abs(sum(first) / 1000 - 2.5) < 6.2 * (2 / 1000) ** 0.5  # 1e-9, by the normal law


@needs("perl")
@pytest.mark.parametrize(("how", "verdict"), [("", "not_refuted"), (" from-data", "refuted")])
def test_perl(how, verdict):
    program = dpv.command(f"perl noisy_sum.pl {{data}} {{seed}} {{count}}{how}", folder=HERE)
    found = dpv.audit(program, [0.2, 1.0], [0.2], **(ASKED | {"trials": 6000}))
    assert found.verdict == verdict


@needs("awk")
@pytest.mark.parametrize(("how", "verdict"), [("", "not_refuted"), (" shown", "refuted")])
def test_a_shell_and_awk(how, verdict):
    program = dpv.command(f"sh noisy_count.sh {{data:csv}} {{seed}} {{count}}{how}", folder=HERE)
    found = dpv.audit(program, [0.2, 1.0], [0.2], **(ASKED | {"trials": 6000}))
    assert found.verdict == verdict
