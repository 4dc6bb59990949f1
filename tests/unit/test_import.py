"""`import covey` is light, and everything it names is there."""

import subprocess
import sys

import covey


def test_import_loads_nothing_heavy():
    heavy = "('numba', 'scipy', 'pyarrow', 'pandas', 'pyspark')"
    code = f"import sys, covey; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_documented():
    assert covey.__all__ == sorted(covey.__all__)
    for name in covey.__all__:
        assert getattr(covey, name).__doc__
    assert set(covey.__all__) <= set(dir(covey))


def test_packages_are_reached_from_covey_alone():
    code = "import covey; assert all(map(callable, (covey.synth.survey, covey.io.write, covey.guarantees.guarantee)))"
    subprocess.run([sys.executable, "-c", code], check=True)
