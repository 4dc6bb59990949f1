"""Jobs: releases in the making and those that were made, with a queue, progress and cancelling."""

from __future__ import annotations

import logging
import secrets
import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from covey.web.records.datasets import Dataset, Preview
from covey.web.records.jobs import ACTIVE, CheckRecord, Job
from covey.web.server import folders
from covey.web.server.problems import Conflict, Full, NotFound, TaskError
from covey.web.server.queue import TaskListener, TaskQueue
from covey.web.server.reading import reading_options
from covey.web.server.store import Store

STOPPED = "The server was stopped while this was under way. Start it again."


@dataclass(slots=True, kw_only=True)
class JobEntry:
    """A job and the dataset as it was read for it, as they are stored."""

    job: Job
    dataset: Dataset


_ENTRY = TypeAdapter(JobEntry)


def _parsed(body: dict[str, Any]) -> JobEntry:
    entry = _ENTRY.validate_python(body)
    reading_options(entry.job.kind)  # refuses kinds that nobody knows
    return entry


class Jobs:
    """All jobs of a server; each has a folder of its own below `folder`."""

    def __init__(self, folder: Path, store: Store, queue: TaskQueue) -> None:
        self._folder, self._store, self._queue = folder, store, queue
        self._changed = threading.Condition()
        self._entries: dict[str, JobEntry] = {}
        self._closing = False
        folder.mkdir(parents=True, exist_ok=True)
        for entry in store.load("jobs", _parsed):
            self._entries[entry.job.id] = entry
            if entry.job.state in ACTIVE:
                self._interrupt(entry)

    def close(self) -> None:
        """End all work; it is remembered as interrupted."""
        self._closing = True
        self._queue.close()

    def all(self) -> list[Job]:
        """All jobs, the newest first."""
        with self._changed:
            return [self._with_position(entry.job) for entry in reversed(self._entries.values())]

    def get(self, id: str) -> Job:
        """One job as it stands."""
        return self._with_position(self.entry(id).job)

    def entry(self, id: str) -> JobEntry:
        """One job with its dataset."""
        with self._changed:
            if id not in self._entries:
                raise NotFound("There is no such job; it may have been removed.")
            return self._entries[id]

    def folder_of(self, id: str) -> Path:
        """The folder of a job."""
        return self._folder / id

    def wait(self, id: str) -> Job:
        """The job once it has ended."""
        entry = self.entry(id)
        with self._changed:
            self._changed.wait_for(lambda: entry.job.state not in ACTIVE)
        return self._with_position(entry.job)

    def _with_position(self, job: Job) -> Job:
        return replace(job, position=self._queue.position(job.id)) if job.state == "queued" else job

    def start(self, dataset: Dataset, source: Mapping[str, Any], **wanted: Any) -> Job:
        """Queue the making of a release; `wanted` are guarantee, method, options, seed, audit and about."""
        job = Job(
            id=secrets.token_hex(6),
            dataset=dataset.id,
            name=dataset.name,
            kind=dataset.kind,
            sensitive=list(dataset.sensitive),
            created=time.time(),
            **wanted,
        )
        folder = self.folder_of(job.id)
        entry = JobEntry(job=job, dataset=replace(dataset, preview=Preview()))
        try:
            folder.mkdir()
            self._save(entry)
        except BaseException:  # a job that cannot be noted is not begun
            self._remove_files(entry)
            raise
        with self._changed:
            self._entries[job.id] = entry
        arguments = {"source": dict(source), "folder": str(folder), **wanted}
        self._queue.submit(job.id, "make_release", arguments, ReleaseListener(self, entry))
        return self.get(job.id)

    def cancel(self, id: str) -> Job:
        """End a job that is queued or running; nothing of it is left but the memory."""
        job = self.entry(id).job
        if job.state not in ACTIVE or not self._queue.cancel(id):
            raise Conflict(f"This job is {self.entry(id).job.state}; there is nothing to cancel.")
        return self.get(id)

    def drop(self, id: str) -> int:
        """Forget a job and remove its files; one that is under way is cancelled. Returns the bytes freed."""
        self.entry(id)  # raises where there is none
        self._queue.cancel(id)
        freed = folders.remove(self.folder_of(id))  # first, to make room for writing down that it is gone
        self._store.drop("jobs", id)
        with self._changed:
            self._entries.pop(id, None)
        return freed

    def change(self, entry: JobEntry, *, save: bool = True, **changes: Any) -> None:
        """Note what is new of a job; where the disk is full it is known until the server stops, and not afterwards."""
        with self._changed:
            entry.job = replace(entry.job, **changes)
            self._changed.notify_all()
            if save and entry.job.id in self._entries:
                try:
                    self._save(entry)
                except Full as error:
                    logging.getLogger(__name__).warning("The state of job %s was not stored: %s", entry.job.id, error)

    def finish(self, entry: JobEntry, **changes: Any) -> None:
        """Note how a job ended."""
        self.change(entry, finished=time.time(), stage="", **changes)

    def cancelled(self, entry: JobEntry) -> None:
        """A job was ended before its time: by the user, or because the server stops."""
        if self._closing:
            self._interrupt(entry)
            return
        self._remove_files(entry)
        self.finish(entry, state="cancelled", holds=False, measured=False, checks=[])

    def failed(self, entry: JobEntry, error: TaskError) -> None:
        """The work of a job failed; a release that was verified before that stays."""
        if entry.job.holds:
            note = f"Utility and attacks were not measured. {error}".replace(" Nothing was published.", "")
            self.finish(entry, state="done", note=note, fraction=1.0)
            return
        self._remove_files(entry)
        self.finish(entry, state="failed", error=str(error), error_type=error.cause)

    def _interrupt(self, entry: JobEntry) -> None:
        if entry.job.holds:
            note = "Utility and attacks were not measured: the server was stopped meanwhile."
            self.finish(entry, state="done", note=note)
            return
        self._remove_files(entry)
        self.finish(entry, state="interrupted", error=STOPPED, error_type="Interrupted")

    def _remove_files(self, entry: JobEntry) -> None:
        """Remove whatever a job has written, finished or not."""
        shutil.rmtree(self.folder_of(entry.job.id), ignore_errors=True)

    def _save(self, entry: JobEntry) -> None:
        self._store.put("jobs", entry.job.id, asdict(entry), created=entry.job.created)


