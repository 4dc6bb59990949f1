"""How to ask a release: the same question on the command line, in Python and in SQL."""

from __future__ import annotations

import shlex

from covey.report import page
from covey.report.findings import Findings

GROUPED_SQL = """
WITH matched AS (
    SELECT "group", count(*) AS g,
           count(*) FILTER (WHERE list_contains(items, {present})
                              AND NOT list_contains(items, {absent})) AS b
    FROM {transactions} GROUP BY "group"
)
SELECT sum(s.count * m.b / m.g) AS estimate,
       sum(greatest(0, s.count + m.b - m.g)) AS at_least,
       sum(least(s.count, m.b)) AS at_most
FROM {sensitive} AS s JOIN matched AS m USING ("group")
WHERE s.item = {item}
"""


def query_section(found: Findings) -> str:
    """The section that says how to use the release; examples use labels of the release itself."""
    if found.examples:
        return _grouped(found)
    frame = f"import covey\n\nrelease = covey.read_release({found.name!r})\nprint(release.to_frame())"
    table = next((name for name in sorted(found.manifest.files) if name.endswith(".parquet")), None)
    parts = ["<h3>Python</h3>", page.code(frame)]
    if table is not None:
        parts += [
            "<h3>SQL, for example DuckDB</h3>",
            page.code(f"SELECT * FROM {_sql(f'{found.name}/{table}')}"),
        ]
    return page.section("How to use it", *parts)


def _grouped(found: Findings) -> str:
    sensitive, present, absent = (found.examples[key] for key in ("sensitive", "present", "absent"))
    shell = shlex.join(
        ["covey", "query", found.name, "--sensitive", sensitive, "--present", present, "--absent", absent]
    )
    python = (
        f"import covey\n\nrelease = covey.read_release({found.name!r})\n"
        f"answer = release.estimate({sensitive!r}, present=[{present!r}], absent=[{absent!r}])\n"
        "print(answer.estimate, answer.standard_error, answer.lower, answer.upper)"
    )
    parts = [
        page.paragraph(
            f"How many have {sensitive} and {present}, but not {absent}? In a group of g with a holders, of whose "
            "members b fit, a·b/g is the expected number; the answer is their sum over the groups, with bounds that "
            "hold for certain."
        ),
        "<h3>Command line</h3>",
        page.code(shell),
        "<h3>Python</h3>",
        page.code(python),
    ]
    if "transactions.parquet" in found.manifest.files:
        sql = GROUPED_SQL.format(
            present=_sql(present),
            absent=_sql(absent),
            item=_sql(sensitive),
            transactions=_sql(f"{found.name}/transactions.parquet"),
            sensitive=_sql(f"{found.name}/sensitive.parquet"),
        )
        parts += ["<h3>SQL, for example DuckDB</h3>", page.code(sql)]
    return page.section("How to ask it", *parts)


def _sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
