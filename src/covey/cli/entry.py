"""Where the `covey` command starts: nothing heavy is imported before Ctrl-C and odd terminals are provided for."""

from __future__ import annotations

import sys

from covey.cli.streams import Outlet, provide
from covey.kernels.shipped import use_shipped


def main() -> None:
    """Run the command line and exit with its code."""
    outlet = provide()
    use_shipped()
    try:
        from covey.cli.app import run

        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("covey: Stopped.\n")
        code = 1
    sys.exit(_told(outlet, code))


def _told(outlet: Outlet, code: int) -> int:
    """The exit code of a command, or 2 if all went well but what it had to say could not be printed."""
    lost = outlet.lost()
    if lost is None:
        return code
    from covey.cli.session import in_place

    sys.stderr.write(f"covey: The result could not be printed: {lost}. {in_place()}".rstrip() + "\n")
    return code or 2
