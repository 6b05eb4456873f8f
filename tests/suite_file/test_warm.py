"""What is loaded before audits: little before one, all that their processes need before the second."""

import subprocess
import sys
import textwrap

CODE = """
    import sys
    from dpverify.suite_file.warm import warm

    warm()
    print("numba" in sys.modules)
    warm()
    from auditors.privacy import outputs
    from auditors.privacy.event import cell_lookup, tables
    from dpverify.stats import betting, e_mixture

    kernels = [outputs._finite, cell_lookup._number, cell_lookup._add, tables._mix, betting._bet, e_mixture._bet]
    print([bool(each._compiled and each._compiled.signatures) for each in kernels])
"""


def test_numba_is_loaded_before_the_second_audit_and_its_kernels_with_it():
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(CODE)], capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:2] == ["False", str([True] * 6)]
