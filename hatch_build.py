"""How covey's wheel is built: with the machine code of its kernels, for one platform, processor and Python.

Compiling takes a minute or two of both cores, once, so that no command waits for it after `pip install .`. numba uses
the code if its version and the processor are those of the build; elsewhere it compiles each kernel when it is first
used. COVEY_COMPILE=0 makes a pure wheel; with COVEY_COMPILE=1 the build fails if the kernels cannot be compiled.
Editable installations compile nothing: `covey compile` does it there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Under pip, hatchling builds one wheel to learn the metadata and another to install; compiling changes no metadata.
os.environ.pop("PIP_BUILD_TRACKER", None)
from hatchling import build as hatchling
from hatchling.build import *  # noqa: F403 - this module is the build backend, and hatchling's apart from one function

COMPILE = os.environ.get("COVEY_COMPILE", "")


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Add covey's own dependencies, which compiling the kernels needs."""
    needed = hatchling.get_requires_for_build_wheel(config_settings)
    if COMPILE != "0":
        needed += tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    return needed


class CompiledKernels(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernels of a copy of the sources and puts numba's cache files into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, unless the wheel is editable or pure."""
        if version == "editable" or COMPILE == "0":
            return
        self._copy = Path(tempfile.mkdtemp())
        without_caches = shutil.ignore_patterns("__pycache__")
        shutil.copytree(Path(self.root) / "src" / "covey", self._copy / "covey", ignore=without_caches)
        sources = os.pathsep.join(filter(None, (str(self._copy), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": sources, "NUMBA_CACHE_DIR": ""}  # beside the modules
        command = [sys.executable, "-m", "covey", "compile"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            if COMPILE == "1":
                raise SystemExit(f"The kernels could not be compiled: {reason}")
            self.app.display_warning(f"The kernels were not compiled ({reason}); each is when it is first used.")
            return
        made = [path for ending in ("*.nbi", "*.nbc") for path in self._copy.rglob(ending)]
        build_data["force_include"] |= {str(path): path.relative_to(self._copy).as_posix() for path in made}
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data |= {"pure_python": False, "tag": f"{python}-{python}-{platform}"}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copy."""
        if hasattr(self, "_copy"):
            shutil.rmtree(self._copy)
