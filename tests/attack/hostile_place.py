"""Where hostile code stands for an attack: a mechanism's module, and a plug-in as an installed distribution."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.attack.command import Ran, dpverify

HERE = Path(__file__).parent
PAIR = (
    "--claim",
    "PureDP(epsilon=1)",
    "--d0",
    "[1,1]",
    "--d1",
    "[1]",
    "--trials",
    "2000",
    "--confidence",
    "0.999999999",
)


def audited(folder: Path, function: str, *options: str, seconds: float = 60.0) -> Ran:
    """``dpverify audit`` of a function of `hostile`."""
    shutil.copy(HERE / "hostile.py", folder)
    return dpverify("audit", f"hostile:{function}", *PAIR, *options, folder=folder, seconds=seconds)


def with_plugin(folder: Path, *words: str, at_import: str = "", seconds: float = 120.0) -> Ran:
    """Any command where the plug-in `hostile_plugin` is installed."""
    home = folder / ".hostile"
    about = home / "hostile-1.0.dist-info"
    if not about.exists():
        about.mkdir(parents=True)
        shutil.copy(HERE / "hostile_plugin.py", home)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("[dpverify.plugins]\nhostile = hostile_plugin:register\n")
    environment = {"PYTHONPATH": str(home), "AT_IMPORT": at_import}
    return dpverify(*words, folder=folder, seconds=seconds, environment=environment)
