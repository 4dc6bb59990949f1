"""The hidden directory beside a target in which the target is made, and out of which it is renamed.

    .covey-4f1a…-x7k2/        mode 0700, so that nobody sees what has not been verified
        lock                  locked for as long as the run lives, on whichever machine or in whichever container
        new                   what is being made; after an exchange, what was replaced
        old                   a release that was set aside, where two names cannot be exchanged in one step

A lock that can be taken belongs to a run that is dead: `new` is removed, but `old` never; it is put back if nothing has
its name. Where the file system knows no locks nobody can tell whether a run is dead, and nothing is removed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from covey.errors import CoveyWarning, OutputError
from covey.release.renaming import (
    exists,
    make_directory,
    move,
    open_directory,
    remove_empty,
    sync_names,
)

_LOCK, _NEW, _OLD = "lock", "new", "old"
#: Says that the lock is none, so that nobody relies on it.
_UNLOCKED = "unlocked"


class Aside:
    """A hidden directory beside a target, which belongs to this run until it is closed.

    Attributes
    ----------
    given : Path
        The target as the user gave it.
    target : Path
        The target without links and dots on the way to it.
    directory : int
        Handle of the directory that the target is in; `name`, `new` and `old` are relative to it.
    """

    def __init__(self, target: Path) -> None:
        self.given = target
        self.target = settled(target)
        self._made: list[Path] = []
        self._closing = threading.Lock()
        self.directory, self._lock = -1, -1
        self._home: Path | None = None
        try:
            self._made = make_directory(self.target.parent)
            self.directory = open_directory(self.target.parent)
            self._home, self._lock = _make(self.target)
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> Path:
        """Where to make what is to take the target's name."""
        assert self._home is not None
        return self._home / _NEW

    def makes(self, path: Path) -> bool:
        """Whether `path` is where the target is being made."""
        return self._home is not None and path == self._home / _NEW

    @property
    def name(self) -> str:
        """The target's name."""
        return self.target.name

    @property
    def new(self) -> str:
        """`path`, relative to `directory`."""
        assert self._home is not None
        return f"{self._home.name}/{_NEW}"

    @property
    def set_aside(self) -> Path:
        """Where what is replaced may be set aside."""
        assert self._home is not None
        return self._home / _OLD

    @property
    def old(self) -> str:
        """`set_aside`, relative to `directory`."""
        return f"{self.set_aside.parent.name}/{_OLD}"

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Names change in this block: `abandon` waits until it has ended, and it never begins after `abandon`."""
        with _placing:
            if not self._parent_is_the_same():
                raise OutputError(
                    f"{self.given} cannot be written: {self.target.parent} was moved or replaced meanwhile. "
                    "Nothing was left behind. Run the command again."
                )
            yield
            sync_names(self.directory)
            _placed.append(self.given)

    def _parent_is_the_same(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self.directory), self.target.parent.stat())
        except OSError:
            return False

    def close(self) -> None:
        """Remove what was made but not placed, or was replaced; from any thread, and more than once."""
        with self._closing:
            if self._home is not None:
                # Whoever still writes there finds the way gone, instead of adding files while others are removed.
                with suppress(OSError):
                    move(self.directory, self.new, f"{self.new}-gone")
                _leave(self.directory, self._home.name, self._lock)
                self._home = None
            if self.directory >= 0:
                os.close(self.directory)
                self.directory = -1
            remove_empty(self._made)


_open: set[Aside] = set()
_placed: list[Path] = []
_placing = threading.RLock()


@contextmanager
def aside(target: Path) -> Iterator[Aside]:
    """Make a hidden directory beside `target`; at the end it is removed, with what was not placed."""
    place = Aside(target)
    _open.add(place)
    try:
        yield place
    finally:
        place.close()
        _open.discard(place)


def abandon() -> list[Path]:
    """Remove everything that is being made, for a process about to stop; returns what it has put in place before."""
    _placing.acquire()  # and never released: nothing is put in place from now on
    for place in list(_open):
        place.close()
    return placed()


def placed() -> list[Path]:
    """What this process has put in place, as the user named it."""
    return list(dict.fromkeys(_placed))


def meant(path: Path) -> Path:
    """What the user calls a path: the target, if it is where one is being made."""
    return next((place.given for place in list(_open) if place.makes(path)), path)


def settled(target: Path) -> Path:
    """The path of `target` without links or dots on the way to it; if it is a link itself, it stays one.

    Examples
    --------
    >>> settled(Path("/usr/../out")), settled(Path("/usr/.."))
    (PosixPath('/out'), PosixPath('/'))
    """
    if target.name in ("", ".."):
        target = Path(os.path.realpath(target))
    return Path(os.path.realpath(target.parent)) / target.name


def recover(target: Path) -> None:
    """Put back what a killed run had set aside, if nothing is at `target`, and remove what killed runs left.

    Warns
    -----
    CoveyWarning
        A release was put back, or stays aside because something else has its name.
    """
    target = settled(target)
    found = _beside(target)
    if not found:
        return
    directory = open_directory(target.parent)
    try:
        for home in found:
            _recover_from(home, directory, target)
    finally:
        os.close(directory)


def _recover_from(home: Path, directory: int, target: Path) -> None:
    lock = -1
    if not (home / _UNLOCKED).exists():
        try:
            lock = _take(home)
        except OSError:  # a run is at work there, or there are no locks
            return
    try:
        if exists(directory, f"{home.name}/{_OLD}"):
            _put_back(home, directory, target)
    finally:
        if lock >= 0:
            _leave(directory, home.name, lock)


def _put_back(home: Path, directory: int, target: Path) -> None:
    try:
        move(directory, f"{home.name}/{_OLD}", target.name)
    except FileExistsError:
        warnings.warn(
            f"{home / _OLD} is an earlier release, set aside by a run to {target} that was killed. Remove it "
            "if you do not need it.",
            CoveyWarning,
            stacklevel=2,
        )
        return
    sync_names(directory)
    warnings.warn(
        f"An earlier run was killed while it replaced {target}. The release that was there has been put back.",
        CoveyWarning,
        stacklevel=2,
    )


def _prefix(target: Path) -> str:
    """How the names of the directories beside `target` begin: short, however long its own name is."""
    return f".covey-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"


def _beside(target: Path) -> list[Path]:
    """The directories that runs to `target` have left or are using; first what was set aside last."""
    try:
        with os.scandir(target.parent) as entries:
            prefix = _prefix(target)
            found = [Path(e.path) for e in entries if e.name.startswith(prefix) and e.is_dir(follow_symlinks=False)]
    except OSError:  # not there yet, or not to be listed
        return []

    def set_aside(home: Path) -> int:
        try:
            return (home / _OLD).lstat().st_ctime_ns
        except OSError:
            return 0

    return sorted(found, key=set_aside, reverse=True)


def _make(target: Path) -> tuple[Path, int]:
    """A new directory beside `target` and the handle of its lock, -1 where the file system knows no locks."""
    while True:
        home = Path(tempfile.mkdtemp(prefix=_prefix(target), dir=target.parent))
        try:
            return home, _take(home)
        except (BlockingIOError, FileNotFoundError):
            continue  # another run took it for abandoned before it was locked
        except OSError:
            try:
                (home / _UNLOCKED).touch()
            except BaseException:
                shutil.rmtree(home, ignore_errors=True)
                raise
            return home, -1


def _take(home: Path) -> int:
    """Lock a directory and return the handle; `BlockingIOError` while another run holds it."""
    handle = os.open(home / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(handle), (home / _LOCK).stat()):
            raise FileNotFoundError  # removed by the run that held it until now, and made again by another
    except BaseException:
        os.close(handle)
        raise
    return handle


def _leave(directory: int, name: str, lock: int) -> None:
    """Remove a directory, unless a release is set aside in it, and unlock it."""
    if not exists(directory, f"{name}/{_OLD}"):
        shutil.rmtree(name, ignore_errors=True, dir_fd=directory)
    if lock >= 0:
        os.close(lock)
        with suppress(OSError):  # network file systems keep a file, and so its directory, until it is closed
            os.rmdir(name, dir_fd=directory)
