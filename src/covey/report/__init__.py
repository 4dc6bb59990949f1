"""The report of one release: a single HTML file for whoever has to decide whether it may leave.

Names are imported on first use: much of the command line needs a word of a report, but no report.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

_HOMES = {
    "Findings": "covey.report.findings",
    "examine_release": "covey.report.findings",
    "release_page": "covey.report.release_page",
    "risk_page": "covey.report.risk_page",
}

if TYPE_CHECKING:
    from covey.report.findings import Findings, examine_release
    from covey.report.release_page import release_page
    from covey.report.risk_page import risk_page

__all__ = ["Findings", "examine_release", "release_page", "risk_page"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'covey.report' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
