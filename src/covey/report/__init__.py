"""The report of one release: a single HTML file for whoever has to decide whether it may leave."""

from covey.report.findings import Findings, examine_release
from covey.report.release_page import release_page
from covey.report.risk_page import risk_page

__all__ = ["Findings", "examine_release", "release_page", "risk_page"]
