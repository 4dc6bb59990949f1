"""Single files that appear whole or not at all, and messages with a remedy where something cannot be written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from covey.errors import OutputError
from covey.release.aside import aside, meant, recover
from covey.release.renaming import settle

_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_PERMISSION = (errno.EACCES, errno.EPERM, errno.EROFS)
_MOUNT = (errno.EBUSY, errno.EXDEV)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the operating system's errors while writing `path` into messages with a remedy.

    Examples
    --------
    >>> with writing(Path("/proc/out")):
    ...     Path("/proc/out").mkdir()
    Traceback (most recent call last):
    covey.errors.OutputError: /proc/out cannot be written: No such file or directory. Nothing was left behind. ...
    """
    try:
        os.path.realpath(path).encode()
    except ValueError:  # a zero byte, or bytes that are not UTF-8, under which Arrow finds nothing
        raise OutputError(f"{str(path)!r} cannot be written: the name is not valid. Choose another.") from None
    try:
        yield
    except OSError as error:
        reason, remedy = _explain(error)
        raise OutputError(f"{meant(path)} cannot be written: {reason}. Nothing was left behind. {remedy}") from None


def _explain(error: OSError) -> tuple[str, str]:
    reason = error.strerror or str(error)
    if error.errno in _SPACE or "No space left" in reason:  # Arrow keeps the number to itself
        return reason, "Free some space, or choose another place."
    if error.errno in _PERMISSION:
        return reason, "Choose a directory you may write to."
    if error.errno == errno.ENAMETOOLONG:
        return reason, "Choose a shorter name."
    if error.errno in _MOUNT:
        return reason, "If this is a mount point, choose a directory in it."
    return reason, "Choose another place."


@contextmanager
def replacing(target: Path, *, make_folder: bool = False) -> Iterator[Path]:
    """Give the path of a file to write, which takes the name `target` at the end; on failure nothing is left.

    A file that is replaced keeps its permissions. A link is followed; a device or a pipe is written to as it is.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "report.html") as new:
    ...     _ = new.write_text("<p>")
    >>> [file.name for file in folder.iterdir()]
    ['report.html']
    """
    with writing(target):
        real = Path(os.path.realpath(target))
        if real.is_dir():
            raise OutputError(f"{target} is a directory. Give the name of a file in it.")
        if not make_folder and not real.parent.is_dir():
            raise OutputError(
                f"{target} cannot be written: the folder '{target.parent}' does not exist. Create it first."
            )
        replaced = real.stat() if real.exists() else None
        if replaced is not None and not real.is_file():
            yield real
            return
        recover(real)
        with aside(real) as place:
            yield place.path
            if replaced is not None:
                place.path.chmod(replaced.st_mode & 0o777)
            settle(place.path)
            with place.placing():
                os.replace(place.new, place.name, src_dir_fd=place.directory, dst_dir_fd=place.directory)


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file so that a reader sees the old one or the new one; its folder is made if need be."""
    with replacing(path, make_folder=True) as new:
        new.write_bytes(content)
    return path
