"""Other people's libraries as subjects: one file (or folder) a library, in the registry's section ``libraries``.

No library is imported before its claims are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpverify.core.registry import registers

if TYPE_CHECKING:
    from dpverify.adapters.libraries.offered import Library


register = registers(__name__)


def find_library(name: str) -> Library:
    """The library of this name, of ours or of a plug-in, whether or not it is installed; InputError without one."""
    from dpverify.core.plugins import registry

    known = registry().libraries
    other = name.replace("-", "_")
    found: Library = known.get(other if other in known else name)
    return found
