"""The database: one local SQLite file in which datasets and jobs outlive the server."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.errors import OutputError

VERSION = 1
TABLES = ("datasets", "jobs")


class Store:
    """Records by table and id, as JSON.

    Parameters
    ----------
    path : Path
        The file; made when it is not there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "covey.sqlite3")
    ...     store.put("jobs", "a1", {"state": "done"}, created=1.0)
    ...     found = store.all("jobs")
    ...     store.close()
    >>> found
    [{'state': 'done'}]
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            [found] = self._db.execute("PRAGMA user_version").fetchone()
            if found > VERSION:
                raise OutputError(
                    f"{path} was written by a newer version of covey. Use that, or another folder with --data."
                )
            for table in TABLES:
                self._db.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} (id TEXT PRIMARY KEY, created REAL, body TEXT NOT NULL)"
                )
            self._db.execute(f"PRAGMA user_version = {VERSION}")
        except sqlite3.Error as error:
            raise OutputError(
                f"{path} cannot be used as a database: {error}. Choose another folder with --data."
            ) from None

    def put(self, table: str, id: str, body: Mapping[str, Any], *, created: float) -> None:
        """Write one record, new or changed."""
        text = json.dumps(body, ensure_ascii=False)
        with self._lock:
            self._db.execute(
                f"INSERT INTO {table} (id, created, body) VALUES (?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                (id, created, text),
            )

    def all(self, table: str) -> list[dict[str, Any]]:
        """All records, the oldest first."""
        with self._lock:
            rows = self._db.execute(f"SELECT body FROM {table} ORDER BY created, id").fetchall()
        return [json.loads(body) for (body,) in rows]

    def drop(self, table: str, id: str) -> None:
        """Remove a record."""
        with self._lock:
            self._db.execute(f"DELETE FROM {table} WHERE id = ?", (id,))

    def close(self) -> None:
        """Finish; the store cannot be used afterwards."""
        with self._lock:
            self._db.close()
