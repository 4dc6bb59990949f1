"""What a newcomer waits for: every command of the README right after an installation, and small commands again.

A wheel is built as `pip install .` builds it, with compiled kernels, and put where nothing else is. Then the commands
of the README run one after the other, each in a fresh process, for the first time. The small ones run again in this
checkout, on 2,000 baskets, with compiled kernels. All figures are CPU seconds.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from commands import ROOT, command
from ratios import finish, report

#: Seconds of CPU that a first run may take, and that a small command may take once everything has been compiled.
FIRST, READING, MAKING = 5, 0.7, 1.5
SMALL = {
    "--help": READING,
    "methods": READING,
    "query release --sensitive 'pregnancy test' --present 'folic acid'": READING,
    "verify release": READING,
    "anonymize sales.csv --sensitive sales.sensitive.txt -g 'degree(p=10)' --row-is-person -o release --force": MAKING,
    "anonymize sales.csv --taxonomy sales.taxonomy.csv -g 'km-anonymity(k=5, m=2)' -o coarse --force": MAKING,
}


def readme() -> list[str]:
    """The commands of the README, from a file to a verified release, as they stand there."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## From a file to a verified release")[1].split("\n## ")[0]
    return [line.strip().removeprefix("covey ") for line in section.splitlines() if line.startswith("    covey ")]


def installed(folder: Path) -> Path:
    """covey as its wheel has it, in this folder."""
    start = time.perf_counter()
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, ROOT]
    subprocess.run(build, check=True)
    [wheel] = folder.glob("covey-*.whl")
    print(
        f"      {wheel.name}: built in {time.perf_counter() - start:.0f} s, {wheel.stat().st_size >> 20} MiB",
        flush=True,
    )
    zipfile.ZipFile(wheel).extractall(folder / "installed")
    return folder / "installed"


def check_first_runs(folder: Path) -> None:
    """Every command of the README, for the first time."""
    sources = installed(folder)
    for line in readme():
        words = shlex.split(line, comments=True)
        used = command(words, sources=sources, folder=folder)
        report(
            f"first run of covey {shlex.join(words)}", used.cpu, most=FIRST, unit=" s", note=f"{used.wall:.1f} s passed"
        )


def check_small_commands(folder: Path) -> None:
    """Commands on small data, the best of four."""
    command(shlex.split("generate shop -o sales.csv --transactions 2000 --seed 2"), folder=folder)
    for line in reversed(SMALL):  # those that make a release come last
        command(shlex.split(line), folder=folder)
    for line, most in SMALL.items():
        least = min(command(shlex.split(line), folder=folder).cpu for _ in range(4))
        report(f"2,000 baskets: covey {line}", least, most=most, unit=" s")


def main() -> None:
    """Measure both."""
    for check in (check_small_commands, check_first_runs):
        with tempfile.TemporaryDirectory() as folder:
            check(Path(folder))
    finish()


if __name__ == "__main__":
    main()
