"""Names of the files that workers write and the server hands out, and of the generated data there is to try."""

from __future__ import annotations

#: In the folder of a dataset: its items and their supports, the most frequent first.
ITEMS = "items.parquet"

#: In the folder of a job: the release, the same as an archive, the report, and what was measured.
RELEASE, ARCHIVE, REPORT, RESULTS = "release", "release.zip", "report.html", "results.json"

#: Made when someone asks: the archive with a copy in CSV beside the release, and the report to share.
BOTH, SHARED = "release-with-csv.zip", "report-to-share.html"

#: The layout of all that is stored: the records in the database, and what was measured. Another one is refused.
VERSION = 3

#: Generated data to try the page with: name to file.
DEMOS = {"shop": "shop.csv", "survey": "survey.csv", "people": "people.csv"}
