"""Writing a directory whole or not at all.

Files go into a hidden directory beside the target (`covey.release.aside`), which is renamed into place when everything
is written, verified and flushed. A replaced release stays in place until the very exchange of the two names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from covey.errors import OutputError, ReleaseError
from covey.release.aside import Aside, aside, recover, settled
from covey.release.manifest import NAME, read_manifest
from covey.release.renaming import exchange, exists, move, settle
from covey.release.writing import require_outside_releases, writing


@contextmanager
def staged(target: Path, *, force: bool) -> Iterator[Path]:
    """Yield an empty directory that becomes `target` when the block ends without an error.

    Parameters
    ----------
    target : Path
        Must not exist, unless `force` is given and it is a covey release or an empty directory.
    force : bool
        Replace an existing release; it survives until the new one is in place.

    Warns
    -----
    CoveyWarning
        An earlier run was killed while it replaced a release, which was put back or still lies aside.
    """
    with ExitStack() as stack:
        with writing(target):
            require_outside_releases(target)
            recover(target)
            seen = _replaceable(target, force)
            place = stack.enter_context(aside(target))
            place.path.mkdir()
        yield place.path
        with writing(target):
            settle(place.path)
            with place.placing():
                _put(place, seen)


def files_in(directory: Path) -> list[str]:
    """Everything in a directory that is not a folder with something in it, as names relative to it."""
    return sorted(
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if path.is_symlink() or not path.is_dir() or not any(path.iterdir())
    )


def _replaceable(target: Path, force: bool) -> bytes | None:
    """The content of what is at `target`, as from `_content`; None when nothing is; an error if it has to stay."""
    path = settled(target)
    if not os.path.lexists(path):
        return None
    try:
        content = _content(path)
    except ReleaseError as error:
        if force:
            raise OutputError(
                f"--force replaces a covey release and nothing else. {error} Move it away, or choose another place."
            ) from None
        raise OutputError(
            f"{target} exists already, and is not a covey release that could be replaced. Choose another place."
        ) from None
    if not force:
        raise OutputError(
            f"{target} exists already. Choose another place, or replace it with --force (force=True in Python); "
            "the old release stays until the new one is in place."
        )
    return content


def _content(directory: Path) -> bytes:
    """The manifest of a directory that is a complete release and nothing else; of an empty one, nothing.

    Raises
    ------
    ReleaseError
        It is something else.
    """
    if directory.is_symlink():
        raise ReleaseError(f"{directory} is a link.")
    if directory.is_dir() and not any(directory.iterdir()):
        return b""
    try:
        listed = set(read_manifest(directory).names)
    except (TypeError, RecursionError):
        raise ReleaseError(f"{directory / NAME} is not the manifest of a covey release.") from None
    present = set(files_in(directory))
    for name in sorted(present - listed):
        raise ReleaseError(f"{directory} holds {name}, which is not part of the release.")
    for name in sorted(listed - present):
        raise ReleaseError(f"{directory} lacks {name}, which is part of the release.")
    return (directory / NAME).read_bytes()


def _holds(directory: Path, content: bytes | None) -> bool:
    try:
        return _content(directory) == content
    except (ReleaseError, OSError):
        return False


def _put(place: Aside, seen: bytes | None) -> None:
    """Give what was made the target's name, which something may have only if its content was `seen` at the start.

    Where the system can, the two are exchanged in one step. Else the old release is set aside for a moment; if this
    process is killed in that moment, the next run puts it back.
    """
    changed = OutputError(
        f"{place.given} was changed while this release was being made, so it was left alone. Choose another place "
        "with -o, or run the command again."
    )
    here = place.directory
    if not exists(here, place.name):
        move(here, place.new, place.name)
    elif not _holds(place.target, seen):
        raise changed
    elif exchange(here, place.new, place.name):
        if not _holds(place.path, seen):  # nobody can change it any more where it is now
            exchange(here, place.new, place.name)
            raise changed
    else:
        try:
            move(here, place.name, place.old)
            if not _holds(place.set_aside, seen):
                raise changed
            move(here, place.new, place.name)
        except BaseException:
            _put_back(place)
            raise
        move(here, place.old, place.new)  # so it may be removed


def _put_back(place: Aside) -> None:
    """Give what was set aside its name again."""
    if not exists(place.directory, place.old):
        return
    try:
        move(place.directory, place.old, place.name)
    except OSError as error:
        raise OutputError(
            f"{place.given} cannot be replaced: {error.strerror}. The release that was there is in {place.set_aside}."
        ) from None
