"""The text of a CSV file: UTF-8, with commas between its columns; what is written otherwise is told by its name."""

from __future__ import annotations

import codecs

_MARKS = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
_SEPARATORS = {";": "';'", "\t": "a tab", "|": "'|'"}


def csv_text(content: bytes) -> str:
    """The text, without a byte-order mark.

    Raises
    ------
    ValueError
        For another encoding, and where the first line shows another separator.
    """
    name = next((name for mark, name in _MARKS.items() if content.startswith(mark)), "")
    if name or b"\0" in content[:200]:
        raise ValueError(f"it is text in {name or 'UTF-16, or no text'}: save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise ValueError(
            f"the byte 0x{content[problem.start]:02x} in line {line} is no UTF-8, and may be Latin-1 or Windows-1252: "
            "save it as UTF-8"
        ) from None
    first = next((line for line in text[:100_000].splitlines() if line.strip() and not line.startswith("#")), "")
    for separator, told in _SEPARATORS.items():
        if separator in first and '"' not in first and ("," not in first or _are_numbers(first.split(separator))):
            raise ValueError(
                f"its first line separates by {told}: save it with commas between columns and points in numbers "
                "(a text that holds the sign itself stands in quotes)"
            )
    return text


def _are_numbers(cells: list[str]) -> bool:
    """Tell whether all are numbers, those with a decimal comma among them."""
    try:
        return bool([float(cell.replace(",", ".")) for cell in cells])
    except ValueError:
        return False
