"""Faults that would break label-dp, each planted in a copy of the code and found by a test of the mechanism."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
METHOD, SUMS = "methods/noisy_model/__init__.py", "release/model_sums.py"

MUTANTS = {
    "wrong scale": (
        SUMS, "math.ceil(scale / Fraction(epsilon))", "math.ceil(scale / Fraction(epsilon) / 2)",
        "noise_of_all_sums_costs_epsilon_and_no_more",
    ),
    "one draw of noise for several sums": (
        METHOD, "add_noise(part, scale) if", "part + add_noise(np.zeros_like(total), scale) if",
        "every_sum_has_noise_of_its_own",
    ),
    "a row without a cap": (
        SUMS, "min(most * GRID * rarity[item] // whole, GRID)", "GRID",
        "a_long_transaction_counts_no_more_than_a_short_one",
    ),
    "cells that depend on holders": (
        METHOD, "cells_of(transactions)", "cells_of(transactions, secret.entries)",
        "nothing_but_the_sums_depends_on_who_holds_what",
    ),
    "a threshold that depends on holders": (
        METHOD, "level_of(int(total[0])", "level_of(GRID * holders.n",
        "what_is_measured_depends_on_the_noisy_total_alone",
    ),
    "an exact total in the manifest": (
        METHOD, "self.statement(promise)", "self.statement(promise, (str(data.only(data.sensitive).entries),))",
        "nothing_but_the_sums_depends_on_who_holds_what",
    ),
    "floating-point noise": (
        "methods/noisy_model/noise.py", "mechanism(values.tolist())", "np.rint(values + np.random.laplace(0, scale))",
        "noise_of_releases_comes_from_opendp",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_planted_fault_is_found(name, tmp_path):
    file, right, wrong, test = MUTANTS[name]
    shutil.copytree(ROOT / "src", tmp_path / "src")
    path = tmp_path / "src" / "covey" / file
    source = path.read_text(encoding="utf-8")
    assert source.count(right) == 1
    path.write_text(source.replace(right, wrong), encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", test,
         str(ROOT / "tests/unit/label_dp/test_mechanism.py")],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path / "src")}, capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 1
    assert "assert" in found.stdout
    assert "1 failed" in found.stdout
