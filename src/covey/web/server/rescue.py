"""A damaged database: recognised, put aside, and read as far as that goes."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

#: What is wrong with the file itself, and not with who asks or when.
DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

#: What SQLite keeps beside a database.
BESIDE = ("", "-wal", "-shm")


def is_sound(path: Path) -> bool:
    """Whether a database can be read from end to end."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        try:
            return bool(database.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF in DAMAGES:
                return False
            raise


def put_aside(path: Path) -> Path:
    """Give a database another name, which says since when; returns where it is now."""
    kept = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    for end in BESIDE:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + end).rename(kept.with_name(kept.name + end))
    return kept


def rescued(path: Path, table: str) -> Iterator[tuple[str, float, str, int]]:
    """The rows of a table that can still be read: id, when it was created, what it says, and its version.

    They are read one by one, so that a page that is lost costs no more than what was on it.
    """
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            names = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
            [last] = database.execute(f"SELECT max(rowid) FROM {table}").fetchone()
        except sqlite3.DatabaseError:
            return
        version = "version" if "version" in names else "1"
        for rowid in range(1, (last or 0) + 1):
            with contextlib.suppress(sqlite3.DatabaseError):
                found = database.execute(
                    f"SELECT id, created, body, {version} FROM {table} WHERE rowid = ?", (rowid,)
                ).fetchone()
                if found is not None and isinstance(found[0], str) and isinstance(found[2], str):
                    yield found
