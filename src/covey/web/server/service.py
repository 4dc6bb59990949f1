"""The one service that the pages call: datasets, choices, jobs and what became of them.

Every method is synchronous and safe to call from several threads. `Datasets.get`, `Datasets.all`, `Jobs.get` and
`Jobs.all` only look into memory and may be called from the event loop; all others may wait for a file or for another
process, so call them in a thread (a plain ``def`` route does that). Errors are `covey.errors.CoveyError`;
`covey.web.server.problems.status_of` gives the HTTP status. Messages and names are plain text: escape them.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

from covey.errors import Infeasible, ParameterError
from covey.parameters import number
from covey.release.about import About
from covey.web.records.datasets import READY, Dataset
from covey.web.records.jobs import Cleaned, Job
from covey.web.server import folders
from covey.web.server.choices import Choices, checked_request, infeasible
from covey.web.server.datasets import Datasets
from covey.web.server.exposure import Exposure
from covey.web.server.jobs import Jobs
from covey.web.server.pool import WorkerPool
from covey.web.server.problems import Conflict
from covey.web.server.queue import TaskQueue
from covey.web.server.releases import Releases
from covey.web.server.sensitive import SensitiveItems
from covey.web.server.settings import Settings
from covey.web.server.store import Store
from covey.web.server.trades import Trades
from covey.web.server.trees import Trees

#: Seconds.
DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outdated:
    """What is old enough to be removed: jobs that ended, and datasets that no other job uses."""

    jobs: list[Job]
    datasets: list[Dataset]


class Service:
    """Keeps datasets and jobs, and has the work done in other processes.

    Parameters
    ----------
    settings : Settings
        Where data is kept and what is allowed.
    workers : WorkerPool or None
        Whom to give the work, for services that share them; they stay the caller's to close. None has its own.

    Attributes
    ----------
    datasets : Datasets
        Files about people, and how they are read.
    sensitive : SensitiveItems
        What is sensitive in them.
    trees : Trees
        Their taxonomies and hierarchies.
    exposure : Exposure
        How exposed people are in them.
    choices : Choices
        What can be promised for them, and by which methods.
    jobs : Jobs
        Releases in the making, and those that were made.
    releases : Releases
        What is in those.
    trades : Trades
        Several of them side by side: what is kept against what is risked.
    """

    def __init__(self, settings: Settings, workers: WorkerPool | None = None) -> None:
        self.settings = settings
        self._begun = time.time()
        with ExitStack() as opened:
            opened.enter_context(folders.occupy(settings.data))
            # Uploads that a crash left behind belong to nobody.
            folders.remove(settings.incoming)
            settings.incoming.mkdir()
            store = opened.enter_context(closing(Store(settings.data / "covey.sqlite3")))
            if workers is None:
                own = WorkerPool(memory=settings.memory, log=settings.data / "worker.log")
                workers = opened.enter_context(closing(own))
            self._pool = workers
            self._reading = TaskQueue(self._pool, 1)
            # Jobs first: no dataset is read again while a record may turn out to be unreadable.
            self.jobs = Jobs(settings.data / "jobs", store, TaskQueue(self._pool, settings.parallel))
            self.datasets = Datasets(settings, store, self._pool, self._reading)
            self._opened = opened.pop_all()
        self.sensitive = SensitiveItems(self.datasets, self._pool)
        self.trees = Trees(self.datasets, self._pool)
        self.exposure = Exposure(self.datasets, self._reading)
        self.choices = Choices(self.datasets, self.exposure)
        self.releases = Releases(self.jobs, self._pool)
        self.trades = Trades(self)

    def prepare(self) -> None:
        """Have a worker ready before anybody asks."""
        self._pool.prepare()
        if self.settings.compile_kernels:
            self._pool.compile_kernels()

    def close(self) -> None:
        """End all work and free the data folder; jobs under way are remembered as interrupted."""
        self.jobs.close()
        self._reading.close()
        self._opened.close()

    def start(
        self,
        dataset: str,
        guarantee: str,
        method: str | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int | None = None,
        audit: float | None = None,
        about: About | None = None,
    ) -> Job:
        """Queue the making of a release.

        Parameters
        ----------
        dataset : str
            Which.
        guarantee : str
            For example ``degree(p=10)``.
        method : str or None
            None takes the recommended one.
        options : mapping or None
            Of the method.
        seed : int or None
            Makes the release reproducible; None draws from the system's entropy.
        audit : float or None
            The highest lift that an attack may have; None runs no attacks before the release is in place.
        about : About or None
            What the release says of itself.
        """
        entry = self.datasets.entry(dataset)
        known = entry.dataset
        if known.state != READY:
            raise Conflict(known.problem or "This dataset is still being read.")
        has = {"sensitive": bool(known.sensitive), "taxonomy": known.taxonomy is not None}
        promise, chosen, given = checked_request(known.kind, guarantee, method, options or {}, seed, **has)
        if audit is not None:
            number("audit", "lift", audit, minimum=1)
        problem, best = infeasible(promise, self.exposure.known_limits(dataset))
        if problem is not None:
            raise Infeasible(problem, witness="", best=best)
        wanted = {"guarantee": promise, "method": chosen, "options": given, "seed": seed, "audit": audit}
        return self.jobs.start(known, self.datasets.source(entry), about=(about or About()).given(), **wanted)

    def remove_dataset(self, id: str) -> Cleaned:
        """Forget a dataset and remove what the server keeps of it; a file below the root stays."""
        if any(job.dataset == id and job.active for job in self.jobs.all()):
            raise Conflict("A release of this dataset is being made. Cancel that first.")
        return Cleaned(jobs=0, datasets=1, bytes=self.datasets.drop(id))

    def remove_job(self, id: str) -> Cleaned:
        """Forget a job and remove its release; one that is under way is cancelled."""
        return Cleaned(jobs=1, datasets=0, bytes=self.jobs.drop(id))

    def outdated(self, older_than_days: float) -> Outdated:
        """What `clean` would remove."""
        # Written so that it refuses a number that is none, too.
        if not older_than_days >= 0:
            raise ParameterError(f"The age must be 0 days or more. Got {older_than_days:g} instead.")
        before = time.time() - older_than_days * DAY
        every = self.jobs.all()
        jobs = [job for job in every if not job.active and (job.finished or job.created) <= before]
        going = {job.id for job in jobs}
        used = {job.dataset for job in every if job.id not in going}
        return Outdated(
            jobs=jobs,
            datasets=[one for one in self.datasets.all() if one.id not in used and one.created <= before],
        )

    def clean(self, older_than_days: float) -> Cleaned:
        """Remove jobs that ended and datasets that nothing uses, by their age in days.

        Folders that an earlier server left without a record when it crashed go too.
        """
        going = self.outdated(older_than_days)
        freed = sum(self.jobs.drop(job.id) for job in going.jobs)
        # A job may have been started meanwhile; its dataset stays.
        used = {job.dataset for job in self.jobs.all()}
        datasets = [one for one in going.datasets if one.id not in used]
        freed += sum(self.datasets.drop(one.id) for one in datasets)
        before = min(time.time() - older_than_days * DAY, self._begun)  # later ones may be about to get a record
        for name, kept in (("jobs", self.jobs.all()), ("datasets", self.datasets.all())):
            freed += folders.remove_leftovers(self.settings.data / name, {one.id for one in kept}, before)
        return Cleaned(jobs=len(going.jobs), datasets=len(datasets), bytes=freed)

    def free_disk(self) -> int:
        """The bytes that are free on the disk of the data folder."""
        return shutil.disk_usage(self.settings.data).free
