"""Releases of records: attributes as ranges and broader groups, and items as broader labels or left out."""

from covey.release.kinds import ReleaseKind
from covey.release.records.model import RecordsRelease

__all__ = ["RECORDS", "RecordsRelease"]

RECORDS = ReleaseKind(
    name="records",
    made_from=("records",),
    files="covey.release.records.files",
    row="person",
    group="class",
    groups="classes of persons with the same attributes",
    counts={
        "persons": "persons, all of the original",
        "columns": "columns",
        "classes": "classes of persons with the same attributes",
        "items": "different labels of items",
        "entries": "labels of items in all",
        "empty": "persons without a published item",
    },
    hints="covey.release.records.model:roles_of",
    unprotected="covey.release.records.model:unprotected_columns",
    measures={"loss": "covey.metrics.record_loss:record_loss"},
    attacks={"linkage": "covey.attacks.records:linkage", "whole": "covey.attacks.records:whole"},
    evaluate="covey.metrics.evaluation:of_records",
    measure_rows="covey.report.measure_rows:of_records",
    evaluation_lines="covey.report.evaluation_lines:of_records",
    findings="covey.report.findings_by_kind:of_records",
    browse="covey.web.work.browsing:of_records",
    headline="covey.web.server.figures:of_records",
    page="covey.web.pages.kinds:RECORDS",
)
