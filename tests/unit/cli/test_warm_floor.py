"""Commands that need little load little."""

import subprocess
import sys

import covey
from covey.io import write

SCRIPT = """
import sys
from covey.cli.entry import main

sys.argv = ["covey", *sys.argv[1:]]
try:
    main()
except SystemExit as stopped:
    assert not stopped.code, stopped.code
print("loaded:", *sorted(name for name in sys.modules if name.startswith("covey.") or "." not in name))
"""
HEAVY = {"matplotlib", "numba", "numpy", "pyarrow", "pydantic", "pyspark", "scipy", "sklearn"}


def loads(*words):
    """The modules that a command loads in a process of its own."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rsplit("loaded:", 1)[1].split())


def baskets():
    return covey.Baskets.of([["a", "s"], *([["a", "b", "c"], ["b", "c"]] * 10)], sensitive=["s"])


def test_help_loads_no_package_for_numbers():
    modules = loads("--help")
    assert not HEAVY & modules
    assert "covey.registry" not in modules


def test_list_of_methods_loads_no_reader():
    modules = loads("methods")
    assert not {"matplotlib", "pyspark", "sklearn"} & modules
    assert not {"covey.pipeline", "covey.io.source"} & modules


def test_query_and_verify_load_no_measures(tmp_path):
    covey.publish(baskets(), tmp_path / "release", "degree(p=4)", seed=0)
    for command in (["query", "--sensitive", "s", "--present", "a"], ["verify"]):
        modules = loads(command[0], str(tmp_path / "release"), *command[1:])
        left_out = ("covey.explore.", "covey.measure", "covey.web.")
        assert not {m for m in modules if m.startswith(left_out)}, command


def test_anonymize_loads_nothing_that_compares_methods(tmp_path):
    write(baskets(), tmp_path / "data.csv")
    where = (str(tmp_path / "data.csv"), "--output", str(tmp_path / "release"))
    modules = loads("anonymize", *where, "--sensitive", "s", "--guarantee", "degree(p=4)")
    assert not {"matplotlib", "pyspark", "sklearn"} & modules
    assert not {m for m in modules if m.startswith(("covey.explore.auto", "covey.measure.attacks", "covey.web."))}
