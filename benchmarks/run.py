"""Run every benchmark in its own process, or those named, and compare their ratios with the kept ones.

    python benchmarks/run.py [--again] [--keep] [PART ...]

A part that has been measured for this commit is not measured again, so a run that was stopped goes on where it was;
`--again` starts anew. `--keep` makes what was measured the figures to compare with, and writes the page of speed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

from keeping import KEPT, MEASURED, fallen, load

FOLDER = Path(__file__).parent
PARTS = [path.stem.removeprefix("bench_") for path in sorted(FOLDER.glob("bench_*.py"))]


def commit() -> str:
    """What the figures are of; sources that were changed since the last commit are never the same again."""
    told = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=FOLDER, capture_output=True, text=True)
    return told.stdout.strip()


def measured_before(part: str, now: str) -> bool:
    """Whether this part was measured, without a missed figure, for this very commit."""
    path = MEASURED / f"{part}.json"
    if not path.exists() or now.endswith("-dirty") or not now:
        return False
    found = json.loads(path.read_text(encoding="utf-8"))
    return bool(found.get("commit") == now and not found["missed"])


def measure(part: str, now: str) -> bool:
    """Run one part in a process of its own; whether it met its figures."""
    path = MEASURED / f"{part}.json"
    path.unlink(missing_ok=True)
    load = os.getloadavg()[0]
    environment = {**os.environ, "COVEY_BENCH_FIGURES": str(path)}
    ended = subprocess.run([sys.executable, FOLDER / f"bench_{part}.py"], check=False, env=environment)
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
        told = {"commit": now, "date": date.today().isoformat(), "cores": os.cpu_count(), "load": load, **found}
        path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return ended.returncode == 0


def main() -> int:
    """Run them and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", help=f"one of {', '.join(PARTS)}; all if none")
    parser.add_argument("--again", action="store_true", help="measure also what was measured for this commit")
    parser.add_argument("--keep", action="store_true", help="keep the figures and write docs/performance.md")
    asked = parser.parse_args()
    if unknown := set(asked.part) - set(PARTS):
        parser.error(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    parts, now, failed = asked.part or PARTS, commit(), []
    MEASURED.mkdir(parents=True, exist_ok=True)
    for part in parts:
        if not asked.again and measured_before(part, now):
            print(f"== {part}: measured before, for {now}")
            continue
        print(f"== {part}", flush=True)
        if not measure(part, now):
            failed.append(part)
    measured = {part: found for part, found in load(MEASURED).items() if part in parts}
    worse = fallen(load(KEPT), measured)
    for line in worse:
        print(f"FELL  {line}")
    if asked.keep:
        KEPT.mkdir(exist_ok=True)
        for part in measured:
            shutil.copy(MEASURED / f"{part}.json", KEPT)
        subprocess.run([sys.executable, FOLDER.parent / "tools" / "performance_page.py"], check=True)
    print(f"failed: {', '.join(failed)}" if failed else "all ratios met")
    return 1 if failed or (worse and not asked.keep) else 0


if __name__ == "__main__":
    sys.exit(main())
