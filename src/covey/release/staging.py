"""Writing a directory whole or not at all.

Files go into a hidden directory beside the target, which is renamed into place when everything is written,
verified and flushed. A replaced release stays in place until the very exchange of the two names.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from covey.errors import OutputError
from covey.release.manifest import NAME

_AT_FDCWD = -100
_RENAME_NOREPLACE = 1
_RENAME_EXCHANGE = 2

_open_stages: set[Path] = set()


@contextmanager
def staged(target: Path, *, force: bool) -> Iterator[Path]:
    """Yield an empty directory that becomes `target` when the block ends without an error.

    Parameters
    ----------
    target : Path
        Must not exist, unless `force` is given and it is a covey release or an empty directory.
    force : bool
        Replace an existing release; it survives until the new one is in place.
    """
    target = target.absolute()
    _require_replaceable(target, force)
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        stage = Path(tempfile.mkdtemp(prefix=f".{target.name}.covey-{os.getpid()}-", dir=target.parent))
    _open_stages.add(stage)
    try:
        stage.chmod(0o755)
        yield stage
        with writing(target):
            _flush(stage)
            _put(stage, target, force)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        _open_stages.discard(stage)


@contextmanager
def unfinished(path: Path) -> Iterator[None]:
    """While the block runs, `path` is a file in the making, which `abandon` takes away."""
    _open_stages.add(path)
    try:
        yield
    finally:
        _open_stages.discard(path)


def abandon() -> None:
    """Remove everything that is being written; for a process about to stop in the middle of its work."""
    for stage in list(_open_stages):
        if stage.is_dir():
            shutil.rmtree(stage, ignore_errors=True)
        else:
            stage.unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the operating system's errors while writing `path` into messages with a remedy."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "No space left" in str(error):
            remedy = "Free some space, or choose another place with -o"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            remedy = "Choose a directory you may write to with -o"
        else:
            remedy = "Choose another place with -o"
        raise OutputError(f"{path} cannot be written: {reason}. Nothing was left behind. {remedy}.") from None


def _require_replaceable(target: Path, force: bool) -> None:
    if not (target.exists() or target.is_symlink()):
        return
    if not force:
        way = "or replace it with --force (the old release stays until the new one is in place)"
        if not _is_release(target):
            way = "for it is not a covey release that could be replaced"
        raise OutputError(f"{target} exists already. Choose another place with -o, {way}.")
    foreign = (
        target.is_symlink() or not target.is_dir() or not (_is_release(target) or not any(target.iterdir()))
    )
    if not foreign and any(target.iterdir()):
        strangers = _strangers(target)
        if strangers:
            raise OutputError(
                f"{target} holds {strangers[0]}, which is not part of the release, so --force will not replace it. "
                "Move it elsewhere first."
            )
    if foreign:
        raise OutputError(
            f"{target} is not a covey release, so --force will not replace it. Remove it yourself."
        )


def _strangers(release: Path) -> list[str]:
    """Files in a release that it does not know of itself."""
    try:
        known = {NAME, *json.loads((release / NAME).read_bytes())["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        known = {NAME}
    return [name for name in files_in(release) if name not in known]


def files_in(directory: Path) -> list[str]:
    """Everything in a directory that is not a folder with something in it, as names relative to it."""
    return sorted(
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if path.is_symlink() or not path.is_dir() or not any(path.iterdir())
    )


def _is_release(directory: Path) -> bool:
    try:
        return b"covey-release/" in (directory / NAME).read_bytes()
    except OSError:
        return False


def _sweep(target: Path) -> None:
    """Remove what killed runs left beside `target`: stages whose process no longer exists."""
    prefix = f".{target.name}.covey-"
    for leftover in target.parent.glob(f"{prefix}*"):
        owner = leftover.name[len(prefix) :].split("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists() and Path("/proc/self").exists():
            shutil.rmtree(leftover, ignore_errors=True)


def _flush(stage: Path) -> None:
    for path in [*stage.rglob("*"), stage]:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _put(stage: Path, target: Path, force: bool) -> None:
    """Rename `stage` to `target`; with `force`, exchange the two in one step where the system can."""
    if _rename(stage, target, _RENAME_NOREPLACE):
        return
    if not target.exists():
        stage.rename(target)
        return
    if not force:
        raise OutputError(f"{target} appeared while the release was being made; it was left alone.")
    if _rename(stage, target, _RENAME_EXCHANGE):
        return
    aside = target.with_name(f"{stage.name}-old")
    target.rename(aside)
    try:
        stage.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _rename(source: Path, target: Path, flag: int) -> bool:
    """Linux's renameat2 with a flag; False where it is missing or refuses."""
    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    result: int = function(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), flag)
    return result == 0
