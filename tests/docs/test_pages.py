"""Every example of README and of the site's pages is run as it stands, with exit status and output."""

from __future__ import annotations

import os
import random
import re
import sys
import tomllib
from pathlib import Path

import pytest

import dpverify
from dpverify.cli.commands import COMMANDS
from tests import forked
from tests.docs.examples import Command, Page, differs, lines, run

ROOT = Path(dpverify.__file__).parents[1]
if not (ROOT / "README.md").is_file():
    pytest.skip("an installed package has no pages beside it", allow_module_level=True)

PAGES = [
    Page(ROOT / "README.md"),
    *(Page(path) for path in sorted((ROOT / "docs").rglob("*.md")) if "generated" not in path.parts),
]
SLOW = ("--rerun",)
"""What takes minutes, and has tests of its own."""


def named(page: Page) -> str:
    return page.path.relative_to(ROOT).as_posix()


PAGE = {named(page): page for page in PAGES}
ALL_COMMANDS = [(page, command) for page in PAGES for command in page.commands()]
ALL_PYTHON = [(page, place) for page in PAGES for place in range(len(page.python()))]


@pytest.fixture
def folder(tmp_path):
    """A reader's folder: scores, draws and a composition as the pages speak of them."""
    coins = random.Random(0)
    (tmp_path / "scores.csv").write_text("in,out\n" + "".join(f"{place},{place}\n" for place in range(500)))
    for side in (0, 1):
        (tmp_path / f"draws{side}.csv").write_text("".join(f"{side + coins.gauss(0, 0.2)!r}\n" for _ in range(2000)))
    for word in ("with", "without"):
        (tmp_path / f"{word}.csv").write_text("".join(f"{coins.gauss(0, 1)!r}\n" for _ in range(500)))
    steps = '{"steps": [{"step": "poisson-gaussian", "q": 0.01, "sigma": 1.1, "count": 10000}]}'
    (tmp_path / "composition.json").write_text(steps)
    return tmp_path


def _with_needed(page: Page, command: Command) -> list[Command]:
    """The command, after those of its page that make what it reads (``--out``, ``--proof``, ``--json NAME``)."""
    before = page.commands()[: page.commands().index(command)]
    made = {each: match[1] for each in before if (match := re.search(r"--(?:out|proof|json) (\w+)", each.typed))}
    return [*(each for each, name in made.items() if re.search(rf"(?<!--out )\b{name}\b", command.typed)), command]


def _sittings() -> list[dict[str, list[Command]]]:
    """What is typed in one folder, by page: each command once, also where several pages of one reader show it.

    Pages go together where one has the first commands of the other, and no file of one has other contents in the other.
    """
    chains = [(page, _with_needed(page, command)) for page, command in ALL_COMMANDS]
    found: list[dict[str, list[Command]]] = []
    for page, chain in sorted(chains, key=lambda each: -len(each[1])):
        for pages in found:
            if all(
                all(one.typed == other.typed for one, other in zip(chain, known, strict=False))
                and all(page.files().get(file, text) == text for file, text in PAGE[name].files().items())
                for name, known in pages.items()
            ):
                if len(chain) > len(pages.get(named(page), ())):
                    pages[named(page)] = chain
                break
        else:
            found.append({named(page): chain})
    return found


SITTINGS = _sittings()


@pytest.mark.ci
@pytest.mark.parametrize(
    "pages",
    SITTINGS,
    ids=[", ".join(f"{page}: {chain[-1].typed[:60]}" for page, chain in one.items()) for one in SITTINGS],
)
def test_commands_end_and_print_as_their_pages_say(folder, pages):
    steps = max(pages.values(), key=len)
    if any(word in each.typed for each in steps for word in SLOW):
        pytest.skip("takes minutes; tests of the command itself run it in a smaller form")
    for page in pages:
        PAGE[page].write_files(folder)
    for place, step in enumerate(steps):
        ran = run(step.typed, folder)
        said = {page: differs(chain[place], ran) for page, chain in pages.items() if place < len(chain)}
        assert not any(said.values()), said


def test_every_command_of_every_page_is_run():
    run_there = {(page, each) for one in SITTINGS for page, chain in one.items() for each in chain}
    assert run_there == {(named(page), command) for page, command in ALL_COMMANDS}


