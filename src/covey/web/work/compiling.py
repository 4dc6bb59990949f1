"""Compiling the kernels of the usual path before somebody has to wait for it."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from covey.web.work.examining import examine
from covey.web.work.making import make_release
from covey.web.work.profiling import profile
from covey.web.work.reporting import Reporter


def compile_kernels(report: Reporter) -> None:
    """Walk the usual path on a handful of baskets, so that its kernels are compiled and kept."""
    os.nice(10)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "few.csv"
        rows = "".join(f"{i},{item}\n" for i in range(60) for item in ("a", "bc"[i % 2], "de"[i % 3 % 2]))
        path.write_text(f"transaction,item\n{rows}0,s\n30,s\n", encoding="utf-8")
        source = {"path": str(path), "name": path.name, "kind": "baskets", "options": {}, "sensitive": ["s"]}
        profile(source, folder, report)
        examine(source, {"degree": {"p": 4}}, report)
        make_release(source, folder, "degree(p=4)", "cahd", {}, 0, report)
