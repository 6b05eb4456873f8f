"""A page as PDF, printed by the Chromium of this machine: headless, without a network, in a profile of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from dpverify.core.errors import AuditError, InputError, one_line

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
VARIABLE = "DPVERIFY_BROWSER"
SECONDS = 300.0


def browser() -> str:
    """The command of the browser; InputError where there is none."""
    given = os.environ.get(VARIABLE)
    found = shutil.which(given) if given else next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise InputError(
            f"{VARIABLE} = {given!r} is no command" if given else "no Chromium here, which a PDF needs",
            allowed=f"one of {', '.join(BROWSERS)}",
            remedy=f"install chromium, set {VARIABLE} to a browser of its kind, or print report.html yourself",
        )
    return found


def print_pdf(page: Path, target: Path) -> Path:
    """Print `page` to `target`, whole or not at all; AuditError where the browser fails."""
    command = browser()
    with tempfile.TemporaryDirectory(prefix=".dpverify-pdf-", dir=target.parent) as folder:
        made = Path(folder) / "page.pdf"
        words = [command, "--headless", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder}/profile"]
        words += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # it refuses root otherwise
        words += ["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=10000", "--no-pdf-header-footer"]
        words += [f"--print-to-pdf={made}", page.resolve().as_uri()]
        try:
            done = subprocess.run(words, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise AuditError(f"{Path(command).name} did not print {page.name} within {SECONDS:g} s") from None
        if not made.is_file():
            said = one_line(done.stderr.decode(errors="replace"))[-200:]
            raise AuditError(f"{Path(command).name} did not print {page.name} (status {done.returncode}): {said}")
        try:
            made.replace(target)
        except OSError as problem:
            raise InputError(
                f"{target} cannot be written: {problem.strerror}", allowed="a file in a folder of yours"
            ) from None
    return target
