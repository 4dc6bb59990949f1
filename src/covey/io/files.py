"""Files as bytes: find them, decompress them within a limit, and decode their text to UTF-8.

A file may unpack to 256 MiB, or to a hundred times its size if that is more, since a few kilobytes can unpack to more
than any memory holds. The environment variable ``COVEY_MAX_DECOMPRESSED`` replaces both limits.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pyarrow as pa

from covey.errors import InputError, ParameterError
from covey.parameters import VARIABLE, did_you_mean, most_decompressed
from covey.progress import Progress, silent

BLOCK = 1 << 20
LONGEST_LINE = 1 << 26
#: So many bytes of a file are looked at before it is read.
_BEGINNING = 1 << 18

#: Suffixes of compressed files.
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
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
#: What Python can decode although no file is written in it.
_NOT_OF_FILES = {"charmap", "idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}


def file_of(source: Any) -> str | None:
    """Return the name of a file that something is read from; None for what is in memory."""
    return os.fspath(source) if isinstance(source, str | os.PathLike) else None


def locate(source: str | os.PathLike[str]) -> Path:
    """Return the path of a regular file that is not empty, or raise what is wrong."""
    path, name = Path(source), os.fspath(source)
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
    """Return the first bytes of a file as they are on disk."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise unreadable(error, name) from error


def compression(path: Path, name: str) -> str | None:
    """Return "gzip", "zstd" or None, by the first bytes; raise for other archives and binary files."""
    start = head(path, name)
    for magic, what in _FOREIGN.items():
        if start.startswith(magic) or start.lstrip().lower().startswith(magic):
            remedy = "covey reads FIMI, CSV and JSON Lines (plain, gzip or zstd), Parquet and .xlsx."
            raise InputError(f"is {what}", file=name, remedy=remedy)
    return next((codec for magic, codec in _MAGIC.items() if start.startswith(magic)), None)


def refuse_flood(unpacked: int, packed: int, name: str) -> None:
    """Raise if a file of `packed` bytes that holds `unpacked` bytes, or declares to, is over the limit."""
    limit = most_decompressed(packed)
    if unpacked > limit:
        shown = f"{limit / 2**20:,.0f} MiB" if limit >= 2**28 else f"{limit:,} bytes"
        raise InputError(
            f"unpacks to more than {shown} from {packed:,} bytes",
            file=name,
            remedy="If you trust its source, allow more with the environment variable "
            f"{VARIABLE}, such as {VARIABLE}=100GiB.",
        )


def text_blocks(
    path: Path, name: str, encoding: str = "utf-8", *, progress: Progress = silent, size: int | None = None
) -> Generator[bytes, None, None]:
    """Yield the text of a file in blocks of whole lines: decompressed, as UTF-8, without a byte order mark.

    Bytes that are no text in the encoding, zero bytes and too long lines are errors that name the line.
    """
    codec, packed = codec_of(encoding), compression(path, name)
    utf8, decoder = codec.name == "utf-8", codec.incrementaldecoder()
    rest, line, started, ended, unpacked = bytearray(), 1, False, False, 0
    try:
        file = pa.OSFile(os.fsencode(path), "rb")  # a name that is not UTF-8 is taken as bytes only
    except OSError as error:
        raise unreadable(error, name) from error
    with file:
        total = max(file.size(), 1)
        stream = pa.CompressedInputStream(file, packed) if packed else file
        while not ended:
            try:
                got = stream.read(size or BLOCK)
                while not started and got and len(got) < 4 and (more := stream.read(4)):
                    got += more
                progress("reading", min(file.tell() / total, 1.0))
            except (OSError, ValueError) as error:
                raise unreadable(error, name) from error
            unpacked, ended = unpacked + len(got), not got
            if packed:
                refuse_flood(unpacked, total, name)
            if not utf8:
                got = _decoded(decoder, got, ended, encoding, name, line).encode()
            if not started:
                _refuse_wide(got, name)
                got = got.removeprefix(codecs.BOM_UTF8)
            started = True
            if b"\0" in got:
                raise InputError(
                    "holds a zero byte, so it is a binary file or UTF-16 text",
                    file=name,
                    line=line + got.count(b"\n", 0, got.index(b"\0")),
                    remedy="covey reads UTF-8 text; for UTF-16 give --encoding utf-16 or convert the file.",
                )
            if utf8:
                _decoded(decoder, got, ended, encoding, name, line)
            rest += got
            if ended and rest and not rest.endswith(b"\n"):
                rest += b"\n"
            if block := bytes(rest[: rest.rfind(b"\n") + 1]):
                del rest[: len(block)]
                yield block
                line += block.count(b"\n")
            elif len(rest) > LONGEST_LINE:
                remedy = "Check that it is a text file and that its lines end in line feeds."
                raise InputError(f"a line is longer than {LONGEST_LINE >> 20} MiB", file=name, line=line, remedy=remedy)


