"""The tests that need a library which cannot stand beside the others: run in environments of their own.

    python -m tests.libraries.environments              # all of them
    python -m tests.libraries.environments opendp

An environment is made once, from exact pins, below the user's cache directory (`dpverify.gallery.environments`); it
holds the library alone, and sees this clone and what is installed beside it after that. A test file that finds no
library there, or that runs no test, is a failure.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from dpverify.datasets.files import cache_folder
from dpverify.gallery.environments import environment_for

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Exact pins, the modules that they must bring, and the test files that need them."""

    pins: tuple[str, ...]
    modules: tuple[str, ...]
    files: tuple[str, ...]


ENVIRONMENTS = {
    "opendp": Environment(
        pins=("opendp==0.16.0", "polars==1.36.1", "polars-runtime-32==1.36.1", "Deprecated==1.3.1", "wrapt==2.5.2"),
        modules=("opendp",),
        files=("tests/adapters/libraries/test_opendp.py", "tests/adapters/libraries/test_library_accountants.py"),
    ),
    "diffprivlib": Environment(
        pins=("diffprivlib==0.6.6", "scikit-learn==1.5.2"),
        modules=("diffprivlib",),
        files=(
            "tests/adapters/libraries/test_diffprivlib.py",
            "tests/adapters/libraries/test_library_accountants.py",
            "tests/canary_kit/test_diffprivlib.py",
            "tests/frontier/test_worked_examples.py",
        ),
    ),
    "jax": Environment(
        pins=("jax==0.10.2", "jaxlib==0.10.2", "ml_dtypes==0.6.0", "opt_einsum==3.4.0"),
        modules=("jax",),
        files=("tests/training_step/test_jax_example.py",),
    ),
    "opacus": Environment(
        pins=(
            "torch==2.13.0",
            "opacus==1.6.0",
            "filelock==4.3.1",
            "mpmath==1.3.0",
            "networkx==3.6.1",
            "opt_einsum==3.4.0",
            "sympy==1.14.0",
        ),
        modules=("torch", "opacus"),
        files=(
            "tests/adapters/libraries/test_library_accountants.py",
            "tests/adapters/libraries/test_opacus.py",
            "tests/recording/test_torch_draws.py",
            "tests/loaders/test_torch.py",
            "tests/training_step/test_opacus_step.py",
            "tests/canary_kit/test_opacus.py",
            "tests/canary_kit/test_model_losses.py",
            "tests/frontier/test_worked_examples.py",
        ),
    ),
}

BESIDE = "DPVERIFY_BESIDE"
"""The variable that names what an environment sees after its own packages."""

NOT_RUN = 5
"""pytest's exit status when it ran no test."""


def run(name: str) -> int:
    """Make the environment, and run its tests; returns the exit status."""
    one = ENVIRONMENTS[name]
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    made = environment_for(one.pins, [here], say=_say, folder=cache_folder() / "libraries")
    packages = made.python.parents[1] / "lib" / f"python{here}" / "site-packages"
    (packages / "beside.pth").write_text(
        f"import os, sys; sys.path += os.environ.get('{BESIDE}', '').split(os.pathsep)\n"
    )
    beside = os.pathsep.join([str(ROOT), sysconfig.get_path("purelib")])
    environment = {**os.environ, BESIDE: beside}
    found = subprocess.run([made.python, "-c", f"import {', '.join(one.modules)}"], env=environment, check=False)
    if found.returncode:
        _say(f"{name}: its environment has no {' and '.join(one.modules)}; delete {made.python.parents[1]}")
        return 1
    for file in one.files:  # one by one: a file none of whose tests run is a failure, whatever the others do
        options = ["-q", "-n", "0", "-m", "not slow", "-p", "no:cacheprovider"]
        command = [made.python, "-m", "pytest", *options, file]
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if status:
            _say(f"{name}: {file}: {'no test ran' if status == NOT_RUN else f'exit status {status}'}")
            return 1
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """The command: exit status 0 when all tests of all environments that were asked for passed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(ENVIRONMENTS)}; none: all")
    names = options.parse_args().names
    if unknown := sorted(set(names) - set(ENVIRONMENTS)):
        options.error(f"no environment {unknown[0]!r}; allowed: {', '.join(ENVIRONMENTS)}")
    return max(run(name) for name in names or ENVIRONMENTS)


if __name__ == "__main__":
    sys.exit(main())