@pytest.mark.ci
@pytest.mark.parametrize(("page", "place"), ALL_PYTHON, ids=[f"{named(page)}: {place}" for page, place in ALL_PYTHON])
def test_an_example_in_python_runs(folder, page, place):
    """What a page says a line ends with is asserted on the page, but for README's ``check``."""
    page.write_files(folder)
    text = page.python()[place]
    (folder / "example.py").write_text(text)
    ran = run("python example.py", folder)
    if "raises dpv.ClaimRefuted here" in text:
        assert ran.returncode == 1
        assert "ClaimRefuted" in ran.stderr
    else:
        assert ran.returncode == 0, ran.stderr


def test_no_example_needs_a_private_module():
    blocks = [block for page in PAGES for block in page.blocks("python")]
    pattern = re.compile(r"^.*import.*dpverify.*|^from dpverify.*", re.MULTILINE)
    imports = [each for block in blocks for each in pattern.findall(block)]
    assert len(imports) >= 10
    public = re.compile(r"import dpverify as dpv$|from dpverify(\.plugin|\.testing)? import ")
    assert [each for each in imports if not public.match(each)] == []


@pytest.mark.ci
def test_the_plug_in_is_audited(folder):
    page = Page(ROOT / "docs/howto/plugins.md")
    page.write_files(folder)
    project = tomllib.loads("".join(page.blocks("toml")))["project"]
    told = folder / "mypackage-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: mypackage\nVersion: 1\n")
    points = project["entry-points"]["dpverify.plugins"]
    (told / "entry_points.txt").write_text(
        "[dpverify.plugins]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
    )
    command = re.search(r"`(dpverify run core --only my-noisy-sum)`", page.text)
    assert command is not None
    found = run(f"{command[1]} --out out --quiet", folder)
    assert found.returncode == 0, found.stdout + found.stderr


def test_commands_and_options_of_all_pages_exist():
    """Those that are run, and those that are only named."""
    asked: dict[str, set[str]] = {}
    for page in PAGES:
        for written in re.findall(r"dpverify ([a-z-]+)((?:[^`\n]|\\\n)*)", page.text):
            name, rest = written
            if name in COMMANDS:
                asked.setdefault(name, set()).update(re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest))
    assert set(asked) >= {"run", "audit", "account", "frontier", "sampler", "dossier", "report", "ledger"}
    for name, options in asked.items():
        told = forked.run(
            [sys.executable, "-m", "dpverify", name, "--help"], env=os.environ | {"COLUMNS": "200"}, check=True
        ).stdout
        assert [option for option in sorted(options) if option not in told] == [], name


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_every_link_between_readme_and_pages_leads_to_a_file():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.text):
            if "://" in link or "generated/" in link:  # the build checks what is made
                continue
            assert (page.path.parent / link).exists(), (named(page), link)


def test_a_changed_number_is_noticed(folder):
    """A page that shows something else than what is printed fails; so does one with another exit status."""
    shown = Command("dpverify account 'gaussian(sigma=8)*10'", 0, "1.53467 (gdp) <= epsilon <= 1.53468 (gdp)")
    ran = run(shown.typed, folder)
    assert not differs(shown, ran)
    assert differs(Command(shown.typed, 0, "1.6 (gdp) <= epsilon <= 1.7 (gdp)"), ran)
    assert differs(Command(shown.typed, 1, ""), ran)


def test_seconds_may_differ_and_numbers_may_not():
    assert lines("pld  1.1  1.2  bracket   0.81  grid") == lines("pld 1.1 1.2 bracket 0.93 grid")
    assert lines("pld  1.1  1.2  bracket   0.81  grid") != lines("pld 1.1 1.3 bracket 0.81 grid")


def test_every_page_is_in_a_room():
    """Each page is named in a toctree; Sphinx warns, too, but this takes no build."""
    named_pages = set()
    for page in PAGES:
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.text, re.DOTALL | re.MULTILINE):
            names = [line for line in block.splitlines() if line and not line.startswith(":")]
            named_pages |= {(page.path.parent / f"{name}.md").resolve() for name in names}
    docs = {page.path for page in PAGES if page.path.is_relative_to(ROOT / "docs")} - {ROOT / "docs/index.md"}
    assert docs <= named_pages
