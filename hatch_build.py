"""A build hook: with COVEY_COMPILE=1 a wheel ships compiled kernels, for one platform and one Python.

    COVEY_COMPILE=1 python -m build --wheel --no-isolation

It needs what covey itself needs at run time, so it is not for isolated builds. Without the variable the wheel is pure.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernels(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernels of a copy of the sources and puts numba's cache files into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, unless the wheel is editable or pure."""
        if version == "editable" or os.environ.get("COVEY_COMPILE") != "1":
            return
        self._copy = Path(tempfile.mkdtemp())
        sources = self._copy / "covey"
        shutil.copytree(Path(self.root) / "src" / "covey", sources, ignore=shutil.ignore_patterns("__pycache__"))
        sys.path.insert(0, str(self._copy))
        from covey.kernels.shipped import ANY_PROCESSOR, NOTE

        count = os.cpu_count() or 1
        told = {**os.environ, **ANY_PROCESSOR, "PYTHONPATH": str(self._copy), "NUMBA_CACHE_DIR": ""}
        walk = [sys.executable, "-m", "covey.cli.walk"]
        with tempfile.TemporaryDirectory() as claims:
            running = [subprocess.Popen([*walk, str(i), str(count), claims], env=told) for i in range(count)]
            codes = [process.wait() for process in running]
        if any(codes):
            raise SystemExit("The kernels could not be compiled.")
        import numba

        NOTE.write_text(json.dumps({"numba": numba.__version__}), encoding="utf-8")
        made = [NOTE, *sources.rglob("*.nbi"), *sources.rglob("*.nbc")]
        build_data["force_include"] |= {str(path): path.relative_to(self._copy).as_posix() for path in made}
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data |= {"pure_python": False, "tag": f"{python}-{python}-{platform}"}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copy."""
        if hasattr(self, "_copy"):
            shutil.rmtree(self._copy)
