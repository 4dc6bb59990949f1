"""Files as bytes: find them, undo compression by what the content says, and pass a window over them."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from covey.arrays import Bytes
from covey.errors import InputError
from covey.io.decompression import Unpacked
from covey.io.encodings import ascii_superset, byte_encoding, undecodable
from covey.parameters import did_you_mean
from covey.progress import Progress, silent

CHUNK = 1 << 18  # fits the second-level cache together with the tokens found in it
LONGEST_LINE = 1 << 26

_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_FOREIGN = {
    b"PK\x03\x04": "a ZIP archive or a spreadsheet",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"ARROW1": "an Arrow (Feather) file",
    b"<!doctype html": "a web page (HTML)",
    b"<html": "a web page (HTML)",
}
_WIDE_BOMS = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


class ByteStream(Protocol):
    """What a window reads from."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""


def file_of(source: Any) -> str | None:
    """The name of a file that something is read from; None for what is in memory."""
    return os.fspath(source) if isinstance(source, str | os.PathLike) else None


def locate(source: str | os.PathLike[str]) -> Path:
    """Return the path of a file that exists, is a file and holds something, or say what is wrong."""
    path = Path(source)
    name = os.fspath(source)
    if not name:
        raise InputError("the name of the file is empty", remedy="Give the name of a file with data.")
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("there is no such file", file=name, remedy=_near_files(path)) from None
    except (OSError, ValueError) as error:
        raise unreadable(error, name) from error
    if path.is_dir():
        raise InputError("is a directory, not a file", file=name, remedy=_inside(path))
    if not path.is_file():
        raise InputError("is not a regular file", file=name, remedy="Save the data to a file first.")
    if status.st_size == 0:
        raise empty_file(name)
    return path


