"""How covey's wheel is built: with its kernels compiled, for one platform and one Python.

Compiling takes a minute or two of both cores, once, so that no command waits for it after `pip install .`. With
COVEY_COMPILE=0 the wheel is pure and numba compiles each kernel when it is first used; with COVEY_COMPILE=1 there is no
wheel if they cannot be compiled. Editable installations compile nothing: `covey compile` does it there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Where pip builds, hatchling has it build a wheel to learn the metadata, and then another: kernels change no metadata.
os.environ.pop("PIP_BUILD_TRACKER", None)
from hatchling import build as hatchling
from hatchling.build import *  # noqa: F403 - this module is the build backend; what it does not say is hatchling's

ASKED = os.environ.get("COVEY_COMPILE", "")


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What building a wheel needs: compiling the kernels takes all that covey needs itself."""
    needed = hatchling.get_requires_for_build_wheel(config_settings)
    if ASKED != "0":
        project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
        needed += project["dependencies"]
    return needed


class CompiledKernels(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernels of a copy of the sources and puts numba's cache files into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, unless the wheel is editable or pure."""
        if version == "editable" or ASKED == "0":
            return
        self._copy = Path(tempfile.mkdtemp())
        shutil.copytree(
            Path(self.root) / "src" / "covey", self._copy / "covey", ignore=shutil.ignore_patterns("__pycache__")
        )
        if trouble := self._compile():
            if ASKED == "1":
                raise SystemExit(f"The kernels could not be compiled: {trouble}")
            self.app.display_warning(f"The kernels were not compiled ({trouble}), so each is when it is first used.")
            return
        made = [path for ending in ("shipped.json", "*.nbi", "*.nbc") for path in self._copy.rglob(ending)]
        build_data["force_include"] |= {str(path): path.relative_to(self._copy).as_posix() for path in made}
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data |= {"pure_python": False, "tag": f"{python}-{python}-{platform}"}

    def _compile(self) -> str:
        """Walk all commands, a process per core; return what went wrong, or nothing."""
        sys.path.insert(0, str(self._copy))
        try:
            import numba

            from covey.kernels.shipped import ANY_PROCESSOR, NOTE
        except ImportError as missing:
            return str(missing)
        count = os.cpu_count() or 1
        places = os.pathsep.join(filter(None, (str(self._copy), os.environ.get("PYTHONPATH"))))
        told = {**os.environ, **ANY_PROCESSOR, "PYTHONPATH": places, "NUMBA_CACHE_DIR": ""}
        with tempfile.TemporaryDirectory() as claims, ThreadPoolExecutor(count) as pool:
            walks = [[sys.executable, "-m", "covey.cli.walk", str(part), str(count), claims] for part in range(count)]
            done = list(pool.map(lambda walk: subprocess.run(walk, env=told, capture_output=True, text=True), walks))
        for walk in done:
            if walk.returncode:
                return (walk.stderr.strip().splitlines() or [f"exit code {walk.returncode}"])[-1]
        NOTE.write_text(json.dumps({"numba": numba.__version__}), encoding="utf-8")
        return ""

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copy."""
        if hasattr(self, "_copy"):
            shutil.rmtree(self._copy)
