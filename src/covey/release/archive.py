"""Pack a release into one ZIP file, and unpack one that may come from anybody.

An archive holds one folder with a release, and may hold a second one of the same name and ``-csv`` with the same
release as CSV. Names that lead elsewhere, links, members that no release has, encryption and contents that would flood
the disk are refused before anything is written. Bytes that no member holds are not looked for.
"""

from __future__ import annotations

import re
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from covey.errors import CoveyError, ReleaseError, TamperedRelease
from covey.parameters import most_decompressed
from covey.release.manifest import DOCUMENTS, FILE, NAME, read_manifest

#: What the folder of the copy in CSV is called beside that of the release.
COPY = "-csv"

#: No release has more files.
MOST = 200_000
_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_BLOCK = 1 << 20


def pack(folders: Mapping[str, Path], target: Path) -> None:
    """Put releases, each under the name of a folder, into a ZIP archive: exactly their files, and no dates."""
    half = target.with_name(f".{target.name}")
    with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for folder, directory in folders.items():
            for name in read_manifest(directory).names:
                # A fixed date: when a release was made is nobody's business.
                entry = zipfile.ZipInfo(f"{folder}/{name}", (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_STORED if name.endswith(".parquet") else zipfile.ZIP_DEFLATED
                entry.external_attr = (stat.S_IFREG | 0o644) << 16
                with archive.open(entry, "w", force_zip64=True) as out, (directory / name).open("rb") as file:
                    shutil.copyfileobj(file, out, _BLOCK)
    half.replace(target)


@dataclass(frozen=True)
class Opened:
    """Where the files of a release are for the time being."""

    #: What was named: a directory, or a ZIP file.
    given: Path
    #: The directory with the release.
    release: Path
    #: The directory with its copy in CSV, if there is one.
    copy: Path | None = None

    def told(self, text: str) -> str:
        """A message in which what was named stands for where it was unpacked."""
        return text.replace(str(self.release), str(self.given))


@contextmanager
def opened(path: str | Path) -> Iterator[Opened]:
    """Give the directory of a release, and of its copy in CSV if there is one; a ZIP file is unpacked for the time.

    Raises
    ------
    ReleaseError
        A file that is no ZIP archive of a release.
    TamperedRelease
        An archive that covey would not have made.
    """
    path = Path(path)
    try:
        packed = path.is_file()
    except OSError:  # such a path cannot be, which reading it as a directory will say
        packed = False
    if not packed:
        yield Opened(given=path, release=path)
        return
    with tempfile.TemporaryDirectory(prefix="covey-") as place:
        try:
            with zipfile.ZipFile(path) as archive:
                folders = _unpack(archive, path, Path(place))
        except OSError as error:
            raise ReleaseError(f"{path} cannot be unpacked: {error.strerror or error}.") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            with path.open("rb") as file:
                why = f" ({error})" if file.read(2) == b"PK" else ""
            raise ReleaseError(
                f"{path} is not a release{why}. Give the directory that `covey anonymize` wrote, or a ZIP file of it."
            ) from None
        try:
            yield folders
        except CoveyError as error:
            error.args = (folders.told(str(error.args[0])), *error.args[1:])
            raise


def _unpack(archive: zipfile.ZipFile, path: Path, place: Path) -> Opened:
    """Write what is in the archive below `place`, if it is nothing but a release, perhaps with its copy in CSV."""
    entries = archive.infolist()
    members = [one for one in entries if not _is_folder(one)]
    folders = sorted({one.filename.rpartition("/")[0] for one in members if PurePosixPath(one.filename).name == NAME})
    limit, unpacked = most_decompressed(path.stat().st_size), sum(one.file_size for one in members)
    if not folders:
        raise ReleaseError(f"{path} holds no release: there is no {NAME} in it.")
    problem = ""
    if len(entries) > MOST:
        problem = f"holds {len(entries):,} files; no release has that many"
    elif len(folders) > 2 or (len(folders) == 2 and folders[1] != folders[0] + COPY):
        problem = f"holds {len(folders)} releases; one is expected, or one and its copy in CSV"
    elif any(folder and not _FOLDER.fullmatch(folder) for folder in folders):
        problem = f"keeps a release in the folder {_shown(folders[-1])}, which covey never does"
    elif archive.comment:
        problem = "has a comment. Pack the release again"
    elif unpacked > limit:
        problem = (
            f"would unpack to {unpacked:,} bytes; {limit:,} are allowed. If it is yours, set COVEY_MAX_DECOMPRESSED, "
            "or unpack it yourself and verify the directory"
        )
    if problem:
        raise TamperedRelease(f"{path} {problem}.")
    parents, seen = {one.filename.rpartition("/")[0] + "/" for one in members}, set[str]()
    for one in entries:
        problem = "" if _is_folder(one) and one.filename in parents else _odd(one, folders)
        problem = problem or ("is in it twice" if one.filename.lower() in seen else "")
        if problem:
            raise TamperedRelease(f"{path}: {_shown(one.filename)} {problem}.")
        seen.add(one.filename.lower())
    here = place / "release"
    for one in members:
        target = here / one.filename  # checked above: plain names, at most two folders deep
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(one) as source, target.open("xb") as out:
            shutil.copyfileobj(source, out, _BLOCK)  # zipfile stops after `file_size` bytes
            if out.tell() != one.file_size:
                raise TamperedRelease(f"{path}: {_shown(one.filename)} is shorter than stated.")
    return Opened(given=path, release=here / folders[0], copy=here / folders[1] if len(folders) == 2 else None)


def _is_folder(member: zipfile.ZipInfo) -> bool:
    """Whether it is an entry for a folder, which archives of whole folders have and which holds nothing."""
    plain = member.is_dir() and not member.file_size
    named = all(map(_FOLDER.fullmatch, member.filename.rstrip("/").split("/")))
    return plain and named and not stat.S_ISLNK(member.external_attr >> 16)


def _odd(member: zipfile.ZipInfo, folders: list[str]) -> str:
    """What is wrong with a member of the archive, in words; nothing when it may be a file of a release."""
    # `orig_filename` is what is written; zipfile cuts names at a zero byte and turns other separators.
    name = member.filename
    if member.orig_filename != name or "\\" in name or ".." in PurePosixPath(name).parts or name.startswith("/"):
        return "has a name that leads elsewhere"
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG) and not _is_folder(member):
        return "is a link or another special file, and a release has none"
    if member.flag_bits & 1:
        return "is encrypted"
    if member.comment:
        return "has a comment"
    # The longest folder that fits is the one it is in.
    below = [f"{folder}/" if folder else "" for folder in folders]
    inside = min((name.removeprefix(folder) for folder in below if name.startswith(folder)), key=len, default="")
    if inside in (NAME, *DOCUMENTS) or FILE.fullmatch(inside):
        return ""
    return "does not belong to a release"


def _shown(name: str) -> str:
    """A name from an archive as it may be printed."""
    return repr(name if len(name) <= 80 else f"{name[:80]}…") if name.isprintable() else ascii(name[:80])
