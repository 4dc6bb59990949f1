"""Standard output and standard error that may be closed, full, or a pipe nobody reads, at no harm to the work."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from typing import Any, TextIO


class Outlet(io.RawIOBase):
    """A file descriptor that swallows what it cannot write, and remembers why.

    Whoever prints is in the middle of what matters more: a release to put in place, an exit code that tells whether one
    holds.

    Attributes
    ----------
    failure : OSError or None
        Why something could not be written.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.failure: OSError | None = None

    def writable(self) -> bool:
        """Whether it can be written to: always."""
        return True

    def fileno(self) -> int:
        """The file descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._descriptor)

    def write(self, piece: Any, /) -> int:
        """Write as much as goes at once; after a failure, nothing, but the caller need not know."""
        while self.failure is None:
            try:
                return os.write(self._descriptor, piece)
            except BlockingIOError:  # another program has set the terminal or pipe so
                select.select([], [self._descriptor], [])
            except OSError as error:
                self.failure = error
        return len(piece)

    def lost(self) -> str | None:
        """Why output was lost; None if it was not, or if its reader went away, as in `covey … | head`."""
        if self.failure is None or self.failure.errno == errno.EPIPE:
            return None
        return self.failure.strerror


def provide() -> Outlet:
    """Replace both streams by ones that never raise; returns the outlet of standard output."""
    for descriptor in range(3):
        _occupy(descriptor)
    outlet = Outlet(1)
    sys.stdout = _text(outlet, sys.stdout, sys.__stdout__)
    sys.stderr = _text(Outlet(2), sys.stderr, sys.__stderr__)
    return outlet


def _occupy(descriptor: int) -> None:
    """Let a closed descriptor lead nowhere; the next file would get its number, and all that is printed."""
    try:
        os.fstat(descriptor)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != descriptor:
            os.dup2(nowhere, descriptor)
            os.close(nowhere)
        os.set_inheritable(descriptor, True)


def _text(outlet: Outlet, stream: TextIO | None, original: TextIO | None) -> TextIO:
    """A stream of text in which a letter that the terminal does not know is a question mark, not an error."""
    if stream is not None and stream is not original:  # replaced by someone who wants to see what is printed
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(outlet),
        encoding=getattr(stream, "encoding", "utf-8"),
        errors="replace",
        line_buffering=outlet.fileno() == 2 or outlet.isatty(),
    )
