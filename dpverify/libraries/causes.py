"""Why a row of a library is refuted, where its source was read and says so: by the library and a pattern of ids.

Written by hand, beside the verdict, which does not rest on it.
"""

from __future__ import annotations

import fnmatch

THRESHOLD = (
    "at the claimed delta no finite epsilon holds: the key of one record is released with probability "
    "e^-1 / (1 + e^-1) = 0.2689, and never without that record; the claimed delta is 0.0989"
)

CAUSES: dict[tuple[str, str], str] = {
    ("diffprivlib", "KMeans:*"): "a cluster that no record is nearest to keeps its centre, and no noise is added to it "
    "(models/k_means.py: `if cluster not in labels: continue`); one record decides whether that centre is released",
    (
        "opacus",
        "make_private:flat:ghost",
    ): "the losses of a batch have the shape (B, 1) here, and the row is about those alone (gallery: opacus-ghost)",
    ("opendp", "make_laplace_threshold:*"): THRESHOLD,
    ("opendp", "make_noise_threshold:*:l01inf-*"): THRESHOLD,
}


def cause_of(library: str, claim: str) -> str:
    """The cause of a refuted row; empty where none is known."""
    found = (
        text for (name, pattern), text in CAUSES.items() if name == library and fnmatch.fnmatchcase(claim, pattern)
    )
    return next(found, "")
