"""Where the `covey` command starts: nothing heavy is imported before Ctrl-C and odd terminals are provided for."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a tick mark gets a question mark, not an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        from covey.cli.app import run

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("covey: Stopped.\n")
        code = 1
    sys.exit(code)
