"""A wheel with compiled kernels: its first command compiles nothing."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIRST_RUN = """
import sys
from covey.cli.entry import main

sys.argv = ["covey", *sys.argv[1:]]
try:
    main()
finally:
    from covey.data.jit import compiled_kernels

    print("compiled:", *compiled_kernels())
"""


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_first_run_of_a_wheel_compiles_nothing(tmp_path):
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(build, env={**os.environ, "COVEY_COMPILE": "1"}, check=True)
    [wheel] = tmp_path.glob("covey-*.whl")
    assert "none-any" not in wheel.name
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)

    def first(*words):
        command, env = [sys.executable, "-c", FIRST_RUN, *words], {**os.environ, "PYTHONPATH": str(installed)}
        ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
        return ran.stdout

    first("generate", "shop", "-o", "sales.csv", "--transactions", "2000", "--seed", "2")
    marks = ("--sensitive", "sales.sensitive.txt")
    for words in (
        ("inspect", "sales.csv", *marks),
        ("anonymize", "sales.csv", *marks, "-g", "degree(p=10)", "-o", "release", "--row-is-person"),
        ("verify", "release", "--original", "sales.csv", *marks),
        ("query", "release", "--sensitive", "pregnancy test", "--present", "folic acid"),
        ("attack", "release", "--original", "sales.csv"),
        ("evaluate", "release", "--original", "sales.csv"),
        ("anonymize", "sales.csv", "--taxonomy", "sales.taxonomy.csv", "-g", "km-anonymity(k=5, m=2)", "-o", "coarse"),
    ):
        assert first(*words).endswith("compiled:\n"), words[0]
