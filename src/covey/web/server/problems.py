"""What can go wrong between the page and the work, with the HTTP status it is told by.

CoveyError
 └── Problem          400
      ├── NotFound    404   no such dataset, job, file
      ├── Conflict    409   not possible in the present state
      ├── Refused     403   outside the root, without a token, from another site
      ├── TooLarge    413   an upload above the limit
      ├── Full        507   the disk is full
      └── TaskError   422   raised by the work itself in another process: `cause` names the class
"""

from __future__ import annotations

from typing import ClassVar

from covey.errors import CoveyError
from covey.web.records.room import NO_ROOM


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


class TaskError(Problem):
    """An error of the work itself, raised in a worker.

    Attributes
    ----------
    cause : str
        The class: ``InputError``, ``Infeasible``, ``MemoryError``, ``Crash``, ``Timeout`` and so on.
    """

    status = 422

    def __init__(self, message: str, *, cause: str) -> None:
        self.cause = cause
        super().__init__(message)


#: Errors of the library that are not the caller's fault.
STATUS = {"Full": 507, "OutputError": 507, "MissingDependency": 501, "VerificationFailed": 500}


def status_of(error: CoveyError) -> int:
    """The HTTP status that tells an error."""
    cause = error.cause if isinstance(error, TaskError) else type(error).__name__
    if cause in ("Crash", "Timeout", "MemoryError", "Fault"):
        return 503
    return STATUS.get(cause, error.status if isinstance(error, Problem) else 422)
