"""A disk that is full, or becomes full: nothing is left behind, and the message says what to do."""

import os
import subprocess

import pytest

from runs import left_in, run_covey, run_script

FULL = """
    import resource, signal, sys
    from pathlib import Path
    import covey
    from covey.errors import OutputError
    rows = [[f"item {i}", f"item {i * 7 % 1000}"] + (["s"] if i % 50 == 0 else []) for i in range(3000)]
    data = covey.Baskets.of(rows, sensitive=["s"])
    # The system refuses to let any file grow beyond 4 KiB, as a full disk would.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    try:
        covey.publish(data, Path(sys.argv[1]) / "made" / "out", "degree(p=10)")
    except OutputError as error:
        print(error)
"""


def test_a_full_disk_leaves_nothing_behind(tmp_path):
    # The limit would hit numba's cache as well.
    said = run_script(FULL, tmp_path, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    assert said.startswith(f"{tmp_path / 'made' / 'out'} cannot be written: ")
    assert "Free some space" in said
    assert left_in(tmp_path) == []


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 128 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", folder], capture_output=True)
    if made.returncode:
        pytest.skip("only root may mount a small file system")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_commands_on_a_full_disk(tmp_path, small_disk):
    sales = tmp_path / "sales.csv"
    assert run_covey("generate", "shop", "-o", sales, "-n", 20_000, "--seed", 1).returncode == 0
    secret = ("-s", tmp_path / "sales.sensitive.txt")
    for arguments in (
        ("anonymize", sales, "-o", small_disk / "out", "-g", "degree(p=10)", *secret),
        ("generate", "shop", "-o", small_disk / "sales.csv", "-n", 20_000),
        ("inspect", sales, "--html", small_disk / "page.html", "--samples", 100),
    ):
        (small_disk / "filler").write_bytes(bytes(124 * 1024))
        done = run_covey(*arguments)
        assert done.returncode == 2, arguments
        said = " ".join(done.stderr.split())
        assert "cannot be written" in said
        assert "Free some space" in said
        assert left_in(small_disk) == ["filler"]