def codec_of(encoding: str) -> codecs.CodecInfo:
    """Return the codec of an encoding that files may be written in."""
    try:
        known = codecs.lookup(encoding)
        if known.name in _NOT_OF_FILES or known.incrementaldecoder is None or not isinstance(b"".decode(encoding), str):
            raise LookupError
    except (LookupError, TypeError, ValueError):  # LookupError also for codecs of bytes, such as zlib
        raise ParameterError(
            f"The encoding {encoding!r} is not known. Usual ones are utf-8, latin-1 and cp1252."
        ) from None
    return known


def _decoded(decoder: codecs.IncrementalDecoder, got: bytes, ended: bool, encoding: str, name: str, line: int) -> str:
    try:
        text = decoder.decode(got, ended)
        if not text.isascii():
            text.encode()  # fails for half a character
        return text
    except UnicodeError as error:
        raw, start = (error.object, error.start) if isinstance(error, UnicodeDecodeError) else (got, 0)
        line += raw[:start].decode(encoding, "ignore").count("\n")
        begin, end = max(raw.rfind(b"\n", 0, start) + 1, start - 20), raw.find(b"\n", start)
        shown = repr(raw[begin : end if end >= 0 else None].rstrip()[:40])[1:]
        remedy = "Try another --encoding, for example utf-8 or cp1252."
        if codecs.lookup(encoding).name in ("utf-8", "ascii"):
            remedy = "If the file is an export from Windows, try --encoding cp1252 (encoding='cp1252')."
        raise InputError(f"{shown} is not valid {encoding}", file=name, line=line, remedy=remedy) from None


def _refuse_wide(got: bytes, name: str) -> None:
    """Refuse text in UTF-16 or UTF-32, known by its byte order mark, that is read as something else."""
    for mark, code in _WIDE_BOMS.items():
        if got.startswith(mark):
            remedy = f"Convert it to UTF-8, or give --encoding {code.lower()}."
            raise InputError(f"is {code} text", file=name, remedy=remedy)


def beginning(path: Path, name: str, encoding: str) -> bytes:
    """Return the first lines of a text file: some hundred kilobytes, or two lines if these are longer."""
    found = b""
    for block in text_blocks(path, name, encoding, size=_BEGINNING):
        found += block
        if len(found) >= _BEGINNING and found.count(b"\n") > 1:
            break
    if not found:
        raise empty_file(name)
    return found


def whole_text(source: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """Return all the text of a small file, such as a tree or a list; a line feed ends its last line."""
    return b"".join(text_blocks(locate(source), os.fspath(source), encoding)).decode()


def format_suffix(path: Path) -> str:
    """Return the format that a file name suggests: ".dat", ".csv", ".parquet", or another suffix as it is."""
    name = path.name.lower()
    for packed in COMPRESSIONS:
        name = name.removesuffix(packed)
    suffix = Path(name).suffix
    known = {".fimi": ".dat", ".basket": ".dat", ".baskets": ".dat", ".tsv": ".csv", ".tab": ".csv", ".pq": ".parquet"}
    return known.get(suffix, suffix)


def empty_file(name: str) -> InputError:
    """Return the error for a file that holds nothing."""
    return InputError("the file is empty", file=name, remedy="Check that it was written completely.")


def unreadable(error: Exception, name: str) -> InputError:
    """Return the error for a file that the system or a decompressor cannot read."""
    if isinstance(error, PermissionError):
        remedy = "Change its permissions or copy it to your folder."
        return InputError("no permission to read it", file=name, remedy=remedy)
    text = str(error).split(". Detail:")[0].rstrip(".")
    if "runcated" in text or "inflate" in text or "ZSTD" in text.upper():
        problem = f"the compressed data is damaged or cut off, or something follows it ({text})"
        return InputError(problem, file=name, remedy="Copy or download the file again.")
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
    if (path / "manifest.json").is_file():
        return "It looks like a release; give the original data file."
    return "Give a file in it."
