"""Running a comparison: jobs over all cores, each result kept at once, then tables."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from covey.compare.cells import Job, Store, expand
from covey.compare.config import Comparison, DataSpec, read_comparison
from covey.compare.measures import again, measure_data, measure_release
from covey.compare.sources import content, draw_sensitive, load
from covey.compare.table import TABLES, result_rows, summarize, write_tables
from covey.data.kinds import data_kind
from covey.errors import CoveyWarning, Infeasible, OutputError, ParameterError, VerificationFailed
from covey.guarantees import guarantee
from covey.guarantees.base import Guarantee
from covey.parameters import did_you_mean, integer
from covey.pipeline import plan
from covey.progress import Progress, silent
from covey.registry import method as make_method
from covey.staging import require_outside_releases, writing
from covey.threads import threads
from covey.verify import check_release

#: What is done with the figures of a job, and data in memory with their taxonomies, by name.
Keep = Callable[[Job, dict[str, dict[str, Any]]], None]
Held = Mapping[str, tuple[Any, Any]]
#: A warning from another process: text, category, file and line.
Told = tuple[str, type[Warning], str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A finished comparison."""

    #: Where everything was written.
    directory: Path
    #: How many jobs there are, and how many were already done.
    jobs: int
    reused: int
    #: The results, one per cell, as in results.csv.
    rows: list[dict[str, Any]]
    #: Means over the seeds with standard errors and ratios, as in summary.csv.
    summary: list[dict[str, Any]]
    #: What was written.
    files: tuple[Path, ...]

    @property
    def problems(self) -> list[str]:
        """Why cells have no value, each reason once."""
        return sorted({row["problem"] for row in self.rows if row["problem"]})


def run_comparison(
    config: str | Path | Comparison,
    out: str | Path,
    *,
    jobs: int | None = None,
    only: tuple[str, ...] = (),
    fresh: bool = False,
    progress: Progress = silent,
) -> Outcome:
    """Run all experiments of a comparison file and write its tables into `out`.

    Finished work in `out` is not repeated, so that an interrupted run goes on where it stopped.

    Parameters
    ----------
    config : path or Comparison
        What to run.
    out : path
        Directory for results.parquet, results.csv, summary.csv, and the store of finished jobs.
    jobs : int or None
        Processes to use; None takes every core, 1 runs in this process.
    only : tuple of str
        Names of experiments; empty runs all.
    fresh : bool
        Forget what was finished before.
    """
    comparison = config if isinstance(config, Comparison) else read_comparison(config)
    comparison = _selected(comparison, only)
    if jobs is not None:
        integer("compare", "jobs", jobs, minimum=1)
    work, cells = expand(comparison)
    directory = Path(out)
    require_own(directory)
    store = Store(directory)
    pending = work if fresh else [todo for job in work if (todo := _missing(job, store)) is not None]
    finished = len(work) - len(pending)
    progress("comparing", finished / max(len(work), 1))
    processes = min(jobs or threads(), max(len(pending), 1))
    done = 0

    def keep(job: Job, figures: dict[str, dict[str, Any]]) -> None:
        nonlocal done
        store.put(job.key, figures)
        done += 1
        progress("comparing", (finished + done) / len(work))

    run_jobs(pending, processes, keep)
    rows = result_rows(cells, store)
    summary = summarize(comparison, rows)
    files = write_tables(comparison, rows, summary, directory)
    return Outcome(directory=directory, jobs=len(work), reused=finished, rows=rows, summary=summary, files=tuple(files))


def require_own(directory: Path) -> None:
    """Raise `OutputError` if results would replace what no comparison wrote, or come into a release."""
    with writing(directory):
        require_outside_releases(directory / TABLES[0])
        taken = [] if Store.is_in(directory) else [name for name in TABLES if (directory / name).exists()]
    for name in taken:
        raise OutputError(f"{directory / name} exists already, and no comparison wrote it. Choose another directory.")


def _selected(comparison: Comparison, only: tuple[str, ...]) -> Comparison:
    names = [experiment.name for experiment in comparison.experiments]
    for name in only:
        if name not in names:
            raise ParameterError(
                f"There is no experiment '{name}'.{did_you_mean(name, names)} Known: {', '.join(names)}."
            )
    if not only:
        return comparison
    return replace(comparison, experiments=tuple(one for one in comparison.experiments if one.name in only))


def _missing(job: Job, store: Store) -> Job | None:
    known = store.get(job.key)
    wanted = tuple(metric for metric in job.metrics if metric not in known)
    return replace(job, metrics=wanted) if wanted else None


def run_jobs(pending: list[Job], processes: int, keep: Keep, held: Held | None = None) -> None:
    """Do jobs, each of whose figures `keep` is told as soon as they are there.

    Parameters
    ----------
    pending : list of Job
        What to do.
    processes : int
        1 works in this process.
    keep : callable
        ``(job, figures)``.
    held : mapping or None
        Data in memory and their taxonomies, by the names of the data sets that have neither path nor generator.
    """
    if processes > 1:
        _in_parallel(pending, processes, keep, held)
        return
    _held.update(held or {})
    try:
        for job in pending:
            keep(job, run_job(job))
    finally:
        _held.clear()


