"""Releases of tables: quasi-identifiers as ranges and broader groups."""

from covey.release.kinds import ReleaseKind, in_every_room
from covey.release.table.model import PublishedColumn, TableRelease

__all__ = ["TABLE", "PublishedColumn", "TableRelease"]

USE = """\
Count rows of `table`. A range such as `[20-30]` stands for any value in it, a broader group for any value below it,
and `*` for any value at all. To estimate how many rows of the original lie in a range of your own, weight each
published row by the share of its range that lies in yours: half of `[20-30]` is below 25. Sensitive and other columns
are exact. In DuckDB:

```sql
SELECT count(*) FROM $table
```"""

TABLE = ReleaseKind(
    name="table",
    made_from=("table",),
    files="covey.release.table.files",
    row="row",
    group="class",
    groups="classes of rows that look alike",
    counts={
        "rows": "rows, all that were read",
        "persons": "persons whose rows they are",
        "columns": "columns",
        "classes": "classes of rows that look alike",
    },
    facts={"unit": "What classes are made of"},
    use=USE,
    hints="covey.release.table.model:roles_of",
    unprotected="covey.release.table.model:unprotected_columns",
    measures={
        "gcp": "covey.measure.gcp:gcp_table",
        "query_error": "covey.measure.query_error:query_error",
    },
    attacks={
        "linkage": "covey.measure.attacks.table:linkage",
        "inference": "covey.measure.attacks.table:inference",
    },
    company="covey.measure.attacks.company:of_table",
    **in_every_room("table"),
)
