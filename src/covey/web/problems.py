"""What can go wrong on the server, with the HTTP status of the answer."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from covey.errors import CoveyError

NO_ROOM = "There is no room left on the disk with covey's data. Remove old work, or free some space; then try again."


class Problem(CoveyError):
    """The root of what the server itself raises."""

    status: ClassVar[int] = 400


class NotFound(Problem):
    """There is no such dataset, job or file."""

    status = 404


class Conflict(Problem):
    """Not possible in the present state, for example asking a job that is not done for its release."""

    status = 409


class Refused(Problem):
    """Not allowed: outside the root, without a token, or from another site."""

    status = 403


class TooLarge(Problem):
    """An upload above the limit."""

    status = 413


class Full(Problem):
    """There is no room on the disk of the data folder."""

    status = 507

    def __init__(self) -> None:
        super().__init__(NO_ROOM)


@contextmanager
def room() -> Iterator[None]:
    """Raise `Full` in place of an error that comes from a full disk, directly or through the library."""
    try:
        yield
    except (OSError, CoveyError) as error:
        cause = error if isinstance(error, OSError) else error.__context__
        if isinstance(cause, OSError) and is_full(cause):
            raise Full from None
        raise


def is_full(error: OSError) -> bool:
    """Return whether the operating system says that there is no room."""
    # Arrow keeps the number to itself.
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "No space left" in str(error)


#: Errors of the library that are not the caller's fault.
STATUS = {"OutputError": 507, "MissingDependency": 501, "VerificationFailed": 500}


def status_of(error: CoveyError) -> int:
    """Return the HTTP status of an error."""
    return error.status if isinstance(error, Problem) else STATUS.get(type(error).__name__, 422)
