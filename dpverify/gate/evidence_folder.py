"""Evidence pooled over test sessions: one file for each claim on one version of the code, in a folder.

The file's name holds a key of the mechanism's code, the claim, the example and the versions of packages: when one of
them changes, evidence begins anew, so that old innocence hides no new leak and old guilt fails no repair. Seeds are
counted up and never used twice.
"""

from __future__ import annotations

from pathlib import Path

from dpverify.core.errors import InputError
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.runner.atomic_files import safe_name


def evidence_file(folder: Path, name: str, key: str) -> Path:
    """Where the evidence of this audit is kept."""
    return folder / f"{safe_name(name)}.{key}.json"


def seeds_used(path: Path) -> tuple[int, ...]:
    """Of the sessions that are entered there; none without a file.

    Raises
    ------
    InputError
        For a file that is no evidence.
    """
    if not path.exists():
        return ()
    try:
        found = parse_json(read_text(path))
        sessions = found["nights"] if "nights" in found else found["sessions"]
        return tuple(int(each["seed"]) for each in sessions)
    except (OSError, ValueError, TypeError, KeyError) as problem:
        raise InputError(
            f"the evidence file {path} cannot be read ({type(problem).__name__})",
            allowed="a file that earlier sessions have written",
            remedy="delete it: evidence begins anew",
        ) from None
