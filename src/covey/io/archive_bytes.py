"""Every byte of a ZIP archive accounted for, so that nothing travels between, before or behind its members."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

#: Extra fields that packing tools write, and the room they need: large sizes, times, numbers of owners.
_EXTRA = {0x0001: 32, 0x000A: 32, 0x5455: 13, 0x7875: 11}
_LOCAL, _CENTRAL, _END, _END_64 = 30, 46, 22, 56 + 20
_BLOCK = 1 << 20


def beside_the_members(path: Path, archive: zipfile.ZipFile) -> str:
    """What an archive holds beside its members, in words; nothing when every byte is accounted for.

    Names are plain ASCII (`covey.io.archive` sees to it). One pass over the file, with constant memory.
    """
    members = sorted(archive.infolist(), key=lambda one: one.header_offset)
    if archive.comment or any(one.comment for one in members):
        return "a comment"
    if any(_odd_extra(one.extra) for one in members):
        return "an unusual extra field"
    with path.open("rb") as file:
        end = 0
        for one in members:
            if one.header_offset != end:
                return "bytes between its files"
            file.seek(end)
            head = file.read(_LOCAL)
            name, extra = struct.unpack("<HH", head[26:30])
            if file.read(name) != one.filename.encode() or _odd_extra(file.read(extra)):
                return "a second, different entry for a file"
            if one.compress_type == zipfile.ZIP_DEFLATED and not _all_deflated(file, one.compress_size):
                return "bytes behind a compressed file"
            end += _LOCAL + name + extra + one.compress_size
            if one.flag_bits & 8:  # sizes come behind the file, where they were not known before
                file.seek(end)
                end += _descriptor(file.read(24), one)
        central = sum(_CENTRAL + len(one.filename) + len(one.extra) for one in members)
        rest = path.stat().st_size - end - central
        return "" if end == archive.start_dir and rest in (_END, _END + _END_64) else "bytes between its files"


def _odd_extra(extra: bytes) -> bool:
    while len(extra) >= 4:
        number, size = struct.unpack("<HH", extra[:4])
        if size > min(_EXTRA.get(number, -1), len(extra) - 4):
            return True
        extra = extra[4 + size :]
    return bool(extra)


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


def _descriptor(following: bytes, member: zipfile.ZipInfo) -> int:
    """How long the note of checksum and sizes behind a file is; 0 if none is there."""
    for start in (b"PK\x07\x08", b""):
        for sizes in ("<LLL", "<LQQ"):
            try:
                note = start + struct.pack(sizes, member.CRC, member.compress_size, member.file_size)
            except struct.error:  # a large file
                continue
            if following.startswith(note):
                return len(note)
    return 0
