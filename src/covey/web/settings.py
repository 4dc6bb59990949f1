"""The settings of `covey serve`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

GIB = 1 << 30

#: Addresses that only this machine can reach.
LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the server runs."""

    #: The folder with uploads and releases, and that below which files may be picked; None allows uploads only.
    data: Path
    root: Path | None = None
    host: str = "127.0.0.1"
    port: int = 0
    #: What callers must know; None asks for nothing.
    token: str | None = None
    #: Bytes of the largest upload.
    max_upload: int = 2 * GIB
    #: Processes that work at the same time, and bytes that one of them may use; None leaves it to the system.
    parallel: int = os.cpu_count() or 1
    memory: int | None = None

    @property
    def incoming(self) -> Path:
        """The folder in which uploads arrive."""
        return self.data / "incoming"

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOCAL


def default_data() -> Path:
    """Where data is kept by default: the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "covey"


def default_memory(jobs: int) -> int | None:
    """One job's share of three quarters of the machine's memory, where the system tells how much that is."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4 // jobs
    except (ValueError, OSError, AttributeError):
        return None
