"""Releases in groups: ordinary items exact, sensitive ones counted."""

from covey.release.grouped.model import Estimate, GroupedRelease
from covey.release.kinds import ReleaseKind

__all__ = ["GROUPED", "Estimate", "GroupedRelease"]

GROUPED = ReleaseKind(
    name="grouped",
    made_from=("baskets", "records"),
    files="covey.release.grouped.files",
    row="basket",
    group="group",
    groups="groups",
    counts={
        "transactions": "transactions, all of the original",
        "persons": "persons who made them",
        "columns": "attributes of each person, as they were",
        "items": "published items",
        "entries": "published entries",
        "groups": "groups",
        "sensitive_items": "sensitive items",
        "sensitive_entries": "sensitive entries, as counts only",
    },
    hints="covey.release.grouped.model:roles_of",
    unprotected="covey.release.grouped.model:unprotected_columns",
    measures={
        "kl": "covey.metrics.kl:kl",
        "patterns": "covey.metrics.patterns:patterns",
        "reidentification": "covey.metrics.reidentification:of_published",
    },
    attacks={
        "linkage": "covey.attacks.linkage:linkage",
        "pivot": "covey.attacks.pivot:pivot",
        "longest": "covey.attacks.length:longest",
        "shortest": "covey.attacks.length:shortest",
        "first": "covey.attacks.position:first",
        "hub": "covey.attacks.hub:hub",
        "learned": "covey.attacks.learned:learned",
        "strong": "covey.attacks.strong:strong",
        "grey": "covey.attacks.grey:grey",
    },
    by_person="covey.metrics.person_view:by_person",
    study="covey.attacks.study:Study",
    evaluate="covey.metrics.evaluation:of_grouped",
    measure_rows="covey.report.measure_rows:of_grouped",
    evaluation_lines="covey.report.evaluation_lines:of_grouped",
    findings="covey.report.findings_by_kind:of_grouped",
    browse="covey.web.work.browsing:of_grouped",
    headline="covey.web.server.figures:of_grouped",
    page="covey.web.pages.kinds:GROUPED",
)
