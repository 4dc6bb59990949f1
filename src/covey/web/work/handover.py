"""What is handed over besides the release itself, in a worker: a copy in CSV, and a report to share."""

from __future__ import annotations

import shutil
from pathlib import Path

from covey.api.checking import verify
from covey.api.measuring import report
from covey.io.archive import COPY, pack
from covey.pipeline import require_holds
from covey.release import read_release
from covey.release.about import About
from covey.release.manifest import read_manifest
from covey.release.store import save
from covey.web.records.files import BOTH, RELEASE, SHARED


def pack_with_csv(folder: str) -> None:
    """Pack a release of a job again, with its copy in CSV beside it, and check what was packed."""
    here = Path(folder)
    copy = here / f"{RELEASE}{COPY}"
    shutil.rmtree(copy, ignore_errors=True)  # of a worker that was killed
    copy.mkdir()
    try:
        stated = read_manifest(here / RELEASE).about
        save(read_release(here / RELEASE), copy, csv=True, about=About(**stated))
        half = here / f".checked-{BOTH}"
        pack({RELEASE: here / RELEASE, copy.name: copy}, half)
        require_holds(verify(half))
        half.replace(here / BOTH)
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def report_to_share(folder: str) -> None:
    """Write the report that is made from the release alone."""
    here = Path(folder)
    report(here / RELEASE, here / SHARED)
