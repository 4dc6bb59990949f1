"""The private directory beside a target in which the target is made, before it is renamed into place.

It is called ``.covey-…`` and only its owner can enter it, so nobody sees what has not been verified. A process that is
killed leaves it behind; nothing removes it later, since nobody can tell whether its owner is still at work.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Aside:
    """A private directory beside a target, with the folders that had to be made for it."""

    def __init__(self, target: Path) -> None:
        #: The target as the user gave it, and without links and dots on the way to it.
        self.given, self.target = target, settled(target)
        with _placing:  # nothing is begun once `abandon` was called
            self._made = make_folders(self.target.parent)
            try:
                self._home = Path(tempfile.mkdtemp(prefix=".covey-", dir=self.target.parent))
            except BaseException:
                _remove_empty(self._made)
                raise
            _open.append(self)

    @property
    def path(self) -> Path:
        """Where to make what is to take the target's name; a directory of the target's own keeps its permissions."""
        return self._home / "new"

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Names change in this block: `abandon` waits for its end, and it never begins after `abandon`."""
        with _placing:
            yield
            with suppress(OSError):  # it has happened, whether or not it can be flushed
                _sync(self.target.parent)
            _placed.append(self.given)

    def close(self) -> None:
        """Remove everything that was made but not placed; from any thread, and more than once."""
        gone = self._home.with_name(f"{self._home.name}-gone")
        with suppress(OSError):
            self._home.rename(gone)  # whoever still writes there finds the way gone
        shutil.rmtree(gone, ignore_errors=True)
        _remove_empty(self._made)


_open: list[Aside] = []
_placed: list[Path] = []
_placing = threading.RLock()


@contextmanager
def aside(target: Path) -> Iterator[Aside]:
    """Make a private directory beside `target`; at the end it is removed, with what was not placed."""
    place = Aside(target)
    try:
        yield place
    finally:
        place.close()
        _open.remove(place)


def abandon() -> list[Path]:
    """Remove everything that is being made, for a process about to stop; return what it has put in place before."""
    _placing.acquire()  # and never released: nothing is put in place from now on
    for place in list(_open):
        place.close()
    return placed()


def placed() -> list[Path]:
    """Return what this process has put in place, as the user named it."""
    return list(dict.fromkeys(_placed))


def meant(path: Path) -> Path:
    """Return the target that is being made at `path`, as the user named it; another path as it is."""
    return next((place.given for place in list(_open) if place.path == path), path)


def settled(target: Path) -> Path:
    """Return the path of `target` without links or dots on the way to it; if it is a link itself, it stays one.

    Examples
    --------
    >>> settled(Path("/usr/../out")), settled(Path("/usr/.."))
    (PosixPath('/out'), PosixPath('/'))
    """
    if target.name in ("", ".."):
        target = Path(os.path.realpath(target))
    return Path(os.path.realpath(target.parent)) / target.name


def settle(path: Path) -> None:
    """Flush a file, or a directory with all that is in it; what is in it gets the permissions of the directory.

    These are what the umask left when the directory was made. (Asking for the umask would change it, for a moment and
    for all threads.)
    """
    mode = stat.S_IMODE(path.stat().st_mode)
    for part in [*path.rglob("*"), path]:
        if part != path:
            part.chmod(mode if part.is_dir() else mode & 0o666)
        _sync(part)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folders(path: Path) -> list[Path]:
    """Make a folder and those missing above it, all or none; return what was made, innermost first."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except BaseException as error:
        _remove_empty(missing)
        if isinstance(error, FileExistsError):  # something is there that no folder can be in
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path)) from None
        raise
    return missing


def _remove_empty(folders: list[Path]) -> None:
    """Remove the folders, innermost first, that hold nothing."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
