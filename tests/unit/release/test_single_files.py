"""Single files appear whole or not at all, under the name that was asked for and with fitting permissions."""

import os
import stat
import threading

import pytest

from covey.errors import OutputError
from covey.staging import replacing, write_whole
from runs import left_in, start_script


def test_a_failure_keeps_the_old_file(tmp_path):
    write_whole(tmp_path / "page.html", b"old")
    with pytest.raises(RuntimeError), replacing(tmp_path / "page.html", force=True) as new:
        fail_after(new.write_text, "half")
    assert (tmp_path / "page.html").read_bytes() == b"old"
    with pytest.raises(RuntimeError), replacing(tmp_path / "a" / "b.html") as new:
        fail_after(new.write_text, "half")
    assert left_in(tmp_path) == ["page.html"]


def fail_after(write, text):
    write(text)
    raise RuntimeError


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_permissions(tmp_path, umask):
    before = os.umask(umask)
    try:
        page = write_whole(tmp_path / "page.html", b"new")
        assert stat.S_IMODE(page.stat().st_mode) == 0o666 & ~umask
        page.chmod(0o640)
        write_whole(page, b"newer", force=True)
    finally:
        os.umask(before)
    assert (page.read_bytes(), stat.S_IMODE(page.stat().st_mode)) == (b"newer", 0o640)


def test_links_are_followed(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "page.html").symlink_to("shared/page.html")
    for content in (b"first", b"second"):  # a link to nowhere, and one to a file
        write_whole(tmp_path / "page.html", content, force=True)
        assert (tmp_path / "page.html").is_symlink()
        assert (tmp_path / "shared" / "page.html").read_bytes() == content
    assert (left_in(tmp_path), left_in(tmp_path / "shared")) == (["page.html", "shared"], ["page.html"])


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    received = []
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_whole(tmp_path / "pipe", b"page")
    reader.join()
    assert received == [b"page"]
    assert (tmp_path / "pipe").is_fifo()
    assert left_in(tmp_path) == ["pipe"]


def test_a_killed_run_keeps_the_old_file(tmp_path):
    write_whole(tmp_path / "page.html", b"old")
    script = """
        import sys
        from pathlib import Path
        from covey.staging import replacing
        with replacing(Path(sys.argv[1]) / "page.html", force=True) as new:
            new.write_text("half")
            print(flush=True)
            sys.stdin.read()
    """
    process = start_script(script, tmp_path, stdin=-1)
    process.stdout.readline()
    process.kill()
    process.communicate()
    assert (tmp_path / "page.html").read_bytes() == b"old"
    write_whole(tmp_path / "page.html", b"new", force=True)
    assert (tmp_path / "page.html").read_bytes() == b"new"


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(OutputError, match="is a directory"):
        write_whole(tmp_path, b"")
