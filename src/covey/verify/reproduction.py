"""Step 2: what was read from a release is written again.

Where the manifest names the writer that is running, every file must come out byte for byte. Where it names another
one, the tables must be equal, and no file may be much larger than covey writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.release.documents import Named, documents
from covey.release.manifest import Manifest, running_writer
from covey.release.tables import Tables, Written, write_again


def bytes_compared(manifest: Manifest) -> bool:
    """Return whether the manifest names the writer that is running, down to its build and its texts."""
    return manifest.writer == running_writer()


def compared(manifest: Manifest) -> str:
    """Return how far the files are compared, in words."""
    if bytes_compared(manifest):
        return "byte for byte"
    build = "pyarrow {pyarrow} ({package_kind}), templates {templates:.8}".format(**manifest.writer)
    return f"table by table; bytes not compared, because the release states another writer: {build}"


def unlike_tables(tables: Tables, manifest: Manifest, release: Any) -> str:
    """Return which table is not what covey writes of `release`, in words; "" when all are."""
    if manifest.facts != release.facts():
        return "the facts in the manifest are not those of the tables"
    for table, batches in release.tables().items():
        files, csv = tables.files[table], tables.is_csv(table)
        ours = write_again(batches, csv=csv)
        if bytes_compared(manifest) and len(files) == 1:
            again = {files[0]: ours}
        else:
            if write_again(tables.batches(table), csv=csv).digest != ours.digest:
                return f"the table {table} is not in the form in which covey writes it"
            again = {path: write_again(tables.of_file(table, path), csv=csv) for path in files}
        names = {path.relative_to(tables.directory).as_posix(): one for path, one in again.items()}
        problem = unlike(tables.directory, names, manifest)
        if problem:
            return problem
    return ""


def unlike(directory: Path, again: Mapping[str, Written], manifest: Manifest) -> str:
    """Return which file is not the one that was written `again`, in words; "" when all are."""
    for name, one in again.items():
        if bytes_compared(manifest):
            if one.digest != manifest.files[name]:
                return f"the table in {name} is not in the form in which covey writes it"
        elif (directory / name).stat().st_size > most(one.size):
            return f"{name} is larger than covey writes it"
    return ""


def most(size: int) -> int:
    """Return how large a file of another writer may be that the running one makes of `size` bytes."""
    return size + size // 100 + 4096


def unlike_documents(directory: Path, manifest: Manifest, named: Named) -> str:
    """Return which of the texts is not what follows from the rest, in words; "" when all are."""
    for name, text in documents(manifest, named).items():
        path = directory / name
        if bytes_compared(manifest):
            if path.stat().st_size != len(text) or path.read_bytes() != text:
                return f"{name} does not say what follows from the manifest and the tables"
        elif path.stat().st_size > most(len(text)):
            return f"{name} is larger than covey writes it"
    return ""