def head(path: Path, name: str, size: int = 16) -> bytes:
    """The first bytes of a file as they are on disk."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise unreadable(error, name) from error


def compression(path: Path, name: str) -> str | None:
    """ "gzip", "zstd" or None, by the first bytes; other archives and binary files are an error."""
    start = head(path, name)
    for magic, codec in _MAGIC.items():
        if start.startswith(magic):
            return codec
    for magic, what in _FOREIGN.items():
        if start.startswith(magic) or start.lstrip().lower().startswith(magic):
            raise InputError(
                f"is {what}",
                file=name,
                remedy="covey reads FIMI, CSV and JSON Lines (plain, gzip or zstd), Parquet and .xlsx.",
            )
    return None


@contextmanager
def window(
    path: Path, name: str, *, encoding: str = "utf-8", chunk: int = CHUNK, progress: Progress = silent
) -> Iterator[Window]:
    """Open a file of text and pass a window over its decompressed bytes, in UTF-8 or an ASCII superset."""
    import pyarrow as pa

    codec = compression(path, name)
    try:
        opened = pa.OSFile(os.fsencode(path), "rb")  # a name that is not UTF-8 is taken as bytes only
    except OSError as error:
        raise unreadable(error, name) from error
    with opened as file:
        size = max(file.size(), 1)

        def report() -> None:
            progress("reading", min(file.tell() / size, 1.0))

        stream = Unpacked(file, name, codec) if codec else file
        yield Window(stream, name, encoding, chunk, report)


def beginning(path: Path, name: str, encoding: str) -> tuple[Bytes, int]:
    """The first complete lines of a text file: some hundred kilobytes, or more if the first line is long."""
    with window(path, name, encoding=encoding) as view:
        while view.fill(1) and not view.ended:
            if view.held >= CHUNK and view.lines() > 1:
                break
        stop = view.last_line()
    if stop == 0:
        raise empty_file(name)
    return view.data, stop


def whole_text(source: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """All the text of a small file, such as a tree or a list; a line feed ends its last line."""
    path, name = locate(source), os.fspath(source)
    pieces: list[bytes] = []
    line = 1
    with window(path, name, encoding=encoding) as view:
        while view.fill(line):
            stop = view.last_line()
            pieces.append(view.data[:stop].tobytes())
            line += pieces[-1].count(b"\n")
            view.drop(stop)
    raw = b"".join(pieces)
    try:
        return raw.decode(byte_encoding(encoding))
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        start = max(raw.rfind(b"\n", 0, error.start) + 1, error.start - 20)
        shown = raw[start : raw.find(b"\n", error.start)].rstrip()
        raise undecodable(shown, encoding, name, line) from None


class Window:
    """The part of a stream of text that is in memory; a line feed always ends the last line.

    Attributes
    ----------
    data : uint8 array
        The bytes; only the first `held` of them count.
    held : int
        How many bytes are held.
    ended : bool
        Whether the stream has nothing more to give.
    """

    def __init__(self, stream: ByteStream, name: str, encoding: str, chunk: int, report: Callable[[], None]) -> None:
        self._stream, self._name, self._report = stream, name, report
        self._decoder = None if ascii_superset(encoding) else codecs.getincrementaldecoder(encoding)()
        self._encoding, self._chunk, self._started = encoding, chunk, False
        self._raw = bytearray(chunk + 1)
        self.data: Bytes = np.frombuffer(self._raw, np.uint8)
        self.held, self.ended = 0, False

    def fill(self, line: int) -> bool:
        """Read on behind what is held, which starts on line number `line`; False when nothing is left.

        A window full to the brim holds an incomplete record, so it is made twice as large, within reason.
        """
        if self.held > LONGEST_LINE and not self.ended:
            raise InputError(
                f"a line is longer than {LONGEST_LINE >> 20} MiB",
                file=self._name,
                line=line,
                remedy="Check that it is a text file and that its lines end in line feeds.",
            )
        if not self.ended:
            got, ended = self._read(line)
            if self.held + len(got) + 1 > len(self._raw):
                larger = bytearray(2 * (self.held + len(got)) + 1)
                larger[: self.held] = self._raw[: self.held]
                self._raw, self.data = larger, np.frombuffer(larger, np.uint8)
            self._raw[self.held : self.held + len(got)] = got
            self.held += len(got)
            zero = self._raw.find(0, self.held - len(got), self.held)
            if zero >= 0:
                raise InputError(
                    "holds a zero byte, so it is a binary file or UTF-16 text",
                    file=self._name,
                    line=line + self._raw.count(b"\n", 0, zero),
                    remedy="covey reads UTF-8 text; for UTF-16 give --encoding utf-16 or convert the file.",
                )
            if ended and self.held and self._raw[self.held - 1] != 10:
                self._raw[self.held] = 10
                self.held += 1
            self.ended = ended
        return self.held > 0 or not self.ended

    def last_line(self) -> int:
        """The position behind the last line feed held, 0 when there is none."""
        return self._raw.rfind(b"\n", 0, self.held) + 1

    def lines(self) -> int:
        """How many line feeds are held."""
        return self._raw.count(b"\n", 0, self.held)

    def drop(self, count: int) -> None:
        """Forget the first `count` bytes."""
        rest = self.held - count
        self.data[:rest] = self.data[count : self.held]
        self.held = rest

    def _read(self, line: int) -> tuple[bytes, bool]:
        """The next bytes as UTF-8 or an ASCII superset, no byte order mark, and whether this is the end."""
        room = max(len(self._raw) - 1 - self.held, self._chunk)
        got = self._take(room)
        while not self._started and got and len(got) < 4:
            more = self._take(4 - len(got))
            if not more:
                break
            got += more
        ended = not got
        if self._decoder is None:
            self._refuse_wide(got)
        else:
            got = self._decode(got, ended, line)
        if not self._started and (got or ended):
            self._started = True
            got = got.removeprefix(codecs.BOM_UTF8)
        self._report()
        return got, ended

    def _take(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except (OSError, ValueError) as error:
            raise unreadable(error, self._name) from error

    def _refuse_wide(self, got: bytes) -> None:
        """Refuse text in UTF-16 or UTF-32, known by its byte order mark, that is read as something else."""
        if not self._started:
            for mark, code in _WIDE_BOMS.items():
                if got.startswith(mark):
                    raise InputError(
                        f"is {code} text",
                        file=self._name,
                        remedy=f"Convert it to UTF-8, or give --encoding {code.lower()}.",
                    )

    def _decode(self, got: bytes, ended: bool, line: int) -> bytes:
        assert self._decoder is not None
        try:
            return self._decoder.decode(got, ended).encode()
        except UnicodeError as error:
            here, bad = line + self._raw.count(b"\n", 0, self.held), got
            if isinstance(error, UnicodeDecodeError):
                here += error.object[: error.start].decode(self._encoding, "ignore").count("\n")
                bad = error.object[error.start : error.end]
            raise undecodable(bad, self._encoding, self._name, here) from error


def empty_file(name: str) -> InputError:
    """The error for a file that holds nothing."""
    return InputError("the file is empty", file=name, remedy="Check that it was written completely.")


def unreadable(error: Exception, name: str) -> InputError:
    """The error for a file that the system or a decompressor does not give the bytes of."""
    if isinstance(error, PermissionError):
        return InputError(
            "no permission to read it", file=name, remedy="Change its permissions or copy it to your folder."
        )
    text = str(error).split(". Detail:")[0].rstrip(".")
    if "runcated" in text or "inflate" in text or "ZSTD" in text.upper():
        return InputError(
            f"the compressed data is damaged or cut off, or something follows it ({text})",
            file=name,
            remedy="Copy or download the file again.",
        )
    return InputError(f"cannot be read ({text})", file=name, remedy="Check the file and the disk.")


def _near_files(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"The folder '{folder}' does not exist either."
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return "Check the spelling."
    return did_you_mean(path.name, names).strip() or "Check the spelling and the folder."


def _inside(path: Path) -> str:
    try:
        names = sorted(entry.name for entry in path.iterdir() if entry.is_file())
    except OSError:
        names = []
    if (path / "manifest.json").is_file():
        return "It looks like a release; give the original data file."
    return f"Give a file in it, for example '{path / names[0]}'." if names else "It holds no files."
