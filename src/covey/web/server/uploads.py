"""Files on their way in: written to disk piece by piece as they arrive, never held in memory, never above the limit."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from starlette.concurrency import run_in_threadpool

from covey.web.records.room import is_full
from covey.web.server.folders import safe_name, written_size
from covey.web.server.problems import Full, Problem, TooLarge
from covey.web.server.settings import Settings

if TYPE_CHECKING:
    from starlette.requests import Request

#: Bytes gathered before they are written in one go.
PIECE = 1 << 20

#: Bytes of all fields of a form beside its file.
MOST_FIELDS = 1 << 20


@dataclass(slots=True, kw_only=True)
class Upload:
    """A file that has arrived.

    Attributes
    ----------
    name : str
        As the sender calls it, made safe.
    path : Path
        Where it is, in the server's folder for what arrives; take it over or `discard` it.
    size : int
        Bytes.
    fields : mapping
        The other fields of the form.
    """

    name: str
    path: Path
    size: int = 0
    fields: dict[str, str] = field(default_factory=dict)

    def discard(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


class _Writer:
    """Writes what arrives, outside the event loop, and counts it."""

    def __init__(self, upload: Upload, most: int, complaint: str) -> None:
        self._upload, self._most, self._complaint = upload, most, complaint
        self._file: BinaryIO = upload.path.open("wb")
        self._pieces: list[bytes] = []
        self._waiting = 0

    def take(self, piece: bytes) -> None:
        """Note a piece, to be written by the next `flush`."""
        self._upload.size += len(piece)
        if self._upload.size > self._most:
            raise TooLarge(self._complaint)
        self._pieces.append(piece)
        self._waiting += len(piece)

    async def flush(self, *, least: int = 0) -> None:
        """Write what waits, if it is at least so much."""
        if self._waiting >= max(least, 1):
            pieces, self._pieces, self._waiting = self._pieces, [], 0
            await run_in_threadpool(self._write, pieces)

    def _write(self, pieces: list[bytes]) -> None:
        try:
            self._file.writelines(pieces)
        except OSError as error:
            if is_full(error):
                raise Full from None
            raise

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


def too_large(settings: Settings) -> str:
    """What is said of an upload above the limit."""
    return (
        f"The file is larger than the {written_size(settings.max_upload)} that may be uploaded. Start the server with "
        "a larger --max-upload, or with --root and pick the file there."
    )


async def receive(request: Request, settings: Settings) -> Upload:
    """Stream the one file of a form (``multipart/form-data``) to disk; the form may have other fields.

    Raises
    ------
    TooLarge
        It is larger than allowed; nothing is kept.
    Problem
        The form cannot be understood, or has no file.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > settings.max_upload + MOST_FIELDS:
        raise TooLarge(too_large(settings))
    upload = Upload(name=safe_name(""), path=settings.incoming / secrets.token_hex(8))
    writer = await run_in_threadpool(_Writer, upload, settings.max_upload, too_large(settings))
    try:
        form = _Form(request.headers.get("content-type", ""), upload, writer)
        async for chunk in request.stream():
            if chunk:
                form.feed(chunk)
            await writer.flush(least=PIECE)
        form.finish()
        await writer.flush()
    except BaseException:
        writer.close()
        upload.discard()
        raise
    await run_in_threadpool(writer.close)
    return upload


class _Form:
    """Takes a multipart body apart as it arrives: the one file goes to the writer, fields into the upload."""

    def __init__(self, content_type: str, upload: Upload, writer: _Writer) -> None:
        from python_multipart.multipart import MultipartParser, parse_options_header

        self._options = parse_options_header
        _, options = parse_options_header(content_type)
        boundary = options.get(b"boundary")
        if not boundary:
            raise Problem("The form cannot be understood: it names no boundary.")
        self._upload, self._writer = upload, writer
        self._name = ""
        self._filename: str | None = None
        self._field = self._value = b""
        self._headers: dict[str, bytes] = {}
        self._text = b""
        self._held = 0
        self._files = 0
        self._ended = False
        callbacks: Any = {
            "on_part_begin": self._begin,
            "on_part_data": self._data,
            "on_part_end": self._end,
            "on_header_field": self._header_field,
            "on_header_value": self._header_value,
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
            "on_end": self._all,
        }
        self._parser = MultipartParser(boundary, callbacks)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        from python_multipart.exceptions import FormParserError

        try:
            self._parser.write(chunk)
        except FormParserError:
            raise Problem("The form cannot be understood; it may have been cut off.") from None

    def finish(self) -> None:
        """Check that all of it came."""
        if not self._ended:
            raise Problem("The form was cut off before its end. Send it again.")
        if self._files != 1:
            raise Problem("The form holds no file." if not self._files else "The form holds more than one file.")

    def _begin(self) -> None:
        self._headers, self._field, self._value, self._text = {}, b"", b"", b""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]
        self._count(end - start)

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._count(end - start)

    def _header_end(self) -> None:
        self._headers[self._field.decode("latin-1").lower()] = self._value
        self._field = self._value = b""

    def _headers_finished(self) -> None:
        _, options = self._options(self._headers.get("content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        given = options.get(b"filename")
        self._filename = None if given is None else given.decode("utf-8", "replace")
        if self._filename:
            self._files += 1
            self._upload.name = safe_name(self._filename)

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._filename is not None:
            if self._filename and self._files == 1:
                self._writer.take(bytes(data[start:end]))
            return
        self._count(end - start)
        self._text += data[start:end]

    def _count(self, size: int) -> None:
        self._held += size
        if self._held > MOST_FIELDS:
            raise TooLarge("The fields of the form are larger than a form can be.")

    def _end(self) -> None:
        if self._filename is None:
            self._upload.fields[self._name] = self._text.decode("utf-8", "replace")

    def _all(self) -> None:
        self._ended = True
