"""Property tests: no deadline (a first call compiles, a busy machine is slow), and the same examples every time.

``pytest --hypothesis-profile explore`` looks for others.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("house")
