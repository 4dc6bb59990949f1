"""Writing a directory whole or not at all.

Files go into a private directory beside the target (`covey.release.aside`), which takes the target's name when
everything is written, verified and flushed. A release that is replaced is moved aside and never deleted.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

from covey.errors import CoveyWarning, OutputError
from covey.release.aside import Aside, aside, settle, settled
from covey.release.writing import is_release, require_outside_releases, writing


@contextmanager
def staged(target: Path, *, force: bool) -> Iterator[Path]:
    """Yield an empty directory that becomes `target` when the block ends without an error.

    With `force`, `target` may be a covey release or an empty directory. A release is moved to the first free name of
    ``target.1``, ``target.2`` and so on just before the new one takes its name. A process that is killed in between
    leaves it there, whole, and nothing at `target`.

    Warns
    -----
    CoveyWarning
        Where an earlier release was moved.
    """
    with ExitStack() as stack:
        with writing(target):
            require_outside_releases(target)
            _require_replaceable(target, force)
            place = stack.enter_context(aside(target))
            place.path.mkdir()
        yield place.path
        with writing(target):
            settle(place.path)
            with place.placing():
                moved = _put(place, force)
    if moved is not None:
        shown = target.with_name(moved.name) if target.name == place.target.name else moved
        warnings.warn(f"The earlier release was moved to {shown}.", CoveyWarning, stacklevel=3)


def _require_replaceable(target: Path, force: bool) -> None:
    """Raise `OutputError` unless nothing is at `target`, or a release or empty directory that may be replaced."""
    path = settled(target)
    if not os.path.lexists(path):
        return
    directory = path.is_dir() and not path.is_symlink()
    if not directory or not (is_release(path) or _is_empty(path)):
        only = "--force replaces a covey release and nothing else. " if force else ""
        raise OutputError(f"{only}{target} exists already, and is not a covey release. Choose another place.")
    if not force:
        raise OutputError(
            f"{target} exists already. Choose another place, or replace it with --force (force=True in Python); "
            f"the old release is moved to {path.name}.1, or the next free number."
        )


def _is_empty(directory: Path) -> bool:
    return not any(directory.iterdir())


def _put(place: Aside, force: bool) -> Path | None:
    """Give what was made the target's name; return where the release was moved that had it, if there was one."""
    _require_replaceable(place.given, force)  # others may have made or changed something there meanwhile
    moved = None
    if os.path.lexists(place.target) and not _is_empty(place.target):
        moved = _move_aside(place.target)
    try:
        place.path.rename(place.target)  # which replaces an empty directory, and fails where there is anything else
    except BaseException:
        if moved is not None:
            moved.rename(place.target)
        raise
    return moved


def _move_aside(target: Path) -> Path:
    """Give a directory the first free name of ``target.1``, ``target.2`` and so on, and return it."""
    free = next(path for number in count(1) if not os.path.lexists(path := target.with_name(f"{target.name}.{number}")))
    return target.rename(free)
