"""Several strengths and methods for one dataset: jobs like any other, and what they keep against what they risk."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from covey.errors import CoveyError, Infeasible
from covey.explore.trials import kept_of
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees.base import Guarantee
from covey.web.records.datasets import Dataset
from covey.web.records.jobs import Job
from covey.web.records.trade import Point, Trade, asked_strengths, weigh
from covey.web.server.choices import infeasible
from covey.web.server.problems import Conflict

if TYPE_CHECKING:
    from covey.web.server.service import Service

#: Methods that are tried unless somebody chooses others.
METHODS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeOff:
    """The releases of a dataset that differ in strength and method only.

    Attributes
    ----------
    parameter : str
        What varies.
    jobs : list of Job
        All of them, the weakest first, whatever has become of them.
    trade : Trade
        Those that were measured, side by side; its points stand in the order of `measured`.
    measured : list of Job
        The jobs of the points.
    """

    parameter: str
    jobs: list[Job]
    trade: Trade
    measured: list[Job]

    @property
    def active(self) -> list[Job]:
        """Those that are still on the way."""
        return [job for job in self.jobs if job.active]

    @property
    def recommended(self) -> Job | None:
        """The job of the release to take."""
        pairs = zip(self.measured, self.trade.points, strict=True)
        return next((job for job, point in pairs if point is self.trade.recommended), None)


class Trades:
    """Trade-offs of the datasets of a service."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def proposed(self, id: str, guarantee: str) -> tuple[str, list[int], list[str]]:
        """What varies, the strengths that the data allows as far as that is known, and methods to try."""
        promise, limits = parse_guarantee(guarantee), self._service.exposure.limits(id)
        parameter, values = asked_strengths(promise, None)
        able = [one for one in values if infeasible(promise.having(**{parameter: one}).text, limits)[0] is None]
        methods = self._service.choices.methods(id, guarantee)
        fit = [one for one in methods if self._service.datasets.get(id).taxonomy or not one.uses_taxonomy] or methods
        return parameter, able, [one.name for one in fit[:METHODS]]

    def found(self, id: str, guarantee: str) -> TradeOff:
        """What there is so far, and which release to take."""
        promise = parse_guarantee(guarantee)
        jobs = self._alike(self._service.datasets.get(id), promise)
        measured, points = [], []
        for strength, job in jobs:
            if job.measured:
                points.append(self._point(job, strength))
                measured.append(job)
        trade = weigh(points, getattr(promise, promise.strength), promise.strength)
        return TradeOff(parameter=promise.strength, jobs=[job for _, job in jobs], trade=trade, measured=measured)

    def _alike(self, dataset: Dataset, promise: Guarantee) -> list[tuple[int, Job]]:
        """Jobs of a dataset as it is now whose promise differs in strength only; of the same one the newest."""
        found: dict[tuple[int, str], Job] = {}
        for job in self._service.jobs.all():
            if job.dataset != dataset.id or sorted(job.sensitive) != sorted(dataset.sensitive):
                continue
            with suppress(CoveyError):
                made = parse_guarantee(job.guarantee)
                if made.name == promise.name:
                    strength = getattr(made, promise.strength)
                    if made == promise.having(**{promise.strength: strength}) and not job.options:
                        found.setdefault((strength, job.method), job)
        return [(strength, job) for (strength, _), job in sorted(found.items(), key=lambda one: one[0])]

    def _point(self, job: Job, strength: float) -> Point:
        results = self._service.releases.results(job.id)
        utility = {"kind": results.release, **results.utility}
        return Point(
            guarantee=job.guarantee,
            method=job.method,
            strength=strength,
            kept=kept_of(utility),
            attacks=results.attacks,
        )

    def start(self, id: str, guarantee: str, strengths: str, methods: Sequence[str]) -> list[str]:
        """Queue what is missing, the wanted strength and its neighbours first; returns what cannot be kept, and why."""
        promise = parse_guarantee(guarantee)
        parameter, values = asked_strengths(promise, strengths)
        asked = getattr(promise, parameter)
        there = {
            (strength, job.method) for strength, job in self._alike(self._service.datasets.get(id), promise)
            if job.active or job.holds
        }  # fmt: skip
        refused: dict[str, None] = {}
        for value in sorted(values, key=lambda one: (abs(one - asked), one)):
            for method in methods:
                if (value, method) in there:
                    continue
                try:
                    self._service.start(id, promise.having(**{parameter: value}).text, method)
                except Infeasible as error:
                    refused[str(error)] = None
        return list(refused)

    def stop(self, id: str, guarantee: str) -> None:
        """Cancel what is still on the way."""
        for job in reversed(self.found(id, guarantee).active):
            with suppress(Conflict):
                self._service.jobs.cancel(job.id)
