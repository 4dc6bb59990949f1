"""Where the `covey` command starts. Imports little, so that Ctrl-C is handled from the beginning."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, TextIO


class Output(io.FileIO):
    """A standard stream whose first error is kept instead of raised.

    A full disk or a closed pipe must not stop a command that is about to put a release in place, nor change its exit
    code.
    """

    failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write `data`; after an error, discard it."""
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
        return len(data)


def main() -> None:
    """Run the command line and exit with its code."""
    open_closed_streams()
    output, errors = Output(1, "w", closefd=False), Output(2, "w", closefd=False)
    sys.stdout = text_stream(output, sys.stdout, sys.__stdout__)
    sys.stderr = text_stream(errors, sys.stderr, sys.__stderr__)
    try:
        from covey.cli.app import run

        code = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("covey: Stopped.\n")
        code = 1
    if output.failure is not None and output.failure.errno != errno.EPIPE:  # as in `covey … | head`
        from covey.cli.session import in_place

        message = f"covey: The result could not be printed: {output.failure.strerror}. {in_place()}"
        sys.stderr.write(message.rstrip() + "\n")
        code = code or 2
    sys.exit(code)


def open_closed_streams() -> None:
    """Open /dev/null as each closed standard stream; else the next file opened would receive what is printed."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def text_stream(raw: Output, stream: TextIO | None, original: TextIO | None) -> TextIO:
    """Return a text stream on `raw` that replaces letters unknown to the terminal; keep a stream that is redirected."""
    if stream is not None and stream is not original:
        return stream
    encoding = "utf-8" if stream is None else stream.encoding
    buffered = raw.fileno() == 1 and not raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors="replace", line_buffering=not buffered)