class ReleaseListener(TaskListener):
    """Notes what the worker tells that makes one release."""

    def __init__(self, jobs: Jobs, entry: JobEntry) -> None:
        self._jobs, self._entry = jobs, entry

    def started(self) -> None:
        """Its turn has come."""
        self._jobs.change(self._entry, state="running", started=time.time(), stage="reading")

    def progress(self, stage: str, done: float) -> None:
        """Progress stays in memory."""
        state = "verifying" if stage == "verifying" else "running"
        self._jobs.change(self._entry, save=False, state=state, stage=stage, fraction=done)

    def event(self, body: dict[str, Any]) -> None:
        """That the release is verified is written down before it is measured."""
        verified = body["verified"]
        self._jobs.change(
            self._entry,
            holds=bool(verified["holds"]),
            checks=[CheckRecord(**check) for check in verified["checks"]],
            **{name: verified[name] for name in ("fingerprint", "counts", "figures")},
            cost=verified["cost"] or {},
            stage="measuring",
            fraction=0.0,
        )

    def done(self, outcome: Any) -> None:
        """All is made and measured, or it is said what is missing."""
        note = outcome["note"]
        self._jobs.finish(self._entry, state="done", measured=note is None, note=note, fraction=1.0)

    def failed(self, error: TaskError) -> None:
        """The work failed."""
        self._jobs.failed(self._entry, error)

    def cancelled(self) -> None:
        """Somebody wanted it no more."""
        self._jobs.cancelled(self._entry)
