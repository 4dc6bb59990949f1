"""A full disk: how it is recognised, and what is said of it, by the server and by its workers."""

from __future__ import annotations

import errno

NO_ROOM = "There is no room left on the disk with covey's data. Remove old work, or free some space; then try again."


def is_full(error: OSError) -> bool:
    """Whether the operating system says that there is no room."""
    # Arrow keeps the number to itself.
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "No space left" in str(error)
