"""The site: pages written by hand, and pages made from the code, the commands, the schemas and the records.

`make site` builds it with warnings as errors. The tests run every example of the pages (`tests/docs`).
"""

import re
import sys
from pathlib import Path
from typing import Any

import dpverify

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from made import write  # noqa: E402 - it lies beside this file

project = "dpverify"
author = "The dpverify founders"
release = version = dpverify.__version__
copyright = author
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_parser", "sphinx_copybutton"]
exclude_patterns = ["generated/files"]
html_theme = "furo"
html_title = f"dpverify {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_extra_path = ["generated/files"]
html_copy_source = False
html_show_sphinx = False
smartquotes = False  # -- begins an option here
html_theme_options = {"navigation_with_keys": True}

myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"

napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes of dataclasses once, not beside their fields
default_role = "code"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

_LITERAL = re.compile(r"(``.*?``)")
_ATTRIBUTES = re.compile(r"^:(?:ivar|vartype) [^:]*:")


def _escape_bars(_app: Any, _what: str, _name: str, _thing: object, _options: object, lines: list[str]) -> None:
    """``|B|`` is a size in our docstrings, and no substitution; of two attributes none is the type."""
    for at, line in enumerate(lines):
        line = _ATTRIBUTES.sub(lambda names: names[0].replace(", ", ","), line)
        pieces = _LITERAL.split(line)
        lines[at] = "".join(piece if piece.startswith("``") else piece.replace("|", "\\|") for piece in pieces)


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _escape_bars)


write(HERE / "generated")
