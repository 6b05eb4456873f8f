"""Pages that are made when the site is built. Each module has a function `pages`: texts by file name."""

from pathlib import Path

from made import accountants, api, claims, command_line, example_report, records, schemas, trusted


def write(folder: Path) -> None:
    """Write all made pages below `folder`, in the place of what was there; what has not changed keeps its time."""
    made: dict[str, str | bytes] = {}
    for each in (accountants, api, claims, command_line, example_report, records, schemas, trusted):
        made |= each.pages()
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in made:
            path.unlink()
    for name, content in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
