"""Jobs: releases in the making and those that were made, with a queue, progress, cancelling and a memory of all."""

from __future__ import annotations

import json
import secrets
import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from covey.web import folders
from covey.web.lanes import Lane
from covey.web.making import PACKED, RELEASE, REPORT, RESULTS
from covey.web.outcomes import ACTIVE, CheckRecord, Figure, Job, Results
from covey.web.problems import Conflict, NotFound, Remote
from covey.web.processes import Crew
from covey.web.records import Dataset, Preview
from covey.web.store import Store

STOPPED = "The server was stopped while this was under way. Start it again."


@dataclass(slots=True, kw_only=True)
class Kept:
    """A job, the dataset as it was read for it, and whether its parts are still wanted."""

    job: Job
    dataset: Dataset


class Workshop:
    """All jobs of a server.

    Parameters
    ----------
    folder : Path
        Where each has a folder of its own.
    store, crew
        As the steward has them.
    parallel : int
        Releases made at the same time.
    """

    def __init__(self, folder: Path, store: Store, crew: Crew, parallel: int) -> None:
        self.folder, self._store = folder, store
        self._lane = Lane(crew, parallel)
        self._lock = threading.Condition()
        self._kept: dict[str, Kept] = {}
        self._closing = False
        folder.mkdir(parents=True, exist_ok=True)
        for body in store.all("jobs"):
            kept = _from_body(body)
            self._kept[kept.job.id] = kept
            if kept.job.state in ACTIVE:
                self._interrupt(kept)

    def close(self) -> None:
        """End all work; it is remembered as interrupted."""
        self._closing = True
        self._lane.close()

    def all(self) -> list[Job]:
        """All jobs, the newest first."""
        with self._lock:
            return [self._shown(kept.job) for kept in reversed(self._kept.values())]

    def get(self, id: str) -> Job:
        """One job as it stands."""
        return self._shown(self.kept(id).job)

    def kept(self, id: str) -> Kept:
        """One job with its dataset."""
        with self._lock:
            if id not in self._kept:
                raise NotFound("There is no such job; it may have been cleaned away.")
            return self._kept[id]

    def wait(self, id: str, timeout: float) -> Job:
        """The job once it has ended, or as it stands after so many seconds."""
        kept = self.kept(id)
        with self._lock:
            self._lock.wait_for(lambda: kept.job.state not in ACTIVE, timeout)
        return self._shown(kept.job)

    def _shown(self, job: Job) -> Job:
        return replace(job, position=self._lane.position(job.id)) if job.state == "queued" else job

    def start(self, dataset: Dataset, source: Mapping[str, Any], **wanted: Any) -> Job:
        """Queue the making of a release; `wanted` are guarantee, method, options and seed."""
        job = Job(
            id=secrets.token_hex(6),
            dataset=dataset.id,
            name=dataset.name,
            kind=dataset.kind,
            sensitive=list(dataset.sensitive),
            created=time.time(),
            **wanted,
        )
        place = self.folder / job.id
        place.mkdir()
        kept = Kept(job=job, dataset=replace(dataset, preview=Preview()))
        with self._lock:
            self._kept[job.id] = kept
            self._save(kept)
        arguments = {"source": dict(source), "folder": str(place), **wanted}
        self._lane.submit(job.id, "release", arguments, Maker(self, kept))
        return self.get(job.id)

    def cancel(self, id: str) -> Job:
        """End a job that is under way; nothing of it is left but the memory."""
        job = self.kept(id).job
        if job.state not in ACTIVE or not self._lane.cancel(id):
            raise Conflict(f"This job is {self.kept(id).job.state}; there is nothing to cancel.")
        return self.get(id)

    def drop(self, id: str) -> int:
        """Forget a job and remove its files; returns the bytes freed."""
        self.kept(id)
        self._lane.cancel(id)
        with self._lock:
            self._kept.pop(id, None)
            self._store.drop("jobs", id)
        return folders.remove(self.folder / id)

    def file(self, id: str, name: str) -> Path:
        """A file of a job with a release in place: `PACKED`, `REPORT`, a picture."""
        job = self.kept(id).job
        if not job.holds:
            raise Conflict(_why_not(job))
        path = self.folder / id / name
        if not path.is_file():
            raise NotFound(
                job.note or ("This is still being measured." if job.active else "There is no such file.")
            )
        return path

    def release(self, id: str) -> Path:
        """The directory of a verified release."""
        job = self.kept(id).job
        if not job.holds:
            raise Conflict(_why_not(job))
        return self.folder / id / RELEASE

    def results(self, id: str) -> Results:
        """What was measured."""
        job = self.kept(id).job
        if not job.measured:
            raise Conflict(job.note or ("This is still being measured." if job.holds else _why_not(job)))
        body = json.loads(self.file(id, RESULTS).read_bytes())
        body["figures"] = [Figure(**figure) for figure in body["figures"]]
        for name in ("sizes", "columns"):
            body[name] = [tuple(row) for row in body[name]]
        body["shares"] = tuple(body["shares"]) if body["shares"] else None
        return Results(**body)

    def change(self, kept: Kept, *, save: bool = True, **changes: Any) -> None:
        """Note what became of a job."""
        with self._lock:
            kept.job = replace(kept.job, **changes)
            self._lock.notify_all()
            if save and kept.job.id in self._kept:
                self._save(kept)

    def give_up(self, kept: Kept) -> None:
        """A job that was ended before its time: by the user, or because the server stops."""
        if self._closing:
            self._interrupt(kept)
            return
        self._sweep(kept)
        self.change(
            kept, state="cancelled", holds=False, measured=False, finished=time.time(), stage="", checks=[]
        )

    def _interrupt(self, kept: Kept) -> None:
        if kept.job.holds:
            note = "Utility and attacks were not measured: the server was stopped meanwhile."
            self.change(kept, state="done", note=note, finished=time.time(), stage="")
            return
        self._sweep(kept)
        self.change(
            kept, state="interrupted", error=STOPPED, error_type="Interrupted", finished=time.time(), stage=""
        )

    def _sweep(self, kept: Kept) -> None:
        """Remove whatever a job has written, finished or not."""
        place = self.folder / kept.job.id
        shutil.rmtree(place, ignore_errors=True)

    def lose(self, kept: Kept, error: Remote) -> None:
        """A job whose work failed; a release that was verified before that stays."""
        if kept.job.holds:
            note = f"Utility and attacks were not measured. {error}".replace(" Nothing was published.", "")
            self.change(kept, state="done", note=note, finished=time.time(), stage="", fraction=1.0)
            return
        self._sweep(kept)
        self.change(
            kept,
            state="failed",
            error=str(error),
            error_type=error.kind,
            best=error.best,
            finished=time.time(),
            stage="",
        )

    def _save(self, kept: Kept) -> None:
        body = {"job": asdict(kept.job), "dataset": asdict(kept.dataset)}
        self._store.put("jobs", kept.job.id, body, created=kept.job.created)


