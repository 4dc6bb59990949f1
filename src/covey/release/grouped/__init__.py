"""Releases in groups: ordinary items exact, sensitive ones counted."""

from covey.release.grouped.model import Estimate, GroupedRelease
from covey.release.kinds import ReleaseKind, in_every_room

__all__ = ["GROUPED", "Estimate", "GroupedRelease"]

USE = """\
Questions about ordinary items alone have exact answers: count rows of `transactions`.

Nobody is told which transactions hold a sensitive item. Estimate: add up count × matching / size over the
groups, where *count* is the item's `count` in the group, *size* the group's number of transactions, and *matching* how
many of them match the rest of your question. This treats every transaction of a group as equally likely to hold the
item. Where the item really occurs together with what you ask for, the truth is higher than the estimate; it is never
outside the sums of max(0, count + matching - size) and of min(count, matching). In DuckDB:

```sql
WITH sizes AS (
    SELECT "group", count(*) AS size, count(*) FILTER (WHERE list_contains($labels, 'AN ORDINARY ITEM')) AS matching
    FROM $transactions GROUP BY "group"
)
SELECT sum(counted.count * matching / size) AS estimate,
       sum(greatest(0, counted.count + matching - size)) AS at_least,
       sum(least(counted.count, matching)) AS at_most
FROM $sensitive AS counted JOIN sizes USING ("group")
WHERE item = 'A SENSITIVE ITEM'
```"""

GROUPED = ReleaseKind(
    name="grouped",
    made_from=("baskets", "records"),
    files="covey.release.grouped.files",
    row="basket",
    group="group",
    groups="groups",
    counts={
        "transactions": "transactions, all that were read",
        "persons": "persons who made them",
        "columns": "attributes of each person, as they were",
        "items": "published items",
        "entries": "published entries",
        "groups": "groups",
        "sensitive_items": "sensitive items",
        "sensitive_entries": "sensitive entries, as counts only",
    },
    of_records={
        "transactions": "sets of items, one for each person: all that the original has of them together",
        "persons": "persons, all that were read",
        "entries": "published entries of items, beside the attributes",
    },
    hints="covey.release.grouped.model:roles_of",
    unprotected="covey.release.grouped.model:unprotected_columns",
    facts={"unit": "What groups are made of", "sensitive_columns": "Columns whose values are counts only"},
    drawn="The ordinary items are as published. The sensitive ones were dealt at random, within each group, to as many "
    "baskets as the release counts: **who has them is made up**.",
    use=USE,
    measures={
        "kl": "covey.measure.kl:kl",
        "patterns": "covey.measure.patterns:patterns",
        "reidentification": "covey.measure.reidentification:of_published",
    },
    attacks={
        "linkage": "covey.measure.attacks.grouped:linkage",
        "pivot": "covey.measure.attacks.grouped:pivot",
        "longest": "covey.measure.attacks.grouped:longest",
        "hub": "covey.measure.attacks.grouped:hub",
        "learned": "covey.measure.attacks.grouped:learned",
        "strong": "covey.measure.attacks.grouped:strong",
        "grey": "covey.measure.attacks.grey:grey",
    },
    by_person="covey.measure.person_view:by_person",
    approximate="covey.verify.placing:approximate",
    study="covey.measure.attacks.study:Study",
    company="covey.measure.attacks.company:of_grouped",
    **in_every_room("grouped"),
)
