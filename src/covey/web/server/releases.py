"""What jobs have made: the release itself, what was measured of it, and looking into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter

from covey.registry import methods
from covey.web.records.files import ARCHIVE, BOTH, RELEASE, REPORT, RESULTS, SHARED
from covey.web.records.jobs import Job
from covey.web.records.results import Answer, Commands, Comparison, Groups, Questions, Results
from covey.web.server.commands import commands
from covey.web.server.figures import compare_figures, headline
from covey.web.server.jobs import Jobs
from covey.web.server.pool import WorkerPool
from covey.web.server.problems import Conflict, NotFound

_RESULTS, _GROUPS = TypeAdapter(Results), TypeAdapter(Groups)


class Releases:
    """The releases of jobs, by the id of the job."""

    def __init__(self, jobs: Jobs, pool: WorkerPool) -> None:
        self._jobs, self._pool = jobs, pool

    def archive(self, id: str, *, csv: bool = False) -> Path:
        """The release as a ZIP file: the manifest and the files it vouches for; with `csv` also its copy in CSV."""
        return self._made(id, BOTH, "pack_with_csv") if csv else self._file(id, ARCHIVE)

    def shared_report(self, id: str) -> Path:
        """The report that is made from the release alone, which may be shared."""
        return self._made(id, SHARED, "report_to_share")

    def _made(self, id: str, name: str, task: str) -> Path:
        """A file of a job that is made when it is first asked for."""
        path = Path(self._directory(id)).with_name(name)
        if not path.is_file():
            self._pool.ask(task, folder=str(path.parent))
        return path

    def report(self, id: str) -> Path:
        """The report as one HTML file. It is made with the original, so it stays inside."""
        return self._file(id, REPORT)

    def results(self, id: str) -> Results:
        """What was measured of a finished job."""
        job = self._jobs.get(id)
        if not job.measured:
            raise Conflict(job.note or ("This is still being measured." if job.holds else _why_none(job)))
        found = _RESULTS.validate_json(self._file(id, RESULTS).read_bytes())
        return replace(found, figures=headline(found, job.figures))

    def groups(self, id: str, *, offset: int = 0, limit: int = 10, order: str = "", search: str = "") -> Groups:
        """One page of the groups of a release, or of its classes of equal rows.

        They come as they are, the ``largest`` or ``smallest`` first, or by ``risk``; with a `search`, only those in
        which something with this text is published.
        """
        asked = {"offset": offset, "limit": limit, "order": order, "search": search}
        return _GROUPS.validate_python(self._pool.ask("groups", directory=self._directory(id), **asked))

    def questions(self, id: str) -> Questions:
        """What a release can be asked."""
        return Questions(**self._pool.ask("questions", directory=self._directory(id)))

    def query(self, id: str, sensitive: str, present: Sequence[str] = (), absent: Sequence[str] = ()) -> Answer:
        """Ask a release how many transactions hold `sensitive`, all of `present` and none of `absent`."""
        asked = {"sensitive": sensitive, "present": list(present), "absent": list(absent)}
        return Answer(**self._pool.ask("query", directory=self._directory(id), **asked))

    def compare(self, id: str, other: str) -> Comparison:
        """Two finished jobs side by side."""
        first, second = self._jobs.get(id), self._jobs.get(other)
        if first.kind != second.kind:
            raise Conflict(f"A release of {first.kind} and one of {second.kind} have no figures in common.")
        figures = compare_figures((first, self.results(id).figures), (second, self.results(other).figures))
        return Comparison(first=first, second=second, figures=figures)

    def commands(self, id: str) -> Commands:
        """The command and the Python script that do the same as a job."""
        entry = self._jobs.entry(id)
        able = [one.takes_taxonomy for one in methods(data=entry.job.kind) if one.name == entry.job.method]
        return commands(entry.dataset, entry.job, uses_taxonomy=any(able))

    def sensitive_list(self, id: str) -> str:
        """The sensitive items of a job, one a line, as `covey anonymize --sensitive` reads them."""
        return "".join(f"{label}\n" for label in self._jobs.get(id).sensitive)

    def _file(self, id: str, name: str) -> Path:
        """A file of a job with a release in place."""
        path = Path(self._directory(id)).with_name(name)
        if not path.is_file():
            job = self._jobs.get(id)
            raise NotFound(job.note or ("This is still being measured." if job.active else "There is no such file."))
        return path

    def _directory(self, id: str) -> str:
        """The directory of a verified release."""
        job = self._jobs.get(id)
        if not job.holds:
            raise Conflict(_why_none(job))
        return str(self._jobs.folder_of(id) / RELEASE)


def _why_none(job: Job) -> str:
    if job.active:
        return "The release is not ready yet."
    return f"There is no release: the job is {job.state}." + (f" {job.error}" if job.error else "")
