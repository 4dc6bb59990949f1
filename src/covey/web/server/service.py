"""The one service that pages and the API call: datasets, choices, jobs and what became of them.

Every method is synchronous and safe to call from several threads. `Datasets.get`, `Datasets.all`, `Jobs.get` and
`Jobs.all` only look into memory and may be called from the event loop; all others may wait for a file or for another
process, so call them in a thread (a plain ``def`` route does that). Errors are `covey.errors.CoveyError`;
`covey.web.server.problems.status_of` gives the HTTP status. Messages and names are plain text: escape them.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from covey import __version__
from covey.errors import Infeasible, ParameterError
from covey.parameters import number
from covey.release.about import About
from covey.web.records.datasets import READY, Dataset
from covey.web.records.files import DEMOS
from covey.web.records.jobs import Cleaned, Job, Unreadable
from covey.web.server import folders
from covey.web.server.bin import DAY, Bin
from covey.web.server.choices import Choices, checked_request, infeasible
from covey.web.server.datasets import Datasets
from covey.web.server.exposure import Exposure
from covey.web.server.jobs import Jobs
from covey.web.server.pool import WorkerPool
from covey.web.server.problems import Conflict
from covey.web.server.projects import Projects
from covey.web.server.queue import TaskQueue
from covey.web.server.releases import Releases
from covey.web.server.sensitive import SensitiveItems
from covey.web.server.settings import Settings
from covey.web.server.store import Store
from covey.web.server.trades import Trades
from covey.web.server.trees import Trees


@dataclass(frozen=True, slots=True, kw_only=True)
class Outdated:
    """What is old enough to go: jobs that ended, datasets that no other job uses, records that cannot be read."""

    jobs: list[Job]
    datasets: list[Dataset]
    unreadable: list[Unreadable]

    @property
    def releases(self) -> int:
        """How many releases go, also of those that cannot be read."""
        return len(self.jobs) + sum(one.table == "jobs" for one in self.unreadable)

    @property
    def files(self) -> int:
        """How many files go, also of those that cannot be read."""
        return len(self.datasets) + sum(one.table == "datasets" for one in self.unreadable)


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
    bin : Bin
        Jobs and datasets that were removed and can be put back.
    releases : Releases
        What is in those.
    projects : Projects
        The choices behind a release, for the next file.
    trades : Trades
        Several of them side by side: what is kept against what is risked.
    """

    def __init__(self, settings: Settings, workers: WorkerPool | None = None) -> None:
        self.settings = settings
        self._lock_file = folders.occupy(settings.data)
        # Uploads that a crash left behind belong to nobody.
        folders.remove(settings.incoming)
        settings.incoming.mkdir()
        self._store = Store(settings.data / "covey.sqlite3")
        self._shares = workers is not None
        self._pool = workers or WorkerPool(memory=settings.memory, log=settings.data / "worker.log")
        self._reading = TaskQueue(self._pool, 1)
        self.datasets = Datasets(settings, self._store, self._pool, self._reading)
        self.sensitive = SensitiveItems(self.datasets, self._pool)
        self.trees = Trees(self.datasets, self._pool)
        self.exposure = Exposure(self.datasets, self._reading)
        self.choices = Choices(self.datasets, self.exposure)
        self.jobs = Jobs(settings.data / "jobs", self._store, TaskQueue(self._pool, settings.parallel))
        self.bin = Bin(self.jobs, self.datasets)
        self.releases = Releases(self.jobs, self._pool)
        self.projects = Projects(self, self._pool)
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
        if not self._shares:
            self._pool.close()
        self._store.close()
        self._lock_file.close()

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

    def beside(self, id: str, *, offset: int = 0, limit: int = 10, order: str = "", search: str = "") -> dict[str, Any]:
        """The groups of a release with the rows of the original that are in them, as it was read for the job."""
        made = self.jobs.entry(id)
        entry = self.datasets.entry(made.job.dataset)
        then = made.dataset
        source = {**self.datasets.source(entry), "kind": then.kind, "options": then.options}
        source |= {"sensitive": list(then.sensitive)}
        return self.releases.beside(id, source, offset=offset, limit=limit, order=order, search=search)

    def remove_dataset(self, id: str, *, for_good: bool = True) -> Cleaned:
        """Forget a dataset and remove what the server keeps of it; a file below the root stays."""
        if any(job.dataset == id and job.active for job in self.jobs.all()):
            raise Conflict("A release of this dataset is being made. Cancel that first.")
        undo = None if for_good else time.time()
        freed = self._remove(self.datasets, [self.datasets.get(id)], undo)
        return Cleaned(jobs=0, datasets=1, bytes=freed, undo=undo)

    def remove_job(self, id: str, *, for_good: bool = True) -> Cleaned:
        """Forget a job and remove its release; one that is under way is cancelled."""
        undo = None if for_good else time.time()
        freed = self._remove(self.jobs, [self.jobs.get(id)], undo)
        return Cleaned(jobs=1, datasets=0, bytes=freed, undo=undo)

    def _remove(self, table: Jobs | Datasets, going: Sequence[Job | Dataset], when: float | None) -> int:
        """Remove jobs or datasets: for good, or, with a time, into the bin; returns the bytes freed."""
        if when is None:
            return sum(table.drop(one.id) for one in going)
        for one in going:
            table.set_aside(one.id, when)
        return self.bin.purge().bytes

    @property
    def unreadable(self) -> list[Unreadable]:
        """Stored records that this version cannot read, and that are kept."""
        return self._store.unreadable

    @property
    def damaged(self) -> str | None:
        """The name of the file in which a damaged database is kept, when this server found one."""
        return None if self._store.damaged is None else self._store.damaged.name

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
            unreadable=[one for one in self.unreadable if one.created <= before],
        )

    def clean(self, older_than_days: float, *, for_good: bool = True) -> Cleaned:
        """Remove jobs that ended, datasets that nothing uses and records that nobody can read, by their age in days.

        With `for_good` what is in the bin goes too, at that age; without, only what cannot be read goes for good.
        """
        going = self.outdated(older_than_days)
        old = self.bin.purge(made_before=time.time() - older_than_days * DAY if for_good else 0.0)
        undo = None if for_good or not (going.jobs or going.datasets) else time.time()
        freed = old.bytes + self._remove(self.jobs, going.jobs, undo)
        # A job may have been started meanwhile; its dataset stays.
        used = {job.dataset for job in self.jobs.all()}
        going = replace(going, datasets=[one for one in going.datasets if one.id not in used])
        freed += self._remove(self.datasets, going.datasets, undo)
        tables: dict[str, Jobs | Datasets] = {"jobs": self.jobs, "datasets": self.datasets}
        freed += sum(tables[one.table].discard(one.id) for one in going.unreadable)
        return Cleaned(jobs=going.releases + old.jobs, datasets=going.files + old.datasets, bytes=freed, undo=undo)

    def status(self) -> dict[str, Any]:
        """Version, limits and how much is under way, as plain data."""
        states = [job.state for job in self.jobs.all()]
        return {
            "covey": __version__,
            "root": self.settings.root is not None,
            "max_upload": self.settings.max_upload,
            "parallel": self.settings.parallel,
            "memory": self.settings.memory,
            "free_disk": shutil.disk_usage(self.settings.data).free,
            "queued": states.count("queued"),
            "running": states.count("running") + states.count("verifying"),
            "unreadable": len(self.unreadable),
            "demos": list(DEMOS),
        }
