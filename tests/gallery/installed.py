"""Whether an environment of the gallery is there, for tests that install nothing."""

from collections.abc import Sequence
from pathlib import Path

from dpverify.gallery import environments


def is_there(pins: Sequence[str], pythons: Sequence[str], *, folder: Path | None = None) -> bool:
    """Tell whether the environment needs no installation."""
    try:
        version, _ = environments._interpreter(pythons)
    except environments.NoEnvironmentError:
        return False
    return environments._whole((folder or environments.cache_folder() / "gallery") / environments._key(pins, version))
