"""The examples of a page: the files it writes, the Python it shows, and the commands with their status and output.

A page is Markdown. A fenced block whose first line is ``# NAME.py`` (.toml, .json, .csv) is that file; other blocks in
Python are run; of a block without a language, or in ``console``, every line that begins with ``$`` is run in a shell.
After a command stands what it prints: any of its lines, in any order. ``# exit status N`` says how it ends. The front
matter ``uses: PAGE`` adds the files of another page.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests import forked

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"(?:# |// )([\w-]+\.(?:py|toml|json|csv|c))\n")
_TIME = re.compile(r"(upper|bracket|printed) +\d+\.\d\d ")


@dataclass(frozen=True)
class Command:
    """A line that a reader types, how it ends, and the lines that are shown of what it prints."""

    typed: str
    status: int
    printed: str


@dataclass(frozen=True)
class Page:
    """A page of Markdown."""

    path: Path

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def blocks(self, *languages: str) -> list[str]:
        """The fenced blocks in one of these languages, in order; ``""`` is none."""
        return [block for named, block in _FENCE.findall(self.text) if named in languages]

    def files(self) -> dict[str, str]:
        """By name: those of the page that it uses, and its own."""
        used = re.match(r"---\nuses: (\S+)\n---\n", self.text)
        found = Page(self.path.parent / used[1]).files() if used else {}
        for block in self.blocks("python", "toml", "text", "c"):
            if match := _FILE.match(block):
                data = match[1].endswith((".json", ".csv"))
                found[match[1]] = block.partition("\n")[2] if data else block
        return found

    def python(self) -> list[str]:
        """The examples in Python that are no file."""
        return [block for block in self.blocks("python") if not _FILE.match(block)]

    def commands(self) -> list[Command]:
        """In order."""
        found = []
        for block in self.blocks("", "console"):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                first = re.match(r"(?:.*\\\n)*.*\n", part)
                assert first is not None
                status = re.search(r"# exit status (\d)", first[0])
                typed = first[0].split("    #")[0].strip()
                found.append(Command(typed, int(status[1]) if status else 0, part[first.end() :].strip()))
        return found

    def write_files(self, folder: Path) -> None:
        """Write the page's files into `folder`."""
        for name, content in self.files().items():
            (folder / name).write_text(content, encoding="utf-8")


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command as a reader types it, in a terminal of 80 columns: by a shell, where it needs one."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(folder), "COLUMNS": "80"}
    words = shlex.split(command.replace("\\\n", " "))
    if words[0] in ("dpverify", "pytest") and not re.search(r"[|<>&;$*?`\n]", re.sub(r"'[^']*'", "", command)):
        return forked.run([sys.executable, "-m", *words], cwd=folder, env=environment)
    if words[0] == "python":
        return forked.run([sys.executable, *words[1:]], cwd=folder, env=environment)
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def lines(text: str) -> set[str]:
    """The lines but for blanks and seconds: of a row of an account its words and numbers, and not the time it took."""
    found = (_TIME.sub(r"\1 ", line) for line in text.splitlines())
    return {" ".join(line.split()) for line in found if line.strip()}


def differs(command: Command, ran: subprocess.CompletedProcess[str]) -> str:
    """What of it is not as the page says, with all that was printed; empty where all is."""
    missing = lines(command.printed) - lines(ran.stdout)
    if ran.returncode == command.status and not missing:
        return ""
    return f"status {ran.returncode}, not printed: {sorted(missing)}\n{ran.stdout}{ran.stderr}"
