"""covey as a process of its own, which can be starved of output, stopped and killed."""

import subprocess
import sys
import textwrap
from pathlib import Path

#: Four baskets, a sensitive item, and how to release them.
DATA = "a s\na\nb\nb c\n"
RELEASE = ("-g", "degree(p=2)", "-s", "s")


def covey_command(*arguments):
    return [sys.executable, "-m", "covey", *map(str, arguments)]


def run_covey(*arguments, **options):
    """Run the command and return the finished process, with what it printed."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.run(covey_command(*arguments), **given)


def start_script(script, *arguments, **options):
    """Start a Python script given as indented text."""
    command = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.Popen(command, **given)


def run_script(script, *arguments, **options):
    """Run a Python script to its end and return what it printed; an error in it is one here."""
    process = start_script(script, *arguments, **options)
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    return printed


def left_in(folder):
    return sorted(path.name for path in Path(folder).iterdir())
