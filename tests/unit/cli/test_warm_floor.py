"""Commands that need little load little."""

import subprocess
import sys

import covey

SCRIPT = """
import sys
from covey.cli.entry import main


def loads(*arguments):
    sys.argv = ["covey", *arguments]
    try:
        main()
    except SystemExit as stopped:
        assert not stopped.code, (arguments, stopped.code)
    return {"numba", "pandas", "pyarrow", "scipy", "matplotlib", "sklearn", "pyspark"} & set(sys.modules)


release = sys.argv[1]
assert loads("methods") == set()
assert loads("query", release, "--sensitive", "s", "--present", "a") == {"pyarrow"}
assert loads("verify", release) == {"pyarrow"}
assert loads("--help") == {"pyarrow"}
"""


def test_what_needs_no_kernel_loads_none(tmp_path):
    rows = [["a", "s"], *([["a", "b"], ["b", "c"]] * 20)]
    covey.publish(covey.Baskets.of(rows, sensitive=["s"]), tmp_path / "release", "degree(p=4)", seed=0)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "release")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
