"""Releases of sets: fewer or broader items than there were."""

from covey.release.kinds import ReleaseKind
from covey.release.sets.model import SetsRelease

__all__ = ["SETS", "SetsRelease"]

SETS = ReleaseKind(
    name="sets",
    made_from=("baskets",),
    files="covey.release.sets.files",
    row="basket",
    group="class",
    counts={
        "transactions": "transactions, all of the original",
        "items": "published items",
        "entries": "published entries",
        "empty": "transactions published empty",
        "private_entries": "private entries, published as they were",
    },
    earlier="generalized",
    evaluate="covey.metrics.evaluation:of_sets",
    evaluation_lines="covey.report.evaluation_lines:of_sets",
    findings="covey.report.findings:of_sets",
)
