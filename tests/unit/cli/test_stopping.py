"""Stopped from outside: by Ctrl-C, by a signal, by a terminal that is closed, or killed."""

import os
import pty
import signal
import sys
import textwrap
import time

import pytest

import covey
from covey.api.checking import verify
from runs import DATA, left_in, start_script

SLOW_WRITER = """
    import sys, time
    from pathlib import Path
    import covey
    from covey.release import tables
    real = tables.write_tables
    folder = sys.argv[1]
    def slow(*given, **how):
        names = real(*given, **how)
        (Path(folder) / "written").touch()
        time.sleep(60)
        return names
    tables.write_tables = slow
    sys.argv = ["covey", "anonymize", sys.argv[1] + "/data.dat", "-o", sys.argv[1] + "/out",
                "-g", "degree(p=2)", "-s", "s", *sys.argv[2:]]
    from covey.cli.entry import main
    main()
"""


def start_slow(tmp_path, *extra):
    (tmp_path / "data.dat").write_text(DATA)
    process = start_script(SLOW_WRITER, tmp_path, *extra)
    deadline = time.monotonic() + 120
    while not (tmp_path / "written").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    (tmp_path / "written").unlink()
    return process


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
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
    assert verify(tmp_path / "out", fig1).holds
    assert len(left_in(tmp_path)) == 3  # data, the old release, and the hidden stage of the dead process
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    assert left_in(tmp_path) == ["data.dat", "out"]


def test_the_prompt_comes_on_a_line_of_its_own(tmp_path):
    (tmp_path / "data.dat").write_text(DATA)
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm"
        os.execv(sys.executable, [sys.executable, "-c", textwrap.dedent(SLOW_WRITER), str(tmp_path)])
    seen = b""
    while piece := read(terminal):
        seen += piece
        if (tmp_path / "written").exists() and b"\x03" not in seen and b"^C" not in seen:
            os.write(terminal, b"\x03")
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 1
    last = seen.decode().splitlines(keepends=True)[-1]
    assert "Stopped. Nothing was written." in last
    assert last.endswith("\n")
    assert "Writing" not in last


def read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other side is gone
        return b""


def test_what_came_into_place_before_is_told(tmp_path):
    script = """
        import sys, time
        from pathlib import Path
        from covey.cli import session
        from covey.release.writing import write_whole
        def work():
            write_whole(Path(sys.argv[1]) / "sales.csv", b"item")
            print(flush=True)
            time.sleep(60)
        session.run(work)
    """
    process = start_script(script, tmp_path)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.split() == ["covey:", "Stopped.", str(tmp_path / "sales.csv"), "is", "in", "place."]
