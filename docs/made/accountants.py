"""Gallery of accountants: the same compositions by every accountant, and what was found of their lemmas."""

import json
from pathlib import Path

import dpverify as dpv

DELTA = 1e-5
COMPOSITIONS = {
    "gaussian(sigma=8)*10": "ten Gaussian releases",
    "laplace(scale=20)*50": "fifty Laplace releases",
    "pure(epsilon=0.1)*100": "a hundred mechanisms of which only epsilon is known",
    "randomised-response(epsilon=0.5)*20": "twenty answers by randomised response",
    "poisson-gaussian(q=0.01, sigma=1.1)*1000": "DP-SGD: 1,000 steps on Poisson samples of 1 %",
    "without-replacement(q=0.01, step=gaussian(sigma=1.5))*500": "500 steps on batches of fixed size, 1 % of all",
    "gaussian(sigma=8)*10 + laplace(scale=20)*10": "two kinds in one composition",
}
RECORDS = Path(__file__).parents[2] / "reports" / "records"

HEAD = f"""# Accountants, side by side

Each composition by every accountant that applies, at delta = {DELTA:g}. A *bracket* encloses the true epsilon; an
*upper* bound is never below it; a *printed* row is a paper's formula as it stands, which may be wrong.
`dpverify account COMPOSITION --delta {DELTA:g}` prints the same table, and why an accountant does not apply.

"""

LEMMAS = """## The lemmas behind them

Each row is a claim about accounting, examined over the range of parameters in its record. `dpverify ledger --id ID`
shows it in full.

| claim | source | verdict |
|---|---|---|
"""


def pages() -> dict[str, str | bytes]:
    """One page."""
    text = HEAD + "".join(_composition(*each) for each in COMPOSITIONS.items()) + LEMMAS
    for path in sorted(RECORDS.glob("ACC-*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        statement = row["statement"].replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")
        text += f"| `{row['id']}` {statement} | {row['source']} | `{row['verdict']}` |\n"
    return {"accountants.md": text}


def _composition(text: str, words: str) -> str:
    found = dpv.account(text, delta=DELTA)
    rows = "".join(
        f"| `{row.accountant}` | {_number(row.bracket.lower)} | {_number(row.bracket.upper)} | {row.side} "
        f"| {row.source} |\n"
        for row in found.rows
    )
    head = f"## {words[0].upper()}{words[1:]}\n\n`{text}`, neighbours: {found.relation}.\n\n"
    return head + "| accountant | at least | at most | side | source |\n|---|---:|---:|---|---|\n" + rows + "\n"


def _number(value: float | None) -> str:
    return "" if value is None or not 0 < value < float("inf") else f"{value:.5g}"
