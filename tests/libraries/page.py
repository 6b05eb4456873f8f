"""``python -m tests.libraries.page``: `reports/rendered/libraries.md`, made of `reports/libraries/` alone.

``--about NAME`` first writes what stands around the records of an installed library (its constructors, what cannot be
examined, its accountants beside ours) and audits nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from dpverify.adapters.libraries import find_library
from dpverify.adapters.libraries.offered import NotExamined
from dpverify.core.json_text import dump
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.gallery.result import entries
from dpverify.libraries.beside import Beside, beside
from dpverify.libraries.session import LibraryResult, LibrarySession, words_of
from dpverify.libraries.tables import about_of, markdown
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.runner.atomic_files import write_atomically

ROOT = Path(__file__).parents[2]
FOLDER, PAGE = ROOT / "reports/libraries", ROOT / "reports/rendered/libraries.md"

HEADING = """# Libraries

Made by `python -m tests.libraries.page` of `reports/libraries/`, which `dpverify audit-library NAME --out DIR`
writes. One false-alarm probability (1e-6) holds for each table as it stands; while the grid was made, claims and
twins were looked at before with other scales, pairs and thresholds, and these looks are not counted. "stands" is
never more than: not refuted by these draws, which would have caught the value in the column "caught" with 80 % power,
where the pair and the event show it. "one reading": refuted under one relation and not under the other, where the
library does not say which it means. A twin is a claim on a mechanism that was broken on purpose; how much stands in
its name. Where half of the noise was not found with so few draws, it was broken further: such a twin shows that large
faults are found, and no more. "unfinished" rows were not audited yet.
"""


def page() -> str:
    """All tables, by name."""
    names = sorted(each.name.removesuffix(".about.json") for each in FOLDER.glob("*.about.json"))
    tables = [read_table(FOLDER, name) for name in names]
    parts = [markdown(table) + bugs_of(table.session.library) for table in tables]
    return "\n".join([HEADING, *overview(tables), "", *parts])


def read_table(folder: Path, name: str) -> LibraryResult:
    """The table of a library in a folder; without ``NAME.json``, one without records."""
    about, file = parse_json(read_text(folder / f"{name}.about.json")), folder / f"{name}.json"
    records = parse_json(read_text(file)) if file.exists() else []
    return LibraryResult(
        session=LibrarySession(**about["session"]),
        records=tuple(records),
        not_examined=tuple(NotExamined(**each) for each in about["not_examined"]),
        aside=tuple(NotExamined(**each) for each in about["aside"]),
        constructors=tuple(about["constructors"]),
        seconds=sum(each["seconds"] for each in records),
        recorded=about["recorded"],
        accounts=tuple(Beside(**each) for each in about["accounts"]),
    )


def overview(tables: Sequence[LibraryResult]) -> Iterator[str]:
    """A line a library: how many of its claims stand, and how many of the twins beside them were found."""
    kinds = ("stands", "refuted", "one reading", "inconclusive")
    yield row(["library", "claims", *kinds, "twins found"])
    yield row(["---", *["---:"] * 6])
    for table in tables:
        words = words_of(table.records)
        own = [word for word, item in zip(words, table.records, strict=True) if not item["twin"]]
        twins = len(words) - len(own)
        name = prose(f"{table.session.library} {table.session.version}")
        counts = [str(own.count(kind)) for kind in kinds]
        yield row([name, str(len(own)), *counts, f"{words.count('found')} of {twins}"])
    fell = [
        f"- {prose(table.session.library)}: {code(item['id'])}"
        for table in tables
        for word, item in zip(words_of(table.records), table.records, strict=True)
        if word == "refuted"
    ]
    yield from ["", "Refuted, whatever the reading:", "", *fell] if fell else []


CALLS = {"audit": "`dpverify audit`", "account": "`dpverify account`", "step": "`dpv.check_training_step`"}
"""The call that finds a bug of the gallery, by its kind of look; the gallery's page has those of other kinds."""


def bugs_of(library: str) -> str:
    """Reports about other releases, each with the call that decided it: what was not found stands here, too."""
    known = [one for one in entries() if one[0]["library"].replace("-", "_") == library]
    if not known:
        return ""
    lines = ["Reports about its releases, reproduced in the gallery:", "", row(["report", "release", "fault", "call"])]
    lines[-1] += "\n" + row(["---"] * 4)
    for bug, record in known:
        verdict = "not run" if record is None else str(record["verdict"]).replace("_", " ")
        call = CALLS.get(bug["look"], "see the gallery")
        lines.append(row([code(bug["name"]), bug["version"], prose(bug["title"]), f"{call}: {verdict}"]))
    return "\n".join([*lines, ""])


def write_about(name: str) -> None:
    """What stands around the records, of the library that is installed."""
    library = find_library(name)
    session = LibrarySession(library=library.name, version=library.version())
    offers = session.offers()
    table = LibraryResult(
        session=session,
        records=(),
        not_examined=offers.not_examined,
        aside=offers.aside,
        constructors=offers.constructors,
        seconds=0.0,
        recorded=library.recorded,
        accounts=tuple(beside(library)),
    )
    write_atomically(FOLDER / f"{library.name}.about.json", dump(about_of(table)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--about", metavar="NAME")
    asked = parser.parse_args()
    if asked.about:
        write_about(asked.about)
    write_atomically(PAGE, page())
