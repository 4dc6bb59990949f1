"""Where the `covey` command starts: nothing heavy is imported before Ctrl-C and odd terminals are provided for."""

from __future__ import annotations

import gc
import sys
import types
from pathlib import Path
from typing import Any

from covey.cli.memory import give_back
from covey.cli.streams import Outlet, provide
from covey.kernels.shipped import use_shipped


class Spared:
    """Says that what covey's commands can do without is not there: others would load it, if it is, and never use it.

    pyarrow loads pandas as soon as it makes an array; that takes longer than all else. numba loads SciPy, which takes
    half as long as numba, for linear algebra, and no kernel has any. covey itself gets SciPy when it asks for it.
    pyarrow also loads dateutil for columns of dates, and numba colorama for its own messages and YAML for a file of
    settings where there is none.
    """

    def __init__(self, pandas: bool) -> None:
        self._pandas = pandas
        self._by = {"scipy": "numba", "colorama": "numba", "dateutil": "pyarrow"}
        if not Path(".numba_config.yaml").exists():
            self._by["yaml"] = "numba"

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Asked by ``import``."""
        package = name.partition(".")[0]
        if (package == "pandas" and self._pandas) or (package in self._by and _importer() == self._by[package]):
            raise ModuleNotFoundError(f"covey's commands do without {package} here", name=name)


class Unread(types.ModuleType):
    """Stands for the module with which pyarrow writes help for each of its functions while `pyarrow.compute` loads."""

    def __init__(self) -> None:
        super().__init__("pyarrow.vendored.docscrape")

    @staticmethod
    def NumpyDocString(text: str) -> dict[str, tuple[()]]:  # noqa: N802
        """No word on any parameter."""
        return {"Parameters": ()}


def _importer() -> str:
    """The package whose ``import`` is being served."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("importlib"):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def main() -> None:
    """Run the command line and exit with its code."""
    outlet = provide()
    use_shipped()
    give_back()
    gc.set_threshold(10_000, 20, 50)  # nearly all that a command makes while it loads stays: looking for litter is vain
    spared: Any = Spared(pandas=not any("spark" in argument for argument in sys.argv[1:]))  # Spark wants it
    sys.meta_path.insert(0, spared)
    unread = Unread()
    sys.modules.setdefault(unread.__name__, unread)
    try:
        from covey.cli.app import run

        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("covey: Stopped.\n")
        code = 1
    finally:
        sys.meta_path.remove(spared)
        if sys.modules.get(unread.__name__) is unread:
            del sys.modules[unread.__name__]
    sys.exit(_told(outlet, code))


def _told(outlet: Outlet, code: int) -> int:
    """The exit code of a command, or 2 if all went well but what it had to say could not be printed."""
    lost = outlet.lost()
    if lost is None:
        return code
    from covey.cli.session import in_place

    sys.stderr.write(f"covey: The result could not be printed: {lost}. {in_place()}".rstrip() + "\n")
    return code or 2
