"""Files on the server: names that are safe to use, folders below the root, sizes, and room that is freed."""

from __future__ import annotations

import contextlib
import fcntl
import re
import unicodedata
from pathlib import Path
from typing import IO, Any

from covey.errors import CoveyError, OutputError
from covey.web.problems import NotFound, Problem, Refused

#: Most entries of a folder that are listed.
MOST = 2_000

#: Files by which a folder is known to be a server's.
OWN = ("lock", "datasets")

#: Endings of files with lists of items or with cells that no format has as its own; MovieLens has the second.
TEXTS = (".txt", ".data")

_LONGEST = 120


def safe_name(name: str) -> str:
    """The last part of a file name, without anything that could lead elsewhere or upset a terminal.

    Examples
    --------
    >>> safe_name("../../etc/passwd"), safe_name("C:\\\\data\\\\my sales.csv"), safe_name("..")
    ('passwd', 'my sales.csv', 'data')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(letter for letter in last if letter.isprintable()).strip().lstrip(".")
    if len(kept.encode()) > _LONGEST:
        # The suffix tells the format, so the middle goes.
        raw = kept.encode()
        kept = (raw[: _LONGEST - 24] + raw[-24:]).decode(errors="ignore")
    return kept or "data"


def plain_name(text: str) -> str:
    """A text as a piece of a file name that every system takes: letters, digits and hyphens.

    Examples
    --------
    >>> plain_name("Café sales (2024)"), plain_name("degree(p=10)"), plain_name("売上")
    ('Cafe-sales-2024', 'degree-p-10', 'release')
    """
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "-", letters).strip("-")[:60] or "release"


def below(root: Path | None, relative: str) -> Path:
    """The existing path `relative` below `root`, links followed; anything outside is refused."""
    if root is None:
        raise Refused("No folder was opened: start the server with --root DIR, or upload the file.")
    base = root.resolve()
    try:
        path = (base / relative.lstrip("/")).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        # Where a path that is not there would lead is nobody's business either.
        raise NotFound("There is no such file below the opened folder.") from None
    if path != base and base not in path.parents:
        raise Refused("That path leads outside the folder that was opened with --root.")
    if any(part.startswith(".") for part in path.relative_to(base).parts):
        raise Refused("Hidden files and folders cannot be picked.")
    return path


def require_below(root: Path | None, path: Path) -> None:
    """Refuse a file that was below a root, if it no longer is: links can be turned, and roots be others."""
    if root is not None and root.resolve() not in path.parents:
        raise Refused("This file is not below the folder that was opened with --root.")
    below(root, path.name if root is None else str(path.relative_to(root.resolve())))


def listing(root: Path | None, relative: str) -> list[dict[str, Any]]:
    """Folders, and files that look like data, of a folder below the root, by name.

    Each has a name, a path relative to the root, and a size; hidden ones and links that lead outside are left out.
    """
    folder = below(root, relative)
    assert root is not None
    base = root.resolve()
    if not folder.is_dir():
        raise NotFound("That is a file, not a folder.")
    found = []
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        raise Refused("That folder cannot be read.") from None
    for name in names[:MOST]:
        inside = (folder / name).relative_to(base).as_posix()
        try:
            path = below(base, inside)
            size = 0 if path.is_dir() else path.stat().st_size
        except (Problem, OSError):
            continue
        if not name.startswith(".") and (path.is_dir() or (path.is_file() and _is_data(path))):
            found.append({"name": name, "path": inside, "folder": path.is_dir(), "size": size})
    return sorted(found, key=lambda entry: (not entry["folder"], entry["name"].casefold()))


def _is_data(path: Path) -> bool:
    """Whether a file has the ending of a format that covey reads or, where it has none of its own, begins like one."""
    from covey.io.files import format_suffix  # not before somebody browses
    from covey.io.loading import format_of

    with contextlib.suppress(CoveyError, OSError):
        return format_suffix(path) in (".dat", ".csv", *TEXTS) or format_of(path) is not None
    return False


def occupy(folder: Path) -> IO[bytes]:
    """Make the data folder this server's own until the returned file is closed."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if folder.stat().st_mode & 0o077:
            _close_to_others(folder)
        lock = (folder / "lock").open("wb")
    except OSError as error:
        why = f"{folder} cannot be used to keep data: {error.strerror}."
        raise OutputError(f"{why} Choose another folder with --data.") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        why = f"Another `covey serve` keeps its data in {folder}."
        raise OutputError(f"{why} Stop it, or choose another folder with --data.") from None
    return lock


def _close_to_others(folder: Path) -> None:
    """Leave a data folder to its owner alone; one that is used for other things is not touched."""
    if not any((folder / name).exists() for name in OWN) and any(folder.iterdir()):
        raise OutputError(
            f"Other users can look into {folder}, and it holds more than covey's data. "
            "Choose an empty folder with --data, or close this one with chmod 700."
        )
    folder.chmod(0o700)


def size_of(folder: Path) -> int:
    """How many bytes a folder holds; 0 when it is not there."""
    size = 0
    for path in folder.rglob("*") if folder.is_dir() else ():
        with contextlib.suppress(FileNotFoundError):  # others are at work
            size += path.lstat().st_size
    return size


def written_size(size: float) -> str:
    """Return bytes as people read them.

    Examples
    --------
    >>> written_size(512), written_size(1_234_567)
    ('512 bytes', '1.2 MB')
    """
    units = ["bytes", "KB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size = size / 1000
        units.pop(0)
    return f"{size:,.0f} {units[0]}" if units[0] == "bytes" or size >= 99.5 else f"{size:.1f} {units[0]}"
