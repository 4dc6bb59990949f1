"""Stopped from outside: by Ctrl-C, by a signal, by a terminal that is closed, or killed."""

import os
import pty
import signal
import sys
import textwrap

import pytest

import covey
from covey.checking import verify
from runs import DATA, left_in, start_script

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

#: Covey, as it stands still once the tables are written. It says so with a byte that no terminal shows, and would wait
#: for longer than a test may take.
SLOW_WRITER = """
    import os, sys, time
    import covey
    from covey.release import store
    real = store.write_tables
    def slow(*given, **how):
        names = real(*given, **how)
        os.write(1, bytes(1))
        time.sleep(600)
        return names
    store.write_tables = slow
    sys.argv = ["covey", "anonymize", sys.argv[1] + "/data.dat", "-o", sys.argv[1] + "/out",
                "-g", "degree(p=2)", "-s", "s", *sys.argv[2:]]
    from covey.cli.entry import main
    main()
"""


@pytest.fixture(autouse=True)
def heeded():
    """Tests in the background or under nohup ignore some signals, and what they start would, too."""
    ignored = [sent for sent in SIGNALS if signal.getsignal(sent) == signal.SIG_IGN]
    for sent in ignored:
        signal.signal(sent, lambda *_: None)  # which processes that are started do not inherit
    yield
    for sent in ignored:
        signal.signal(sent, signal.SIG_IGN)


def start_slow(tmp_path, *extra):
    (tmp_path / "data.dat").write_text(DATA)
    process = start_script(SLOW_WRITER, tmp_path, *extra)
    assert process.stdout.read(1) == "\0", process.communicate()
    return process


@pytest.mark.parametrize("sent", SIGNALS)
def test_stopping_during_the_write_leaves_nothing(tmp_path, sent):
    process = start_slow(tmp_path)
    process.send_signal(sent)
    _, said = process.communicate()
    assert process.returncode == 1
    assert "Nothing was written" in said
    assert "Traceback" not in said
    assert left_in(tmp_path) == ["data.dat"]


def test_a_kill_during_the_write_leaves_the_old_release(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)
    process = start_slow(tmp_path, "--force")
    process.kill()
    process.communicate()
    assert verify(tmp_path / "out", fig1).holds
    hidden, *rest = left_in(tmp_path)
    assert hidden.startswith(".covey-")  # of the dead process, which nothing removes
    assert rest == ["data.dat", "out"]


def test_the_prompt_comes_on_a_line_of_its_own(tmp_path):
    (tmp_path / "data.dat").write_text(DATA)
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm"
        os.execv(sys.executable, [sys.executable, "-c", textwrap.dedent(SLOW_WRITER), str(tmp_path)])
    seen = b""
    while piece := read(terminal):
        seen += piece
        if b"\0" in piece:
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
        from covey.staging import write_whole
        def work(stages):
            write_whole(Path(sys.argv[1]) / "sales.csv", b"item")
            print(flush=True)
            time.sleep(600)
        session.watched(work)
    """
    process = start_script(script, tmp_path)
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 1
    assert said.split() == ["covey:", "Stopped.", str(tmp_path / "sales.csv"), "is", "in", "place."]
