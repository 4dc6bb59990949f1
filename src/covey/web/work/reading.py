"""Reading an original in a worker as it was configured, and naming it in errors as people know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from covey.errors import CoveyError
from covey.io.source import Source
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
    sensitive = list(source["sensitive"]) if source.get("sensitive") else None
    trees = dict(source["hierarchies"]) if source.get("hierarchies") else None
    how = {**source["options"], "hierarchies": trees}
    with renamed(source):
        wanted = Source.of(source["path"], kind=source["kind"], sensitive=sensitive, **how)
        return wanted.as_kind(source["kind"]).read(progress=progress)


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
