"""Workers and an executor are killed in the middle of their work, and the release is the same, byte by byte."""

import os
import subprocess
import sys

import pytest

import covey
from covey.io import write
from covey.spark.make import pattern_ka
from covey.synth import viewers

SCRIPT = '''
import os, signal, sys
from pathlib import Path

import covey
from covey.spark import session
from covey.spark import batches
from covey.spark.make import pattern_ka, writing
from covey.spark.session import on_worker


def executor():
    """The Java process that this worker works for; a worker's parent is the daemon that the executor started."""
    found = os.getpid()
    while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{found}/cmdline").read_bytes():
        found = int(Path(f"/proc/{found}/stat").read_text().rpartition(")")[2].split()[1])
    return found


def once(victim, find):
    """Kill a process, the first time this is reached on any machine of the cluster."""
    process = find()  # a mark is only left when there is somebody to kill
    try:
        os.close(os.open(f"{marks}/{victim}", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(process, signal.SIGKILL)


def deadly(work):
    """Wrap a worker's function so that the first call kills its worker, and the second its executor."""
    ready = on_worker(work)

    def run(given):
        once("worker", os.getpid)
        once("executor", executor)
        return ready(given)

    return run


def deadly_writing(work):
    """Wrap the function that writes parts: one worker dies with a file half written, one when it has its name."""
    def run(table):
        import covey.spark.make.writing as writer

        written, whole = writer.write_table, Path.replace

        def half(rows, sink, **how):
            sink.write(b"half of a file")
            sink.flush()
            once("writer", os.getpid)
            sink.seek(0)
            sink.truncate()
            return written(rows, sink, **how)

        def named(path, target):
            whole(path, target)
            once("named", os.getpid)

        writer.write_table, Path.replace = half, named
        try:
            return on_worker(work)(table)
        finally:
            writer.write_table, Path.replace = written, whole

    return run


data, marks, out, guarantee, sensitive, most = sys.argv[1:]
pattern_ka.ALONE = int(most)
batches.on_worker = pattern_ka.on_worker = deadly
writing.on_worker = deadly_writing
brisk = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # four processes of Java that do not live long
session("local-cluster[2,1,1024]", settings={
    "spark.executor.memory": "512m", "spark.driver.memory": "512m", "spark.speculation": "true",
    "spark.executor.extraJavaOptions": brisk, "spark.driver.extraJavaOptions": brisk,
    "spark.sql.shuffle.partitions": "3", "spark.local.dir": f"{marks}/scratch",
    # However loaded the machine is: only the kills below make tasks fail, and a lost executor is replaced.
    "spark.task.maxFailures": "8", "spark.stage.maxConsecutiveAttempts": "8",
    "spark.shuffle.io.maxRetries": "1", "spark.shuffle.io.retryWait": "1s",
    "spark.network.timeout": "600s", "spark.executor.heartbeatInterval": "60s",
})
covey.publish(data, out, guarantee, sensitive=sensitive or None, seed=4, engine="spark")
'''

#: The last: how many entries one task searches alone.
CASES = [
    ("degree(p=3)", ["t0010", "t0011"], 0),
    ("k-anonymity(k=200)", [], 0),
    ("k-anonymity(k=200)", [], pattern_ka.ALONE),
]


def files_of(release):
    return {path.relative_to(release).as_posix(): path.read_bytes() for path in release.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.timeout(1800)  # a cluster is started, loses workers and an executor, and starts another
@pytest.mark.parametrize(("guarantee", "sensitive", "most"), CASES)
def test_killed_workers_and_executors_change_nothing(
    spark, tmp_path, worker_path, monkeypatch, guarantee, sensitive, most
):
    baskets = viewers(people=1_000, titles=12, mean_length=2, longest=5, tastes=2, seed=3)
    data = tmp_path / "data.parquet"
    write(baskets, data)
    marks, out, script = tmp_path / "marks", tmp_path / "made" / "out", tmp_path / "script.py"
    marks.mkdir()
    script.write_text(SCRIPT)
    ran = subprocess.run(
        [sys.executable, str(script), str(data), str(marks), str(out), guarantee, ",".join(sensitive), str(most)],
        env={**os.environ, "PYTHONPATH": worker_path},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert {path.name for path in marks.iterdir()} >= {"worker", "executor", "writer", "named"}
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    monkeypatch.setattr(pattern_ka, "ALONE", most)
    calm = covey.publish(data, tmp_path / "calm", guarantee, sensitive=sensitive or None, seed=4, engine="spark")
    verdict = covey.verify(out, baskets.with_sensitive(sensitive))
    assert verdict.holds, verdict.failures()
    assert files_of(out) == files_of(calm.path)
