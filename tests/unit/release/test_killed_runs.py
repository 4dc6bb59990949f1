"""A run that is killed loses no release: whatever is at the target or beside it is whole."""

import json
import os

import pytest

import covey
from covey import verify
from runs import DATA, RELEASE, left_in, run_script

#: Replaces a release again and again; each time the process is killed one step later, until it gets through.
#: A step is whatever Python tells its audit hooks of: opening, making, renaming, removing.
EVERY_STEP = """
    import json, os, shutil, signal, sys
    from pathlib import Path
    from covey.release.manifest import read_manifest
    from covey.staging import staged
    from covey.release.store import changed_files

    base = Path(sys.argv[1])

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
        seen.append([state(folder / "out"), state(folder / "out.1")])
        shutil.rmtree(folder)
    print(json.dumps(seen))
"""


def test_a_kill_at_every_step(tmp_path, fig1):
    covey.publish(fig1, tmp_path / "old", "degree(p=2)", seed=1)
    covey.publish(fig1, tmp_path / "new", "coherence(h=1, k=2, p=1)", seed=1)
    old, new = "degree(p=2)", "coherence(h=1, k=2, p=1)"
    outcomes = [tuple(outcome) for outcome in json.loads(run_script(EVERY_STEP, tmp_path))]
    assert len(outcomes) > 20
    assert outcomes[0] == (old, "absent")
    assert outcomes[-1] == (new, old)
    assert set(outcomes) == {(old, "absent"), ("absent", old), (new, old)}


#: Runs `covey anonymize --force` and kills it at a random moment, again and again. The moments are drawn from 1.2
#: times what an undisturbed run takes, so that some runs get through.
RANDOM_MOMENTS = """
    import os, random, shutil, signal, sys, time
    from pathlib import Path
    from covey.cli import anonymize, app, entry
    import covey.making, covey.local, covey.verify, numba, pyarrow.parquet  # loaded once, for all runs

    base, kills = Path(sys.argv[1]), int(sys.argv[2])
    os.chdir(base)

    def start(seed):
        child = os.fork()
        if child == 0:
            sys.argv = ["covey", "anonymize", "data.dat", "-o", "out", "--force", "--seed", str(seed), *sys.argv[3:]]
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1), os.dup2(null, 2)
            entry.main()
            os._exit(0)
        return child

    began = time.monotonic()
    assert os.waitpid(start(0), 0)[1] == 0
    drawn, longest = random.Random(20), 1.2 * (time.monotonic() - began)
    killed = 0
    for seed in range(1, kills + 1):
        child = start(seed)
        time.sleep(drawn.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        killed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        assert any(path.is_dir() for path in base.glob("out*"))
        for hidden in base.glob(".covey-*"):
            shutil.rmtree(hidden)
    print(killed)
"""


@pytest.mark.slow
def test_two_hundred_kills_leave_whole_releases(tmp_path):
    (tmp_path / "data.dat").write_text(DATA)
    killed = int(run_script(RANDOM_MOMENTS, tmp_path, 200, *RELEASE, env=dict(os.environ)))
    assert killed >= 100
    releases = [name for name in left_in(tmp_path) if name != "data.dat"]
    assert releases
    assert set(releases) <= {"out", *(f"out.{number}" for number in range(1, 201))}
    for name in releases:
        assert verify(tmp_path / name, tmp_path / "data.dat", sensitive="s").holds, name
