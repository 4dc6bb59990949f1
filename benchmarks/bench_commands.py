"""What a user waits for: commands run as a person runs them, each in a process of its own.

- `commands`: from a file to a report at 0.1 and 1 million generated baskets, and 10 million with COVEY_BENCH_LARGE=1:
  wall time, CPU time of all threads, and peak memory above that of the same command on a thousand baskets, in sizes of
  the data's arrays.
- `first`: every command of the README right after an installation, and small commands again.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from covey.io import write
from covey.synth import quest
from ratios import QUICK, ROOT, main, measured, report, with_random_sensitive

LARGE = (10_000_000,) if os.environ.get("COVEY_BENCH_LARGE") else ()
#: Baskets; the smallest size shows what every command takes at least.
SIZES = (1_000, 2_000) if QUICK else (1_000, 100_000, 1_000_000, *LARGE)
STEPS = {
    "prepare": "prepare rows.dat -o plain.covey --force",
    "prepare, sensitive items marked": "prepare rows.dat --sensitive secret.txt -o marked.covey --force",
    "inspect": "inspect marked.covey",
    "items": "items marked.covey",
    "check": "check plain.covey -g k-anonymity(k=5)",
    "taxonomy suggest": "taxonomy suggest plain.covey --by together -o tree.csv --force",
    "anonymize, cahd": "anonymize marked.covey -g degree(p=10) -m cahd -o cahd",
    "anonymize, matched": "anonymize marked.covey -g degree(p=10) -m matched -o matched",
    "anonymize, anatomy": "anonymize marked.covey -g degree(p=10) -m anatomy -o anatomy",
    "anonymize, label-dp": "anonymize marked.covey -g label-dp(epsilon=1) -o noisy",
    "anonymize, k-anonymity(k=20)": "anonymize plain.covey -g k-anonymity(k=20) -o sets",
    "anonymize, mhghs": "anonymize plain.covey -g km-anonymity(k=5,m=2) -m mhghs --taxonomy tree.csv -o coarse",
    "anonymize, disassociation": "anonymize plain.covey -g km-anonymity(k=5,m=2) -m disassociation -o chunks",
    "verify": "verify cahd --original marked.covey",
    "query": "query cahd --sensitive {secret}",
    "evaluate": "evaluate cahd --original marked.covey",
    "evaluate on one core": "--threads 1 evaluate cahd --original marked.covey",
    "attack": "attack cahd --original marked.covey",
    "report": "report cahd --original marked.covey -o report.html",
    "sample": "sample cahd -o drawn --draws 1",
}
#: Peak memory above that on a thousand baskets, in sizes of the arrays; time of measuring over anonymizing with cahd;
#: time per basket over that at a tenth of the size.
MEMORY, MEASURING, GROWTH = 6, 5, 1.5
#: Seconds of CPU that a first run may take, and a small command once everything has been compiled.
FIRST, READING, MAKING = 5, 0.7, 1.5
SMALL = {
    "--help": READING,
    "methods": READING,
    "query release --sensitive 'pregnancy test' --present 'folic acid'": READING,
    "verify release": READING,
    "anonymize sales.csv --sensitive sales.sensitive.txt -g 'degree(p=10)' --row-is-person -o release --force": MAKING,
    "anonymize sales.csv --taxonomy sales.taxonomy.csv -g 'km-anonymity(k=5, m=2)' -o coarse --force": MAKING,
}


class Used(NamedTuple):
    """What a command used: CPU seconds of all its threads, seconds that passed, and bytes of memory at its peak."""

    cpu: float
    wall: float
    peak: int


def command(words: Sequence[str], folder: Path, sources: Path = ROOT / "src") -> Used:
    """Run a command of the covey in `sources`; it has to succeed, or to find that a guarantee does not hold."""
    environment = {**os.environ, "PYTHONPATH": str(sources)}
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "covey", *words], stdout=output, stderr=output, cwd=folder, env=environment
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            output.seek(0)
            raise SystemExit(f"covey {shlex.join(words)}: {output.read().decode()}")
    return Used(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * 1024)


def commands() -> None:
    """Measure all steps size by size, and report growth and memory beside their bounds."""
    found: dict[int, dict[str, Used]] = {}
    arrays: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as scratch:
        if not QUICK:
            measure(SIZES[0], Path(scratch, "compiling"))
        for rows in SIZES:
            arrays[rows], found[rows] = measure(rows, Path(scratch, str(rows)))
    for name in STEPS:
        sizes = []
        for rows in SIZES[1:]:
            used, least = found[rows][name], found[SIZES[0]][name]
            memory = max(used.peak - least.peak, 0) / arrays[rows]
            sizes.append({"rows": rows, "wall": used.wall, "cpu": used.cpu, "peak": used.peak, "arrays": memory})
        measured["steps"].append({"name": name, "sizes": sizes})
        last, before, (small, large) = sizes[-1], found[SIZES[-2]][name], SIZES[-2:]
        note = f"{last['peak'] >> 20} MiB, {last['cpu']:.0f} s"
        report(f"{name}: peak memory above its base / arrays", last["arrays"], most=MEMORY, note=note)
        grown = last["cpu"] / before.cpu * small / large
        report(f"{name}: CPU per basket over that at a tenth of the size", grown, most=GROWTH)
    largest = found[SIZES[-1]]
    for name in ("evaluate", "report"):
        report(f"CPU of {name} / anonymize", largest[name].cpu / largest["anonymize, cahd"].cpu, most=MEASURING)
    gain = largest["evaluate on one core"].wall / largest["evaluate"].wall
    report("evaluate on one core / on all", gain, least=1.6)


def measure(rows: int, folder: Path) -> tuple[int, dict[str, Used]]:
    """Run every step on so many baskets; return the bytes of their arrays, and what each step used."""
    folder.mkdir()
    # In another process, because the peak of a process begins with what its parent holds.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        size, secret = pool.submit(generate, rows, folder).result()
    found = {}
    for name, words in STEPS.items():
        found[name] = command([word.format(secret=secret) for word in words.split()], folder)
        used = found[name]
        print(f"      {rows:,}: {name}: {used.cpu:.1f} s of CPU, {used.wall:.1f} s, {used.peak >> 20} MiB", flush=True)
    return size, found


def generate(rows: int, folder: Path) -> tuple[int, str]:
    """Write baskets and a list of sensitive items; return the bytes of their arrays, and one sensitive item."""
    data = quest(transactions=rows, items=10_000, patterns=10_000, seed=1)
    write(data, folder / "rows.dat")
    secrets = list(with_random_sensitive(data, 20, 0, p=50).sensitive_items())
    (folder / "secret.txt").write_text("\n".join(secrets), encoding="utf-8")
    return data.indptr.nbytes + data.indices.nbytes, secrets[0]


def first() -> None:
    """Measure first runs and small commands in CPU seconds."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        command(shlex.split("generate shop -o sales.csv --transactions 2000 --seed 2"), folder)
        for line in reversed(SMALL):  # those that make a release come last
            command(shlex.split(line), folder)
        for line, most in SMALL.items():
            least = min(command(shlex.split(line), folder).cpu for _ in range(1 if QUICK else 4))
            report(f"2,000 baskets: covey {line}", least, most=most, unit=" s")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        sources = installed(folder)
        section = (ROOT / "README.md").read_text(encoding="utf-8").split("## From a file to a verified release")[1]
        for line in section.split("\n## ")[0].splitlines():
            if line.startswith("    covey "):
                words = shlex.split(line, comments=True)[1:]
                used = command(words, folder, sources)
                note = f"{used.wall:.1f} s passed"
                report(f"first run of covey {shlex.join(words)}", used.cpu, most=FIRST, unit=" s", note=note)


def installed(folder: Path) -> Path:
    """Build a wheel as `pip install .` does, and unpack it where nothing else is."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, ROOT]
    subprocess.run(build, check=True)
    [wheel] = folder.glob("covey-*.whl")
    print(f"      {wheel.name}: {wheel.stat().st_size >> 20} MiB", flush=True)
    zipfile.ZipFile(wheel).extractall(folder / "installed")
    return folder / "installed"


PARTS = {"commands": commands, "first": first}

if __name__ == "__main__":
    main(PARTS)