def _in_parallel(pending: list[Job], processes: int, keep: Keep, held: Held | None) -> None:
    """Hand out jobs a few at a time, so that little is lost and memory stays bounded when one fails."""
    context = multiprocessing.get_context("spawn")
    waiting = iter(pending)
    running: dict[Future[tuple[dict[str, dict[str, Any]], list[Told]]], Job] = {}
    heard: set[Told] = set()
    begin: dict[str, Any] = {"initializer": _enter_worker, "initargs": (held or {},)}
    with ProcessPoolExecutor(processes, mp_context=context, **begin) as pool:
        try:
            while True:
                while len(running) < 2 * processes and (job := next(waiting, None)) is not None:
                    running[pool.submit(_overheard, job)] = job
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    figures, told = future.result()
                    for one in dict.fromkeys(told):
                        if one not in heard:
                            warnings.warn_explicit(*one)
                    heard.update(told)
                    keep(running.pop(future), figures)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _overheard(job: Job) -> tuple[dict[str, dict[str, Any]], list[Told]]:
    """What a job gives, and the warnings that its process would otherwise print by itself."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", CoveyWarning)
        figures = run_job(job)
    # Warnings of covey's own take figures and not a text, so they are sent as the text that they became.
    kinds = (CoveyWarning if issubclass(one.category, CoveyWarning) else one.category for one in told)
    return figures, [(str(one.message), kind, one.filename, one.lineno) for kind, one in zip(kinds, told, strict=True)]


def _enter_worker(held: Held) -> None:
    """Leave Ctrl-C to the parent, and end with it even when it is killed."""
    _held.update(held)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


_kept: dict[str, Any] = {}
_held: dict[str, tuple[Any, Any]] = {}


def _loaded(spec: DataSpec) -> tuple[Any, Any]:
    """The data of a job and their taxonomy; the last two stay in memory, whatever items are drawn as sensitive."""
    if spec.name in _held:
        return _held[spec.name]
    drawn = isinstance(spec.sensitive, Mapping)
    plain = replace(spec, sensitive=None) if drawn else spec
    identity = f"{content(plain)} {plain!r}"
    if identity not in _kept:
        for old in list(_kept)[:-1]:
            del _kept[old]
        _kept[identity] = load(plain)
    data, taxonomy = _kept[identity]
    return draw_sensitive(data, **spec.sensitive) if drawn else data, taxonomy


_warm: set[tuple[str, str]] = set()


def run_job(job: Job) -> dict[str, dict[str, Any]]:
    """Do one job in this process: metric → figure; a job that cannot be done says why instead of failing all.

    Only what the data themselves forbid is such a reason. Anything else is an error and stops the comparison.
    """
    # What the data forbid to one metric of theirs they need not forbid to the others.
    parts = [job] if job.method is not None else [replace(job, metrics=(one,)) for one in job.metrics]
    figures: dict[str, dict[str, Any]] = {}
    for part in parts:
        try:
            figures |= _run_job(part)
        except Infeasible as reason:
            empty = {"value": None, "standard_error": None, "problem": str(reason)}
            figures |= dict.fromkeys(part.metrics, empty)
    return figures


def _run_job(job: Job) -> dict[str, dict[str, Any]]:
    data, taxonomy = _loaded(job.data)
    if job.method is None or job.guarantee is None:
        return {
            metric: {**measure_data(metric, data, seed=job.seed).to_dict(), "problem": None} for metric in job.metrics
        }
    promise = guarantee(job.guarantee)
    planned = plan(_as_asked(job, data, promise), promise, _equipped(job, taxonomy))
    data, method = planned.read(), planned.method
    if "seconds" in job.metrics and (method.name, data.kind) not in _warm:
        # The first run of a process loads compiled kernels; that is not the method's time.
        method.anonymize(data, promise)
        _warm.add((method.name, data.kind))
    started = time.perf_counter()
    release = method.anonymize(data, promise)
    seconds = time.perf_counter() - started
    if "seconds" in job.metrics:
        seconds = min(seconds, *again(lambda: method.anonymize(data, promise), seconds))
    verdict = check_release(promise, release)
    if not verdict.holds:
        failed = verdict.failures()[0]
        raise VerificationFailed(f"{job.method} broke {job.guarantee} on {job.data.name}: {failed.detail}.")
    measured = {
        metric: measure_release(metric, release, data, seconds=seconds, seed=job.seed, taxonomy=taxonomy)
        for metric in job.metrics
    }
    return {metric: {**figure.to_dict(), "problem": None} for metric, figure in measured.items()}


def _as_asked(job: Job, data: Any, promise: Guarantee) -> Any:
    """The data without the marks that a generator made and the guarantee does not protect; nothing is published here.

    Sensitive items that the file itself names for such a guarantee were refused before anything ran.
    """
    unasked = job.data.sensitive is None and not promise.protects_sensitive
    return data.with_sensitive([]) if unasked and data_kind(data.kind).sensitive_needs_protection else data


def _equipped(job: Job, taxonomy: Any) -> Any:
    """The method, with the data's taxonomy and the run's seed if it takes them and no seed is written."""
    made = make_method(job.method, data=job.data.kind)
    if made.seed is None:
        made = replace(made, seed=job.seed)
    return replace(made, taxonomy=taxonomy) if taxonomy is not None and "taxonomy" in made.values() else made
