"""The sections of a report that only tables have: columns, loss by column, guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from covey.counting import percent
from covey.report import charts, page
from covey.report.findings import Findings

ROLES = {
    "quasi": "quasi-identifier: as ranges and broader groups",
    "sensitive": "sensitive: unchanged",
    "other": "other: unchanged",
    "exact": "exactly as it was",
    "counted": "sensitive: counted in each group, without names",
}


def column_section(found: Findings) -> str:
    """What is published of each column, and which columns nothing protects; nothing that the release does not say."""
    if not found.columns:
        return ""
    rows = [(name, ROLES.get(role, role), f"{count:,}") for name, role, count in found.columns]
    listed = ", ".join(name for name, _ in found.unprotected)
    words = f"Published unchanged: {listed}. Someone who knows such a value may find the row."
    return page.section(
        "The columns",
        page.table(("column", "how it is published", "different values"), rows, numbers=(2,)),
        page.paragraph(words) if found.unprotected else "",
    )


def values_guessed(certainty: Sequence[Mapping[str, Any]]) -> list[str]:
    """How well a row's sensitive values are guessed by someone who knows all quasi-identifiers."""
    if not certainty:
        return []
    names = ("blind", "before", "after", "certain_before", "certain_after")
    rows = [(one["column"], *(percent(one[name]) for name in names)) for one in certainty]
    return [
        "<h3>What is learned without finding the row</h3>",
        page.paragraph(
            "Rows that look alike may also share sensitive values. Someone who knows all quasi-identifiers of a row "
            "guesses the value that most rows like it have. How often is that right, and how often do all of them "
            "have it, so that it is certain?"
        ),
        page.table(
            (
                "sensitive column",
                "right without either",
                "right from the original",
                "right from this release",
                "certain from the original",
                "certain from this release",
            ),
            rows,
            numbers=(1, 2, 3, 4, 5),
        ),
    ]


def loss_by_column(ncp: Mapping[str, float]) -> list[str]:
    """A bar per quasi-identifier: how much of its detail is lost."""
    if not ncp:
        return []
    chart = charts.lying_bars(list(ncp.items()), title="Detail lost by column")
    words = "Detail lost by column: the mean width of the published ranges, as a share of the whole column (NCP)."
    return [page.figure(chart, words)]
