"""Puts the index of registered names into the wheel (`dpverify.core.name_index`).

It is made here where what dpverify imports is installed. In an environment that has the build backend alone, an index
that an earlier process left beside the sources serves where it is current; without one the wheel has none, and the
first process after the installation makes it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CODE = """
import sys
from importlib import import_module
from dpverify.core.registry import Registry
registry = Registry()
for name in sys.argv[1:]:
    import_module(name).register(registry)
"""


class RegisteredNames(BuildHookInterface[Any]):
    """The hook of wheels."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the index of each of our plug-ins, and put it beside the files of the package."""
        if version == "editable":
            return
        points = self.metadata.core.entry_points["dpverify.plugins"]
        names = [value.partition(":")[0] for _, value in sorted(points.items())]
        command = [sys.executable, "-c", CODE, *names]
        made = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        if made.returncode:
            why = made.stderr.strip().rpartition("\n")[2]
            self.app.display_info(f"The wheel has no index of registered names; the first process makes it ({why}).")
            return
        for folder in (name.replace(".", "/") for name in names):
            if (index := Path(self.root, folder, "__pycache__", "registered.json")).is_file():
                build_data["force_include"][str(index)] = f"{folder}/registered.json"
