"""What the file system is asked for when something takes its name: renaming without loss, and flushing.

Names are relative to the handle of a directory, so that nothing changes its meaning when a directory above is moved.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

_RENAME_NOREPLACE = 1
_RENAME_EXCHANGE = 2

#: A handle only to name things by; for this, a directory need not be readable.
_TO_NAME_BY = getattr(os, "O_PATH", os.O_RDONLY)


def open_directory(path: Path) -> int:
    """A handle of a directory, relative to which names can be given."""
    return os.open(path, _TO_NAME_BY | os.O_DIRECTORY)


def make_directory(path: Path) -> list[Path]:
    """Make a directory and those missing above it, all or none; returns what was made, innermost first."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:  # something is there that no folder can be in
        remove_empty(missing)
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
    except BaseException:
        remove_empty(missing)
        raise
    return missing


def remove_empty(folders: list[Path]) -> None:
    """Remove the folders, innermost first, that hold nothing."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def exists(directory: int, name: str) -> bool:
    """Whether there is anything of that name, be it a link that leads nowhere."""
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def move(directory: int, source: str, target: str) -> None:
    """Rename `source` to `target`; if that exists, `FileExistsError` and nothing is changed."""
    failure = _renameat2(directory, source, target, _RENAME_NOREPLACE)
    if failure == 0:
        return
    if failure == errno.EEXIST or exists(directory, target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)
    os.rename(source, target, src_dir_fd=directory, dst_dir_fd=directory)


def exchange(directory: int, one: str, other: str) -> bool:
    """Exchange two names in one step; False, and nothing is changed, where the file system cannot."""
    return _renameat2(directory, one, other, _RENAME_EXCHANGE) == 0


def _renameat2(directory: int, source: str, target: str, flag: int) -> int:
    """Linux's renameat2 with a flag: 0, or the number of the error."""
    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return errno.ENOSYS
    done = function(directory, os.fsencode(source), directory, os.fsencode(target), flag)
    return 0 if done == 0 else ctypes.get_errno()


def settle(path: Path) -> None:
    """Flush a file, or a directory with all that is in it; what is in it gets the permissions of the directory.

    These are what the umask left when the directory was made. (Asking for the umask would change it, for a moment and
    for all threads.)
    """
    mode = stat.S_IMODE(path.stat().st_mode)
    for part in [*path.rglob("*"), path]:
        handle = os.open(part, os.O_RDONLY)
        try:
            if part != path:
                os.fchmod(handle, mode if part.is_dir() else mode & 0o666)
            os.fsync(handle)
        finally:
            os.close(handle)


def sync_names(directory: int) -> None:
    """Flush the names in a directory, as far as the file system can.

    It comes after a renaming, which has happened whether or not it can be flushed.
    """
    with suppress(OSError):
        handle = os.open(".", os.O_RDONLY, dir_fd=directory)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
