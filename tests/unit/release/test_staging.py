"""Releases appear whole or not at all, and a release that is replaced is moved aside."""

import os
import shutil
import stat
import threading

import pytest

import covey
from covey.checking import verify
from covey.errors import CoveyWarning, OutputError
from covey.release.manifest import NAME
from covey.staging import staged
from runs import left_in, run_script


def test_an_existing_directory_is_refused_without_force(tmp_path, fig1):
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="--force"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    with pytest.raises(OutputError, match="--force"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    assert left_in(tmp_path) == ["out"]


def test_force_moves_the_release_to_the_next_free_name(tmp_path, fig1, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out.2").touch()
    fingerprints = [covey.publish(fig1, "out", "degree(p=2)", seed=1).manifest.fingerprint]
    for number, moved in enumerate(("out.1", "out.3"), 2):
        with pytest.warns(CoveyWarning, match=rf"^The earlier release was moved to {moved}\.$"):
            made = covey.publish(fig1, "out", "degree(p=2)", seed=number, force=True)
        assert verify(moved, fig1).figures["fingerprint"] == fingerprints[-1]
        fingerprints.append(made.manifest.fingerprint)
    assert verify("out", fig1).figures["fingerprint"] == fingerprints[-1]
    assert left_in(tmp_path) == ["out", "out.1", "out.2", "out.3"]


def test_files_of_others_are_moved_with_the_release(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.warns(CoveyWarning, match=r"out\.1"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    assert (tmp_path / "out.1" / "notes.txt").read_text() == "mine"
    assert verify(tmp_path / "out", fig1).holds


def _photos(path):
    path.mkdir()
    (path / "one.jpg").write_bytes(b"x")


def _note(path):
    path.mkdir()
    (path / NAME).write_bytes(b"see covey-release/1 in the docs")


def _link(path):
    path.symlink_to(path.parent)


@pytest.mark.parametrize("make", [_photos, _note, _link, lambda path: path.write_bytes(b"x")])
def test_force_moves_nothing_but_releases(tmp_path, fig1, make):
    make(tmp_path / "out")
    before = left_in(tmp_path / "out") if (tmp_path / "out").is_dir() else None
    with pytest.raises(OutputError, match="--force replaces a covey release and nothing else"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    assert left_in(tmp_path) == ["out"]
    assert before is None or left_in(tmp_path / "out") == before


def test_force_moves_releases_that_cannot_be_read(tmp_path, fig1):
    """Those of earlier formats, which are to be made again, and damaged ones."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / NAME).write_text('{"format": "covey-release/3"}')
    with pytest.warns(CoveyWarning, match=r"out\.1"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    assert left_in(tmp_path) == ["out", "out.1"]


def test_the_old_release_survives_a_failure(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    with pytest.raises(covey.Infeasible):
        covey.publish(fig1, tmp_path / "out", "degree(p=6)", force=True)
    with pytest.raises(RuntimeError), staged(tmp_path / "out", force=True):
        raise RuntimeError
    assert verify(tmp_path / "out", fig1).holds
    assert left_in(tmp_path) == ["out"]


def test_what_was_made_on_the_way_goes_with_a_failure(tmp_path, fig1):
    with pytest.raises(covey.Infeasible):
        covey.publish(fig1, tmp_path / "a" / "b" / "out", "degree(p=6)")
    assert left_in(tmp_path) == []
    covey.publish(fig1, tmp_path / "a" / "b" / "out", "degree(p=2)")
    assert left_in(tmp_path / "a" / "b") == ["out"]


def test_nobody_looks_into_a_stage(tmp_path):
    before = os.umask(0)
    try:
        with staged(tmp_path / "out", force=False) as stage:
            assert stat.S_IMODE(stage.parent.stat().st_mode) == 0o700
            assert stage.parent.parent == tmp_path
    finally:
        os.umask(before)


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o027, 0o002])
def test_a_release_has_the_permissions_that_the_umask_implies(tmp_path, fig1, umask):
    before = os.umask(umask)
    try:
        covey.publish(fig1, tmp_path / "out", "degree(p=2)")
        with staged(tmp_path / "folders", force=False) as stage:
            (stage / "parts").mkdir(mode=0o700)
            (stage / "parts" / "one").touch(mode=0o600)
    finally:
        os.umask(before)
    for path in (*tmp_path.rglob("*"), tmp_path / "out"):
        expected = (0o777 if path.is_dir() else 0o666) & ~umask
        assert stat.S_IMODE(path.stat().st_mode) == expected, path


def test_the_name_is_flushed_after_the_renaming(tmp_path, monkeypatch):
    flushed = []
    real = os.fsync

    def fsync(handle):
        flushed.append((os.fstat(handle).st_ino, (tmp_path / "out").exists()))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with staged(tmp_path / "out", force=False) as stage:
        (stage / "file").write_text("x")
    inodes = {(tmp_path / "out" / "file").stat().st_ino, (tmp_path / "out").stat().st_ino}
    assert {inode for inode, placed in flushed if not placed} == inodes
    assert [inode for inode, placed in flushed if placed] == [tmp_path.stat().st_ino]


class TestMeanwhile:
    """What others do to the target while a release is being made is theirs to keep."""

    @pytest.fixture
    def out(self, tmp_path, fig1):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)
        return tmp_path / "out"

    def test_another_run_was_faster(self, tmp_path, fig1):
        with pytest.raises(OutputError, match="exists already"), staged(tmp_path / "out", force=False):
            covey.publish(fig1, tmp_path / "out", "degree(p=2)")
        assert verify(tmp_path / "out", fig1).holds
        assert left_in(tmp_path) == ["out"]

    def test_another_run_replaced_it(self, out, fig1):
        def replace():
            with staged(out, force=True) as stage:
                (stage / "file").touch()
                covey.publish(fig1, out, "coherence(h=1, k=2, p=1)", force=True)

        with pytest.warns(CoveyWarning) as told:
            replace()
        assert [str(one.message)[-6:] for one in told] == ["out.1.", "out.2."]
        assert verify(f"{out}.1", fig1).guarantee == "degree(p=2)"
        assert verify(f"{out}.2", fig1).guarantee == "coherence(h=1, k=2, p=1)"
        assert left_in(out) == ["file"]

    def test_it_became_something_else(self, out):
        def become():
            shutil.rmtree(out)
            out.mkdir()
            (out / "photo.jpg").touch()

        with pytest.raises(OutputError, match="not a covey release"), staged(out, force=True):
            become()
        assert left_in(out) == ["photo.jpg"]
        assert left_in(out.parent) == ["out"]

    def test_it_was_removed(self, out):
        with staged(out, force=True) as stage:
            (stage / "file").touch()
            shutil.rmtree(out)
        assert left_in(out) == ["file"]
        assert left_in(out.parent) == ["out"]

    def test_the_folder_was_moved(self, out, tmp_path):
        with pytest.raises(OutputError, match="cannot be written"), staged(out, force=True):
            tmp_path.rename(f"{tmp_path}-moved")
        assert left_in(f"{tmp_path}-moved/out") != []


def test_many_runs_at_once_leave_one_release(tmp_path, fig1):
    made, refused = [], []

    def run():
        try:
            made.append(covey.publish(fig1, tmp_path / "out", "degree(p=2)").manifest)
        except OutputError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(refused)) == (1, 7)
    assert verify(tmp_path / "out", fig1).figures["fingerprint"] == made[0].fingerprint
    assert left_in(tmp_path) == ["out"]


def test_abandoned_while_another_thread_writes(tmp_path):
    script = """
        import os, sys, threading
        from pathlib import Path
        from covey.staging import abandon, placed, staged
        started = threading.Event()
        def work():
            with staged(Path(sys.argv[1]) / "a" / "out", force=False) as stage:
                for number in range(10_000_000):
                    (stage / f"{number}").write_text("x")
                    started.set()
        threading.Thread(target=work, daemon=True).start()
        started.wait()
        abandon()
        assert placed() == []
        os._exit(0)
    """
    run_script(script, tmp_path)
    assert left_in(tmp_path) == []


def test_abandoned_between_two_renames(tmp_path, fig1):
    """The old release is moved, and the new one takes its name before the process stops."""
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)
    script = """
        import os, sys, threading
        from pathlib import Path
        from covey.staging import abandon, placed, staged
        target = Path(sys.argv[1]) / "out"
        stopping = threading.Thread(target=abandon)
        def hook(event, arguments):
            if event == "os.rename" and arguments[0] == str(target) and not stopping.ident:
                stopping.start()
                stopping.join(0.5)  # it has to wait
        with staged(target, force=True) as stage:
            (stage / "file").touch()
            sys.addaudithook(hook)
        stopping.join()
        assert placed() == [target]
        os._exit(0)
    """
    run_script(script, tmp_path)
    assert left_in(tmp_path) == ["out", "out.1"]
    assert left_in(tmp_path / "out") == ["file"]
    assert verify(tmp_path / "out.1", fig1).holds
