"""Reading an original in a worker as it was configured, and naming it in errors as people know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from covey.errors import CoveyError
from covey.io.kinds import reader
from covey.progress import Progress, silent


def read(source: Mapping[str, Any], progress: Progress = silent) -> Any:
    """Read an original.

    Parameters
    ----------
    source : mapping
        ``path``, ``name``, ``kind``, ``options``, ``sensitive`` and ``hierarchies`` (column to path).
    progress : callable
        Told how far it has come.
    """
    how = dict(source["options"])
    if source.get("hierarchies"):
        how["hierarchies"] = dict(source["hierarchies"])
    if source.get("sensitive"):
        how["sensitive"] = list(source["sensitive"])
    with renamed(source):
        return reader(source["kind"])(source["path"], progress=progress, **how)


@contextmanager
def renamed(source: Mapping[str, Any]) -> Iterator[None]:
    """Errors inside the block speak of files by their names instead of where the server keeps them."""
    names = {str(source["path"]): str(source.get("name") or Path(source["path"]).name)}
    names |= {str(path): Path(path).name for path in dict(source.get("hierarchies") or {}).values()}
    try:
        yield
    except CoveyError as error:
        if error.args:
            text = str(error.args[0])
            for path, name in names.items():
                text = text.replace(path, name)
            error.args = (text, *error.args[1:])
        raise
