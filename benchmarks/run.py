"""Run every benchmark in its own process, or those named on the command line; fail when one fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run them all and return the exit code."""
    folder = Path(__file__).parent
    wanted = sys.argv[1:] or [path.stem.removeprefix("bench_") for path in sorted(folder.glob("bench_*.py"))]
    failed = []
    for name in wanted:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, folder / f"bench_{name}.py"], check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all ratios met")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
