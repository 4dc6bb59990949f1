"""Directories and files that appear whole or not at all, and messages with a remedy where they cannot be written.

Everything is made in a directory ``.covey-…`` beside the target, which only its owner can enter, and takes the target's
name when it is complete and flushed. A failure or Ctrl-C removes it. A process that is killed leaves it behind; nothing
removes it later, since nobody can tell whether its owner is still at work. A release or dataset that is replaced is
moved aside and never deleted; `require_free` decides which files may be replaced.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from covey.errors import CoveyWarning, OutputError

T = TypeVar("T")

#: The directories that covey writes: for each kind the file that every one of them has, and what that file contains.
DIRECTORIES = {
    "release": ("manifest.json", b'"covey-release/'),
    "dataset": ("dataset.json", b'"covey-dataset/'),
    "trace": ("trace.json", b'"covey-trace/'),
}

_ANOTHER = "Choose another place."
_FULL = "Free some space, or choose another place."
_REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _FULL),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "Choose a directory you may write to."),
    **dict.fromkeys((errno.EBUSY, errno.EXDEV), "If this is a mount point, choose a directory in it."),
    errno.ENAMETOOLONG: "Choose a shorter name.",
}

#: How far into a file a mark of covey's may be.
_MARKED_WITHIN = 1 << 16


class _Stage:
    """What is being made beside a target, in a directory that only its owner can enter."""

    def __init__(self, given: Path) -> None:
        #: The target as the user gave it, and without links and dots on the way to it.
        self.given, self.target = given, _settled(given)
        self.folders = [folder for folder in self.target.parents if not folder.exists()]
        self.home: Path | None = None

    @property
    def path(self) -> Path:
        """What is to take the target's name."""
        assert self.home is not None
        return self.home / "new"

    def begin(self) -> None:
        """Make the private directory, and the folders on the way to it."""
        with _renaming:  # nothing begins after `abandon`
            for folder in reversed(self.folders):
                folder.mkdir(exist_ok=True)
            self.home = Path(tempfile.mkdtemp(prefix=".covey-", dir=self.target.parent))

    def place(self, put: Callable[[], T]) -> T:
        """Flush what was made and `put` it in place; `abandon` waits for that, and it never begins after `abandon`."""
        _flush(self.path)
        with _renaming:
            result = put()
            with suppress(OSError):  # it has happened, whether or not it can be flushed
                _sync(self.target.parent)
            _placed.append(self.given)
        return result

    def close(self) -> None:
        """Remove everything that was made but not placed; from any thread, and more than once."""
        if self.home is not None:
            gone = self.home.with_name(f"{self.home.name}-gone")
            with suppress(OSError):
                self.home.rename(gone)  # threads that still write there fail from now on
            shutil.rmtree(gone, ignore_errors=True)
        for folder in self.folders:
            with suppress(OSError):  # it was not made, or holds something by now
                folder.rmdir()


_open: list[_Stage] = []
_placed: list[Path] = []
_renaming = threading.RLock()


@contextmanager
def _beside(target: Path) -> Iterator[_Stage]:
    stage = _Stage(target)
    _open.append(stage)
    try:
        stage.begin()
        yield stage
    finally:
        stage.close()
        _open.remove(stage)


@contextmanager
def staged(target: Path, *, force: bool, what: str = "release", private: bool = False) -> Iterator[Path]:
    """Yield an empty directory that becomes `target` when the block ends without an error.

    With `force`, `target` may be an empty directory or what is written here, a release or a dataset. The earlier one is
    moved to the first free name of ``target.1``, ``target.2`` and so on just before the new one takes its name. A
    process that is killed in between leaves it there, whole, and nothing at `target`. A `private` directory and its
    files can be read by their owner only.

    Warns
    -----
    CoveyWarning
        Where an earlier release or dataset was moved.
    """
    with ExitStack() as stack:
        with writing(target):
            require_outside_releases(target)
            _require_replaceable(target, force, what)
            stage = stack.enter_context(_beside(target))
            stage.path.mkdir()
            if private:
                stage.path.chmod(0o700)
        yield stage.path
        with writing(target):
            moved = stage.place(lambda: _put(stage, force, what))
    if moved is not None:
        shown = target.with_name(moved.name) if target.name == stage.target.name else moved
        warnings.warn(f"The earlier {what} was moved to {shown}.", CoveyWarning, stacklevel=3)


def _require_replaceable(target: Path, force: bool, what: str) -> None:
    """Raise `OutputError` unless nothing is at `target`, or an empty directory or `what` that may be replaced."""
    path = _settled(target)
    if not os.path.lexists(path):
        return
    if not path.is_dir() or path.is_symlink() or not (_has_mark(path, what) or _is_empty(path)):
        only = f"--force replaces a covey {what} and nothing else. " if force else ""
        raise OutputError(f"{only}{target} exists already, and is not a covey {what}. {_ANOTHER}")
    if not force:
        raise OutputError(
            f"{target} exists already. Choose another place, or replace it with --force (force=True in Python); "
            f"the old {what} is moved to {path.name}.1, or the next free number."
        )


def _is_empty(directory: Path) -> bool:
    return not any(directory.iterdir())


