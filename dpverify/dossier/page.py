"""The dossier as files: one self-contained HTML page (no script, nothing fetched), Markdown, and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from dpverify.core.json_text import dump
from dpverify.core.printable import all_visible
from dpverify.dossier.dossier import SPOKEN
from dpverify.dossier.markdown import markdown
from dpverify.dossier.shown import made, more_facts, named_rows, shown_facts, signed
from dpverify.reporting.formatting import VERDICTS
from dpverify.reporting.templates import environment
from dpverify.runner.atomic_files import write_atomically


def write_dossier(found: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write ``dossier.html``, ``dossier.md`` and ``dossier.json``."""
    texts = {"dossier.html": html(found), "dossier.md": markdown(found), "dossier.json": dump(found)}
    return [write_atomically(folder / name, text) for name, text in texts.items()]


def html(found: Mapping[str, Any]) -> str:
    """The page; control characters are made visible, and HTML is escaped."""
    return _environment().get_template("dossier.html.jinja").render(found=all_visible(found))


@cache
def _environment() -> jinja2.Environment:
    made_one = environment("dpverify.dossier")
    made_one.globals |= {"spoken": SPOKEN, "verdicts": VERDICTS}
    made_one.filters |= {"shown": shown_facts, "more": more_facts, "signed": signed, "made": made, "named": named_rows}
    return made_one
