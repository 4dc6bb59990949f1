"""The one path on Spark: read → group → write aside → verify what was written → put in place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from covey.data import Baskets
from covey.engines.spark.frames import Sets, read
from covey.engines.spark.release import Statement, local_target, write_generalized, write_grouped
from covey.engines.spark.verify import verdict_of
from covey.errors import ParameterError
from covey.guarantees import guarantee as parse_guarantee
from covey.parameters import Scalar
from covey.pipeline import Published, choose_method, require_holds
from covey.progress import Progress, silent
from covey.release.manifest import Manifest, read_manifest
from covey.release.staging import staged

if TYPE_CHECKING:
    from collections.abc import Callable

#: The methods that run on Spark.
METHODS = ("cahd", "pattern-ka")


def anonymize(
    data: Any,
    guarantee: Any,
    method: Any = None,
    *,
    out: str | Path,
    sensitive: Any = None,
    seed: int | None = None,
    force: bool = False,
    master: str | None = None,
    transaction: str | None = None,
    item: str | None = None,
    format: str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    progress: Progress = silent,
    **options: Scalar | None,
) -> Published:
    """Anonymize a Spark DataFrame and write the release as partitioned Parquet, whole and verified or not at all.

    Parameters
    ----------
    data : DataFrame, Sets or path
        A column of lists of items, or a row per transaction and item; or what Spark can read.
    guarantee : str or guarantee
        For example ``"k-anonymity(k=5)"`` or ``"degree(p=10)"``.
    method : str, method or None
        ``"pattern-ka"`` or ``"cahd"``; None takes the one that keeps the guarantee.
    out : path
        The directory to make; all executors must be able to write to it.
    sensitive : path, comma list, collection or None
        The sensitive items, for ``degree``.
    seed : int or None
        Makes the release reproducible, row by row; None draws from the system's entropy.
    force : bool
        Replace an existing release.
    master : str or None
        Where to run when there is no Spark session yet.
    transaction, item, format, separator, encoding : str, optional
        How to read `data`.
    progress : callable
        Told of the stages.
    **options
        Options of the method.

    Returns
    -------
    Published

    Raises
    ------
    Infeasible
        No release of this data keeps the guarantee.
    """
    promise = parse_guarantee(guarantee)
    chosen = choose_method(method, promise, seed=seed, **options)
    if chosen.name not in METHODS:
        raise ParameterError(
            f"The method {chosen.name} does not run on Spark; {' and '.join(METHODS)} do. "
            "Choose one of them, or the engine local."
        )
    target = local_target(out)
    with staged(target, force=force) as stage:
        progress("reading", 0.0)
        sets = read(
            data, sensitive=sensitive, transaction=transaction, item=item, format=format,
            separator=separator, encoding=encoding, master=master,
        )  # fmt: skip
        sets.persist()
        try:
            manifest = _MAKERS[chosen.name](sets, promise, chosen, stage, progress)
            progress("verifying", 0.0)
            verdict = verdict_of(sets.frame.sparkSession, stage, read_manifest(stage), sets)
        finally:
            sets.unpersist()
        require_holds(verdict)
        progress("verifying", 1.0)
    return Published(path=target, manifest=manifest, verdict=verdict)


def _pattern_ka(sets: Sets, promise: Any, method: Any, stage: Path, progress: Progress) -> Manifest:
    from covey.engines.spark.pattern_ka import publish_sets

    # Only the number of rows counts here, and none above k: a guarantee asks for baskets.
    rows = min(sets.n, promise.k)
    promise.require_feasible(Baskets.build(np.zeros(rows + 1, np.int64), np.empty(0, np.int32), []))
    published = publish_sets(sets, promise.k, method, progress=progress)
    progress("writing", 0.0)
    return write_generalized(published, sets, stage, statement=_statement(promise, method), seed=method.seed)


def _cahd(sets: Sets, promise: Any, method: Any, stage: Path, progress: Progress) -> Manifest:
    from covey.engines.spark.cahd import form_groups

    progress("grouping", 0.0)
    groups = form_groups(sets, promise, method)
    progress("writing", 0.0)
    try:
        return write_grouped(groups, sets, stage, statement=_statement(promise, method), seed=method.seed)
    finally:
        groups.unpersist()


def _statement(promise: Any, method: Any) -> Statement:
    return Statement(guarantee=promise.text, method=method.name, options=method.options())


_MAKERS: dict[str, Callable[[Sets, Any, Any, Path, Progress], Manifest]] = {
    "cahd": _cahd,
    "pattern-ka": _pattern_ka,
}
