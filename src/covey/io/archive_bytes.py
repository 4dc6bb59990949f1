"""Every byte of a ZIP archive accounted for, so that nothing travels between, before or behind its members.

An archive says most things twice, before each member and in a list at its end: both must say the same, and it must be
so. What only the packing tool knows must be of its kind: times that can be, one owner for all members, versions that
exist.
"""

from __future__ import annotations

import struct
import time
import zipfile
import zlib
from calendar import timegm
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from stat import S_IFDIR, S_IFMT, S_IFREG
from typing import BinaryIO

import numpy as np

from covey.kernels.shared.deflated import is_tight

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END, _END_64, _PLACE_64 = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
#: Extra fields that packing tools write.
_SIZES, _WINDOWS_TIMES, _UNIX_TIMES, _OWNER = 0x0001, 0x000A, 0x5455, 0x7875
_LARGE = 0xFFFFFFFF
#: Flags: how hard a tool tried to compress, sizes behind the content, names in UTF-8.
_TRIED, _BEHIND, _UTF_8 = 0x0006, 0x0008, 0x0800
_VERSIONS = (10, 20, 45)
#: Windows counts tenths of microseconds from the year 1601.
_WINDOWS_START = 11_644_473_600
_EARLIEST, _QUARTER = timegm((1980, 1, 1, 0, 0, 0)), 15 * 60
_BLOCK = 1 << 20


class _Beside(ValueError):
    """What an archive holds beside its members."""


def beside_the_members(path: Path, archive: zipfile.ZipFile) -> str:
    """What an archive holds beside its members, in words; nothing when every byte is accounted for.

    Names are plain ASCII (`covey.io.archive` sees to it). One pass over the file, with constant memory per member.
    """
    try:
        with path.open("rb") as file:
            start, end, count = _listed(file, path.stat().st_size)
            file.seek(start)
            entries = [_Entry.read(file, one.filename.encode()) for one in archive.infolist()]
            _require(file.tell() == end and count == len(entries), "bytes between its files")
            _require(len({one.extra[_OWNER] for one in entries if _OWNER in one.extra}) < 2, "an unusual extra field")
            at = 0
            for entry in entries:
                _require(entry.offset == at, "bytes between its files")
                file.seek(at)
                at = entry.check(file)
            _require(at == start, "bytes between its files")
    except _Beside as beside:
        return str(beside)
    return ""


def _require(so: object, otherwise: str) -> None:
    if not so:
        raise _Beside(otherwise)


