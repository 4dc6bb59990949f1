"""A worker and an executor are killed in the middle of their work, and the release is the same, row by row."""

import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import covey
import covey.spark
from covey.io import write
from covey.synth import viewers

SCRIPT = '''
import os, signal, sys
from pathlib import Path

import covey.spark.cahd, covey.spark.shards
from covey.spark import anonymize
from covey.spark.session import on_worker, session


def deadly(stage, kill):
    """Wrap a worker's function so that the first task that comes to it is killed, worker or executor."""

    def wrap(work):
        ready = on_worker(work)

        def run(given):
            try:
                os.close(os.open(f"{marks}/{stage}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return ready(given)
            victim = os.getpid()
            executor = b"CoarseGrainedExecutorBackend"
            while kill == "executor" and executor not in Path(f"/proc/{victim}/cmdline").read_bytes():
                fields = Path(f"/proc/{victim}/stat").read_text().rpartition(")")[2].split()
                victim = int(fields[1])
            os.kill(victim, signal.SIGKILL)

        return run

    return wrap


data, marks, out = sys.argv[1:]
covey.spark.shards.on_worker = deadly("shards", "executor")
covey.spark.cahd.on_worker = deadly("cahd", "worker")
session("local-cluster[2,1,1024]", settings={
    "spark.executor.memory": "512m", "spark.driver.memory": "512m", "spark.speculation": "true",
    "spark.sql.shuffle.partitions": "3", "spark.local.dir": f"{marks}/scratch",
})
anonymize(data, "degree(p=3)", out=f"{out}/cahd", sensitive="t0010,t0011", seed=4)
anonymize(data, "k-anonymity(k=200)", out=f"{out}/pattern-ka", seed=4, raising=False)
'''


def rows_of(release):
    """All parts with their rows in order; the bytes may differ, for Java lists a column's encodings in any order."""
    return {
        path.relative_to(release).as_posix(): pq.read_table(path).to_pylist()
        for path in sorted(release.rglob("*.parquet"))
    }


@pytest.mark.timeout(900)  # a cluster is started, loses an executor and starts another
def test_killed_workers_and_executors_change_nothing(spark, tmp_path, worker_path):
    baskets = viewers(people=1_000, titles=12, mean_length=2, longest=5, tastes=2, seed=3)
    data = tmp_path / "data.parquet"
    write(baskets, data)
    marks, out = tmp_path / "marks", tmp_path / "out"
    marks.mkdir()
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    env = {**os.environ, "PYTHONPATH": worker_path}
    ran = subprocess.run(
        [sys.executable, str(script), str(data), str(marks), str(out)],
        env=env,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert {path.name for path in marks.iterdir()} >= {"shards", "cahd"}
    calm = {
        "cahd": covey.spark.anonymize(
            data, "degree(p=3)", out=tmp_path / "cahd", sensitive="t0010,t0011", seed=4
        ),
        "pattern-ka": covey.spark.anonymize(
            data, "k-anonymity(k=200)", out=tmp_path / "pattern-ka", seed=4, raising=False
        ),
    }
    marked = {"cahd": baskets.with_sensitive(["t0010", "t0011"]), "pattern-ka": baskets}
    for method, published in calm.items():
        verdict = covey.verify(out / method, marked[method])
        assert verdict.holds, verdict.failures()
        assert rows_of(out / method) == rows_of(published.path)
