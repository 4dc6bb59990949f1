"""How exposed people are in the original, and what can be promised for it; found out in the background."""

from __future__ import annotations

from typing import Any

from covey.web.records.datasets import FAILED, PENDING, READY, Risk, RiskPoint
from covey.web.server.datasets import Datasets
from covey.web.server.entries import DatasetEntry
from covey.web.server.parameters import suggested_guarantees
from covey.web.server.problems import TaskError
from covey.web.server.queue import TaskListener, TaskQueue


class Exposure:
    """Risk and limits of datasets, as they are configured."""

    def __init__(self, datasets: Datasets, queue: TaskQueue) -> None:
        self._datasets, self._queue = datasets, queue
        self._examining: dict[str, _Examining] = {}

    def risk(self, id: str) -> Risk:
        """How exposed people are in the original; ask again while its state is ``pending``."""
        entry = self._datasets.entry(id)
        with self._datasets.changed:
            if entry.dataset.state == FAILED:
                return Risk(state=FAILED, problem=entry.dataset.problem)
            if entry.examined_revision != entry.revision:
                asked = self._examine(entry)
                state = PENDING if asked.problem is None else FAILED
                return Risk(state=state, fraction=asked.fraction, problem=asked.problem)
            found = entry.examination
        told = {name: found[name] for name in ("unit", "curve", "exposure")}
        return Risk(state=READY, fraction=1.0, points=[RiskPoint(**point) for point in found["points"]], **told)

    def wait(self, id: str) -> Risk:
        """The risk once it is known."""
        with self._datasets.changed:
            self._datasets.changed.wait_for(lambda: self.risk(id).state != PENDING)
        return self.risk(id)

    def limits(self, id: str) -> dict[str, Any]:
        """The limits of each guarantee, empty until they are known; finding out begins when they are not."""
        self.risk(id)
        return self.known_limits(id)

    def known_limits(self, id: str) -> dict[str, Any]:
        """The limits as far as they are known, without finding out."""
        entry = self._datasets.entry(id)
        with self._datasets.changed:
            current = entry.examined_revision == entry.revision
            return dict(entry.examination.get("limits", {})) if current else {}

    def _examine(self, entry: DatasetEntry) -> _Examining:
        id = entry.dataset.id
        asked = self._examining.get(id)
        if asked is None or asked.revision != entry.revision:
            guarantees = suggested_guarantees(entry.dataset.kind)
            arguments = {"source": self._datasets.source(entry), "guarantees": guarantees}
            asked = self._examining[id] = _Examining(self._datasets, entry)
            self._queue.cancel(f"{id}:examine", wait=False)
            self._queue.submit(f"{id}:examine", "examine", arguments, asked)
        return asked


class _Examining(TaskListener):
    """Finding out about one revision of a dataset: how far it has come, and why it cannot be done."""

    def __init__(self, datasets: Datasets, entry: DatasetEntry) -> None:
        self._datasets, self._entry, self.revision = datasets, entry, entry.revision
        self.fraction = 0.0
        self.problem: str | None = None

    def progress(self, stage: str, done: float) -> None:
        self.fraction = done if stage == "measuring" else 0.0

    def done(self, outcome: Any) -> None:
        with self._datasets.changed:
            if self._datasets.is_current(self._entry, self.revision):
                self._entry.examination, self._entry.examined_revision = outcome, self.revision
                self._datasets.note(self._entry)

    def failed(self, error: TaskError) -> None:
        with self._datasets.changed:
            self.problem = str(error)
            self._datasets.changed.notify_all()
