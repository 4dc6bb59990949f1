"""Run all parts of the benchmarks, each in its own process, or those named; compare their ratios with the kept ones.

    python benchmarks/run.py [--again] [--keep] [--quick] [PART ...]

A part that has been measured for this commit is not measured again, so a run that was stopped continues where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
#: Figures that were measured on calm cores; docs/performance.md is made from them.
KEPT = FOLDER / "figures"
#: Figures of the run that is under way.
MEASURED = FOLDER.parent / "build" / "bench"
#: A ratio may be this part of the kept one; less means that something has become slower, or worse.
STILL_GOOD = 2 / 3

Part = dict[str, Any]


def modules() -> dict[str, str]:
    """Return the module of each part."""
    sys.path.insert(0, str(FOLDER))
    names = sorted(path.stem for path in FOLDER.glob("bench_*.py"))
    return {part: name for name in names for part in import_module(name).PARTS}


def load(folder: Path) -> dict[str, Part]:
    """Return the figures of all parts in a folder."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def ratios(part: Part) -> dict[str, float]:
    """Return the ratios of a part, each so that more is better; seconds and bytes belong to a machine."""
    found: dict[str, float] = {}
    for figure in part["figures"]:
        if figure["unit"] == "x" and figure["value"] > 0:
            if figure["least"] is not None:
                found[figure["name"]] = figure["value"]
            elif figure["most"] is not None:
                found[figure["name"]] = 1 / figure["value"]
    for task in part["tasks"]:
        took = dict(map(tuple, task["sizes"]))
        for rival, (rows, seconds) in task["rivals"].items():
            found[f"{task['name']}: time of {rival} over covey's"] = seconds / took[rows]
    return found


def fallen(kept: dict[str, Part], measured: dict[str, Part]) -> list[str]:
    """Return a line for every ratio that is more than a third worse than the kept one."""
    lines = []
    for name, part in measured.items():
        before = ratios(kept[name]) if name in kept else {}
        for figure, value in ratios(part).items():
            if figure in before and value < STILL_GOOD * before[figure]:
                lines.append(f"{name}: {figure}: {value / before[figure]:.0%} of what it was")
    return lines


def commit() -> str:
    """Return the commit that is measured; with uncommitted changes it ends with -dirty."""
    words = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(words, cwd=FOLDER, capture_output=True, text=True).stdout.strip()


def is_measured(path: Path, now: str) -> bool:
    """Return whether a part was measured, without a missed figure, for this very commit."""
    if not path.exists() or now.endswith("-dirty") or not now:
        return False
    found = json.loads(path.read_text(encoding="utf-8"))
    return bool(found["commit"] == now and not found["missed"])


def measure(part: str, module: str, now: str, quick: bool) -> bool:
    """Run one part in a process of its own; return whether it met its bounds."""
    path, started_at = MEASURED / f"{part}.json", os.getloadavg()[0]
    path.unlink(missing_ok=True)
    environment = {**os.environ, "COVEY_BENCH_FIGURES": str(path), **({"COVEY_QUICK": "1"} if quick else {})}
    ended = subprocess.run([sys.executable, FOLDER / f"{module}.py", part], check=False, env=environment)
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
        origin = {"commit": now, "date": date.today().isoformat(), "cores": os.cpu_count(), "load": started_at}
        path.write_text(json.dumps({**origin, **found}, indent=1) + "\n", encoding="utf-8")
    return ended.returncode == 0


def main() -> int:
    """Run the parts and return the exit code."""
    known = modules()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", help=f"one of {', '.join(known)}; all if none")
    parser.add_argument("--again", action="store_true", help="measure also what was measured for this commit")
    parser.add_argument("--keep", action="store_true", help="keep the figures and write docs/performance.md")
    parser.add_argument("--quick", action="store_true", help="on little data, to see whether the benchmarks run")
    options = parser.parse_args()
    if unknown := set(options.part) - set(known):
        parser.error(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if options.quick and options.keep:
        parser.error("figures of a quick run mean nothing and are not kept; leave out --quick or --keep")
    now, failed = commit() + ("-quick-dirty" if options.quick else ""), []
    MEASURED.mkdir(parents=True, exist_ok=True)
    for part in options.part or known:
        if not options.again and is_measured(MEASURED / f"{part}.json", now):
            print(f"== {part}: measured before, for {now}")
            continue
        print(f"== {part}", flush=True)
        if not measure(part, known[part], now, options.quick):
            failed.append(part)
    found = {part: it for part, it in load(MEASURED).items() if part in (options.part or known)}
    worse = [] if options.quick else fallen(load(KEPT), found)
    for line in worse:
        print(f"FELL  {line}")
    if options.keep:
        for part in found:
            (KEPT / f"{part}.json").write_bytes((MEASURED / f"{part}.json").read_bytes())
        for outdated in [path for path in KEPT.glob("*.json") if path.stem not in known]:
            outdated.unlink()
        subprocess.run([sys.executable, FOLDER.parent / "tools" / "pages.py"], check=True)
    print(f"failed: {', '.join(failed)}" if failed else "all bounds met")
    return 1 if failed or (worse and not options.keep) else 0


if __name__ == "__main__":
    sys.exit(main())
