"""Growth with the data: Quest files of 0.1, 1 and 10 million transactions through the whole command."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ratios import finish, report, with_random_sensitive

SIZES = (100_000, 1_000_000, 10_000_000)


def one(path: str) -> None:
    """In a process of its own: file to verified release, time by stage and peak memory as JSON."""
    import covey

    spent: dict[str, float] = {}
    now = [time.perf_counter(), "start"]

    def progress(stage: str, done: float, /) -> None:
        if stage != now[1]:
            spent[str(now[1])] = time.perf_counter() - float(now[0])
            now[:] = [time.perf_counter(), stage]

    labels = Path(path).with_suffix(".txt").read_text().split()
    source = covey.read(path, sensitive=labels, progress=progress)
    progress("done", 1.0)
    with tempfile.TemporaryDirectory() as scratch:
        warm = covey.Baskets.of([["a", "s"], ["a"], ["b"]] * 20, sensitive=["s"])
        covey.publish(warm, Path(scratch) / "warm", "degree(p=2)", "cahd")
        now[:] = [time.perf_counter(), "between"]
        published = covey.publish(source, Path(scratch) / "out", "degree(p=10)", "cahd", progress=progress)
        progress("end", 1.0)
    assert published.verdict.holds
    work = sum(spent[stage] for stage in ("ordering", "grouping", "publishing", "writing", "verifying"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"entries": source.entries, "work": work, "reading": spent["reading"], "peak": peak}))


def main() -> None:
    """Print time per entry against the smallest size, peak memory, and the speed of reading."""
    from covey.io import write
    from covey.synth import quest

    base = None
    for size in SIZES:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "quest.dat"
            data = quest(transactions=size, items=10_000, patterns=10_000, seed=1)
            marked = with_random_sensitive(data, 20, 0, p=50)
            path.with_suffix(".txt").write_text("\n".join(marked.sensitive_items()))
            write(data, path)
            del data, marked
            size_mb = path.stat().st_size / 1e6
            for _ in range(2):  # the first run fills the JIT cache
                done = subprocess.run([sys.executable, __file__, str(path)], capture_output=True, text=True, check=True)
                if size != SIZES[0]:
                    break
        found = json.loads(done.stdout)
        per_entry = found["work"] / found["entries"] * 1e9
        base = base or per_entry
        print(f"      {size:,} transactions, {found['entries']:,} entries: {per_entry:.0f} ns an entry")
        report(f"{size:,} transactions: time per entry over that at {SIZES[0]:,}", per_entry / base, most=3)
        report(f"{size:,} transactions: peak memory", found["peak"], most=8, unit=" GiB")
        if size == SIZES[-1]:
            report("reading that file", size_mb / found["reading"], least=50, unit=" MB/s")
    finish()


if __name__ == "__main__":
    one(sys.argv[1]) if len(sys.argv) > 1 else main()
