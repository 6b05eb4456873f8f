"""Notes draws of torch's global generator as hidden coins, where a program seeds it from the recorded generator.

``torch.manual_seed(int(rng.integers(2**62)))`` makes torch's draws a function of the recorded generator. During a
recorded run such a seed is no coin; each draw after it is one, at the line that draws. So what is shown before torch
draws anything is still compared. Any other seed leaves torch as it is.

Draws are recognised by torch's own tag for operations that use a random seed, dropout and samplers among them. Their
values are plain numbers: noise of torch is not traced through tensors. torch is not imported here.

Limits: generators made by ``torch.Generator`` are not followed; what a program draws from them is not recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dpverify.recording.recorder import Recorder


@contextmanager
def noted_torch_draws(recorder: Recorder) -> Iterator[None]:
    """Note torch's draws while a program runs; nothing where torch is not loaded before the run."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "Tag"):
        yield
        return
    plain, followed = torch.manual_seed, False

    def manual_seed(seed: Any) -> Any:
        nonlocal followed
        followed = recorder.handed_out(seed)
        return plain(seed)

    homes = [home for home in (torch, torch.random) if home.manual_seed is plain]
    for home in homes:
        home.manual_seed = manual_seed
    try:
        with _noting(torch, lambda name: recorder.coin(name) if followed else None):
            yield
    finally:
        for home in homes:
            home.manual_seed = plain


def _noting(torch: Any, note: Any) -> Any:
    """A mode of torch in which each operation that draws is noted."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Noting(TorchDispatchMode):  # type: ignore[misc]  # torch need not be installed
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if torch.Tag.nondeterministic_seeded in func.tags:
                note(f"a draw by {func._schema.name.rpartition('::')[2]} of torch")
            return func(*args, **(kwargs or {}))

    return Noting()
