"""README's examples are run as they stand: Python in one go, commands with their exit status and what they print."""

from __future__ import annotations

import os
import random
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import dpverify

ROOT = Path(dpverify.__file__).parents[1]
README = ROOT / "README.md"
if not README.is_file():
    pytest.skip("an installed package has no README beside it", allow_module_level=True)

FILE = re.compile(r"# (\w+\.(?:py|toml))\n")
SLOW = ("--rerun",)
"""What takes minutes, and has tests of its own."""


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in order; of no language: ``""``."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    return [block for named, block in fenced if named == language]


def commands() -> list[tuple[str, int, str]]:
    """(command, exit status, what it prints) of every ``$ `` line; printed text is empty where README shows none."""
    found = []
    for block in blocks(""):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            first = re.match(r"(?:.*\\\n)*.*\n", part)
            assert first is not None
            typed, printed = first[0], part[first.end() :]
            status = re.search(r"# exit status (\d)", typed)
            found.append((typed.split("    #")[0].strip(), int(status[1]) if status else 0, printed.strip()))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A user's folder: the files that README writes, the plug-in as an installed package, a file of scores."""
    folder = tmp_path_factory.mktemp("readme")
    for block in [*blocks("python"), *blocks("toml")]:
        if match := FILE.match(block):
            (folder / match[1]).write_text(block)
    project = tomllib.loads("".join(block for block in blocks("toml") if not FILE.match(block)))["project"]
    points = project["entry-points"]["dpverify.plugins"]
    told = folder / "mypackage-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: mypackage\nVersion: 1\n")
    entries = [f"{name} = {value}\n" for name, value in points.items()]
    (told / "entry_points.txt").write_text("[dpverify.plugins]\n" + "".join(entries))
    scores = "".join(f"{place},{place}\n" for place in range(500))
    (folder / "scores.csv").write_text("in,out\n" + scores)
    coins = random.Random(0)
    for side in (0, 1):
        (folder / f"draws{side}.csv").write_text("".join(f"{side + coins.gauss(0, 0.2)!r}\n" for _ in range(2000)))
    for word, more in (("with", 0), ("without", 0)):
        (folder / f"{word}.csv").write_text("".join(f"{more + coins.gauss(0, 1)!r}\n" for _ in range(500)))
    composition = '{"steps": [{"step": "poisson-gaussian", "q": 0.01, "sigma": 1.1, "count": 10000}]}'
    assert composition in README.read_text()
    (folder / "composition.json").write_text(composition)
    return folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {"PATH": path, "PYTHONPATH": str(folder), "COLUMNS": "80"}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=os.environ | settings, capture_output=True, text=True, check=False
    )


def lines(text: str) -> set[str]:
    """The lines but for blanks and seconds: of a row of an account its words and numbers, and not the time it took."""
    found = [re.sub(r"(upper|bracket|printed) +\d+\.\d\d ", r"\1 ", line) for line in text.splitlines()]
    return {" ".join(line.split()) for line in found if line.strip()}


def test_the_examples_in_python(folder, monkeypatch):
    """Each as a file of its own; what an audit is said to end with is looked at."""
    monkeypatch.syspath_prepend(folder)
    found = {}
    for place, block in enumerate(each for each in blocks("python") if not FILE.match(each)):
        file = folder / f"example_{place}.py"
        refuted = "result.check()" in block
        file.write_text(
            block.replace("dpv.audit_replay(", "replayed = dpv.audit_replay(").replace(".verdict     #", "  #")
        )
        if refuted:
            with pytest.raises(dpverify.ClaimRefuted, match="refuted"):
                runpy.run_path(str(file))
        else:
            found |= runpy.run_path(str(file))
    assert found["replayed"].verdict is dpverify.Status.REFUTED
    assert max(found["moved"]) > 0
    sys.modules.pop("mymodule", None)


def test_no_example_needs_a_private_module():
    imports = [
        line for block in blocks("python") for line in block.splitlines() if "dpverify" in line and "import" in line
    ]
    assert len(imports) >= 4
    assert all(
        re.match(r"import dpverify as dpv$|from dpverify(\.plugin|\.testing)? import ", line) for line in imports
    )


@pytest.mark.parametrize(("command", "status", "printed"), commands(), ids=[each[0][:60] for each in commands()])
def test_a_command_ends_and_prints_as_the_readme_says(folder, command, status, printed):
    if any(word in command for word in SLOW):
        pytest.skip("takes minutes; tests of the command itself run it in a smaller form")
    ran = run(command, folder)
    assert ran.returncode == status, ran.stdout + ran.stderr
    assert lines(printed) <= lines(ran.stdout)


def test_the_plug_in_is_audited(folder):
    found = run("dpverify run core --only my-noisy-sum --out out --quiet", folder)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "`dpverify run core --only my-noisy-sum`" in README.read_text()


def test_the_options_of_the_readme_exist():
    """Of the block that lists all commands: each with a help text that has every option that stands there."""
    block = next(each for each in blocks("") if each.startswith("dpverify run ["))
    for entry in re.split(r"^(?=dpverify )", block, flags=re.MULTILINE)[1:]:
        name = entry.split()[1]
        told = subprocess.run(
            [sys.executable, "-m", "dpverify", name, "--help"],
            env=os.environ | {"COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        missing = [option for option in re.findall(r"--[a-z-]+", entry) if option not in told]
        assert not missing, (name, missing)
