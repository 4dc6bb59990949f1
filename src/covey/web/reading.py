"""Run a command on a file that has reading options: ``python -m covey.web.reading FOLDER FILE COMMAND WORD…``.

`covey prepare` reads the file once into a dataset in FOLDER, and the command gets the dataset.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from covey.data.kinds import data_kinds

#: The dataset in the directory of a job.
PREPARED = "data.covey"


def steps_of(folder: Path, file: str, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the command that prepares a file and the one that takes the dataset, as words after ``covey``.

    Examples
    --------
    >>> prepare, command = steps_of(Path("job"), "a.csv", ["items", "a.csv", "--item", "sku", "--json"])
    >>> prepare
    ['prepare', 'a.csv', '--item', 'sku', '-o', 'job/data.covey']
    >>> command
    ['items', 'job/data.covey', '--json']
    """
    switches = {"--kind": False, "--person": False, "--sensitive": False}
    switches |= {one.flag or f"--{one.name}": one.switch for kind in data_kinds() for one in kind.options}
    target = str(folder / PREPARED)
    reading, rest, left = list[str](), list[str](), iter(words)
    for word in left:
        if word in switches:
            reading += [word] if switches[word] else [word, next(left)]
        else:
            rest.append(target if word == file else word)
    return ["prepare", file, *reading, "-o", target], rest


def main() -> None:
    """Prepare the file, unless an earlier step of the job did, and become the command."""
    folder, file, *words = sys.argv[1:]
    prepare, command = steps_of(Path(folder), file, words)
    covey = [sys.executable, "-m", "covey"]
    if not (Path(folder) / PREPARED).exists():
        done = subprocess.run([*covey, *prepare, "--json"], stdout=subprocess.PIPE, check=False)
        if done.returncode:
            sys.stdout.buffer.write(done.stdout)
            sys.stdout.flush()
            raise SystemExit(done.returncode)
    os.execv(sys.executable, [*covey, *command])


if __name__ == "__main__":
    main()
