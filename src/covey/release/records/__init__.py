"""Releases of records: attributes as ranges and broader groups, and items as broader labels or left out."""

from covey.release.kinds import ReleaseKind, in_every_room
from covey.release.records.model import RecordsRelease

__all__ = ["RECORDS", "RecordsRelease"]

USE = """\
Row i of `items` belongs to row i of `table`. In `table`, a range such as `[20-30]` stands for any value in it, a
broader group for any value below it, and `*` for any value at all. Items may have been replaced by broader labels or
left out, never added. In DuckDB:

```sql
SELECT count(*) FROM $table POSITIONAL JOIN $items WHERE list_contains($labels, 'A LABEL')
```"""

RECORDS = ReleaseKind(
    name="records",
    made_from=("records",),
    files="covey.release.records.files",
    row="person",
    group="class",
    groups="classes of persons with the same attributes",
    counts={
        "persons": "persons, all that were read",
        "columns": "columns",
        "classes": "classes of persons with the same attributes",
        "items": "different labels of items",
        "entries": "labels of items in all",
        "empty": "persons without a published item",
    },
    use=USE,
    hints="covey.release.table.model:roles_of",
    unprotected="covey.release.table.model:unprotected_columns",
    measures={"loss": "covey.metrics.record_loss:record_loss"},
    attacks={
        "linkage": "covey.attacks.sets:linkage_of_records",
        "whole": "covey.attacks.sets:whole_of_records",
    },
    company="covey.attacks.company:of_records",
    **in_every_room("records"),
)
