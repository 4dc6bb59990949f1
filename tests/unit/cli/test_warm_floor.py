"""Commands that need little load little."""

import subprocess
import sys

import covey
from covey.io import write

SCRIPT = """
import sys
from covey.cli.entry import main

HEAVY = {"matplotlib", "numba", "numpy", "pandas", "pyarrow", "pydantic", "pyspark", "scipy", "sklearn"}
sys.argv = ["covey", *sys.argv[1:]]
try:
    main()
except SystemExit as stopped:
    assert not stopped.code, stopped.code
mine = sorted(name for name in sys.modules if name.startswith(("covey.", "numba.")))
print("loaded:", *sorted(HEAVY & set(sys.modules)), *mine)
"""


def loads(*words):
    """The heavy packages, and the modules of covey, that a command loads in a process of its own."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.rsplit("loaded:", 1)[1].split())
    return {name for name in loaded if "." not in name}, loaded


def baskets():
    return covey.Baskets.of([["a", "s"], *([["a", "b", "c"], ["b", "c"]] * 12_000)], sensitive=["s"])


def test_help_loads_no_package_for_numbers():
    packages, modules = loads("--help")
    assert packages == set()
    assert "covey.registry" not in modules


def test_the_list_of_methods_needs_numpy_alone():
    packages, modules = loads("methods")
    assert packages == {"numpy"}
    assert "covey.pipeline" not in modules


def test_what_reads_a_small_release_needs_no_kernel(tmp_path):
    covey.publish(baskets(), tmp_path / "release", "degree(p=4)", seed=0)
    for command in (["query", "--sensitive", "s", "--present", "a"], ["verify"]):
        packages, modules = loads(command[0], str(tmp_path / "release"), *command[1:])
        assert packages == {"numpy", "pyarrow"}, command
        assert not {m for m in modules if m.startswith(("covey.compare", "covey.metrics", "covey.web."))}, command


def test_a_release_is_made_without_what_compares_methods(tmp_path):
    write(baskets(), tmp_path / "data.csv")
    where = (str(tmp_path / "data.csv"), "--output", str(tmp_path / "release"))
    packages, modules = loads("anonymize", *where, "--sensitive", "s", "--guarantee", "degree(p=4)")
    assert packages == {"numba", "numpy", "pyarrow"}
    _, modules = loads("anonymize", *where, "--force", "--sensitive", "s", "--guarantee", "degree(p=4)")
    assert "numba.np.polynomial.polynomial_core" not in modules  # as all that only compiling needs
    assert not {m for m in modules if m.startswith(("covey.compare", "covey.attacks", "covey.web."))}
