"""What the pages call: datasets, releases, and removing what is old."""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack
from typing import NamedTuple

from covey.errors import ParameterError
from covey.web import folders
from covey.web.data import Choices, Datasets
from covey.web.jobs import Jobs
from covey.web.releases import Release, Releases
from covey.web.settings import Settings

#: Seconds.
DAY = 86_400.0


class Cleaned(NamedTuple):
    """How many releases and datasets were removed, and the bytes that this freed."""

    releases: int
    datasets: int
    bytes: int


class Service:
    """Keeps datasets and releases in a folder that no other server uses at the same time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        with ExitStack() as opened:
            opened.enter_context(folders.occupy(settings.data))
            shutil.rmtree(settings.incoming, ignore_errors=True)  # what a crash left behind
            settings.incoming.mkdir()
            self.jobs = Jobs(settings.parallel, settings.memory)
            opened.callback(self.jobs.close)
            self.datasets = Datasets(settings, self.jobs)
            self.releases = Releases(settings, self.jobs, self.datasets)
            self._opened = opened.pop_all()

    def close(self) -> None:
        """End all work and free the folder."""
        self._opened.close()

    def outdated(self, older_than_days: float) -> tuple[list[Release], dict[str, Choices]]:
        """Return what `clean` would remove: releases that are not being made, and datasets that no other one uses."""
        # Written so that it refuses a number that is none, too.
        if not older_than_days >= 0:
            raise ParameterError(f"The age must be 0 days or more. Got {older_than_days:g} instead.")
        before = time.time() - older_than_days * DAY
        every = self.releases.all()
        releases = [one for one in every if not one.job.active and (one.job.finished or one.job.created) <= before]
        going = {one.id for one in releases}
        used = {one.dataset for one in every if one.id not in going}
        kept = self.datasets.all().items()
        datasets = {id: one for id, one in kept if id not in used and one.created <= before}
        return releases, datasets

    def clean(self, older_than_days: float) -> Cleaned:
        """Remove releases and datasets that nothing uses, by their age in days."""
        releases, datasets = self.outdated(older_than_days)
        freed = sum(self.releases.drop(one.id) for one in releases) + sum(map(self.datasets.drop, datasets))
        return Cleaned(len(releases), len(datasets), freed)