class Maker:
    """Listens to the worker that makes one release."""

    def __init__(self, workshop: Workshop, kept: Kept) -> None:
        self._workshop, self._kept = workshop, kept

    def started(self) -> None:
        """Its turn has come."""
        self._workshop.change(self._kept, state="running", started=time.time(), stage="reading")

    def told(self, body: dict[str, Any]) -> None:
        """Progress stays in memory; that the release is verified is written down."""
        if "progress" in body:
            stage, done = body["progress"]
            state = "verifying" if stage == "verifying" else "running"
            self._workshop.change(self._kept, save=False, state=state, stage=stage, fraction=done)
            return
        verified = body["event"]["verified"]
        self._workshop.change(
            self._kept,
            holds=bool(verified["holds"]),
            checks=[CheckRecord(**check) for check in verified["checks"]],
            fingerprint=verified["fingerprint"],
            counts=verified["counts"],
            figures=verified["figures"],
            stage="measuring",
            fraction=0.0,
        )

    def done(self, outcome: dict[str, Any]) -> None:
        """All is made and measured, or it is said what is missing."""
        note = outcome["note"]
        self._workshop.change(
            self._kept,
            state="done",
            measured=note is None,
            note=note,
            stage="",
            fraction=1.0,
            finished=time.time(),
        )

    def failed(self, error: Remote) -> None:
        """The work failed."""
        self._workshop.lose(self._kept, error)

    def cancelled(self) -> None:
        """Somebody wanted it no more."""
        self._workshop.give_up(self._kept)


def _why_not(job: Job) -> str:
    if job.active:
        return "The release is not ready yet."
    return f"There is no release: the job is {job.state}." + (f" {job.error}" if job.error else "")


def _from_body(body: Mapping[str, Any]) -> Kept:
    job = dict(body["job"])
    job["checks"] = [CheckRecord(**check) for check in job["checks"]]
    dataset = dict(body["dataset"])
    dataset["preview"] = Preview(**dataset["preview"])
    return Kept(job=Job(**job), dataset=Dataset(**dataset))


__all__ = ["PACKED", "REPORT", "Kept", "Workshop"]
