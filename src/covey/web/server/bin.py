"""What was removed and can be put back: datasets and jobs that stay, out of sight, for some days."""

from __future__ import annotations

import time

from covey.web.records.datasets import Dataset
from covey.web.records.jobs import Cleaned, Job, Removed
from covey.web.server import folders
from covey.web.server.datasets import Datasets
from covey.web.server.jobs import Jobs
from covey.web.server.problems import NotFound

DAY = 86_400.0

#: Days that whatever was removed is kept at least; it goes with the next start, removal or cleaning after that.
KEPT_DAYS = 7


class Bin:
    """Jobs and datasets that were removed, until they are put back or removed for good."""

    def __init__(self, jobs: Jobs, datasets: Datasets) -> None:
        self._jobs, self._datasets = jobs, datasets
        self.purge()

    def all(self) -> list[Removed]:
        """What can be put back, the latest first."""
        jobs = [
            _removed("jobs", one.job, self._jobs, one.removed, f"{one.job.guarantee} by {one.job.method}")
            for one in self._jobs.removed()
        ]
        datasets = [_removed("datasets", one.dataset, self._datasets, one.removed) for one in self._datasets.removed()]
        return sorted([*jobs, *datasets], key=lambda one: -one.removed)

    def undo(self, when: float) -> list[Removed]:
        """Put back all that was removed at a time."""
        found = [one for one in self.all() if one.removed == when]
        if not found:
            raise NotFound("There is nothing to put back; it may have been put back before, or removed for good.")
        for one in found:
            self._table(one).put_back(one.id)
        return found

    def put_back(self, id: str) -> Removed:
        """Put back one job or dataset."""
        found = self._find(id)
        self._table(found).put_back(id)
        return found

    def drop(self, id: str) -> Cleaned:
        """Remove one for good."""
        return self._drop([self._find(id)])

    def purge(self, *, made_before: float = 0.0) -> Cleaned:
        """Remove for good what was kept long enough, and what was made before a time."""
        now = time.time()
        return self._drop([one for one in self.all() if one.until <= now or one.created <= made_before])

    def _drop(self, going: list[Removed]) -> Cleaned:
        freed = sum(self._table(one).drop(one.id) for one in going)
        jobs = sum(one.table == "jobs" for one in going)
        return Cleaned(jobs=jobs, datasets=len(going) - jobs, bytes=freed)

    def _find(self, id: str) -> Removed:
        found = next((one for one in self.all() if one.id == id), None)
        if found is None:
            raise NotFound("There is no such thing to put back; it may have been removed for good.")
        return found

    def _table(self, one: Removed) -> Jobs | Datasets:
        return self._jobs if one.table == "jobs" else self._datasets


def _removed(table: str, one: Job | Dataset, of: Jobs | Datasets, when: float | None, says: str = "") -> Removed:
    assert when is not None
    return Removed(
        table=table,
        id=one.id,
        name=one.name,
        says=says,
        created=one.created,
        removed=when,
        until=when + KEPT_DAYS * DAY,
        bytes=folders.size_of(of.folder_of(one.id)),
    )
