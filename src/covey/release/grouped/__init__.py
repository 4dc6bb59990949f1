"""Releases in groups: ordinary items exact, sensitive ones counted."""

from covey.release.grouped.model import Estimate, GroupedRelease
from covey.release.kinds import ReleaseKind

__all__ = ["GROUPED", "Estimate", "GroupedRelease"]

GROUPED = ReleaseKind(
    name="grouped",
    made_from=("baskets",),
    files="covey.release.grouped.files",
    row="basket",
    group="group",
    counts={
        "transactions": "transactions, all of the original",
        "items": "published items",
        "entries": "published entries",
        "groups": "groups",
        "sensitive_items": "sensitive items",
        "sensitive_entries": "sensitive entries, as counts only",
    },
    evaluate="covey.metrics.evaluation:of_grouped",
    evaluation_lines="covey.report.evaluation_lines:of_grouped",
    attack="covey.attacks:run_attacks",
    findings="covey.report.findings:of_grouped",
)
