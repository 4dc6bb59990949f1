"""Releases appear whole or not at all."""

import os
import resource
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import covey
from covey.errors import OutputError
from covey.release.staging import staged


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_an_existing_directory_is_refused_without_force(tmp_path, fig1):
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="not a covey release"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    with pytest.raises(OutputError, match="--force"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    assert left_in(tmp_path) == ["out"]


def test_force_deletes_nothing_that_is_not_part_of_the_release(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"notes\.txt, which is not part of the release"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_force_replaces_a_release_only(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)
    first = covey.verify(tmp_path / "out").figures["fingerprint"]
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1, csv=True, force=True)
    assert covey.verify(tmp_path / "out").figures["fingerprint"] != first
    assert left_in(tmp_path) == ["out"]
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "one.jpg").write_bytes(b"x")
    with pytest.raises(OutputError, match="not a covey release"):
        covey.publish(fig1, tmp_path / "photos", "degree(p=2)", force=True)
    assert left_in(tmp_path / "photos") == ["one.jpg"]


def test_the_old_release_survives_a_failure(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    with pytest.raises(covey.Infeasible):
        covey.publish(fig1, tmp_path / "out", "degree(p=6)", force=True)
    with pytest.raises(RuntimeError), staged(tmp_path / "out", force=True):
        raise RuntimeError
    assert covey.verify(tmp_path / "out", fig1).holds
    assert left_in(tmp_path) == ["out"]


def test_unwritable_directory(tmp_path, fig1):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        closed = type(closed)("/proc/1")  # root may write anywhere but there
    with pytest.raises(OutputError, match="cannot be written"):
        covey.publish(fig1, closed / "out", "degree(p=2)")


def test_a_full_disk_leaves_nothing_behind(tmp_path):
    # The system refuses to let any file grow beyond 4 KiB, as a full disk would.
    code = """
        import resource, signal, sys
        from pathlib import Path
        import covey
        from covey.errors import OutputError
        rows = [[f"item {i}", f"item {i * 7 % 1000}"] + (["s"] if i % 50 == 0 else []) for i in range(3000)]
        data = covey.Baskets.of(rows, sensitive=["s"])
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            covey.publish(data, Path(sys.argv[1]) / "out", "degree(p=10)")
        except OutputError as error:
            assert "cannot be written" in str(error) and "space" in str(error), error
            sys.exit(7)
    """
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}  # the limit would hit numba's cache as well
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 7, done.stderr
    assert left_in(tmp_path) == []
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4096


SLOW_WRITER = """
    import sys, time
    from pathlib import Path
    import covey
    from covey.release import store
    real = store.kind_of("grouped").write
    folder = sys.argv[1]
    def slow(release, directory, *, csv, progress):
        names = real(release, directory, csv=csv, progress=progress)
        (Path(folder) / "written").touch()
        time.sleep(60)
        return names
    store.kind_of("grouped").write = slow
    sys.argv = ["covey", "anonymize", sys.argv[1] + "/data.dat", "-o", sys.argv[1] + "/out",
                "-g", "degree(p=2)", "-s", "s", *sys.argv[2:]]
    from covey.cli.entry import main
    main()
"""


def start_slow(tmp_path, *extra):
    (tmp_path / "data.dat").write_text("a s\na\nb\nb c\n")
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SLOW_WRITER), str(tmp_path), *extra],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "written").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    (tmp_path / "written").unlink()
    return process


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_stopping_during_the_write_leaves_nothing(tmp_path, sent):
    process = start_slow(tmp_path)
    process.send_signal(sent)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Nothing was written" in said
    assert "Traceback" not in said
    assert left_in(tmp_path) == ["data.dat"]


def test_a_kill_during_the_write_leaves_no_release_and_the_next_run_sweeps(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)
    process = start_slow(tmp_path, "--force")
    process.kill()
    process.communicate(timeout=60)
    assert covey.verify(tmp_path / "out", fig1).holds
    assert len(left_in(tmp_path)) == 3  # data, the old release, and the hidden stage of the dead process
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    assert left_in(tmp_path) == ["data.dat", "out"]
