"""A worker and an executor are killed in the middle of their work, and the release is the same, row by row."""

import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import covey
import covey.engines.spark
from covey.io import write
from covey.synth import viewers

SCRIPT = '''
import os, signal, sys
from pathlib import Path

import covey.engines.spark.cahd, covey.engines.spark.shards
from covey.engines.spark import anonymize
from covey.engines.spark.session import on_worker, session


def executor():
    found = os.getpid()
    while b"CoarseGrainedExecutorBackend" not in Path(f"/proc/{found}/cmdline").read_bytes():
        found = int(Path(f"/proc/{found}/stat").read_text().rpartition(")")[2].split()[1])
    return found


def deadly(work):
    """Wrap a worker's function so that the first call kills its worker and the second its executor."""
    ready = on_worker(work)

    def run(given):
        for victim, find in (("worker", os.getpid), ("executor", executor)):
            try:
                os.close(os.open(f"{marks}/{victim}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            os.kill(find(), signal.SIGKILL)
        return ready(given)

    return run


data, marks, out, guarantee, sensitive = sys.argv[1:]
covey.engines.spark.shards.on_worker = covey.engines.spark.cahd.on_worker = deadly
brisk = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # four processes of Java that do not live long
session("local-cluster[2,1,1024]", settings={
    "spark.executor.memory": "512m", "spark.driver.memory": "512m", "spark.speculation": "true",
    "spark.executor.extraJavaOptions": brisk, "spark.driver.extraJavaOptions": brisk,
    "spark.sql.shuffle.partitions": "3", "spark.local.dir": f"{marks}/scratch",
    "spark.shuffle.io.maxRetries": "1", "spark.shuffle.io.retryWait": "1s",
})
anonymize(data, guarantee, out=out, sensitive=sensitive or None, seed=4)
'''

CASES = [
    ("degree(p=3)", ["t0010", "t0011"]),
    pytest.param("k-anonymity(k=200)", [], marks=pytest.mark.slow),  # more jobs, each of them short
]


def rows_of(release):
    """All parts with their rows in order; the bytes may differ, for Java lists a column's encodings in any order."""
    return {
        path.relative_to(release).as_posix(): pq.read_table(path).to_pylist()
        for path in sorted(release.rglob("*.parquet"))
    }


@pytest.mark.timeout(900)  # a cluster is started, loses an executor and starts another
@pytest.mark.parametrize(("guarantee", "sensitive"), CASES)
def test_killed_workers_and_executors_change_nothing(spark, tmp_path, worker_path, guarantee, sensitive):
    baskets = viewers(people=1_000, titles=12, mean_length=2, longest=5, tastes=2, seed=3)
    data = tmp_path / "data.parquet"
    write(baskets, data)
    marks, out, script = tmp_path / "marks", tmp_path / "out", tmp_path / "script.py"
    marks.mkdir()
    script.write_text(SCRIPT)
    ran = subprocess.run(
        [sys.executable, str(script), str(data), str(marks), str(out), guarantee, ",".join(sensitive)],
        env={**os.environ, "PYTHONPATH": worker_path},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert {path.name for path in marks.iterdir()} >= {"worker", "executor"}
    calm = covey.engines.spark.anonymize(
        data, guarantee, out=tmp_path / "calm", sensitive=sensitive or None, seed=4
    )
    verdict = covey.verify(out, baskets.with_sensitive(sensitive))
    assert verdict.holds, verdict.failures()
    assert rows_of(out) == rows_of(calm.path)
