"""Files beside that of a dataset, taxonomies, hierarchies, items: taking them in, and doing without them."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.web.records.datasets import Dataset
from covey.web.server import folders
from covey.web.server.datasets import Datasets
from covey.web.server.pool import WorkerPool
from covey.web.server.problems import NotFound
from covey.web.server.reading import second_files


class Trees:
    """The taxonomy of a dataset's items, the hierarchies of its columns, and second files that it is read from."""

    def __init__(self, datasets: Datasets, pool: WorkerPool) -> None:
        self._datasets, self._pool = datasets, pool

    def attach_taxonomy(self, id: str, name: str, path: Path) -> Dataset:
        """Take over a file that has arrived as the taxonomy."""
        with self._taken_over(id, name, path) as file:
            self._datasets.ready_entry(id)
            folder = str(self._datasets.folder_of(id))
            fit = self._pool.ask("check_taxonomy", path=str(file), name=file.name, folder=folder)
        return self._set_taxonomy(id, file, fit["missing_count"])

    def suggest_taxonomy(self, id: str, by: str) -> Dataset:
        """Propose a taxonomy of the items and take it."""
        entry = self._datasets.ready_entry(id)
        return self._written(id, lambda out: self._pool.ask(
            "suggest_tree", source=self._datasets.source(entry), by=by, out=out
        ))  # fmt: skip

    def edit_taxonomy(self, id: str, edit: str, label: str, target: str) -> Dataset:
        """Rename, move or merge a node."""
        path = str(self.taxonomy_file(id))
        given = {"edit": edit, "label": label, "target": target}
        return self._written(id, lambda out: self._pool.ask("edit_tree", path=path, out=out, **given))

    def node(self, id: str, label: str) -> dict[str, Any]:
        """A node of the taxonomy with its children; an empty label is the root."""
        self._datasets.ready_entry(id)
        folder = str(self._datasets.folder_of(id))
        found: dict[str, Any] = self._pool.ask(
            "tree_node", path=str(self.taxonomy_file(id)), folder=folder, label=label
        )
        return found

    def taxonomy_file(self, id: str) -> Path:
        """Where the taxonomy is."""
        path = self._datasets.entry(id).taxonomy_path
        if path is None:
            raise NotFound("This data has no taxonomy. Add one, or let covey propose one.")
        return Path(path)

    def _written(self, id: str, write: Callable[[str], Any]) -> Dataset:
        """Take what `write` writes as the taxonomy."""
        made = self._datasets.folder_of(id) / f"taxonomy-{secrets.token_hex(4)}.csv"
        try:
            write(str(made))
            return self.attach_taxonomy(id, "taxonomy.csv", made)
        finally:
            made.unlink(missing_ok=True)

    def detach_taxonomy(self, id: str) -> Dataset:
        """Do without a taxonomy, and remove its file."""
        before = self._datasets.entry(id).taxonomy_path
        dataset = self._set_taxonomy(id, None, 0)
        if before is not None:
            Path(before).unlink(missing_ok=True)
        return dataset

    def _set_taxonomy(self, id: str, file: Path | None, lacks: int) -> Dataset:
        entry = self._datasets.entry(id)
        with self._datasets.changed, self._datasets.restoring(entry):
            entry.taxonomy_path = None if file is None else str(file)
            name = None if file is None else file.name
            return self._datasets.change(entry, taxonomy=name, taxonomy_lacks=lacks)

    def attach_hierarchy(self, id: str, column: str, name: str, path: Path) -> Dataset:
        """Take over a file that has arrived as the hierarchy of a table's column."""
        with self._taken_over(id, name, path) as file:
            self._require_column(id, column)
            source = self._datasets.source(self._datasets.entry(id))
            self._pool.ask("check_hierarchy", path=str(file), name=file.name, column=column, source=source)
            return self._set(id, "hierarchies", column, file)

    def detach_hierarchy(self, id: str, column: str) -> Dataset:
        """Do without the hierarchy of a column, and remove its file."""
        self._require_column(id, column)
        return self._set(id, "hierarchies", column, None)

    def _require_column(self, id: str, column: str) -> None:
        dataset = self._datasets.get(id)
        if not data_kind(dataset.kind).has_columns or column not in dataset.columns:
            raise InputError(f"there is no column {column!r} in a table here", remedy="Choose one of its columns.")

    def attach_file(self, id: str, option: str, name: str, path: Path, person: str = "") -> Dataset:
        """Take over a file that has arrived as one more to read, joined by the column that names the `person`."""
        with self._taken_over(id, name, path) as file:
            return self._set_file(id, option, file, **({"person": person} if person else {}))

    def detach_file(self, id: str, option: str) -> Dataset:
        """Do without a second file, and remove it."""
        return self._set_file(id, option, None)

    def _set_file(self, id: str, option: str, file: Path | None, **said: str) -> Dataset:
        kind = self._datasets.get(id).kind
        if option not in [one.name for one in second_files(kind)]:
            raise InputError(f"{kind} have no second file {option!r}", remedy="Say first what the file holds.")
        return self._set(id, "files", option, file, **said)

    def _set(self, id: str, what: str, key: str, file: Path | None, **said: str) -> Dataset:
        """Use another of the `hierarchies` or `files` of a dataset, or none, and read it anew."""
        entry = self._datasets.entry(id)
        with self._datasets.restoring(entry):
            with self._datasets.changed:
                paths = entry.hierarchy_paths if what == "hierarchies" else entry.file_paths
                names = {one: name for one, name in getattr(entry.dataset, what).items() if one != key}
                before = paths.pop(key, None)
                if file is not None:
                    paths[key], names[key] = str(file), file.name
                self._datasets.change(entry, save=False, **{what: names})
            dataset = self._datasets.configure(id, options={**entry.dataset.options, **said})
        if file is None and before is not None:
            Path(before).unlink(missing_ok=True)
        return dataset

    @contextmanager
    def _taken_over(self, id: str, name: str, path: Path) -> Iterator[Path]:
        """Take a file over for a dataset; it is removed again when it turns out to be of no use."""
        target = self._datasets.folder_of(id) / "given" / secrets.token_hex(4) / folders.safe_name(name)
        try:
            self._datasets.get(id)
            target.parent.mkdir(parents=True)
            yield path.replace(target)
        except BaseException:
            path.unlink(missing_ok=True)
            shutil.rmtree(target.parent, ignore_errors=True)
            raise
