"""The report of the tutorial's suite file, made while the site is built, and the page that shows it."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

TUTORIAL = Path(__file__).parents[1] / "tutorial" / "your-mechanism.md"

PAGE = """---
orphan: true
---

# An example of a report

The two claims of [the tutorial](../tutorial/your-mechanism.md), audited while this site was built.
<a href="../example/report.html">Open it as a page of its own</a>; [how to read it](../tutorial/a-report.md).

<iframe class="report" src="../example/report.html" title="The tutorial's report" loading="lazy"></iframe>
"""


def pages() -> dict[str, str | bytes]:
    """The page, and the report itself."""
    blocks = re.findall(r"^```\w+\n# (\S+)\n(.*?)^```$", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in blocks:
            if "/" not in name:
                (Path(folder) / name).write_text(content, encoding="utf-8")
        command = [sys.executable, "-m", "dpverify", "run", "dpverify.toml", "--out", "out", "--trials", "100000"]
        subprocess.run([*command, "--quiet"], cwd=folder, check=True, capture_output=True)
        return {"example_report.md": PAGE, "files/example/report.html": (Path(folder) / "out/report.html").read_bytes()}