def _take(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    _require(len(data) == size, "bytes between its files")
    return data


def _listed(file: BinaryIO, size: int) -> tuple[int, int, int]:
    """Where the list of members begins and ends, and how long it is, from what follows it, field by field."""
    at = size - _END.size
    file.seek(max(at, 0))
    sign, disk, disk_of_list, here, count, length, start, comment = _END.unpack(_take(file, _END.size))
    _require(not comment and sign == b"PK\5\6", "a comment")
    _require(disk == disk_of_list == 0 and here == count, "an unusual end")
    file.seek(max(at - _PLACE_64.size, 0))
    sign, disk, place, disks = _PLACE_64.unpack(_take(file, _PLACE_64.size))
    if sign == b"PK\6\7":
        at -= _PLACE_64.size + _END_64.size
        file.seek(max(at, 0))
        sign, own, made, needs, *disks_64, here_64, count_64, length_64, start_64 = _END_64.unpack(
            _take(file, _END_64.size)
        )
        true = (sign, own, needs, here_64, disks_64, disk, disks) == (b"PK\6\6", 44, 45, count_64, [0, 0], 0, 1)
        _require(true and place == at and _is_version(made), "an unusual end")
        shown = zip((count, length, start), (count_64, length_64, start_64), (0xFFFF, _LARGE, _LARGE), strict=True)
        _require(all(short in (long, most) for short, long, most in shown), "an unusual end")
        count, length, start = count_64, length_64, start_64
    _require(start + length == at, "bytes between its files")
    return start, at, count


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """What the list at the end of an archive says of a member.

    Attributes
    ----------
    name : bytes
        Its name.
    form : tuple of int
        Flags, method, time and date.
    sums : tuple of int
        Checksum, packed size and size.
    offset : int
        Where it begins.
    extra : dict
        Extra fields.
    """

    name: bytes
    form: tuple[int, int, int, int]
    sums: tuple[int, int, int]
    offset: int
    extra: dict[int, bytes]

    @classmethod
    def read(cls, file: BinaryIO, name: bytes) -> _Entry:
        """The next entry, which must be of the member of this name."""
        sign, made, needs, *form, crc, packed, size, names, extras, comment, disk, text, mode, offset = _CENTRAL.unpack(
            _take(file, _CENTRAL.size)
        )
        _require(not comment, "a comment")
        _require(sign == b"PK\1\2" and _take(file, names) == name, "a second, different entry for a file")
        extra = _extra_fields(_take(file, extras))
        size, packed, offset = _large(extra, size, packed, offset)
        flags, method, clock, day = form
        _check_times(extra, _seconds(clock, day), central=True)
        folder = name.endswith(b"/")
        usual = flags & ~(_TRIED | _BEHIND | _UTF_8) == 0 and (method == zipfile.ZIP_DEFLATED or not flags & _TRIED)
        usual &= method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) and needs in _VERSIONS and _is_version(made)
        usual &= disk == 0 and text in (0, 1) and _is_mode(mode, folder)
        _require(usual, "an unusual entry for a file")
        _require(method == zipfile.ZIP_DEFLATED or packed == size, "bytes behind a file")
        _require(not folder or (method, crc, packed, size) == (zipfile.ZIP_STORED, 0, 0, 0), "bytes in a folder")
        return cls(name=name, form=(flags, method, clock, day), sums=(crc, packed, size), offset=offset, extra=extra)

    def check(self, file: BinaryIO) -> int:
        """Where the member ends that begins here; it must be as the list says, up to its last byte."""
        sign, needs, *form, crc, packed, size, names, extras = _LOCAL.unpack(_take(file, _LOCAL.size))
        same = sign == b"PK\3\4" and needs in _VERSIONS and tuple(form) == self.form
        _require(same and _take(file, names) == self.name, "a second, different entry for a file")
        extra = _extra_fields(_take(file, extras))
        size, packed = _large(extra, size, packed)
        behind = self.form[0] & _BEHIND  # sizes come behind the content, where they were not known before
        said = zip((crc, packed, size), self.sums, strict=True)
        _require(all(one == true or (behind and not one) for one, true in said), "a second, different entry for a file")
        _check_times(extra, _seconds(*self.form[2:]), central=False)
        both = extra.keys() & self.extra.keys() - {_SIZES}
        # The list leaves out the times behind the first.
        _require(all(extra[n].startswith(self.extra[n]) for n in both), "a second, different entry for a file")
        _require(_OWNER not in extra or _OWNER in both, "an unusual extra field")
        packed, content = self.sums[1], file.tell()
        deflated = self.form[1] == zipfile.ZIP_DEFLATED
        if deflated:
            _require(_all_deflated(file, packed), "bytes behind a compressed file")
            stream = np.memmap(file, np.uint8, "r", offset=content, shape=(packed,))
            _require(is_tight(stream), "bits in a compressed file that belong to none of its bytes")
        file.seek(content + packed)
        return content + packed + (_descriptor(file.read(24), *self.sums) if behind else 0)


def _is_version(made: int) -> bool:
    """Whether there is such a version of ZIP, on Windows or Unix."""
    return made >> 8 in (0, 3, 10, 11) and 10 <= made & 255 <= 63


def _is_mode(mode: int, folder: bool) -> bool:
    """Whether these are permissions of a file or folder: of Unix in the upper half, of Windows in the lower."""
    kind, windows = S_IFMT(mode >> 16), 0x80B1 if folder else 0x80A1
    return kind in (0, S_IFDIR if folder else S_IFREG) and not mode & 0xFFFF & ~windows


