"""Projects on the page: the choices behind a release as one file, and the same choices for another dataset."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.release.about import About
from covey.web.records.datasets import FAILED, Dataset
from covey.web.records.jobs import Job
from covey.web.server.folders import safe_name
from covey.web.server.pool import WorkerPool
from covey.web.server.problems import Conflict

if TYPE_CHECKING:
    from covey.web.server.service import Service


class Projects:
    """Saves and applies projects of a service."""

    def __init__(self, service: Service, pool: WorkerPool) -> None:
        self._service, self._datasets, self._pool = service, service.datasets, pool

    def of_job(self, id: str) -> str:
        """The project behind a release, as text; its trees are those of the dataset, which must still be there."""
        job, before = self._service.jobs.get(id), self._service.jobs.entry(id).dataset
        entry = self._datasets.entry(job.dataset)
        source = self._datasets.source(entry) | {"kind": before.kind, "options": dict(before.options)}
        # What the items are is known of the data as it is read now.
        same = (before.kind, before.options, before.files) == (
            entry.dataset.kind,
            entry.dataset.options,
            entry.dataset.files,
        )
        text: str = self._pool.ask(
            "project_text",
            source=source | {"sensitive": list(job.sensitive)},
            folder=str(self._datasets.folder_of(job.dataset)) if same else None,
            patterns=list(before.patterns),
            guarantee=job.guarantee,
            method=job.method,
            options=dict(job.options),
            audit=job.audit,
            about=dict(job.about),
        )
        return text

    def apply(self, id: str, name: str, path: Path) -> Job:
        """Read a dataset as a project says, mark what it says, and start the release.

        Nothing of the dataset is changed by a file that is no project.
        """
        found = self._pool.ask("read_project", path=str(path), name=name)
        self._datasets.configure(id, kind=found["kind"], options=found["reading"])
        self._read(id)
        for what, (file, text) in sorted(found["trees"].items()):  # names before the taxonomy that holds them
            place = path.with_name(secrets.token_hex(8))
            place.write_text(text, encoding="utf-8", newline="")
            self._service.trees.attach(id, what, safe_name(file), place)
            self._read(id)
        self._mark(id, found["sensitive"])
        dataset = self._read(id)
        if found["sensitive"] and not dataset.sensitive:
            raise InputError("none of its sensitive names is in this file", file=name, remedy="Check both files.")
        given = {"options": found["options"], "audit": found["audit"], "about": About(**found["about"])}
        return self._service.start(id, found["guarantee"], found["method"], **given)

    def _read(self, id: str) -> Dataset:
        dataset = self._datasets.wait(id)
        if dataset.state == FAILED:
            raise Conflict(f"The file cannot be read as the project says. {dataset.problem or ''}".strip())
        return dataset

    def _mark(self, id: str, names: list[str]) -> None:
        dataset: Any = self._datasets.get(id)
        if not names:
            return
        if data_kind(dataset.kind).by_roles:
            self._service.sensitive.mark(id, [name for name in names if name in dataset.columns])
        else:
            self._service.sensitive.mark_list(id, "\n".join(names), skip_unknown=True)
