"""A checksum for each row: it detects damage and mistakes, but not manipulation, since anyone can compute it.

It covers the row's key (table, run, claim, ...) and content, so that exchanged rows are noticed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3

LENGTH = 32

_KEYS = {
    "chunks": ("run", "claim", "auditor", "name", "place"),
    "evidence": ("run", "claim", "auditor"),
    "records": ("run", "claim"),
    "told": ("run", "claim"),
}
_CONTENT = {
    "chunks": ("statistics",),
    "evidence": ("content",),
    "records": ("content",),
    "told": ("verdict", "surprise", "seconds"),
}


def checksum(*cells: object) -> str:
    """Checksum of a row's table name and cells (text and numbers), in the order of its columns."""
    return hashlib.sha256(json.dumps(cells, separators=(",", ":")).encode()).hexdigest()[:LENGTH]


def with_checksum(table: str, *cells: object) -> tuple[object, ...]:
    """The cells of a row, followed by its checksum."""
    return (*cells, checksum(table, *cells))


def intact(kept: object, *cells: object) -> bool | None:
    """Tell whether a row matches its checksum; None for a row without one (store version 1)."""
    if kept is None:
        return None
    try:
        return kept == checksum(*cells)
    except (TypeError, ValueError):  # bytes instead of text
        return False


def write_run_checksum(connection: sqlite3.Connection, run: int) -> None:
    """Write the checksum of a run's row and its provenance."""
    row = connection.execute("SELECT run, suite, words, begun, ended, state FROM runs WHERE run = ?", (run,)).fetchone()
    marks = connection.execute("SELECT name, value FROM provenance WHERE run = ? ORDER BY name", (run,)).fetchall()
    connection.execute("UPDATE runs SET checksum = ? WHERE run = ?", (checksum(*row, dict(marks)), run))


def delete_damaged(connection: sqlite3.Connection, run: int) -> list[str]:
    """Delete a run's rows whose checksum differs; returns one line for each.

    A record and its summary are deleted together.
    """
    lines = []
    for table, keys in _KEYS.items():
        columns = ", ".join((*keys, *_CONTENT[table], "checksum"))
        # Names are constants of this file, so no text of users enters the statement.
        bad = [
            tuple(cells[: len(keys)])
            for *cells, kept in connection.execute(f"SELECT {columns} FROM {table} WHERE run = ?", (run,))
            if intact(kept, table, *cells) is False
        ]
        for place in bad:
            for each in ("records", "told") if table in ("records", "told") else (table,):
                where = " AND ".join(f"{key} = ?" for key in keys)
                connection.execute(f"DELETE FROM {each} WHERE {where}", place)
            lines.append(f"{damage_text(table, *place)}; it is made again")
    return lines


def damage_text(table: str, run: object, claim: object, *more: object) -> str:
    """A line that names a row whose checksum differs."""
    what = {
        "chunks": "a part of the counts",
        "evidence": "the evidence",
        "records": "the record",
        "told": "the summary of the record",
    }[table]
    by = f" by {more[0]!r}" if more else ""
    return f"{what} of {claim!r}{by} in run {run} is not what was written (its checksum differs)"
