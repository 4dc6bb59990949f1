"""The database: one local SQLite file in which datasets and jobs outlive the server."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from covey.errors import CoveyError, OutputError
from covey.web.records.files import VERSION
from covey.web.server.problems import Full

TABLES = ("datasets", "jobs")

Record = TypeVar("Record")


class Store:
    """Records by table and id, as JSON.

    The database is made when it is not there. One with another layout, or with a record that cannot be read, is
    refused with an `OutputError` and left as it is.

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
        self._path = path
        self._lock = threading.Lock()
        with self._reading():
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            try:
                is_new = self._has_no_layout()
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = NORMAL")
                if is_new:
                    self._make_tables()
            except BaseException:
                self._db.close()
                raise

    def _has_no_layout(self) -> bool:
        """Whether the database is new; one that another version of covey wrote is refused."""
        [found] = self._db.execute("PRAGMA user_version").fetchone()
        if found not in (0, VERSION):
            raise OutputError(
                f"{self._path} was written by another version of covey (layout {found}; this one uses {VERSION}). "
                "Use that version, or another folder with --data."
            )
        return bool(found == 0)

    def _make_tables(self) -> None:
        """Make the tables, all of them or none."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            for table in TABLES:
                self._db.execute(f"CREATE TABLE {table} (id TEXT PRIMARY KEY, created REAL, body TEXT NOT NULL)")
            self._db.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise OutputError(
                f"{self._path} cannot be used as a database: {error}. Choose another folder with --data."
            ) from None

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
                f"INSERT INTO {table} (id, created, body) VALUES (?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                (id, created, text),
            )

    def load(self, table: str, parse: Callable[[dict[str, Any]], Record]) -> list[Record]:
        """All records, the oldest first."""
        with self._lock, self._reading():
            rows = self._db.execute(f"SELECT id, body FROM {table} ORDER BY created, id").fetchall()
        return [self._parsed(table, id, body, parse) for id, body in rows]

    def _parsed(self, table: str, id: str, body: str, parse: Callable[[dict[str, Any]], Record]) -> Record:
        try:
            return parse(json.loads(body))
        except (CoveyError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise OutputError(
                f"The record {id} in {table} of {self._path} cannot be read: {reason}. "
                "Choose another folder with --data."
            ) from None

    def drop(self, table: str, id: str) -> None:
        """Remove a record."""
        with self._writing():
            self._db.execute(f"DELETE FROM {table} WHERE id = ?", (id,))

    def close(self) -> None:
        """Finish; the store cannot be used afterwards."""
        with self._lock:
            self._db.close()
