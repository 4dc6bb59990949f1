"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from covey.errors import OutputError


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file so that a reader sees the old one or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from None
    return path
