"""Jobs are directories: their state follows from files, also after a restart."""

import json
import resource
import shutil

import pytest

from covey.web.jobs import Jobs
from covey.web.problems import Full, NotFound
from runs import DATA

#: Steps: one that answers, one that fails with an error, one that ends without an answer, one that never ends.
ANSWERS = ["covey", "methods", "--json"]
FAILS = ["covey", "inspect", "nothing.csv", "--json"]
CRASHES = ["timeit", "-n1", "-r1", "-s", "import os", "os._exit(3)"]
ENDLESS = ["timeit", "-n1", "-r1", "-s", "import signal", "signal.pause()"]


@pytest.fixture
def jobs():
    running = Jobs(2)
    yield running
    running.close()


def started(jobs, path):
    """A job whose process is at work."""
    while jobs.get(path).state == "waiting" or not (path / "0.log").exists():
        pass
    return jobs.get(path)


def test_answers_of_all_steps_make_a_job_done(jobs, tmp_path):
    jobs.submit(tmp_path / "a", [ANSWERS, ANSWERS], {"name": "x"})
    job = jobs.wait(tmp_path / "a")
    assert (job.state, job.details["name"], len(job.answers)) == ("done", "x", 2)
    assert job.created <= job.started <= job.finished


@pytest.mark.parametrize(
    ("step", "kind", "text"), [(FAILS, "InputError", "here.csv"), (CRASHES, "Crash", "exit code 3")]
)
def test_failed_step_ends_a_job_with_its_reason(jobs, tmp_path, step, kind, text):
    jobs.submit(tmp_path / "a", [step, ANSWERS], {"names": {"nothing.csv": "here.csv"}})
    job = jobs.wait(tmp_path / "a")
    assert (job.state, job.error_type, job.answers) == ("failed", kind, [])
    assert text in job.error
    later = Jobs(1)
    assert later.get(tmp_path / "a") == job
    later.close()


def test_cancel_ends_the_whole_process_group(jobs, tmp_path):
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        jobs.submit(path, [ENDLESS])
    started(jobs, paths[0])
    assert [jobs.get(path).position for path in paths] == [0, 1, 2]
    for path in paths:
        assert jobs.cancel(path).state == "cancelled"
    assert [jobs.wait(path).state for path in paths] == ["cancelled"] * 3
    assert not (paths[2] / "0.log").exists()
    jobs.remove(paths[0])
    with pytest.raises(NotFound):
        jobs.get(paths[0])


def test_progress_and_warnings_come_from_the_log(jobs, tmp_path):
    (tmp_path / "data.dat").write_text(DATA)
    words = ["covey", "inspect", str(tmp_path / "data.dat"), "--json"]
    jobs.submit(tmp_path / "a", [words, ENDLESS], {})
    while len(jobs.get(tmp_path / "a").answers) < 1:
        pass
    log = [json.loads(line) for line in (tmp_path / "a" / "0.log").read_text().splitlines()]
    assert {"reading", "measuring"} <= {line.get("stage") for line in log}
    with (tmp_path / "a" / "0.log").open("a") as file:
        file.write('{"warning": "odd /given/x.csv", "type": "Odd"}\n')
    job = jobs.get(tmp_path / "a")
    assert job.warnings() == [{"warning": "odd /given/x.csv", "type": "Odd"}]


def test_restart_finds_every_job_in_a_true_state(tmp_path):
    before = Jobs(2)
    done, running, waiting = (tmp_path / name for name in ("done", "running", "waiting"))
    before.submit(done, [ANSWERS])
    before.wait(done)
    data = tmp_path / "data.dat"
    data.write_text("\n".join(" ".join(map(str, range(at, at + 40))) for at in range(200_000)))
    before.submit(running, [["covey", "inspect", str(data), "--json"]])
    before.submit(waiting, [ANSWERS])
    started(before, running)
    before.close()
    after = Jobs(2)
    assert [after.get(path).state for path in (done, running, waiting)] == ["done", "interrupted", "interrupted"]
    after.resume([done, running, waiting])
    assert after.wait(waiting).state == "done"
    assert after.get(running).state == "interrupted"
    after.close()


def test_restart_adopts_a_process_that_is_still_at_work(tmp_path):
    before, after = Jobs(2), Jobs(2)
    path = tmp_path / "a"
    before.submit(path, [ENDLESS, ANSWERS])
    started(before, path)
    after.resume([path])
    assert after.get(path).state == "running"
    assert after.cancel(path).state == "cancelled"
    assert before.wait(path).state == "cancelled"
    after.wait(path)
    before.close()
    after.close()


def test_memory_limit_ends_a_job(tmp_path):
    jobs = Jobs(1, memory=500 << 20)
    jobs.submit(tmp_path / "a", [["timeit", "-n1", "-r1", "bytearray(1 << 30)"]])
    assert jobs.wait(tmp_path / "a").state == "failed"
    assert "MemoryError" in (tmp_path / "a" / "0.log").read_text()
    jobs.close()


def test_full_disk_leaves_no_job(jobs, tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(Full, match="no room left"):
            jobs.submit(tmp_path / "a", [ANSWERS])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not (tmp_path / "a").exists()


def test_a_job_that_was_removed_is_not_found(jobs, tmp_path):
    jobs.submit(tmp_path / "a", [ANSWERS])
    jobs.wait(tmp_path / "a")
    shutil.rmtree(tmp_path / "a")
    with pytest.raises(NotFound):
        jobs.get(tmp_path / "a")