def _put(stage: _Stage, force: bool, what: str) -> Path | None:
    """Give what was made the target's name; return where the one was moved that had it, if there was one."""
    _require_replaceable(stage.given, force, what)  # others may have made or changed something there meanwhile
    target, moved = stage.target, None
    if os.path.lexists(target) and not _is_empty(target):
        names = (target.with_name(f"{target.name}.{number}") for number in count(1))
        moved = target.rename(next(path for path in names if not os.path.lexists(path)))
    try:
        stage.path.rename(target)  # which replaces an empty directory, and fails where there is anything else
    except BaseException:
        if moved is not None:
            moved.rename(target)
        raise
    return moved


@contextmanager
def replacing(target: Path, *, marks: tuple[bytes, ...] = (), force: bool = False) -> Iterator[Path]:
    """Give the path of a file to write, which takes the name `target` at the end; on failure nothing is left.

    `require_free` decides which files are replaced. A file that is replaced keeps its permissions. A link is followed;
    a device or a pipe is written to as it is.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "report.html") as new:
    ...     _ = new.write_text("<p>")
    >>> [file.name for file in folder.iterdir()]
    ['report.html']
    """
    with writing(target):
        real = Path(os.path.realpath(target))
        require_free(target, marks=marks, force=force)
        if real.exists() and not real.is_file():
            yield real
            return
        with _beside(real) as stage:
            yield stage.path
            if real.exists():
                stage.path.chmod(stat.S_IMODE(real.stat().st_mode))
            stage.place(lambda: stage.path.replace(stage.target))


def write_whole(path: Path, content: bytes, *, marks: tuple[bytes, ...] = (), force: bool = False) -> Path:
    """Write a file so that a reader sees the old one or the new one."""
    with replacing(path, marks=marks, force=force) as new:
        new.write_bytes(content)
    return path


def abandon() -> None:
    """Remove everything that is being made, for a process about to stop; nothing is put in place from now on."""
    _renaming.acquire()  # and never released
    for stage in list(_open):
        stage.close()


def placed() -> list[Path]:
    """Return what this process has put in place, as the user named it."""
    return list(dict.fromkeys(_placed))


def meant(path: Path) -> Path:
    """Return the target that is being made at `path`, as the user named it; another path as it is."""
    return next((stage.given for stage in list(_open) if stage.home == path.parent), path)


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
        reason = error.strerror or str(error)
        full = "No space left" in reason  # Arrow does not pass the number on
        remedy = _FULL if full else _REMEDIES.get(error.errno or 0, _ANOTHER)
        raise OutputError(f"{meant(path)} cannot be written: {reason}. Nothing was left behind. {remedy}") from None


def require_free(
    target: Path, *, inputs: Iterable[Any] = (), marks: tuple[bytes, ...] = (), force: bool = False
) -> None:
    """Raise `OutputError` unless a file may be written at `target` and nothing is lost that way.

    `inputs` is what is read at the same time, as it was given: paths, ``@FILE``, ``NAME=FILE``, also in collections.
    None of these files is ever replaced, nor is anything written inside a release. A file that covey wrote for the same
    purpose, known by one of the `marks` near its beginning, may be replaced; any other with `force` only.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sales = Path(folder) / "sales.csv"
    ...     _ = sales.write_text("item")
    ...     require_free(sales)
    Traceback (most recent call last):
    covey.errors.OutputError: .../sales.csv exists already. Choose another name, or replace it with --force ...
    """
    with writing(target):
        require_outside_releases(target)
        if not target.exists():
            return
        if target.is_dir():
            raise OutputError(f"{target} is a directory. Give the name of a file in it.")
        for file in _files_named(inputs):
            with suppress(OSError, ValueError):
                if target.samefile(file):
                    raise OutputError(f"{target} is read here and would be lost. Choose another name.")
        with target.open("rb") if target.is_file() else nullcontext() as stream:
            start = b"" if stream is None else stream.read(_MARKED_WITHIN)
        if force or not start or any(mark in start for mark in marks):
            return
        other = ", and covey did not write it for the same purpose" if marks else ""
        raise OutputError(
            f"{target} exists already{other}. Choose another name, or replace it with --force (force=True in Python)."
        )


def _files_named(given: Any) -> Iterator[str]:
    """What may be the name of a file in what somebody gave, in texts and collections of them."""
    if isinstance(given, str | os.PathLike):
        text = os.fspath(given)
        yield from (text, text.removeprefix("@"), text.partition("=")[2])
    elif isinstance(given, Iterable):
        for one in given.values() if isinstance(given, Mapping) else given:
            yield from _files_named(one)


def require_outside_releases(target: Path) -> None:
    """Raise `OutputError` if `target` is inside a release, which is verified as a whole."""
    for folder in Path(os.path.realpath(target)).parents:
        if _has_mark(folder, "release"):
            raise OutputError(
                f"{target} would be inside the release {folder}, which would not be whole any more. {_ANOTHER}"
            )


def is_dataset(folder: Path) -> bool:
    """Return whether a directory has the description of a saved dataset, of whatever format."""
    return _has_mark(folder, "dataset")


def _has_mark(folder: Path, what: str) -> bool:
    name, mark = DIRECTORIES[what]
    try:
        return mark in (folder / name).read_bytes()
    except (OSError, ValueError):
        return False


def _settled(target: Path) -> Path:
    """Return the path of `target` without links or dots on the way to it; if it is a link itself, it stays one.

    Examples
    --------
    >>> _settled(Path("/usr/../out")), _settled(Path("/usr/.."))
    (PosixPath('/out'), PosixPath('/'))
    """
    if target.name in ("", ".."):
        target = Path(os.path.realpath(target))
    return Path(os.path.realpath(target.parent)) / target.name


def _flush(path: Path) -> None:
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
