"""A run that is killed loses nothing: at every step the old release or the new one is there, or is put back."""

import json
import signal
from pathlib import Path

import pytest

import covey
from covey.api.checking import verify
from covey.errors import CoveyWarning, OutputError
from covey.release.staging import staged
from runs import DATA, RELEASE, left_in, run_covey, run_script, start_script

#: Replaces a release by another again and again; each time the process is killed one step later, until it gets through.
#: A step is whatever Python tells its audit hooks of: opening, locking, making, renaming, removing.
EVERY_STEP = """
    import json, os, shutil, signal, sys, warnings
    from pathlib import Path
    from covey.errors import OutputError
    from covey.release import renaming
    from covey.release.manifest import read_manifest
    from covey.release.staging import staged
    from covey.release.store import changed_files

    base, exchange = Path(sys.argv[1]), sys.argv[2] == "exchange"
    if not exchange:  # as on a network file system
        renaming._renameat2 = lambda *names: 38

    def replace(folder, step):
        count = 0
        def hook(event, arguments):
            nonlocal count
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(hook)
        with staged(folder / "out", force=True) as stage:
            shutil.copytree(base / "new", stage, dirs_exist_ok=True)

    def state(path):
        if not path.exists():
            return "absent"
        manifest = read_manifest(path)
        assert changed_files(path, manifest) == [], path
        return manifest.guarantee

    seen, step, killed = [], 0, True
    while killed:
        step += 1
        folder = base / "run"
        folder.mkdir()
        shutil.copytree(base / "old", folder / "out")
        child = os.fork()
        if child == 0:
            replace(folder, step)
            os._exit(0)
        killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        before = state(folder / "out")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                with staged(folder / "out", force=False):
                    raise AssertionError("the target should exist")
            except OutputError:
                pass
        kept = [path for path in folder.glob(".covey-*")]
        olds = [state(path / "old") for path in kept]
        seen.append([before, state(folder / "out"), olds, [str(one.message) for one in told]])
        shutil.rmtree(folder)
    print(json.dumps(seen))
"""


@pytest.mark.parametrize("way", ["exchange", "two renames"])
def test_a_kill_at_every_step(tmp_path, fig1, way):
    covey.publish(fig1, tmp_path / "old", "degree(p=2)", seed=1)
    covey.publish(fig1, tmp_path / "new", "coherence(h=1, k=2, p=1)", seed=1)
    old, new = "degree(p=2)", "coherence(h=1, k=2, p=1)"
    outcomes = json.loads(run_script(EVERY_STEP, tmp_path, way))
    assert len(outcomes) > 20
    assert outcomes[0] == [old, old, [], []]
    assert outcomes[-1] == [new, new, [], []]
    for before, after, kept, told in outcomes:
        if before == "absent":  # killed between the two renames
            assert (after, kept) == (old, [])
            assert "has been put back" in told[0]
        elif kept:  # killed after the second of them
            assert (before, after, kept) == (new, new, [old])
            assert "is an earlier release, set aside" in told[0]
        else:
            assert (after, told) == (before, [])
    met = {(before, after, *kept) for before, after, kept, _ in outcomes}
    assert {(old, old), (new, new)} <= met
    assert met >= {("absent", old), (new, new, old)} or way == "exchange"


def test_the_command_tells_what_it_put_back(tmp_path, fig1):
    (tmp_path / "data.dat").write_text(DATA)
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)
    script = """
        import os, signal, sys
        from pathlib import Path
        from covey.release import renaming, staging
        renaming._renameat2 = lambda *names: 38
        real = staging.move
        def move(directory, source, target):
            if target == "out":
                os.kill(os.getpid(), signal.SIGKILL)
            real(directory, source, target)
        staging.move = move
        with staging.staged(Path(sys.argv[1]) / "out", force=True) as stage:
            (stage / "file").touch()
    """
    process = start_script(script, tmp_path)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert "out" not in left_in(tmp_path)
    arguments = ("anonymize", "data.dat", "-o", "out", *RELEASE)
    refused = run_covey(*arguments, cwd=tmp_path)
    assert refused.returncode == 2
    assert "The release that was there has been put back." in " ".join(refused.stderr.split())
    assert "exists already" in refused.stderr
    assert verify(tmp_path / "out", fig1).holds
    assert run_covey(*arguments, "--force", cwd=tmp_path).returncode == 0
    assert left_in(tmp_path) == ["data.dat", "out"]


#: Makes a stage, says so, and waits; with a number that no process has here, as from another container.
IN_ANOTHER_CONTAINER = """
    import os, sys
    from pathlib import Path
    os.getpid = lambda: 4_999_999
    from covey.release.staging import staged
    with staged(Path(sys.argv[1]) / "out", force=True) as stage:
        (stage / "half").touch()
        print(stage, flush=True)
        sys.stdin.read()
        assert (stage / "half").exists()
        os._exit(0)
"""


def test_runs_in_other_containers_keep_their_stages(tmp_path, fig1):
    process = start_script(IN_ANOTHER_CONTAINER, tmp_path, stdin=-1)
    stage = Path(process.stdout.readline().strip())
    covey.publish(fig1, tmp_path / "out", "degree(p=2)")
    assert (stage / "half").exists()
    _, errors = process.communicate("")
    assert process.returncode == 0, errors
    # It ended without a word, and so is as good as killed.
    assert len(left_in(tmp_path)) == 2
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
    assert left_in(tmp_path) == ["out"]


def test_without_locks_nothing_is_swept(tmp_path, fig1):
    no_locks = "\n    import errno, fcntl\n    def flock(*_): raise OSError(errno.ENOLCK, '')\n    fcntl.flock = flock"
    process = start_script(no_locks + IN_ANOTHER_CONTAINER, tmp_path, stdin=-1)
    stage = Path(process.stdout.readline().strip())
    for _ in range(2):
        covey.publish(fig1, tmp_path / "out", "degree(p=2)", force=True)
        assert (stage / "half").exists()
        process.kill()
        process.communicate()


def test_a_release_set_aside_is_put_back_without_locks_too(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)
    with staged(tmp_path / "out", force=True) as stage:
        home = stage.parent
        (home / "unlocked").touch()
        (tmp_path / "out").rename(home / "old")
        with pytest.warns(CoveyWarning, match="put back"), pytest.raises(OutputError, match="exists already"):
            covey.publish(fig1, tmp_path / "out", "degree(p=2)")
        assert verify(tmp_path / "out", fig1).holds
        (home / "unlocked").unlink()
        (stage / "file").touch()
    assert left_in(tmp_path / "out") == ["file"]


def test_a_run_at_work_keeps_what_it_has_set_aside(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", seed=1)

    def set_aside_and_replace(stage):
        (tmp_path / "out").rename(stage.parent / "old")
        covey.publish(fig1, tmp_path / "out", "coherence(h=1, k=2, p=1)")

    with pytest.raises(OutputError, match="was changed"), staged(tmp_path / "out", force=True) as stage:
        set_aside_and_replace(stage)
    with pytest.warns(CoveyWarning, match="is an earlier release, set aside"):
        covey.publish(fig1, tmp_path / "out", "coherence(h=1, k=2, p=1)", force=True)
    kept = next(tmp_path.glob(".covey-*"))
    assert verify(kept / "old", fig1).guarantee == "degree(p=2)"
    (kept / "old").rename(tmp_path / "mine")
    covey.publish(fig1, tmp_path / "out", "coherence(h=1, k=2, p=1)", force=True)
    assert left_in(tmp_path) == ["mine", "out"]
