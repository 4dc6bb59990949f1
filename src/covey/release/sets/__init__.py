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
    groups="classes of baskets that look alike",
    counts={
        "transactions": "transactions, all of the original",
        "persons": "persons, all of the original, with all their transactions hold",
        "items": "published items",
        "entries": "published entries",
        "empty": "transactions published empty",
        "private_entries": "private entries, published as they were",
    },
    earlier="generalized",
    measures={
        "frequent": "covey.metrics.frequent:frequent",
        "gcp": "covey.metrics.gcp:gcp",
        "itemsets": "covey.metrics.itemsets:itemsets",
        "lm": "covey.metrics.lm:lm",
        "ncp": "covey.metrics.ncp:ncp",
        "reidentification": "covey.metrics.reidentification:of_published",
    },
    attacks={
        "linkage": "covey.attacks.sets:linkage",
        "whole": "covey.attacks.sets:whole",
        "inference": "covey.attacks.sets:inference",
    },
    evaluate="covey.metrics.evaluation:of_sets",
    measure_rows="covey.report.measure_rows:of_sets",
    evaluation_lines="covey.report.evaluation_lines:of_sets",
    findings="covey.report.findings_by_kind:of_sets",
    browse="covey.web.work.browsing:of_sets",
    headline="covey.web.server.figures:of_sets",
    page="covey.web.pages.kinds:SETS",
)
