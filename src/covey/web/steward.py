"""The one service that pages and the API call: datasets, choices, jobs and what became of them.

Every method is synchronous and safe to call from several threads. `dataset`, `datasets`, `job` and `jobs` only
look into memory and may be called from the event loop; all others may wait for a file or for another process, so
call them in a thread (a plain ``def`` route does that). Errors are `covey.errors.CoveyError`;
`covey.web.problems.status_of` gives the HTTP status. Messages and names are plain text: escape them.

Pages live in `covey.web.pages`, which has ``install(app, steward)``: it adds its routes to the FastAPI
application. A browser's form with a file is received by ``await covey.web.uploads.receive(request, steward)``,
which streams the file to disk and returns an `Upload` with its path, its name and the other fields; `upload_file`
then takes the file over.
"""

from __future__ import annotations

import dataclasses
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from covey.errors import Infeasible, ParameterError
from covey.web import choices, folders
from covey.web.demos import DEMOS, KINDS
from covey.web.figures import compare_figures
from covey.web.jobs import PACKED, REPORT, Workshop
from covey.web.outcomes import (
    Answer,
    Cleaned,
    Comparison,
    Group,
    Groups,
    Job,
    Recipe,
    Results,
)
from covey.web.problems import Conflict, NotFound, TooLarge
from covey.web.processes import Crew
from covey.web.recipes import recipe
from covey.web.records import (
    BROKEN,
    READY,
    Dataset,
    Entry,
    GuaranteeChoice,
    Item,
    Items,
    Listed,
    MethodChoice,
    Risk,
)
from covey.web.roles import unconfirmed
from covey.web.settings import Settings
from covey.web.shelf import Shelf
from covey.web.store import Store
from covey.web.words import written_size

DAY = 86_400.0


