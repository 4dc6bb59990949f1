"""Files on their way in: written to disk as they arrive, never held in memory, never above the limit."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request

from covey.web.folders import safe_name, written_size
from covey.web.problems import Problem, TooLarge
from covey.web.settings import Settings

#: Bytes of all fields of a form beside its file, and how many fields there may be.
MOST_FIELDS, MOST = 1 << 20, 40
#: Bytes that are copied at once.
PIECE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that has arrived: its name made safe, where it is, and the other fields of the form."""

    name: str
    path: Path
    fields: dict[str, str]


async def receive(request: Request, settings: Settings) -> Upload:
    """Take the one file of a form (``multipart/form-data``); of a file that is too large, nothing is kept."""
    text = (
        f"The file is larger than the {written_size(settings.max_upload)} that may be uploaded. Start the server with "
        "a larger --max-upload, or with --root and pick the file there."
    )
    declared = request.headers.get("content-length", "")
    most = settings.max_upload + MOST_FIELDS
    if declared.isdigit() and int(declared) > most:
        raise TooLarge(text)
    arrived = 0

    async def limited() -> MutableMapping[str, Any]:
        nonlocal arrived
        message = await request.receive()
        arrived += len(message.get("body", b""))
        if arrived > most:
            raise TooLarge(text)
        return message

    async with Request(request.scope, limited).form(max_files=1, max_fields=MOST, max_part_size=MOST_FIELDS) as form:
        file = next((one for one in form.values() if isinstance(one, UploadFile) and one.filename), None)
        if file is None:
            raise Problem("The form holds no file.")
        if (file.size or 0) > settings.max_upload:
            raise TooLarge(text)
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        target = settings.incoming / secrets.token_hex(8)
        try:
            await run_in_threadpool(_keep, file.file, target)
        except BaseException:
            target.unlink(missing_ok=True)
            raise
        return Upload(name=safe_name(file.filename or ""), path=target, fields=fields)


def _keep(file: IO[bytes], target: Path) -> None:
    file.seek(0)
    with target.open("wb") as out:
        shutil.copyfileobj(file, out, PIECE)
