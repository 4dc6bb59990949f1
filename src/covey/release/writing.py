"""Single files that appear whole or not at all, and messages with a remedy where something cannot be written.

What is there already is lost to nobody: `require_free` says what may be replaced, for every file that covey writes.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from covey.errors import OutputError
from covey.release.aside import aside, meant, settle
from covey.release.manifest import NAME

_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_PERMISSION = (errno.EACCES, errno.EPERM, errno.EROFS)
_MOUNT = (errno.EBUSY, errno.EXDEV)

#: How far into a file a mark of covey's may be.
_MARKED_WITHIN = 1 << 16


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


def require_free(
    target: Path, *, inputs: Iterable[Any] = (), marks: tuple[bytes, ...] = (), force: bool = False
) -> None:
    """Raise `OutputError` unless a file may be written at `target` and nothing is lost that way.

    Parameters
    ----------
    target : Path
        Where to write. Never inside a release, which would not be whole any more.
    inputs : iterable
        What is read at the same time, as it was given: paths, ``@FILE``, ``NAME=FILE``, also in collections. None of
        these files is ever replaced.
    marks : tuple of bytes
        What only files of the same kind have near their beginning, if covey wrote them: such a file may be replaced.
    force : bool
        Whether any other file may be replaced.

    Examples
    --------
    >>> import tempfile
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
        if force or _worth_nothing(target) or _marked(target, marks):
            return
        other = ", and covey did not write it for the same purpose" if marks else ""
        raise OutputError(
            f"{target} exists already{other}. Choose another name, or replace it with --force (force=True in Python)."
        )


def _worth_nothing(target: Path) -> bool:
    """Whether nothing is lost with what is there: an empty file, or a pipe or device."""
    return not target.is_file() or target.stat().st_size == 0


def _marked(target: Path, marks: tuple[bytes, ...]) -> bool:
    """Whether a file has one of these marks near its beginning."""
    with target.open("rb") as stream:
        start = stream.read(_MARKED_WITHIN)
    return any(mark in start for mark in marks)


def require_outside_releases(target: Path) -> None:
    """Raise `OutputError` if `target` is inside a release, which is verified as a whole."""
    for folder in Path(os.path.realpath(target)).parents:
        if is_release(folder):
            raise OutputError(
                f"{target} would be inside the release {folder}, which would not be whole any more. "
                "Choose another place."
            )


def is_release(folder: Path) -> bool:
    """Return whether a directory has the manifest of a covey release, of whatever format."""
    try:
        return b'"covey-release/' in (folder / NAME).read_bytes()
    except OSError:
        return False


def _files_named(given: Any) -> Iterator[str]:
    """What may be the name of a file in what somebody gave, in texts and collections of them."""
    if isinstance(given, str | os.PathLike):
        text = os.fspath(given)
        yield from (text, text.removeprefix("@"), text.partition("=")[2])
    elif isinstance(given, Mapping):
        yield from _files_named(list(given.values()))
    elif isinstance(given, list | tuple | set):
        for one in given:
            yield from _files_named(one)


@contextmanager
def replacing(
    target: Path, *, make_folder: bool = False, marks: tuple[bytes, ...] = (), force: bool = False
) -> Iterator[Path]:
    """Give the path of a file to write, which takes the name `target` at the end; on failure nothing is left.

    `require_free` says which files are replaced. A file that is replaced keeps its permissions. A link is followed; a
    device or a pipe is written to as it is.

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
        require_free(target, marks=marks, force=force)
        if not make_folder and not real.parent.is_dir():
            raise OutputError(
                f"{target} cannot be written: the folder '{target.parent}' does not exist. Create it first."
            )
        replaced = real.stat() if real.exists() else None
        if replaced is not None and not real.is_file():
            yield real
            return
        with aside(real) as place:
            yield place.path
            if replaced is not None:
                place.path.chmod(replaced.st_mode & 0o777)
            settle(place.path)
            with place.placing():
                place.path.replace(place.target)


def write_whole(path: Path, content: bytes, *, marks: tuple[bytes, ...] = (), force: bool = False) -> Path:
    """Write a file so that a reader sees the old one or the new one; its folder is made if need be."""
    with replacing(path, make_folder=True, marks=marks, force=force) as new:
        new.write_bytes(content)
    return path
