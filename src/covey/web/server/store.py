"""The database: one local SQLite file in which datasets and jobs outlive the server."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from covey.errors import CoveyError, OutputError
from covey.web.records.files import VERSION
from covey.web.records.jobs import Unreadable
from covey.web.server.migrations import migrated
from covey.web.server.problems import Full
from covey.web.server.rescue import is_sound, put_aside, rescued

TABLES = ("datasets", "jobs")

#: What a record that was changed by hand, or written by another version, may cause.
TROUBLES = (CoveyError, LookupError, TypeError, ValueError, AttributeError)

Record = TypeVar("Record")


class Store:
    """Records by table and id, as JSON, each with the version it was written in.

    Parameters
    ----------
    path : Path
        The file; made when it is not there.

    Attributes
    ----------
    unreadable : list of Unreadable
        Records that `load` could not read. They stay in the database, for a covey that can.
    damaged : Path or None
        Where a database is kept that was found damaged; what could be read of it was taken over.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "covey.sqlite3")
    ...     store.put("jobs", "a1", {"state": "done"}, created=1.0)
    ...     found = store.load("jobs", dict)
    ...     store.close()
    >>> found
    [{'state': 'done'}]
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self.unreadable: list[Unreadable] = []
        self.damaged: Path | None = None
        try:
            if path.is_file() and not is_sound(path):
                self.damaged = put_aside(path)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            [found] = self._db.execute("PRAGMA user_version").fetchone()
            if found > VERSION:
                raise OutputError(
                    f"{path} was written by a newer version of covey. Use that, or another folder with --data."
                )
            self._make_tables(found)
            if self.damaged is not None:
                self._take_over(self.damaged)
        except sqlite3.Error as error:
            raise OutputError(
                f"{path} cannot be used as a database: {error}. Choose another folder with --data."
            ) from None

    def _take_over(self, damaged: Path) -> None:
        """Take the records that can still be read from a damaged database; they keep their version."""
        found = 0
        for table in TABLES:
            for row in rescued(damaged, table):
                self._db.execute(f"INSERT OR IGNORE INTO {table} (id, created, body, version) VALUES (?, ?, ?, ?)", row)
                found += 1
        logging.getLogger(__name__).warning(
            "The database was damaged. It is kept as %s; %d of its records could be read.", damaged.name, found
        )

    def _make_tables(self, found: int) -> None:
        """Tables as this version has them, all of them or none."""
        version = "version INTEGER NOT NULL DEFAULT 1"
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for table in TABLES:
                self._db.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} "
                    f"(id TEXT PRIMARY KEY, created REAL, body TEXT NOT NULL, {version})"
                )
                if found == 1:  # where a record did not say its version
                    self._db.execute(f"ALTER TABLE {table} ADD COLUMN {version}")
            self._db.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                # The first byte is the kind of the error: a full disk may be any trouble with writing.
                if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                    raise Full from None
                raise OutputError(f"covey's database cannot be written: {error}.") from None

    def put(self, table: str, id: str, body: Mapping[str, Any], *, created: float) -> None:
        """Write one record, new or changed."""
        text = json.dumps(body, ensure_ascii=False)
        with self._writing():
            self._db.execute(
                f"INSERT INTO {table} (id, created, body, version) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET body = excluded.body, version = excluded.version",
                (id, created, text, VERSION),
            )

    def load(self, table: str, parse: Callable[[dict[str, Any]], Record]) -> list[Record]:
        """All records that can be read, the oldest first; the others are noted in `unreadable`."""
        with self._lock:
            rows = self._db.execute(f"SELECT id, created, version, body FROM {table} ORDER BY created, id").fetchall()
        found = []
        for id, created, version, body in rows:
            try:
                record = json.loads(body)
                if not isinstance(record, dict):
                    raise ValueError("it is not a JSON object")
                found.append(parse(migrated(table, version, record)))
            except TROUBLES as error:
                unreadable = Unreadable(table=table, id=id, created=created or 0.0, reason=_reason(error))
                self.unreadable.append(unreadable)
                logging.getLogger(__name__).warning(
                    "The record %s of %s cannot be read and is left as it is: %s.",
                    id,
                    table,
                    unreadable.reason,
                )
        return found

    def note_lost(self, table: str, folder: Path, known: Container[str]) -> None:
        """Note the folders of which no record tells, after `load`: their records may have been damaged."""
        noted = {one.id for one in self.unreadable if one.table == table}
        for path in sorted(folder.iterdir()):
            if path.is_dir() and path.name not in known and path.name not in noted:
                created = path.stat().st_mtime
                lost = Unreadable(table=table, id=path.name, created=created, reason="its record is lost")
                self.unreadable.append(lost)

    def drop(self, table: str, id: str) -> None:
        """Remove a record, also one that cannot be read."""
        with self._writing():
            self._db.execute(f"DELETE FROM {table} WHERE id = ?", (id,))
            self.unreadable = [one for one in self.unreadable if (one.table, one.id) != (table, id)]

    def close(self) -> None:
        """Finish; the store cannot be used afterwards."""
        with self._lock:
            self._db.close()


def _reason(error: Exception) -> str:
    """What is wrong with a record, in one line."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON ({error})"
    return f"it has no {error}" if isinstance(error, KeyError) else str(error).rstrip(".")
