"""Releases of the page: the job that makes one, what came of it, and its files."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.checking import verify
from covey.pipeline import require_holds
from covey.registry import find
from covey.release import read_release
from covey.release.about import About
from covey.release.archive import COPY, pack
from covey.release.manifest import read_manifest
from covey.release.store import save
from covey.web.choices import ReleaseOrder
from covey.web.data import MARKS, PREPARED, Dataset, Datasets
from covey.web.folders import size_of
from covey.web.jobs import Job, Jobs, shown
from covey.web.problems import Conflict, NotFound
from covey.web.settings import Settings

#: In the directory of a job: the release, and the reports.
RELEASE, REPORT, SHARED = "release", "report.html", "report-to-share.html"
#: The trace with which the internal report is made; it is never handed out.
TRACE = "trace.npz"
#: The steps of a job: the commands that make a release, then its reports.
PREPARING, MAKING, MEASURING, SHARING = range(4)


class Release:
    """A job that makes a release, and what is known of that.

    It `holds` once a verified release is in place, and is ``done`` then, whatever becomes of measuring it. The verdict
    is what `covey anonymize` states; `found` is what was measured, None as long as it was not, and `note` says why.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.id, details, answers = job, job.id, job.details, job.answers
        self.name, self.kind, self.dataset = (str(details[one]) for one in ("name", "kind", "dataset"))
        self.order = ReleaseOrder(**details["order"])
        self.directory = job.path / RELEASE
        self.verdict: Mapping[str, Any] = answers[MAKING] if len(answers) > MAKING else {}
        self.found: Mapping[str, Any] | None = answers[MEASURING]["found"] if len(answers) > MEASURING else None
        self.is_shareable = len(answers) > SHARING
        self.holds = bool(self.verdict) and self.directory.is_dir()
        self.state = "done" if self.holds else job.state
        self.by_person = "persons" in self.verdict.get("counts", {})
        why = {"interrupted": "the server was stopped.", "cancelled": "that was cancelled."}
        unmeasured = self.holds and self.found is None and not job.active
        reason = why.get(job.state, job.error)
        self.note = f"Utility and attacks were not measured: {reason}" if unmeasured else ""

    @property
    def command(self) -> str:
        """The commands that made it, with each option on a line of its own."""
        commands = []
        for step in self.job.steps[: MAKING + 1]:
            lines: list[list[str]] = [[]]
            for word in step:
                lines += [[]] if word.startswith("-") else []
                lines[-1].append(word)
            commands.append(" \\\n    ".join(shlex.join(line) for line in lines if line != ["--json"]))
        return shown("\n".join(commands), self.job.details)

    def require(self) -> None:
        """Raise `Conflict` unless it holds."""
        if not self.holds:
            state = "is not ready yet" if self.job.active else f"was not made: the job is {self.job.state}"
            raise Conflict(f"The release {state}. {self.job.error}".strip())


class Releases:
    """The releases of a server."""

    def __init__(self, settings: Settings, jobs: Jobs, datasets: Datasets) -> None:
        self._jobs, self._datasets = jobs, datasets
        self._folder = settings.data / "jobs"
        self._folder.mkdir(parents=True, exist_ok=True)
        jobs.resume(sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime))

    def all(self) -> list[Release]:
        """Return all of them, the newest first."""
        found = []
        for path in self._folder.iterdir():
            with contextlib.suppress(NotFound):
                found.append(Release(self._jobs.get(path)))
        return sorted(found, key=lambda one: -one.job.created)

    def get(self, id: str) -> Release:
        """Return one of them."""
        if not id.isalnum():
            raise NotFound("There is no such release; it may have been removed.")
        return Release(self._jobs.get(self._folder / id))

    def start(self, data: Dataset, order: ReleaseOrder) -> Release:
        """Begin to make one: `covey anonymize`, then `covey report` with and without the original."""
        data.require_ready()
        path = self._folder / secrets.token_hex(6)
        try:
            tree, out, source = data.choices.along(data.kind), str(path / RELEASE), str(path / PREPARED)
            used = tree if find(order.method, data=data.kind).takes_taxonomy else []
            trace = ["--trace", str(path / TRACE)]
            report = ["covey", "report", out, "--title", Path(data.name).stem]
            steps = [
                data.choices.prepare(data.kind, path, marked=True),
                ["covey", "anonymize", source, *used, "-o", out, *order.words, *trace, "--json"],
                [*report, "--original", source, *tree, *trace, "-o", str(path / REPORT), "--json"],
                [*report, "-o", str(path / SHARED), "--json"],
            ]
            body = {"order": order._asdict(), "dataset": data.id, "name": data.name, "kind": data.kind}
            return Release(self._jobs.submit(path, steps, {**body, "names": data.choices.names(path)}))
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise

    def again(self, id: str) -> Release:
        """Make one with the same options, of the data as it is now."""
        old = self.get(id)
        return self.start(self._datasets.get(old.dataset), old.order)

    def cancel(self, id: str) -> Release:
        """Stop making one; what is in place stays."""
        return Release(self._jobs.cancel(self.get(id).job.path))

    def drop(self, id: str) -> int:
        """Remove one; return the bytes freed."""
        path = self.get(id).job.path
        size = size_of(path)
        self._jobs.remove(path)
        return size

    def archive(self, id: str, *, csv: bool) -> Path:
        """Return the release as a ZIP file, which is made when it is first needed."""
        release = self.get(id)
        release.require()
        target = release.job.path / ("release-with-csv.zip" if csv else "release.zip")
        if not target.is_file() and csv:
            _pack_with_csv(release.directory, target)
        elif not target.is_file():
            pack({RELEASE: release.directory}, target)
        return target

    def file(self, id: str, name: str) -> Path:
        """Return a file of a job: a report, or the list of what is sensitive."""
        release = self.get(id)
        path = release.job.path / name
        if name not in (REPORT, SHARED, MARKS) or not path.is_file():
            raise NotFound(release.note or "There is no such file yet.")
        return path


def _pack_with_csv(directory: Path, target: Path) -> None:
    """Pack a release with its copy in CSV beside it, and check what was packed."""
    copy = directory.with_name(f"{RELEASE}{COPY}")
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    half = target.with_name(f".checked-{target.name}")
    try:
        save(read_release(directory), copy, csv=True, about=About(**read_manifest(directory).about))
        pack({RELEASE: directory, copy.name: copy}, half)
        require_holds(verify(half))
        half.replace(target)
    finally:
        shutil.rmtree(copy, ignore_errors=True)
        half.unlink(missing_ok=True)
