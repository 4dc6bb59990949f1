"""Where the `covey` command starts: nothing heavy is imported before Ctrl-C and odd terminals are provided for."""

from __future__ import annotations

import sys

from covey.cli.streams import Outlet, provide
from covey.kernels.shipped import use_shipped


class WithoutPandas:
    """Says that pandas is not there: pyarrow loads it, if it can, as soon as it makes an array."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Asked by ``import``."""
        if name == "pandas":
            raise ModuleNotFoundError("covey's commands do without pandas", name=name)


def main() -> None:
    """Run the command line and exit with its code."""
    outlet = provide()
    use_shipped()
    # pandas takes longer to load than all else. Spark wants it, and so do the data of the demo.
    pandas = any(argument in ("demo", "serve") or "spark" in argument for argument in sys.argv[1:])
    finders = [] if pandas else [WithoutPandas()]
    sys.meta_path[:0] = finders
    try:
        from covey.cli.app import run

        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("covey: Stopped.\n")
        code = 1
    finally:
        del sys.meta_path[: len(finders)]
    sys.exit(_told(outlet, code))


def _told(outlet: Outlet, code: int) -> int:
    """The exit code of a command, or 2 if all went well but what it had to say could not be printed."""
    lost = outlet.lost()
    if lost is None:
        return code
    from covey.cli.session import in_place

    sys.stderr.write(f"covey: The result could not be printed: {lost}. {in_place()}".rstrip() + "\n")
    return code or 2