class Steward:
    """Keeps datasets and jobs, and has the work done in other processes.

    Parameters
    ----------
    settings : Settings
        Where data is kept and what is allowed.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock_file = folders.occupy(settings.data)
        # Uploads that a crash left behind belong to nobody.
        folders.remove(self.incoming)
        self.incoming.mkdir()
        self._store = Store(settings.data / "covey.sqlite3")
        self._crew = Crew(memory=settings.memory, log=settings.data / "worker.log")
        self._shelf = Shelf(settings, self._store, self._crew)
        self._workshop = Workshop(settings.data / "jobs", self._store, self._crew, settings.parallel)

    def prepare(self) -> None:
        """Have a worker ready before anybody asks."""
        self._crew.prepare()
        if self.settings.rehearse:
            self._crew.rehearse()

    def close(self) -> None:
        """End all work and free the data folder; jobs under way are remembered as interrupted."""
        self._workshop.close()
        self._shelf.close()
        self._crew.close()
        self._store.close()
        self._lock_file.close()

    @property
    def incoming(self) -> Path:
        """The folder in which uploads arrive."""
        return self.settings.data / "incoming"

    # Datasets

    def datasets(self) -> list[Dataset]:
        """All datasets, the newest first."""
        return self._shelf.all()

    def dataset(self, id: str) -> Dataset:
        """One dataset; while its `state` is ``pending`` it is still being read."""
        return self._shelf.get(id)

    def wait_dataset(self, id: str, timeout: float = 60.0) -> Dataset:
        """The dataset once it has been read, or as it stands after so many seconds."""
        return self._shelf.wait(id, timeout)

    def upload(self, name: str, stream: BinaryIO) -> Dataset:
        """Take a dataset from an open file; for large ones use `covey.web.uploads.receive` and `upload_file`."""
        target = self.incoming / secrets.token_hex(8)
        held = 0
        with target.open("wb") as file:
            while piece := stream.read(1 << 20):
                held += len(piece)
                if held > self.settings.max_upload:
                    target.unlink()
                    raise TooLarge(self.too_large())
                file.write(piece)
        return self.upload_file(name, target)

    def upload_file(self, name: str, path: Path) -> Dataset:
        """Take over a file that arrived in `incoming`; its format and kind are recognised, reading begins."""
        safe = folders.safe_name(name)
        id, original = self._shelf.new_place()
        path.replace(original / safe)
        return self._shelf.add(id, original / safe, safe, "upload")

    def too_large(self) -> str:
        """What is said of an upload above the limit."""
        size = written_size(self.settings.max_upload)
        return (
            f"The file is larger than the {size} that may be uploaded. Start the server with a larger --max-upload, "
            "or with --root and pick the file there."
        )

    def browse(self, folder: str = "") -> list[Entry]:
        """Folders and files of a folder below the root."""
        return folders.listing(self.settings.root, folder)

    def pick(self, path: str) -> Dataset:
        """Use a file below the root where it is."""
        found = folders.below(self.settings.root, path)
        if not found.is_file():
            raise NotFound("That is a folder; pick a file in it.")
        id = secrets.token_hex(6)
        return self._shelf.add(id, found, found.name, "root")

    def demo(self, name: str = "shop") -> Dataset:
        """Generated data to try things with: ``shop`` (baskets), ``survey`` (ratings) or ``people`` (a table)."""
        if name not in DEMOS:
            raise ParameterError(f"There is no demonstration '{name}'. Known: {', '.join(DEMOS)}.")
        id, original = self._shelf.new_place()
        made = self._crew.ask("demo", folder=str(original), name=name)
        return self._shelf.add(
            id,
            original / DEMOS[name],
            DEMOS[name],
            "demo",
            kind=KINDS[name],
            taxonomy=None if made["taxonomy"] is None else str(original / made["taxonomy"]),
            sensitive=made["sensitive"],
            options=made["options"],
        )

    def configure(self, id: str, *, kind: str | None = None, options: Mapping[str, Any]) -> Dataset:
        """Say how a dataset is to be read; replaces all options given before.

        Parameters
        ----------
        id : str
            The dataset.
        kind : str or None
            ``baskets``, ``ratings`` or ``table``; None keeps it.
        options : mapping
            Those of `reading_options`; empty values are left out. For tables ``quasi``, ``identifier``, ``other`` and
            ``categorical`` are lists of columns.
        """
        return self._shelf.configure(id, kind=kind, options=options)

    def reading_options(self, kind: str) -> list[str]:
        """The names of the options with which data of a kind can be read."""
        from covey.web.originals import reading_options

        return reading_options(kind)

    def items(
        self, id: str, search: str = "", *, offset: int = 0, limit: int = 50, sensitive: bool = False
    ) -> Items:
        """What can be marked as sensitive and holds the text `search`, the most frequent first.

        With `sensitive`, only what is marked. Items of baskets, issues of ratings, columns of tables.
        """
        return self._shelf.items(id, search, offset, limit, sensitive)

    def set_sensitive(self, id: str, labels: Sequence[str]) -> Dataset:
        """Mark exactly these items, issues or columns as sensitive."""
        return self._shelf.set_sensitive(id, labels)

    def mark_listed(self, id: str, text: str, *, skip_unknown: bool = False) -> Listed:
        """Mark the items or issues of a list, one a line, as sensitive, besides those that are.

        When the data lacks some of them nothing is marked, unless `skip_unknown`.
        """
        return self._shelf.mark_listed(id, text, skip_unknown)

    def attach_taxonomy(self, id: str, name: str, path: Path) -> tuple[Dataset, dict[str, Any]]:
        """Take over a file from `incoming` as the taxonomy; also tells how it fits the items.

        The mapping has ``nodes``, ``leaves``, ``levels``, ``missing`` and ``missing_count`` (items not in it).
        """
        with self._given(id, name, path) as file:
            return self._shelf.attach_taxonomy(id, file, file.name)

    def detach_taxonomy(self, id: str) -> Dataset:
        """Do without a taxonomy."""
        return self._shelf.attach_taxonomy(id, None, "")[0]

    def attach_hierarchy(self, id: str, column: str, name: str, path: Path) -> Dataset:
        """Take over a file from `incoming` as the hierarchy of a table's column."""
        with self._given(id, name, path) as file:
            return self._shelf.attach_hierarchy(id, column, file, file.name)

    def detach_hierarchy(self, id: str, column: str) -> Dataset:
        """Do without the hierarchy of a column."""
        return self._shelf.attach_hierarchy(id, column, None, "")

    @contextmanager
    def _given(self, id: str, name: str, path: Path) -> Iterator[Path]:
        """Take a file over for a dataset; it is removed again when it turns out to be of no use."""
        target = self._shelf.place(id) / "given" / secrets.token_hex(4) / folders.safe_name(name)
        try:
            self._shelf.get(id)
            target.parent.mkdir(parents=True)
            yield path.replace(target)
        except BaseException:
            path.unlink(missing_ok=True)
            shutil.rmtree(target.parent, ignore_errors=True)
            raise

    def remove_dataset(self, id: str) -> None:
        """Forget a dataset and remove what the server keeps of it; a file below the root stays."""
        busy = [job for job in self.jobs() if job.dataset == id and job.active]
        if busy:
            raise Conflict("A release of this dataset is being made. Cancel that first.")
        self._shelf.drop(id)

    # Choices

    def risk(self, id: str) -> Risk:
        """How exposed people are in the original; ask again while its state is ``pending``."""
        return self._shelf.risk(id)

    def wait_risk(self, id: str, timeout: float = 60.0) -> Risk:
        """The risk once it is known, or what is known after so many seconds."""
        return self._shelf.wait_risk(id, timeout)

    def guarantees(self, id: str) -> list[GuaranteeChoice]:
        """What can be promised for a dataset, the most fitting first, with parameters and their feasible range.

        The range is known once `risk` is ready.
        """
        dataset = self.dataset(id)
        return choices.guarantee_choices(
            dataset.kind,
            self._shelf.limits(id) if dataset.state != BROKEN else {},
            sensitive=bool(dataset.sensitive),
            taxonomy=dataset.taxonomy is not None,
        )

    def explain(self, id: str, guarantee: str) -> dict[str, Any]:
        """A guarantee with its parameters in plain words: ``text``, ``short``, ``meaning``, ``limits``.

        Beside them ``problem`` says what the data does not allow, as far as that is known, and ``best`` is the
        largest value of the parameter that it does; both are None when the guarantee is feasible. ``warnings`` say
        what to think of although it is.
        """
        dataset = self.dataset(id)
        words = choices.explain(guarantee, dataset.kind)
        limits = self._shelf.limits(id)
        problem, best = choices.infeasible(guarantee, limits)
        if dataset.state == BROKEN:
            problem, best = dataset.problem, None
        return {
            **words,
            "problem": problem,
            "best": best,
            "warnings": self._warnings(dataset, guarantee, limits),
        }

    def _warnings(self, dataset: Dataset, guarantee: str, limits: Mapping[str, Any]) -> list[str]:
        found = [choices.costly(guarantee, limits)]
        if dataset.kind == "table" and not dataset.sensitive:
            found.append(
                "No column is marked as sensitive. Values such as an illness or an income are then treated like an "
                "age: made coarser, and not protected from being guessed."
            )
        for name in unconfirmed(dataset):
            found.append(
                f"Nearly every row has a value of its own in the column {name!r}, so that it may name people. Say in "
                "step 2 whether it is to be left out."
            )
        return [text for text in found if text is not None]

    def methods(self, id: str, guarantee: str) -> list[MethodChoice]:
        """The methods that keep a guarantee (a name, or text with parameters) for a dataset, the recommended first."""
        dataset = self.dataset(id)
        return choices.method_choices(dataset.kind, guarantee, taxonomy=dataset.taxonomy is not None)

    # Jobs

    def start(
        self,
        dataset: str,
        guarantee: str,
        method: str | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int | None = None,
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
        """
        held = self._shelf.held(dataset)
        known = held.dataset
        if known.state != READY:
            raise Conflict(known.problem or "This dataset is still being read.")
        promise, chosen, given = choices.settle(
            known.kind, guarantee, method, options or {}, seed, sensitive=bool(known.sensitive)
        )
        problem, best = choices.infeasible(promise, self._shelf.known_limits(dataset))
        if problem is not None:
            raise Infeasible(problem, witness="", best=best)
        return self._workshop.start(
            known, self._shelf.source(held), guarantee=promise, method=chosen, options=given, seed=seed
        )

    def jobs(self) -> list[Job]:
        """All jobs, the newest first."""
        return self._workshop.all()

    def job(self, id: str) -> Job:
        """One job as it stands."""
        return self._workshop.get(id)

    def wait_job(self, id: str, timeout: float = 60.0) -> Job:
        """The job once it has ended, or as it stands after so many seconds."""
        return self._workshop.wait(id, timeout)

    def cancel(self, id: str) -> Job:
        """End a job that is queued or running."""
        return self._workshop.cancel(id)

    def remove_job(self, id: str) -> None:
        """Forget a job and remove its release."""
        self._workshop.drop(id)

    # What became of them

    def results(self, id: str) -> Results:
        """What was measured of a finished job."""
        return self._workshop.results(id)

    def picture(self, id: str, number: int) -> Path:
        """A picture of the release as a PNG file; titles are in `Results.pictures`."""
        return self._workshop.file(id, f"picture-{number}.png")

    def groups(self, id: str, *, offset: int = 0, limit: int = 10) -> Groups:
        """One page of the groups of a release, or of its classes of equal rows."""
        page = self._crew.ask("groups", directory=str(self._workshop.release(id)), offset=offset, limit=limit)
        found = [
            Group(**{**group, "sensitive": [tuple(s) for s in group["sensitive"]]})
            for group in page["groups"]
        ]
        return Groups(**{**page, "groups": found})

    def labels(self, id: str, search: str = "", *, limit: int = 20) -> Items:
        """Published items of a release that hold a text, the most frequent first; for the query box."""
        found = self._crew.ask(
            "labels", directory=str(self._workshop.release(id)), search=search, limit=limit
        )
        return Items(total=found["total"], items=[Item(**row) for row in found["items"]])

    def query(
        self, id: str, sensitive: str, present: Sequence[str] = (), absent: Sequence[str] = ()
    ) -> Answer:
        """Ask a grouped release how many transactions hold `sensitive`, all of `present` and none of `absent`."""
        directory = str(self._workshop.release(id))
        return Answer(
            **self._crew.ask(
                "query", directory=directory, sensitive=sensitive, present=list(present), absent=list(absent)
            )
        )

    def compare(self, id: str, other: str) -> Comparison:
        """Two finished jobs side by side."""
        first, second = self.job(id), self.job(other)
        if first.kind != second.kind:
            raise Conflict(f"A release of {first.kind} and one of {second.kind} have no figures in common.")
        figures = compare_figures((first, self.results(id).figures), (second, self.results(other).figures))
        return Comparison(first=first, second=second, figures=figures)

    def packed(self, id: str) -> Path:
        """The release as a ZIP file: the manifest and the files it vouches for, nothing else."""
        return self._workshop.file(id, PACKED)

    def report(self, id: str) -> Path:
        """The report as one HTML file. It is made with the original, so it stays inside."""
        return self._workshop.file(id, REPORT)

    def recipe(self, id: str) -> Recipe:
        """The command and the Python script that do the same as a job."""
        kept = self._workshop.kept(id)
        return recipe(kept.dataset, kept.job, uses_taxonomy=choices.takes_taxonomy(kept.job.method))

    def sensitive_list(self, id: str) -> str:
        """The sensitive items of a job, one a line, as `covey anonymize --sensitive` reads them."""
        return "".join(f"{label}\n" for label in self.job(id).sensitive)

    def outdated(self, older_than_days: float) -> tuple[list[Job], list[Dataset]]:
        """What `clean` would remove: jobs that ended, and datasets that no other job uses."""
        # Written so that it refuses a number that is none, too.
        if not older_than_days >= 0:
            raise ParameterError(f"The age must be 0 days or more. Got {older_than_days:g} instead.")
        before = time.time() - older_than_days * DAY
        every = self.jobs()
        jobs = [job for job in every if not job.active and (job.finished or job.created) <= before]
        going = {job.id for job in jobs}
        used = {job.dataset for job in every if job.id not in going}
        return jobs, [one for one in self.datasets() if one.id not in used and one.created <= before]

    def clean(self, older_than_days: float) -> Cleaned:
        """Remove jobs that ended, and datasets that nothing uses, that are older than so many days."""
        jobs, datasets = self.outdated(older_than_days)
        freed = sum(self._workshop.drop(job.id) for job in jobs)
        # A job may have been started meanwhile; its dataset stays.
        used = {job.dataset for job in self.jobs()}
        unused = [dataset for dataset in datasets if dataset.id not in used]
        freed += sum(self._shelf.drop(dataset.id) for dataset in unused)
        return Cleaned(jobs=len(jobs), datasets=len(unused), bytes=freed)

    def status(self) -> dict[str, Any]:
        """Version, limits and how much is under way, as plain data."""
        from covey import __version__

        states = [job.state for job in self.jobs()]
        free = shutil.disk_usage(self.settings.data).free
        return {
            "covey": __version__,
            "root": self.settings.root is not None,
            "max_upload": self.settings.max_upload,
            "parallel": self.settings.parallel,
            "memory": self.settings.memory,
            "free_disk": free,
            "queued": states.count("queued"),
            "running": states.count("running") + states.count("verifying"),
            "demos": list(DEMOS),
        }


def as_plain(record: Any) -> Any:
    """A record, or a list of them, as plain data."""
    if isinstance(record, list):
        return [as_plain(part) for part in record]
    return asdict(record) if dataclasses.is_dataclass(record) and not isinstance(record, type) else record
