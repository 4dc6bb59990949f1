"""A job, the making of one release, and what a removal freed: plain frozen records, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

#: The states of a job; those of `ACTIVE` are on the way, the others are final.
State = Literal["queued", "running", "verifying", "done", "failed", "cancelled", "interrupted"]
ACTIVE: tuple[State, ...] = ("queued", "running", "verifying")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRecord:
    """One thing that was checked."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The making of one release.

    Attributes
    ----------
    id, dataset, name : str
        The name is that of the dataset.
    kind : str
        Kind of data: ``baskets``, ``ratings`` or ``table``.
    guarantee, method : str
        As text; the method is None when the recommended one was asked for and not chosen yet.
    options : mapping
        Of the method.
    seed : int or None
        None draws from the system's entropy.
    audit : float or None
        The highest lift that an attack may have; None makes the release without an audit.
    about : mapping
        Title, license and contact, as far as they are given.
    sensitive : list of str
        As they were when the job started.
    state : str
        See `State`.
    position : int
        Place in the queue, from 1; 0 when it is not waiting.
    stage, fraction : str, float
        What is being done, and how far that stage has come (0 to 1).
    created, started, finished : float or None
        Seconds since 1970.
    error : str or None
        Why it failed, with a remedy; in words for people.
    error_type : str or None
        ``Infeasible``, ``InputError``, ``MemoryError``, ``Crash`` and so on.
    holds : bool
        Whether a verified release is in place.
    checks : list of CheckRecord
        What was verified on the written files.
    fingerprint : str or None
        Of the release.
    counts, figures : mapping
        What the manifest and the verdict state.
    cost : mapping
        What is left of the original: ``kept`` in words, ``lost`` as a share or None, ``advice``.
    measured : bool
        Whether results (utility, attacks, report) are there; they come after verification.
    note : str or None
        Why some result is missing.
    """

    id: str
    dataset: str
    name: str
    kind: str
    guarantee: str
    method: str
    options: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    audit: float | None = None
    about: dict[str, str] = field(default_factory=dict)
    sensitive: list[str] = field(default_factory=list)
    state: State = "queued"
    position: int = 0
    stage: str = ""
    fraction: float = 0.0
    created: float = 0.0
    started: float | None = None
    finished: float | None = None
    error: str | None = None
    error_type: str | None = None
    holds: bool = False
    checks: list[CheckRecord] = field(default_factory=list)
    fingerprint: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    cost: dict[str, Any] = field(default_factory=dict)
    measured: bool = False
    note: str | None = None

    @property
    def active(self) -> bool:
        """Whether it is still on the way."""
        return self.state in ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """How many jobs and datasets were removed, and the bytes that this freed."""

    jobs: int
    datasets: int
    bytes: int
