"""From a comparison file to the work it asks for.

A *cell* is one point of a grid: data set, method, guarantee, variables, seed and metric. A *job* is the work
that cells share: one release (or, without a method, one data set) and all metrics that any cell wants of
it, so that a figure over r and a figure over p never make the same release twice.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from covey import __version__
from covey.compare.config import Comparison, DataSpec, Experiment, Value, substitute
from covey.compare.measures import check_measure
from covey.compare.sources import content, source_of
from covey.errors import ParameterError
from covey.pipeline import plan
from covey.staging import write_whole, writing


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One release to make, or one data set to look at, and what to measure of it."""

    #: With the sensitive items already settled for this job.
    data: DataSpec
    #: As text; None measures the data themselves.
    method: str | None
    guarantee: str | None
    #: For the method, for drawing sensitive items and for drawing queries.
    seed: int
    #: What to measure, as text.
    metrics: tuple[str, ...]

    @property
    def key(self) -> str:
        """A digest of everything that determines the release, and so of where its results are kept."""
        body = {
            "covey": __version__,
            "kind": self.data.kind,
            "content": content(self.data),
            "sensitive": self.data.sensitive,
            "read": dict(self.data.read),
            "method": self.method,
            "guarantee": self.guarantee,
            "seed": self.seed,
        }
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One row of the results: where it stands in its experiment, and which job and metric answer it.

    Attributes
    ----------
    experiment, data, metric : str
        Names as in the file; the metric without its parameters, unless the experiment has two of the name.
    method, guarantee : str or None
        The method as written in the file, and the guarantee of this point.
    variables : mapping
        The values of the varied variables at this point.
    seed : int
        Which run.
    job : str
        Key of the job.
    measure : str
        The metric with its parameters, as the job knows it.
    """

    experiment: str
    data: str
    method: str | None
    guarantee: str | None
    variables: Mapping[str, Value]
    seed: int
    metric: str
    job: str
    measure: str


def expand(comparison: Comparison) -> tuple[list[Job], list[Cell]]:
    """All jobs and cells of a comparison, data set by data set, so that each is read once per process.

    Raises
    ------
    InputError, ParameterError
        A method, guarantee or metric that cannot be, found before anything runs.
    """
    wanted: dict[str, tuple[Job, list[str]]] = {}
    cells: list[Cell] = []
    for experiment in comparison.experiments:
        if experiment.picture is None:
            for job, cell in _points(comparison, experiment):
                cells.append(cell)
                metrics = wanted.setdefault(cell.job, (job, []))[1]
                if cell.measure not in metrics:
                    metrics.append(cell.measure)
    jobs = [replace(job, metrics=tuple(metrics)) for job, metrics in wanted.values()]
    order = {name: i for i, name in enumerate(comparison.data)}
    jobs.sort(key=lambda job: order[job.data.name])
    check_jobs(jobs)
    return jobs, cells


def _points(comparison: Comparison, experiment: Experiment) -> Iterator[tuple[Job, Cell]]:
    plain = [metric.partition("(")[0].strip() for metric in experiment.metrics]
    # Two settings of one metric in one experiment are told apart by their parameters.
    names = {
        metric: name if plain.count(name) == 1 else metric
        for metric, name in zip(experiment.metrics, plain, strict=True)
    }
    methods: tuple[str | None, ...] = experiment.methods or (None,)
    grid = itertools.product(experiment.data, methods, itertools.product(*experiment.vary.values()), experiment.seeds)
    for name, method, values, seed in grid:
        variables = dict(zip(experiment.vary, values, strict=True))
        spec = comparison.data[name]
        sensitive = substitute(spec.sensitive if experiment.sensitive is None else experiment.sensitive, variables)
        if isinstance(sensitive, Mapping):
            # A draw without a seed of its own follows the run's seed, so that each run has other items.
            sensitive = {"seed": seed, **sensitive}
        job = Job(
            data=replace(spec, generate=substitute(spec.generate, variables), sensitive=sensitive),
            method=None if method is None else str(substitute(method, variables)),
            guarantee=None if experiment.guarantee is None else str(substitute(experiment.guarantee, variables)),
            seed=seed,
            metrics=(),
        )
        key = job.key
        for metric in experiment.metrics:
            cell = Cell(
                experiment=experiment.name,
                data=name,
                method=method,
                guarantee=job.guarantee,
                variables=variables,
                seed=seed,
                metric=names[metric],
                job=key,
                measure=str(substitute(metric, variables)),
            )
            yield job, cell


def check_jobs(jobs: list[Job]) -> None:
    """Refuse what could not run, while nothing has run yet."""
    kinds: dict[tuple[str | None, ...], str] = {}
    for job in jobs:
        point = (job.method, job.guarantee, job.data.name)
        if job.method is not None and point not in kinds:
            kinds[point] = _kind_made(job)
        for measure in job.metrics:
            check_measure(measure, kinds.get(point))


def _kind_made(job: Job) -> str:
    """The kind of release that a job makes, if its method fits guarantee and data."""
    try:
        planned = plan(source_of(job.data, job.data.path or job.data.generate), job.guarantee, job.method)
    except ParameterError as error:
        raise ParameterError(f"{job.method} on {job.data.name}: {error}") from None
    assert planned.entry is not None  # methods in a file are text, so they are registered
    return planned.entry.release


FORMAT = "covey-results/1"
FOLDER = "cells"


class Store:
    """The results of finished jobs under ``DIR/cells``.

    A file that is damaged or of another format counts as absent: its job runs again.
    """

    def __init__(self, directory: Path) -> None:
        self.folder = directory / FOLDER
        with writing(directory):
            self.folder.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def is_in(directory: Path) -> bool:
        """Whether a comparison has written to a directory before."""
        return (directory / FOLDER).is_dir()

    def get(self, key: str) -> dict[str, dict[str, Any]]:
        """What is known of a job: metric → {"value", "standard_error", "problem"}."""
        try:
            body = json.loads((self.folder / f"{key}.json").read_bytes())
            figures = body["figures"]
            if body["format"] != FORMAT or body["job"] != key or not isinstance(figures, dict):
                return {}
            return {name: dict(figure) for name, figure in figures.items()}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def put(self, key: str, figures: dict[str, dict[str, Any]]) -> None:
        """Add figures to what is known of a job; a crash leaves the old file or the new one."""
        body = {"format": FORMAT, "job": key, "figures": {**self.get(key), **figures}}
        text = json.dumps(body, indent=1, sort_keys=True)
        write_whole(self.folder / f"{key}.json", text.encode(), force=True)
