"""Datasets: where they are, how they are read, and what is found out about them in the background."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from covey.errors import InputError, ParameterError
from covey.parameters import did_you_mean
from covey.web import folders
from covey.web.lanes import Lane
from covey.web.originals import ITEMS, reading_options
from covey.web.problems import Conflict, NotFound, Remote
from covey.web.processes import Crew
from covey.web.records import (
    BROKEN,
    PENDING,
    READY,
    Dataset,
    Item,
    Items,
    Listed,
    Preview,
    Risk,
    RiskPoint,
    Unknown,
)
from covey.web.roles import values_of
from covey.web.settings import Settings
from covey.web.store import Store

#: Options that hold names of columns, of which there can be several.
LISTS = ("quasi", "identifier", "other", "categorical")


@dataclass(slots=True, kw_only=True)
class Held:
    """A dataset with what only the server needs to know.

    `revision` counts changes that matter to reading; `examined` is the one that `findings` are about.
    """

    dataset: Dataset
    path: str
    taxonomy: str | None = None
    hierarchies: dict[str, str] = field(default_factory=dict)
    revision: int = 0
    examined: int = -1
    asked: int = -1
    fraction: float = 0.0
    findings: dict[str, Any] = field(default_factory=dict)
    failure: str | None = None


class Errand:
    """A listener made of functions; what is not given is ignored."""

    def __init__(
        self,
        *,
        told: Callable[[str, float], None],
        done: Callable[[Any], None],
        failed: Callable[[Remote], None],
    ) -> None:
        self._told, self._done, self._failed = told, done, failed

    def started(self) -> None:
        """Nothing to note."""

    def told(self, body: dict[str, Any]) -> None:
        """Pass progress on."""
        if "progress" in body:
            self._told(*body["progress"])

    def done(self, outcome: Any) -> None:
        """Pass the outcome on."""
        self._done(outcome)

    def failed(self, error: Remote) -> None:
        """Pass the error on."""
        self._failed(error)

    def cancelled(self) -> None:
        """Nobody wants to know any more."""


class Shelf:
    """All datasets of a server.

    Parameters
    ----------
    settings, store, crew
        As the steward has them.
    """

    def __init__(self, settings: Settings, store: Store, crew: Crew) -> None:
        self._settings, self._store, self._crew = settings, store, crew
        self._lane = Lane(crew, 1)
        self._lock = threading.Condition()
        self._held: dict[str, Held] = {}
        self.folder = settings.data / "datasets"
        self.folder.mkdir(parents=True, exist_ok=True)
        for body in store.all("datasets"):
            held = _from_body(body)
            self._held[held.dataset.id] = held
            if held.dataset.state == PENDING:
                self._profile(held)

    def close(self) -> None:
        """Stop what is under way; it begins anew when the server does."""
        self._lane.close()

    def all(self) -> list[Dataset]:
        """All datasets, the newest first."""
        with self._lock:
            return [held.dataset for held in reversed(self._held.values())]

    def get(self, id: str) -> Dataset:
        """One dataset."""
        return self.held(id).dataset

    def held(self, id: str) -> Held:
        """One dataset with what only the server needs to know."""
        with self._lock:
            if id not in self._held:
                raise NotFound("There is no such dataset; it may have been cleaned away.")
            return self._held[id]

    def wait(self, id: str, timeout: float) -> Dataset:
        """The dataset once it has been read, or as it stands after so many seconds."""
        held = self.held(id)
        with self._lock:
            self._lock.wait_for(lambda: held.dataset.state != PENDING, timeout)
        return held.dataset

    def wait_risk(self, id: str, timeout: float) -> Risk:
        """The risk once it is known, or what is known after so many seconds."""
        self.risk(id)
        with self._lock:
            self._lock.wait_for(lambda: self.risk(id).state != PENDING, timeout)
        return self.risk(id)

    def place(self, id: str) -> Path:
        """The folder of a dataset."""
        return self.folder / id

    def new_place(self) -> tuple[str, Path]:
        """A new id and the folder for the file itself."""
        id = secrets.token_hex(6)
        original = self.place(id) / "original"
        original.mkdir(parents=True)
        return id, original

    def add(
        self,
        id: str,
        path: Path,
        name: str,
        origin: str,
        kind: str | None = None,
        taxonomy: str | None = None,
        **known: Any,
    ) -> Dataset:
        """Take a file in: recognise it now, read it in the background."""
        if taxonomy is not None:
            known["taxonomy"] = Path(taxonomy).name
        dataset = Dataset(
            id=id, name=name, origin=origin, size=path.stat().st_size, created=time.time(), **known
        )
        self.place(id).mkdir(parents=True, exist_ok=True)
        held = Held(dataset=dataset, path=str(path), taxonomy=taxonomy)
        self._look(held, kind)
        with self._lock:
            self._held[id] = held
        self._profile(held)
        return held.dataset

    def _look(self, held: Held, kind: str | None) -> None:
        """Recognise the file; a file that cannot be read is a dataset with a problem."""
        try:
            seen = self._crew.ask("preview", source={**self.source(held), "kind": kind})
        except Remote as error:
            seen = {
                "kind": kind or "baskets",
                "recognised": "",
                "columns": [],
                "rows": [],
                "problem": str(error),
            }
        held.dataset = replace(
            held.dataset,
            kind=seen["kind"],
            recognised=seen["recognised"],
            columns=seen["columns"],
            preview=Preview(columns=seen["columns"], rows=seen["rows"]),
            problem=seen["problem"],
            state=BROKEN if seen["problem"] else PENDING,
            stage="",
            fraction=0.0,
            shape={},
        )

    def source(self, held: Held) -> dict[str, Any]:
        """How a worker reads the dataset."""
        dataset = held.dataset
        if dataset.origin == "root":
            # A link may have been turned elsewhere since it was picked.
            assert self._settings.root is not None
            folders.below(
                self._settings.root, str(Path(held.path).relative_to(self._settings.root.resolve()))
            )
        return {
            "path": held.path,
            "name": dataset.name,
            "kind": dataset.kind,
            "options": dict(dataset.options),
            "sensitive": list(dataset.sensitive),
            "hierarchies": dict(held.hierarchies),
            "taxonomy": held.taxonomy,
        }

    def configure(self, id: str, *, kind: str | None, options: Mapping[str, Any]) -> Dataset:
        """Read the dataset in another way; what was found out about it is found out anew."""
        held = self.held(id)
        wanted = kind or held.dataset.kind
        known = reading_options(wanted)
        given: dict[str, Any] = {}
        for name, value in options.items():
            if name not in known:
                raise ParameterError(
                    f"{wanted} have no reading option '{name}'.{did_you_mean(name, known)} "
                    f"They have {', '.join(known)}."
                )
            if value is None or value == "" or value == []:
                continue
            if isinstance(value, list) and name not in LISTS:
                raise ParameterError(f"The reading option '{name}' is one text, not a list.")
            given[name] = [str(part) for part in value] if isinstance(value, list) else str(value)
        with self._lock:
            held.revision += 1  # whatever is under way is about what it was before
            same_kind = wanted == held.dataset.kind
            if not same_kind or given != held.dataset.options:
                # Other items may come of it; how many a taxonomy lacks is not known any more.
                held.dataset = replace(held.dataset, taxonomy_lacks=0)
            sensitive = held.dataset.sensitive if same_kind else []
            held.dataset = replace(held.dataset, kind=wanted, options=given, sensitive=sensitive)
            if not same_kind:
                held.hierarchies, held.dataset = {}, replace(held.dataset, hierarchies={})
        self._look(held, wanted)
        self._profile(held)
        return held.dataset

    def _profile(self, held: Held) -> None:
        """Read the dataset in the background."""
        with self._lock:
            held.revision += 1
            held.failure = None
            revision, id = held.revision, held.dataset.id
            self._save(held)
        self._lane.cancel(f"{id}:profile", wait=False)
        if held.dataset.state == BROKEN:
            return

        def change(**changes: Any) -> None:
            with self._lock:
                if held.revision == revision and self._held.get(id) is held:
                    held.dataset = replace(held.dataset, **changes)
                    self._lock.notify_all()
                    if changes.get("state"):
                        self._save(held)

        self._lane.submit(
            f"{id}:profile",
            "profile",
            {
                "source": {**self.source(held), "columns": held.dataset.columns},
                "folder": str(self.place(id)),
            },
            Errand(
                told=lambda stage, done: change(stage=stage, fraction=done),
                done=lambda shape: change(state=READY, shape=shape, stage="", fraction=1.0, problem=None),
                failed=lambda error: change(state=BROKEN, problem=str(error)),
            ),
        )

    def set_sensitive(self, id: str, labels: Sequence[str]) -> Dataset:
        """Mark exactly these items, issues or columns as sensitive."""
        held = self.held(id)
        if held.dataset.kind == "table":
            return self._set_sensitive_columns(held, list(dict.fromkeys(labels)))
        self._require_ready(held)
        checked = self._crew.ask(
            "mark", folder=str(self.place(id)), kind=held.dataset.kind, labels=list(labels)
        )
        with self._lock:
            held.dataset = replace(held.dataset, sensitive=checked)
            held.revision += 1
            self._save(held)
        return held.dataset

    def mark_listed(self, id: str, text: str, skip_unknown: bool) -> Listed:
        """Mark what a list names besides what is marked; all of it or nothing, unless unknown names may be skipped."""
        held = self.held(id)
        if held.dataset.kind == "table":
            raise Conflict("The columns of a table are marked by their roles.")
        self._require_ready(held)
        found = self._crew.ask("listed", folder=str(self.place(id)), text=text)
        if not found["known"] and not found["unknown"]:
            raise InputError("the list names nothing", remedy="Write one name a line.")
        marked = bool(found["known"]) and (skip_unknown or not found["unknown"])
        if marked:
            self.set_sensitive(id, list(dict.fromkeys([*held.dataset.sensitive, *found["known"]])))
        unknown = [Unknown(label=label, near=near) for label, near in found["unknown"]]
        return Listed(dataset=held.dataset, known=len(found["known"]), marked=marked, unknown=unknown)

    def _set_sensitive_columns(self, held: Held, names: list[str]) -> Dataset:
        known = held.dataset.columns
        for name in names:
            if name not in known:
                near = did_you_mean(name, known).strip() or f"The columns are {', '.join(known)}."
                raise InputError(f"there is no column {name!r}", remedy=near)
        options = dict(held.dataset.options)
        for role in LISTS:
            # A column has one role: becoming sensitive ends what it was before.
            if role in options:
                listed = options[role] if isinstance(options[role], list) else options[role].split(",")
                options[role] = [part.strip() for part in listed if part.strip() not in names]
        with self._lock:
            held.dataset = replace(held.dataset, sensitive=names)
        return self.configure(held.dataset.id, kind=None, options=options)

    def attach_taxonomy(self, id: str, path: Path | None, name: str) -> tuple[Dataset, dict[str, Any]]:
        """Take a taxonomy in, or None to do without; returns how it fits."""
        held = self.held(id)
        fit: dict[str, Any] = {}
        if path is not None:
            self._require_ready(held)
            fit = self._crew.ask("taxonomy", path=str(path), name=name, folder=str(self.place(id)))
        with self._lock:
            held.taxonomy = None if path is None else str(path)
            held.dataset = replace(
                held.dataset,
                taxonomy=None if path is None else name,
                taxonomy_lacks=fit.get("missing_count", 0),
            )
            self._save(held)
        return held.dataset, fit

    def attach_hierarchy(self, id: str, column: str, path: Path | None, name: str) -> Dataset:
        """Take the hierarchy of a table's column in, or None to do without."""
        held = self.held(id)
        if held.dataset.kind != "table" or column not in held.dataset.columns:
            raise InputError(
                f"there is no column {column!r} in a table here", remedy="Choose one of its columns."
            )
        if path is not None:
            self._crew.ask("hierarchy", path=str(path), name=name)
        with self._lock:
            held.hierarchies.pop(column, None)
            names = {key: value for key, value in held.dataset.hierarchies.items() if key != column}
            if path is not None:
                held.hierarchies[column] = str(path)
                names[column] = name
            held.dataset = replace(held.dataset, hierarchies=names)
        return self.configure(id, kind=None, options=held.dataset.options)

    def items(self, id: str, search: str, offset: int, limit: int, only: bool) -> Items:
        """One page of what can be sensitive, the most frequent first."""
        held = self.held(id)
        dataset = held.dataset
        if dataset.kind == "table":
            values = values_of(dataset)
            found = [
                Item(item=name, support=values.get(name, 0), sensitive=name in dataset.sensitive)
                for name in dataset.columns
                if search.casefold() in name.casefold() and (not only or name in dataset.sensitive)
            ]
            return Items(total=len(found), items=found[offset : offset + limit])
        self._require_ready(held)
        page = self._crew.ask(
            "items",
            folder=str(self.place(id)),
            search=search,
            sensitive=dataset.sensitive,
            offset=offset,
            limit=limit,
            only=only,
        )
        return Items(total=page["total"], items=[Item(**row) for row in page["items"]])

    def risk(self, id: str) -> Risk:
        """The exposure of the original as it is configured; begins to find out when it is not known."""
        held = self.held(id)
        self._examine(held)
        with self._lock:
            if held.dataset.state == BROKEN:
                return Risk(state=BROKEN, problem=held.dataset.problem)
            if held.examined != held.revision:
                if held.asked == held.revision and held.failure:
                    return Risk(state=BROKEN, problem=held.failure)
                return Risk(state=PENDING, fraction=held.fraction)
            found = held.findings
        points = [RiskPoint(**point) for point in found["points"]]
        return Risk(
            state=READY,
            fraction=1.0,
            unit=found["unit"],
            points=points,
            curve=found["curve"],
            exposure=found["exposure"],
        )

    def limits(self, id: str) -> dict[str, Any]:
        """The limits of each guarantee, empty until they are known."""
        self._examine(self.held(id))
        return self.known_limits(id)

    def known_limits(self, id: str) -> dict[str, Any]:
        """The limits as far as they are known, without finding out."""
        held = self.held(id)
        with self._lock:
            return dict(held.findings.get("limits", {})) if held.examined == held.revision else {}

    def _examine(self, held: Held) -> None:
        with self._lock:
            revision, id = held.revision, held.dataset.id
            if revision in (held.examined, held.asked) or held.dataset.state == BROKEN:
                return
            held.asked, held.fraction, held.failure = revision, 0.0, None
        self._lane.cancel(f"{id}:examine", wait=False)

        def note(stage: str, done: float) -> None:
            held.fraction = done if stage == "measuring" else 0.0

        def done(findings: dict[str, Any]) -> None:
            with self._lock:
                if held.revision == revision:
                    held.findings, held.examined = findings, revision
                    self._lock.notify_all()
                    self._save(held)

        def failed(error: Remote) -> None:
            with self._lock:
                if held.revision == revision:
                    held.failure = str(error)
                    self._lock.notify_all()

        self._lane.submit(
            f"{id}:examine",
            "examine",
            {"source": self.source(held)},
            Errand(told=note, done=done, failed=failed),
        )

    def drop(self, id: str) -> int:
        """Forget a dataset and remove what the server keeps of it; returns the bytes freed."""
        self.held(id)
        for task in ("profile", "examine"):
            self._lane.cancel(f"{id}:{task}")
        with self._lock:
            self._held.pop(id, None)
            self._store.drop("datasets", id)
        return folders.remove(self.place(id))

    def _require_ready(self, held: Held) -> None:
        if held.dataset.state == BROKEN:
            raise Conflict(held.dataset.problem or "This dataset cannot be read.")
        if held.dataset.state != READY or not (self.place(held.dataset.id) / ITEMS).exists():
            raise Conflict("This dataset is still being read.")

    def _save(self, held: Held) -> None:
        body = {name: getattr(held, name) for name in _SAVED} | {"dataset": asdict(held.dataset)}
        self._store.put("datasets", held.dataset.id, body, created=held.dataset.created)


_SAVED = ("path", "taxonomy", "hierarchies", "revision", "examined", "findings")


def _from_body(body: Mapping[str, Any]) -> Held:
    known = dict(body["dataset"])
    known["preview"] = Preview(**known["preview"])
    return Held(dataset=Dataset(**known), **{name: body[name] for name in _SAVED})