def _extra_fields(data: bytes) -> dict[int, bytes]:
    """Extra fields by their number; each known, and there once."""
    fields: dict[int, bytes] = {}
    while data:
        _require(len(data) >= 4, "an unusual extra field")
        number, size = struct.unpack("<HH", data[:4])
        known = number in (_SIZES, _WINDOWS_TIMES, _UNIX_TIMES, _OWNER) and number not in fields
        _require(known and len(data) >= 4 + size, "an unusual extra field")
        fields[number], data = data[4 : 4 + size], data[4 + size :]
    owner = fields.get(_OWNER, b"\1\4____\4____")
    _require((len(owner), owner[:2], owner[6:7]) == (11, b"\1\4", b"\4"), "an unusual extra field")
    return fields


def _large(extra: dict[int, bytes], *values: int) -> list[int]:
    """Sizes and places, those from the extra field that are too large for their own."""
    count = values.count(_LARGE)
    _require((_SIZES in extra) == (count > 0) and len(extra.get(_SIZES, b"")) == 8 * count, "an unusual extra field")
    large = iter(struct.unpack(f"<{count}Q", extra.get(_SIZES, b"")))
    return [next(large) if one == _LARGE else one for one in values]


def _seconds(clock: int, day: int) -> int | None:
    """When a file was changed, by the clock on the wall; None if a tool tells no time."""
    if clock == day == 0:
        return None
    date = (1980 + (day >> 9), day >> 5 & 15, day & 31)
    try:
        return timegm(datetime(*date, clock >> 11, clock >> 5 & 63, (clock & 31) * 2).timetuple())
    except ValueError:
        raise _Beside("a time that cannot be") from None


def _check_times(extra: dict[int, bytes], wall: int | None, *, central: bool) -> None:
    """Raise `_Beside` unless extra times are times, and the first is the one by the clock on the wall."""
    for times in (_unix_times(extra, central), _windows_times(extra)):
        for number, one in enumerate(times):
            _require(one in (0, 1) or _EARLIEST - 86_400 < one < time.time() + 2 * 86_400, "a time that cannot be")
            if number == 0 and wall is not None and one > 1:  # what has no time at all says 1970
                # Two seconds are the least that the wall shows; zones differ by quarters of an hour.
                _require(abs(one - wall) < 27 * 3600 and (one - wall + 2) % _QUARTER <= 4, "a time that cannot be")


def _unix_times(extra: dict[int, bytes], central: bool) -> Iterable[int]:
    field = extra.get(_UNIX_TIMES, b"\0")
    flags = field[0] if field else 8
    count = flags & 1 if central else (flags & 7).bit_count()
    _require(flags < 8 and len(field) == 1 + 4 * count, "an unusual extra field")
    times: tuple[int, ...] = struct.unpack(f"<{count}i", field[1:])
    return times if flags & 1 else (0, *times)


def _windows_times(extra: dict[int, bytes]) -> Iterable[int]:
    if _WINDOWS_TIMES not in extra:
        return ()
    field = extra[_WINDOWS_TIMES]
    _require(len(field) == 32 and field[:8] == struct.pack("<LHH", 0, 1, 24), "an unusual extra field")
    return [one // 10**7 - _WINDOWS_START for one in struct.unpack("<3Q", field[8:])]


def _all_deflated(file: BinaryIO, size: int) -> bool:
    """Whether the next `size` bytes are one compressed stream, up to its last byte."""
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    while size:
        piece = file.read(min(size, _BLOCK))
        if not piece or stream.eof:
            return False
        size -= len(piece)
        while piece:
            stream.decompress(piece, _BLOCK)
            piece = stream.unconsumed_tail
    return stream.eof and not stream.unused_data


def _descriptor(following: bytes, *sums: int) -> int:
    """How long the note of checksum and sizes behind a file is."""
    for start in (b"PK\x07\x08", b""):
        for form in ("<LLL", "<LQQ"):
            try:
                note = start + struct.pack(form, *sums)
            except struct.error:  # a large file
                continue
            if following.startswith(note):
                return len(note)
    raise _Beside("bytes between its files")
