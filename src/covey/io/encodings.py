"""Encodings: which can be split into cells before they are decoded, and what is said of bytes that are no text."""

from __future__ import annotations

import codecs
from functools import lru_cache

from covey.errors import InputError, ParameterError

# What Python can decode although no file is written in it.
_NOT_OF_FILES = {"charmap", "idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}


@lru_cache
def ascii_superset(encoding: str) -> bool:
    """Whether bytes below 128 always mean ASCII in `encoding`, so that bytes can be split before decoding.

    Examples
    --------
    >>> [ascii_superset(name) for name in ("utf-8", "latin-1", "utf-16", "shift-jis")]
    [True, True, False, False]
    """
    ascii_text = bytes(range(128))
    try:
        known = codecs.lookup(encoding)
        if known.name in _NOT_OF_FILES or known.incrementaldecoder is None:
            raise LookupError
        if ascii_text.decode(encoding) != ascii_text.decode("ascii"):
            return False
    except UnicodeError:
        return False
    except (LookupError, TypeError, ValueError):  # LookupError also for codecs of bytes, such as zlib
        raise ParameterError(
            f"The encoding {encoding!r} is not known. Usual ones are utf-8, latin-1 and cp1252."
        ) from None
    return all(bytes([lead, 65]).decode(encoding, "replace").endswith("A") for lead in range(128, 256))


def byte_encoding(encoding: str) -> str:
    """The encoding of the bytes in a window: the one of the file if bytes can be split in it, else UTF-8."""
    return encoding if ascii_superset(encoding) else "utf-8"


def undecodable(token: bytes, encoding: str, file: str | None, line: int | None) -> InputError:
    """The error for bytes that are not text in the encoding the file was read with."""
    if encoding.lower().replace("-", "").replace("_", "") in ("utf8", "ascii"):
        remedy = "If the file is an export from Windows, try --encoding cp1252 (encoding='cp1252')."
    else:
        remedy = "Try another --encoding, for example utf-8 or cp1252."
    shown = repr(token[:40])[1:]
    return InputError(f"{shown} is not valid {encoding}", file=file, line=line, remedy=remedy)
