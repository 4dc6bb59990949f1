"""Make a release: in memory, or written and verified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from covey.data.kinds import data_kinds
from covey.engine import engine as choose_engine
from covey.errors import ParameterError
from covey.explore.planning import plan_with
from covey.io.source import Source
from covey.local import Local
from covey.parameters import path
from covey.pipeline import Plan, Published
from covey.progress import Progress, silent
from covey.release.about import About


def anonymize(
    data: Any,
    guarantee: Any,
    method: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    seed: int | None = None,
    audit: float | None = None,
    keep_at_least: float | None = None,
    like: Any = None,
    like_trace: str | Path | None = None,
    progress: Progress = silent,
    **options: Any,
) -> Any:
    """Make a release in memory and check its guarantee.

    Parameters
    ----------
    data : Source, path, frame or data
        The original: anything `covey.read` and its like take, or a function without arguments that returns it.
    guarantee : str or guarantee
        For example ``"degree(p=10)"``.
    method : str, method or None
        None chooses the recommended method for the guarantee, ``"auto"`` makes all that keep it, and takes the one
        whose best attack is right least often among those within 10 % of the best utility.
    sensitive : path, comma list, collection or None
        Marks what is sensitive; None keeps the marks that `data` has.
    taxonomy : Taxonomy, path or None
        How items may be generalized.
    seed : int or None
        Makes the release reproducible; None draws from the system's entropy.
    audit : float or None
        The highest lift that an attack may have (`covey.measure.attacks.AttackResult.lift`); None runs no attacks.
    keep_at_least : float or None
        The least share that the release must keep: of the most frequent combinations with a sensitive item, those whose
        count is right, and for other kinds of release the first measure of `covey explore`.
    like : path, Release or None
        An earlier release: people who are in both stay together, as far as the promise allows.
    like_trace : path or None
        The file with the trace of the earlier release; None where `like` was made here, or the dataset `data` has it.
    progress : callable
        Told of the stages.
    **options
        Options of the method, for example ``alpha=5``, and how to read `data`, for example ``item="Product"``.

    Returns
    -------
    Release

    Raises
    ------
    Infeasible
        No release of this data keeps the guarantee.
    AuditFailed
        An attack gains more from the release than `audit` allows.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat"]], sensitive=["test"])
    >>> covey.anonymize(baskets, "degree(p=4)").groups
    1
    """
    options |= {"like": like, "like_trace": like_trace}
    made = _plan(data, guarantee, method, sensitive=sensitive, taxonomy=taxonomy, seed=seed, options=options)
    return Local().anonymize(made, lift=audit, keep=keep_at_least, progress=progress)


def publish(
    data: Any,
    out: str | Path,
    guarantee: Any,
    method: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    csv: bool = False,
    force: bool = False,
    seed: int | None = None,
    audit: float | None = None,
    keep_at_least: float | None = None,
    like: Any = None,
    like_trace: str | Path | None = None,
    title: str | None = None,
    license: str | None = None,
    contact: str | None = None,
    engine: Any = "local",
    master: str | None = None,
    trace: str | Path | None = None,
    keep_trace: bool = True,
    progress: Progress = silent,
    **options: Any,
) -> Published:
    """Anonymize `data` and write the release to `out`, whole and verified or not at all.

    Parameters
    ----------
    data, guarantee, method, sensitive, taxonomy, seed, audit, keep_at_least, like, like_trace, progress, **options
        As for `anonymize`.
    out : path
        The directory to make.
    csv : bool
        Write CSV instead of Parquet.
    force : bool
        Replace an existing release.
    title, license, contact : str or None
        What the release says of itself, in its README and data package: what it is called, under which licence it may
        be used (``"CC-BY-4.0"`` or a web address), and whom to ask (an e-mail or web address, or ``"Name <address>"``).
    engine : {"local", "spark"}
        Where to work.
    master : str or None
        Where Spark runs.
    trace : path or None
        A file to write the trace to: which original row was published where. Keep it as safe as the original.
    keep_trace : bool
        Whether a saved dataset keeps the trace, with which releases are verified and measured exactly.
    """
    out = path("publish", "out", out)
    options |= {"like": like, "like_trace": like_trace}
    about = About(title=title, license=license, contact=contact)
    where = choose_engine(engine, master=master)
    given = {"sensitive": sensitive, "taxonomy": taxonomy, "seed": seed, "options": options, "about": about}
    made = _plan(data, guarantee, method, engine=where.name, **given)
    kept: dict[str, Any] = {} if keep_at_least is None else {"keep": keep_at_least}
    if kept and where.name != Local.name:
        raise ParameterError("keep_at_least measures releases in memory: it needs the engine local.")
    kept |= {} if where.name == "spark" and trace is None else {"trace": trace, "keep_trace": keep_trace}
    return where.publish(made, out, csv=csv, force=force, lift=audit, progress=progress, **kept)


def _plan(
    data: Any,
    guarantee: Any,
    method: Any,
    *,
    sensitive: Any,
    taxonomy: Any,
    seed: int | None,
    options: dict[str, Any],
    about: About | None = None,
    engine: str = "local",
) -> Plan:
    """The plan, with reading options told from the method's by their names."""
    names = {name for kind in data_kinds() for name in kind.option_names()} | {"kind"}
    reading = {name: options.pop(name) for name in list(options) if name in names}
    source = Source.of(data, sensitive=sensitive, **reading)
    return plan_with(source, guarantee, method, engine=engine, taxonomy=taxonomy, seed=seed, about=about, **options)
