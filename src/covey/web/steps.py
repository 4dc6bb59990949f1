"""Run the steps of a job one after the other, up to the first that fails: ``python -m covey.web.steps [MEMORY]``.

The directory of the job is the present one. A file that is open and locked is handed on to every step, so that it stays
locked as long as any process of the job runs.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path


def main(memory: str = "") -> None:
    """Run the steps in ``job.json``, each with at most so many bytes of memory."""
    os.nice(5)  # pages go first
    if memory:
        # Not the address space: libraries reserve far more of that than they ever use.
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = int(memory) if hard == resource.RLIM_INFINITY else min(int(memory), hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    for number, step in enumerate(json.loads(Path("job.json").read_bytes())["steps"]):
        answer = Path(f"{number}.json")
        with answer.open("wb") as output, Path(f"{number}.log").open("wb") as log:
            command = [sys.executable, "-m", *step]
            code = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=output, stderr=log, close_fds=False)
        Path(f"{number}.exit").write_text(str(code))
        try:
            found = json.loads(answer.read_bytes())
        except ValueError:
            return
        if "error" in found:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
