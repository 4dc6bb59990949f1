"""Datasets: where they are, how they are read, and reading them in the background."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from covey.data.kinds import USUAL_KIND
from covey.errors import CoveyError, ParameterError
from covey.web.records.datasets import FAILED, PENDING, READY, Dataset, Preview
from covey.web.records.files import DEMOS, ITEMS
from covey.web.server import folders
from covey.web.server.entries import DatasetEntry, parsed
from covey.web.server.pool import WorkerPool
from covey.web.server.problems import Conflict, Full, NotFound, TaskError
from covey.web.server.queue import TaskListener, TaskQueue
from covey.web.server.reading import checked_options
from covey.web.server.settings import Settings
from covey.web.server.store import Store


class Datasets:
    """All datasets of a server.

    Attributes
    ----------
    changed : Condition
        To be held while an entry is changed; notified afterwards.
    """

    def __init__(self, settings: Settings, store: Store, pool: WorkerPool, queue: TaskQueue) -> None:
        self._settings, self._store, self._pool, self._queue = settings, store, pool, queue
        self.changed = threading.Condition()
        self._entries: dict[str, DatasetEntry] = {}
        self._folder = settings.data / "datasets"
        self._folder.mkdir(parents=True, exist_ok=True)
        for entry in store.load("datasets", parsed):
            self._entries[entry.dataset.id] = entry
            if entry.dataset.state == PENDING:
                try:
                    self._read(entry)
                except CoveyError as error:  # the file may be gone, or below another root
                    self.change(entry, state=FAILED, problem=str(error))

    def all(self) -> list[Dataset]:
        """All datasets, the newest first."""
        with self.changed:
            return [entry.dataset for entry in reversed(self._entries.values())]

    def get(self, id: str) -> Dataset:
        """One dataset; while its `state` is ``pending`` it is still being read."""
        return self.entry(id).dataset

    def entry(self, id: str) -> DatasetEntry:
        """One dataset with what only the server needs to know."""
        with self.changed:
            if id not in self._entries:
                raise NotFound("There is no such dataset; it may have been removed.")
            return self._entries[id]

    def ready_entry(self, id: str) -> DatasetEntry:
        """The same for a dataset that was read."""
        entry = self.entry(id)
        if entry.dataset.state == FAILED:
            raise Conflict(entry.dataset.problem or "This dataset cannot be read.")
        if entry.dataset.state != READY or not (self.folder_of(id) / ITEMS).exists():
            raise Conflict("This dataset is still being read.")
        return entry

    def wait(self, id: str) -> Dataset:
        """The dataset once it has been read."""
        entry = self.entry(id)
        with self.changed:
            self.changed.wait_for(lambda: entry.dataset.state != PENDING)
        return entry.dataset

    def folder_of(self, id: str) -> Path:
        """The folder of a dataset."""
        return self._folder / id

    def upload(self, name: str, path: Path) -> Dataset:
        """Take over a file that has arrived; its format and kind are recognised, reading begins."""
        id, folder = self._new_folder()
        return self._add(id, path.replace(folder / folders.safe_name(name)), "upload")

    def pick(self, path: str) -> Dataset:
        """Use a file below the root where it is."""
        found = folders.below(self._settings.root, path)
        if not found.is_file():
            raise NotFound("That is a folder; pick a file in it.")
        return self._add(secrets.token_hex(6), found, "root")

    def demo(self, name: str = "shop") -> Dataset:
        """Generated data to try things with: ``shop`` (baskets), ``survey`` (ratings) or ``people`` (a table)."""
        if name not in DEMOS:
            raise ParameterError(f"There is no demonstration '{name}'. Known: {', '.join(DEMOS)}.")
        id, folder = self._new_folder()
        made = self._pool.ask("write_demo", folder=str(folder), name=name)
        tree = made.pop("taxonomy")
        return self._add(id, folder / DEMOS[name], "demo", taxonomy=None if tree is None else folder / tree, **made)

    def _new_folder(self) -> tuple[str, Path]:
        """A new id and the folder for the file itself."""
        id = secrets.token_hex(6)
        folder = self.folder_of(id) / "original"
        folder.mkdir(parents=True)
        return id, folder

    def _add(
        self,
        id: str,
        path: Path,
        origin: str,
        kind: str | None = None,
        taxonomy: Path | None = None,
        **known: Any,
    ) -> Dataset:
        """Take a file in: recognise it now, read it in the background."""
        dataset = Dataset(
            id=id,
            name=path.name,
            origin=origin,
            size=path.stat().st_size,
            created=time.time(),
            taxonomy=None if taxonomy is None else taxonomy.name,
            **known,
        )
        entry = DatasetEntry(dataset=dataset, path=str(path), taxonomy_path=None if taxonomy is None else str(taxonomy))
        try:
            self.folder_of(id).mkdir(parents=True, exist_ok=True)
            self._recognise(entry, kind)
            self.save(entry)
        except BaseException:  # a file that cannot be noted is not kept
            folders.remove(self.folder_of(id))
            raise
        with self.changed:
            self._entries[id] = entry
        self._read(entry)
        return entry.dataset

    def _recognise(self, entry: DatasetEntry, kind: str | None) -> None:
        """Look at the beginning of the file; one that cannot be read is a dataset with a problem."""
        try:
            seen = self._pool.ask("preview", source={**self.source(entry), "kind": kind})
        except TaskError as error:
            seen = {"kind": kind or USUAL_KIND, "recognised": "", "columns": [], "rows": [], "problem": str(error)}
        entry.dataset = replace(
            entry.dataset,
            **{name: seen[name] for name in ("kind", "recognised", "columns", "problem")},
            preview=Preview(columns=seen["columns"], rows=seen["rows"]),
            state=FAILED if seen["problem"] else PENDING,
            stage="",
            fraction=0.0,
            shape={},
        )

    def _read(self, entry: DatasetEntry) -> None:
        """Read the dataset in the background."""
        with self.changed:
            entry.revision += 1
            self.save(entry)
        self._submit(entry)

    def _submit(self, entry: DatasetEntry) -> None:
        id = entry.dataset.id
        self._queue.cancel(f"{id}:profile", wait=False)
        if entry.dataset.state != FAILED:
            source = {**self.source(entry), "columns": entry.dataset.columns}
            arguments = {"source": source, "folder": str(self.folder_of(id))}
            self._queue.submit(f"{id}:profile", "profile", arguments, _Reading(self, entry))

    def source(self, entry: DatasetEntry) -> dict[str, Any]:
        """How a worker reads the dataset."""
        dataset = entry.dataset
        if dataset.origin == "root":
            folders.require_below(self._settings.root, Path(entry.path))
        return {
            "path": entry.path,
            "name": dataset.name,
            "kind": dataset.kind,
            "options": dict(dataset.options),
            "sensitive": list(dataset.sensitive),
            "hierarchies": dict(entry.hierarchy_paths),
            "files": dict(entry.file_paths),
            "taxonomy": entry.taxonomy_path,
        }

    def configure(self, id: str, *, kind: str | None = None, options: Mapping[str, Any]) -> Dataset:
        """Say how a dataset is to be read; what was found out about it is found out anew.

        Parameters
        ----------
        id : str
            The dataset.
        kind : str or None
            ``baskets``, ``ratings`` or ``table``; None keeps it.
        options : mapping
            Those of `covey.web.server.reading.reading_options`; replaces all that were given before. For tables
            ``quasi``, ``identifier``, ``other`` and ``categorical`` are lists of columns.
        """
        entry = self.entry(id)
        wanted = kind or entry.dataset.kind
        with self.restoring(entry):
            changes: dict[str, Any] = {"kind": wanted, "options": checked_options(wanted, options)}
            with self.changed:
                entry.revision += 1  # whatever is under way is about what it was before
                if wanted != entry.dataset.kind:
                    entry.hierarchy_paths, entry.file_paths = {}, {}
                    changes |= {"sensitive": [], "hierarchies": {}, "files": {}}
                if (wanted, changes["options"]) != (entry.dataset.kind, entry.dataset.options):
                    # Other items may come of it; how many a taxonomy lacks is not known any more.
                    changes["taxonomy_lacks"] = 0
                entry.dataset = replace(entry.dataset, **changes)
            self._recognise(entry, wanted)
            self._read(entry)
            return entry.dataset

    def change(self, entry: DatasetEntry, *, save: bool = True, **changes: Any) -> Dataset:
        """Note what is new of a dataset."""
        with self.changed, self.restoring(entry):
            entry.dataset = replace(entry.dataset, **changes)
            if save:
                self.save(entry)
            self.changed.notify_all()
            return entry.dataset

    @contextmanager
    def restoring(self, entry: DatasetEntry) -> Iterator[None]:
        """What a change did to an entry is taken back when it fails, for example because it cannot be stored."""
        values = {one.name: getattr(entry, one.name) for one in fields(entry)}
        before = {name: dict(value) if isinstance(value, dict) else value for name, value in values.items()}
        try:
            yield
        except BaseException:
            with self.changed:
                for name, value in before.items():
                    # Never back to a revision that something under way may be about.
                    setattr(entry, name, entry.revision + 1 if name == "revision" else value)
                if entry.dataset.state == PENDING and self._entries.get(entry.dataset.id) is entry:
                    self._submit(entry)
                self.changed.notify_all()
            raise

    def note(self, entry: DatasetEntry, *, save: bool = True, **changes: Any) -> None:
        """Note what was found out; where the disk is full it is known until the server stops."""
        try:
            self.change(entry, save=save, **changes)
        except Full:
            self.change(entry, save=False, **changes)

    def is_current(self, entry: DatasetEntry, revision: int) -> bool:
        """Whether a dataset is there and as it was at a revision."""
        return entry.revision == revision and self._entries.get(entry.dataset.id) is entry

    def save(self, entry: DatasetEntry) -> None:
        """Store a dataset as it is now."""
        self._store.put("datasets", entry.dataset.id, asdict(entry), created=entry.dataset.created)

    def drop(self, id: str) -> int:
        """Forget a dataset and remove what the server keeps of it; returns the bytes freed."""
        self.entry(id)  # raises where there is none
        for task in ("profile", "examine"):
            self._queue.cancel(f"{id}:{task}")
        freed = folders.remove(self.folder_of(id))  # first, to make room for writing down that it is gone
        self._store.drop("datasets", id)
        with self.changed:
            self._entries.pop(id, None)
        return freed


class _Reading(TaskListener):
    """Notes how far reading a dataset has come, unless it was changed meanwhile."""

    def __init__(self, datasets: Datasets, entry: DatasetEntry) -> None:
        self._datasets, self._entry, self._revision = datasets, entry, entry.revision

    def progress(self, stage: str, done: float) -> None:
        self._change(save=False, stage=stage, fraction=done)

    def done(self, outcome: Any) -> None:
        self._change(state=READY, shape=outcome, stage="", fraction=1.0, problem=None)

    def failed(self, error: TaskError) -> None:
        self._change(state=FAILED, problem=str(error))

    def _change(self, **changes: Any) -> None:
        with self._datasets.changed:
            if self._datasets.is_current(self._entry, self._revision):
                self._datasets.note(self._entry, **changes)
