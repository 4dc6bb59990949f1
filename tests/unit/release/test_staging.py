"""Releases appear whole or not at all."""

import json
import os
import shutil
import stat
import threading

import pytest

import covey
from covey.api.checking import verify
from covey.errors import OutputError
from covey.release import renaming, staging
from covey.release.manifest import NAME
from covey.release.staging import staged
from runs import left_in, run_script


def test_an_existing_directory_is_refused_without_force(tmp_path, fig1):
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="--force"):
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
    first = verify(tmp_path / "out").figures["fingerprint"]
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1, csv=True, force=True)
    assert verify(tmp_path / "out").figures["fingerprint"] != first
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
    assert verify(tmp_path / "out", fig1).holds
    assert left_in(tmp_path) == ["out"]


#: What may lie at a target under the name of a manifest without being a release.
NOT_RELEASES = {
    "a note about releases": b"see covey-release/1 in the docs",
    "another format": b'{"format": "covey-release/9"}',
    "not canonical": b'{"format":"covey-release/1","files":{}}',
    "too deep": b"[" * 100_000,
    "not text": bytes(range(256)),
}


@pytest.mark.parametrize("case", NOT_RELEASES)
def test_force_looks_closer_than_the_name_of_the_manifest(tmp_path, fig1, case):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / NAME).write_bytes(NOT_RELEASES[case])
    with pytest.raises(OutputError, match="--force replaces a covey release and nothing else"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    assert (tmp_path / "out" / NAME).read_bytes() == NOT_RELEASES[case]
    assert left_in(tmp_path) == ["out"]


def test_force_replaces_no_release_with_files_missing_or_a_manifest_changed(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    manifest = tmp_path / "out" / NAME
    (tmp_path / "out" / "sensitive.parquet").rename(tmp_path / "kept")
    with pytest.raises(OutputError, match=r"lacks sensitive\.parquet"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    (tmp_path / "kept").rename(tmp_path / "out" / "sensitive.parquet")
    manifest.write_text(json.dumps(json.loads(manifest.read_bytes())))
    with pytest.raises(OutputError, match="was changed after writing"):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)


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


@pytest.fixture(params=["exchange", "two renames"])
def either_way(request, monkeypatch):
    """With and without a file system that exchanges two names in one step."""
    if request.param == "two renames":
        monkeypatch.setattr(renaming, "_renameat2", lambda *names: 38)
    return request.param


@pytest.mark.usefixtures("either_way")
class TestMeanwhile:
    """What others do to the target while a release is being made is theirs to keep."""

    @pytest.fixture
    def out(self, tmp_path, fig1):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)
        return tmp_path / "out"

    def test_another_run_was_faster(self, tmp_path, fig1):
        with pytest.raises(OutputError, match="was changed while"), staged(tmp_path / "out", force=False):
            covey.publish(fig1, tmp_path / "out", "degree(p=2)")
        assert verify(tmp_path / "out", fig1).holds
        assert left_in(tmp_path) == ["out"]

    def test_another_run_replaced_it(self, out, fig1):
        with pytest.raises(OutputError, match="was changed while"), staged(out, force=True):
            covey.publish(fig1, out, "coherence(h=1, k=2, p=1)", force=True)
        assert verify(out, fig1).guarantee == "coherence(h=1, k=2, p=1)"
        assert left_in(out.parent) == ["out"]

    def test_it_became_something_else(self, out):
        def become():
            shutil.rmtree(out)
            out.mkdir()
            (out / "photo.jpg").touch()

        with pytest.raises(OutputError, match="was changed while"), staged(out, force=True):
            become()
        assert left_in(out) == ["photo.jpg"]
        assert left_in(out.parent) == ["out"]

    def test_it_was_removed(self, out):
        with staged(out, force=True) as stage:
            (stage / "file").touch()
            shutil.rmtree(out)
        assert left_in(out) == ["file"]
        assert left_in(out.parent) == ["out"]

    def test_a_file_was_added_at_the_last_moment(self, out, either_way, monkeypatch):
        step = "exchange" if either_way == "exchange" else "move"
        real = getattr(staging, step)

        def late(directory, source, target):
            if "out" in (source, target) and out.exists():
                (out / "note.txt").touch()
            return real(directory, source, target)

        monkeypatch.setattr(staging, step, late)
        with pytest.raises(OutputError, match="was changed while"), staged(out, force=True) as stage:
            (stage / "file").touch()
        assert "note.txt" in left_in(out)
        assert "manifest.json" in left_in(out)
        assert left_in(out.parent) == ["out"]

    @pytest.mark.parametrize("late", [False, True], ids=["while writing", "at the last moment"])
    def test_its_folder_was_moved_and_a_link_put_there(self, tmp_path, late, monkeypatch):
        folder, moved, elsewhere = tmp_path / "folder", tmp_path / "moved", tmp_path / "elsewhere"
        elsewhere.mkdir()

        def swap(_=None):
            folder.rename(moved)
            folder.symlink_to(elsewhere)

        if late:
            monkeypatch.setattr(staging, "settle", swap)
        says = "was moved or replaced" if late else "cannot be written"
        with pytest.raises(OutputError, match=says), staged(folder / "out", force=True):
            late or swap()
        assert (left_in(moved), left_in(elsewhere)) == ([], [])


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
        from covey.release.aside import abandon
        from covey.release.staging import staged
        started = threading.Event()
        def work():
            with staged(Path(sys.argv[1]) / "a" / "out", force=False) as stage:
                for number in range(10_000_000):
                    (stage / f"{number}").write_text("x")
                    started.set()
        threading.Thread(target=work, daemon=True).start()
        started.wait()
        assert abandon() == []
        os._exit(0)
    """
    run_script(script, tmp_path)
    assert left_in(tmp_path) == []


def test_abandoned_between_two_renames(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)
    script = """
        import os, sys, threading
        from pathlib import Path
        from covey.release import renaming, staging
        from covey.release.aside import abandon
        renaming._renameat2 = lambda *names: 38
        real, said = staging.move, []
        stopping = threading.Thread(target=lambda: said.append(abandon()))
        def move(directory, source, target):
            real(directory, source, target)
            if source == "out":
                stopping.start()
                stopping.join(0.5)  # it has to wait
        staging.move = move
        target = Path(sys.argv[1]) / "out"
        with staging.staged(target, force=True) as stage:
            (stage / "file").touch()
        stopping.join()
        assert said == [[target]], said
        os._exit(0)
    """
    run_script(script, tmp_path)
    assert left_in(tmp_path) == ["out"]
    assert left_in(tmp_path / "out") == ["file"]
