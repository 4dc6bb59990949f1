"""Make releases: in memory, or written and verified."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from covey.errors import ParameterError
from covey.guarantees.base import Guarantee
from covey.io.source import Source
from covey.local import EngineName, Local, require_local
from covey.local import engine as choose_engine
from covey.methods.base import Method
from covey.parameters import Place, Scalar, path
from covey.pipeline import Data, Marks, Plan, Published, Reading, Tree, plan, taxonomy_of, verb
from covey.progress import Progress, silent
from covey.release.about import About
from covey.release.base import Release

if TYPE_CHECKING:
    from covey.data import Baskets, Records, Table
    from covey.guarantees.degree import Degree
    from covey.guarantees.k_anonymity import KAnonymity
    from covey.guarantees.l_diversity import LDiversity
    from covey.guarantees.label_dp import LabelDP
    from covey.release.grouped import GroupedRelease
    from covey.release.model import ModelRelease
    from covey.release.sets import SetsRelease
    from covey.release.table import TableRelease


class Making(Reading, total=False):
    """The options of `anonymize`, apart from those of methods."""

    taxonomy: Tree | None
    seed: int | None
    audit: float | None
    keep_at_least: float | None
    like: Place | Release | None
    like_trace: Place | None
    progress: Progress


#: A method by name, with options where wanted, or as an object; None for the recommended one.
Chosen = str | Method | None


@overload
def anonymize(data: Data, guarantee: Degree, method: Chosen = None, **options: Unpack[Making]) -> GroupedRelease: ...
@overload
def anonymize(data: Data, guarantee: LabelDP, method: Chosen = None, **options: Unpack[Making]) -> ModelRelease: ...
@overload
def anonymize(data: Data, guarantee: LDiversity, method: Chosen = None, **options: Unpack[Making]) -> TableRelease: ...
@overload
def anonymize(data: Table, guarantee: KAnonymity, method: Chosen = None, **options: Unpack[Making]) -> TableRelease: ...
@overload
def anonymize(
    data: Baskets | Records, guarantee: KAnonymity, method: Chosen = None, **options: Unpack[Making]
) -> SetsRelease: ...
@overload
def anonymize(data: Data, guarantee: str | Guarantee, method: Chosen = None, **options: Any) -> Release: ...
@verb
def anonymize(
    data: Data,
    guarantee: str | Guarantee,
    method: Chosen = None,
    *,
    sensitive: Marks | None = None,
    kind: str | None = None,
    person: str | None = None,
    taxonomy: Tree | None = None,
    seed: int | None = None,
    audit: float | None = None,
    keep_at_least: float | None = None,
    like: Place | Release | None = None,
    like_trace: Place | None = None,
    progress: Progress = silent,
    **options: Scalar | None,
) -> Release:
    """Make a release in memory and check its guarantee.

    Parameters
    ----------
    data
        A dataset, what `covey.read` takes, or a function without arguments that returns one of these. `kind` and
        `person` are for a file; `covey.read` has all reading options.
    guarantee
        For example ``covey.Degree(p=10)`` or ``"degree(p=10)"``.
    method
        For example ``covey.CAHD(alpha=5)`` or ``"cahd(alpha=5)"``. None chooses the recommended method for the
        guarantee; ``"auto"`` makes all that keep it, and takes the one whose best attack is right least often among
        those within 10 % of the best utility.
    sensitive
        Marks what is sensitive; None keeps the marks that `data` has.
    taxonomy
        How items may be generalized.
    seed
        Makes the release reproducible; None draws from the system's entropy.
    audit
        The highest lift that an attack may have (`covey.measure.attacks.AttackResult.lift`); None runs no attacks.
    keep_at_least
        The least share that the release must keep: of the most frequent combinations with a sensitive item, those whose
        count is right, and for other kinds of release the first measure of `covey explore`.
    like, like_trace
        An earlier release: people who are in both stay together, as far as the guarantee allows. Its trace is needed
        unless it was made here or the dataset `data` has it.
    **options
        Options of a method that is given by name, such as ``alpha=5``.

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
    >>> covey.anonymize(baskets, covey.Degree(p=4)).groups
    1
    """
    made = _plan(
        Source.of(data, sensitive=sensitive, kind=kind, person=person),
        guarantee,
        method,
        options,
        taxonomy=taxonomy,
        seed=seed,
        audit=audit,
        keep_at_least=keep_at_least,
        like=like,
        like_trace=like_trace,
    )
    return Local().anonymize(made, progress=progress)


@verb
def publish(
    data: Data,
    output: Place,
    guarantee: str | Guarantee,
    method: Chosen = None,
    *,
    sensitive: Marks | None = None,
    kind: str | None = None,
    person: str | None = None,
    taxonomy: Tree | None = None,
    csv: bool = False,
    force: bool = False,
    seed: int | None = None,
    audit: float | None = None,
    keep_at_least: float | None = None,
    like: Place | Release | None = None,
    like_trace: Place | None = None,
    title: str | None = None,
    license: str | None = None,
    contact: str | None = None,
    engine: EngineName = "local",
    master: str | None = None,
    trace: Place | Literal[False] | None = None,
    progress: Progress = silent,
    **options: Scalar | None,
) -> Published:
    """Anonymize `data` and write the release to `output`, whole and verified or not at all.

    All else is as for `anonymize`.

    Parameters
    ----------
    output
        The directory to make.
    csv
        Write CSV instead of Parquet.
    force
        Replace an existing release, which is moved aside.
    title, license, contact
        What README and data package state: what the release is called, under which licence it may be used
        (``"CC-BY-4.0"`` or a web address), and whom to ask (an e-mail or web address, or ``"Name <address>"``).
    engine, master
        Where to work, and where Spark runs.
    trace
        A file to write the trace to: which original row was published where. Keep it as safe as the original. A saved
        dataset keeps the trace, with which releases are verified and measured exactly, unless this is False.
    """
    target = path("publish", "output", output)
    where = choose_engine(engine, master=master)
    made = _plan(
        Source.of(data, sensitive=sensitive, kind=kind, person=person),
        guarantee,
        method,
        options,
        engine=engine,
        taxonomy=taxonomy,
        seed=seed,
        audit=audit,
        keep_at_least=keep_at_least,
        like=like,
        like_trace=like_trace,
        about=About(title=title, license=license, contact=contact),
    )
    return where.publish(made, target, csv=csv, force=force, trace=trace, progress=progress)


def _plan(
    source: Source,
    guarantee: str | Guarantee,
    method: Chosen,
    options: Mapping[str, Scalar | None],
    *,
    engine: EngineName = "local",
    taxonomy: Tree | None,
    **given: Any,
) -> Plan:
    """Return a plan as `covey.pipeline.plan` makes it, also for the method `auto`."""
    tree = taxonomy_of(taxonomy)
    if not (isinstance(method, str) and method.strip() == "auto"):
        return plan(source, guarantee, method, taxonomy=tree, options=options, **given)
    require_local(engine, "--method auto measures releases in memory")
    if given["like"] is not None:
        raise ParameterError("--method auto cannot keep people in the company of an earlier release. Name a method.")
    if options:
        raise ParameterError(f"--method auto has no options of its own. Name a method to set {next(iter(options))!r}.")
    from covey.explore.auto import Auto  # with all attacks, which are not loaded for other methods

    auto = Auto(seed=given.pop("seed"), taxonomy=tree)
    return replace(plan(source, guarantee, None, taxonomy=tree, **given), method=auto)
