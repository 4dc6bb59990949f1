"""Check that released records are made of their original: a record of their own for every person, which covers them."""

from __future__ import annotations

from covey.data import Records, Taxonomy
from covey.release.records import RecordsRelease
from covey.verdict import Check
from covey.verify.original_parts import check_exposed
from covey.verify.sets_fidelity import covered_rows, known_labels, tree_of
from covey.verify.table_fidelity import attribute_checks, rows_by_trace


def compare(release: RecordsRelease, original: Records, taxonomy: Taxonomy | None = None) -> list[Check]:
    """Check `release` against `original`; labels that are no items of it need the taxonomy."""
    checks = attribute_checks(release.attributes, original.attributes)
    secret = [column.name for column in original.attributes.of_role("sensitive")]
    columns = [column.name for column in release.attributes.columns]
    named, known = [*original.baskets.sensitive_items(), *secret], [*original.baskets.items, *secret]
    checks += check_exposed([*release.baskets.items, *columns], known, named, taxonomy)
    tree = tree_of(release.baskets, original.baskets, taxonomy)
    checks.append(known_labels(release.baskets, tree, taxonomy))
    if all(check.passed for check in checks):
        checks += rows_by_trace(release, release.attributes, original.attributes)
        checks += covered_rows(release, release.baskets, original.baskets, tree, local=False)[1:]
    return checks
