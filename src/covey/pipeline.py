"""What will be done, decided once: a `Plan` is made by every front end and run by every engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import wraps
from html import escape
from inspect import signature
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeAlias, TypedDict, TypeVar

from covey.data import Baskets, Ratings, Records, Table, Taxonomy
from covey.data.kinds import data_kind, data_kinds
from covey.data.summary import Secret
from covey.errors import ParameterError, VerificationFailed
from covey.guarantees import GUARANTEES, guarantee_class
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees.base import Guarantee
from covey.io.sensitive import Choice, refuse_twins, written
from covey.io.source import Source
from covey.io.trees import read_taxonomy
from covey.methods.base import Method
from covey.parameters import Place, Scalar, did_you_mean, number, parse_call
from covey.progress import Progress, silent
from covey.registry import MethodEntry, find, methods
from covey.registry import method as make_method
from covey.release.about import About
from covey.release.base import Release
from covey.release.manifest import Manifest
from covey.verdict import Verdict

P = ParamSpec("P")
R = TypeVar("R")


class ArrowStream(Protocol):
    """A frame of pandas, polars, Arrow or any other library that hands out Arrow data."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the data as an Arrow C stream."""


#: Data that covey has read.
Dataset: TypeAlias = Baskets | Ratings | Records | Table
#: Whatever can be read: a dataset, its directory, a file, a frame, lists of items, columns, or what returns one.
Data: TypeAlias = (
    Dataset | Source | Place | ArrowStream | Collection[Collection[str]] | Mapping[str, object] | Callable[[], object]
)
#: What is sensitive: a file, a comma-separated list, a pattern, or a collection of names.
Marks: TypeAlias = Place | Collection[str] | Choice
#: A taxonomy, or the file it is in.
Tree: TypeAlias = Taxonomy | Place


class Reading(TypedDict, total=False):
    """How a file of a recognised layout is read, and what is sensitive in it; `covey.read` has all options."""

    sensitive: Marks | None
    kind: str | None
    person: str | None


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function answer unknown options with near names, and reading options with the function that has them."""
    known = {*signature(function).parameters, *Reading.__annotations__}
    takes_more = "options" in known

    @wraps(function)
    def called(*given: P.args, **options: P.kwargs) -> R:
        for name in options:
            if name in known:
                continue
            if any(name in kind.option_names() for kind in data_kinds()):
                raise ParameterError(f"'{name}' says how to read a file: give covey.Source.of(FILE, {name}=…) instead.")
            near = did_you_mean(name, known)
            if near or not takes_more:
                raise ParameterError(f"covey.{function.__name__} has no option '{name}'.{near}")
        return function(*given, **options)

    return called


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Source, guarantee and method with its options, parsed and found to fit each other."""

    #: What to read, its kind decided.
    source: Source
    #: What to keep.
    promise: Guarantee
    #: What keeps it.
    method: Any
    #: The method's line in the registry; None for a method of one's own.
    entry: MethodEntry | None
    #: An earlier release in whose groups people stay together, and the file with its trace if no dataset has it.
    like: Place | Release | None = None
    like_trace: Place | None = None
    #: The highest lift that an attack may have, and the least share that the release must keep.
    audit: float | None = None
    keep_at_least: float | None = None
    #: What the publisher states about the release.
    about: About = field(default_factory=About)

    def read(self, *, progress: Progress = silent) -> Dataset:
        """The original, if it is of the kind that was planned for and may be published like this."""
        data: Dataset = self.source.read(progress=progress)
        if self.entry is not None and data.kind != self.entry.data:
            raise unfit(data.kind, self.method.name, self.promise)
        if ignores_sensitive(self.promise.name, data.kind):
            secrets = data.summary().secrets
            if secrets:
                require_protected(data.kind, self.promise, _named(secrets))
        elif data_kind(data.kind).sensitive_needs_protection:
            sets: Any = getattr(data, "baskets", data)  # marks that were made in memory have not been looked at yet
            refuse_twins(sets.items, set(sets.sensitive_items()), "item")
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A release that is in place, with the proof that was made before it was put there."""

    #: Where it is.
    path: Path
    #: What it states.
    manifest: Manifest
    #: What was checked on the written files.
    verdict: Verdict
    #: Columns that are published as they were, and which share of their values is unlike all others.
    unprotected: tuple[tuple[str, float], ...] = ()
    #: How well exact knowledge, which the promise does not cover, tells people apart: before and after; for the
    #: publisher alone.
    uniqueness: Mapping[str, Any] = field(default_factory=dict)
    #: What attacks achieved, if it was audited; for the publisher alone, no part of the release.
    audit: tuple[Any, ...] = ()
    #: What is left of the original, for the publisher alone (`covey.report.cost.Cost`).
    cost: Any = None
    #: What `--method auto` compared; for the publisher alone.
    compared: tuple[Mapping[str, Any], ...] = ()
    #: The sum of epsilon for one sensitive item over all releases from this saved dataset; None without label-dp.
    spent: float | None = None
    #: Columns of the original that are not published because nobody gave them a role.
    left_out: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Where it is, how it was made, and its fingerprint."""
        return f"{self.path}, by {self.manifest.method}; fingerprint {self.manifest.fingerprint}"

    def __str__(self) -> str:
        return f"{self.title}\n{self.verdict}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.title)}</p>{self.verdict._repr_html_()}"

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain data for JSON."""
        return {
            "path": str(self.path),
            "fingerprint": self.manifest.fingerprint,
            "method": self.manifest.method,
            "options": dict(self.manifest.options),
            "counts": dict(self.manifest.counts),
            "notes": cut_short(self.manifest),
            "unprotected": [{"column": name, "distinct": share} for name, share in self.unprotected],
            "left_out": list(self.left_out),
            "epsilon_spent": self.spent,
            **({"compared": list(self.compared)} if self.compared else {}),
            "uniqueness": dict(self.uniqueness),
            "audit": [result.to_dict() for result in self.audit],
            "cost": None if self.cost is None else self.cost.to_dict(),
            **self.verdict.to_dict(),
        }


def plan(
    data: Data,
    guarantee: str | Guarantee,
    method: str | Method | None = None,
    *,
    taxonomy: Tree | None = None,
    seed: int | None = None,
    like: Place | Release | None = None,
    like_trace: Place | None = None,
    audit: float | None = None,
    keep_at_least: float | None = None,
    about: About | None = None,
    options: Mapping[str, Scalar | None] | None = None,
) -> Plan:
    """Decide what will be done, and refuse what does not fit; see `covey.publish`.

    Examples
    --------
    >>> made = plan([["wine"], ["wine"]], "k-anonymity(k=2)")
    >>> made.method.name, made.source.kind
    ('pattern-ka', 'baskets')
    """
    promise = parse_guarantee(guarantee)
    wanted = Source.of(data)
    entry = _entry(method, promise, wanted.known_kind, taxonomy=taxonomy is not None)
    tree = taxonomy_of(taxonomy)
    wanted = wanted.along(tree)
    # The taxonomy is not the method's where it is there only to name what is sensitive.
    generalizes = entry is None or entry.takes_taxonomy or not wanted.names_nodes()
    given: dict[str, Any] = {"taxonomy": tree if generalizes else None, "seed": seed, **(options or {})}
    given = {name: value for name, value in given.items() if value is not None}
    if isinstance(method, str) or method is None:
        assert entry is not None
        chosen = make_method(method or entry.name, data=entry.data, **given)
    else:
        if given:
            raise ParameterError(f"Pass {next(iter(given))!r} when you create the method, as in covey.CAHD(alpha=5).")
        chosen = method
    decided = wanted.as_kind() if entry is None else wanted.as_kind(entry.data)
    if decided.sensitive is not None:
        require_protected(decided.decided.name, promise, written(decided.sensitive))
    if like is None and like_trace is not None:
        raise ParameterError("Name the release that the trace is of, too: --like (like=).")
    if like is not None and not getattr(chosen, "keeps_company", False):
        kind = decided.decided.name
        able = ", ".join(one.name for one in methods(data=kind) if one.load().keeps_company)
        raise ParameterError(
            f"The method {chosen.name} cannot keep people in their earlier groups (--like)."
            + (f" These methods can: {able}." if able else "")
            + " Or publish new people only; `covey attack EARLIER --with NEW` measures what two releases reveal."
        )
    if keep_at_least is not None:
        number("anonymize", "keep_at_least", keep_at_least, minimum=0, maximum=1)
    return Plan(
        source=decided,
        promise=promise,
        method=chosen,
        entry=entry,
        like=like,
        like_trace=like_trace,
        audit=audit,
        keep_at_least=keep_at_least,
        about=about or About(),
    )


def _entry(method: object, promise: Guarantee, kind: str | None, *, taxonomy: bool) -> MethodEntry | None:
    """The line of the registry for a method, or the recommended one, that fits guarantee and kind of data."""
    able = methods(guarantee=promise.name, taxonomy=taxonomy)
    if not isinstance(method, str | Method | None):
        raise ParameterError(f"A method is named by text, such as 'cahd' or 'cahd(alpha=5)'. Got {method!r} instead.")
    name = None if method is None else find(parse_call(method)[0]).name if isinstance(method, str) else method.name
    if name is not None:
        if all(entry.name != name for entry in methods()):
            return None
        of_name = [entry for entry in able if entry.name == name]
        if not of_name:
            others = ", ".join(dict.fromkeys(entry.name for entry in able))
            raise ParameterError(f"The method {name} does not keep {promise.name}. These do: {others}.")
        able = tuple(one for one in of_name if isinstance(method, (str, one.load())))
    fitting = [entry for entry in able if kind in (None, entry.data)]
    if not fitting:
        raise unfit(kind or "", name, promise)
    return fitting[0]


def one_of(kind: str) -> str:
    """A kind of data in a sentence.

    Examples
    --------
    >>> one_of("table"), one_of("baskets")
    ('a table', 'baskets')
    """
    return kind if kind.endswith("s") else f"a {kind}"


def unfit(kind: str, method: str | None, promise: Guarantee) -> ParameterError:
    """The error for data of a kind that a method, or no method at all, can take for a guarantee."""
    able = methods(guarantee=promise.name)
    here = list(dict.fromkeys(entry.name for entry in able if entry.data == kind))
    wanted = list(dict.fromkeys(entry.data for entry in able if method in (None, entry.name)))
    what = f"`{method}`" if method else promise.name
    also = f", or a method for {one_of(kind)}: {', '.join(here)}" if here else ""
    return ParameterError(
        f"This data was read as {one_of(kind)}, but {what} needs {' or '.join(map(one_of, wanted))}. "
        f"Try --kind {wanted[0]}{also}."
    )


def require_protected(kind: str, promise: Guarantee, named: str = "") -> None:
    """Raise when something, `named` so, is sensitive that the guarantee would let be published like anything else."""
    if ignores_sensitive(promise.name, kind):
        raise ParameterError(ignored_text(promise.name, kind, "Name none (leave --sensitive out)", named))


def ignores_sensitive(guarantee: str, kind: str) -> bool:
    """Whether a guarantee treats everything alike, so that it is none for data of a kind with something sensitive.

    Examples
    --------
    >>> ignores_sensitive("km-anonymity", "baskets"), ignores_sensitive("degree", "records")
    (True, False)
    """
    return data_kind(kind).sensitive_needs_protection and not guarantee_class(guarantee).protects_sensitive


def ignored_text(guarantee: str, kind: str, unmark: str, named: str = "") -> str:
    """Why such a guarantee is refused, and what to do: `unmark` what is sensitive, or promise something else."""
    about = data_kind(kind)
    able = [name for name in GUARANTEES if methods(guarantee=name, data=kind) and not ignores_sensitive(name, kind)]
    text = (
        f"{guarantee} treats all {about.things} alike: those marked as sensitive{f' ({named})' if named else ''} would "
        f"be published like any other. {unmark}, or promise {' or '.join(able)}, which protects them."
    )
    if "other" in about.option_names():
        text += " A column can also be published as it is, with no promise about it, if its role is other (--other)."
    return text


def _named(secrets: tuple[Secret, ...]) -> str:
    """The sensitive columns and items of data, the first few, in words."""
    names = list(dict.fromkeys(secret.column or secret.label for secret in secrets))
    return ", ".join(map(repr, names[:5])) + (" …" if len(names) > 5 else "")


def taxonomy_of(given: Tree | None) -> Taxonomy | None:
    """A taxonomy, read in if a path was given; None stays None."""
    if isinstance(given, str | os.PathLike):
        return read_taxonomy(given)
    return given


def original_source(original: Data | None, **reading: Any) -> Source | None:
    """Return the original as a source; without an original, nothing may describe how it is read."""
    if original is not None:
        return Source.of(original, **reading)
    if any(reading.get(name) is not None for name in ("kind", "person")):
        raise ParameterError("--kind and --person (kind=, person=) describe the original. Give it, too: --original.")
    return None


def require_holds(verdict: Verdict) -> None:
    """Raise when a release that was just made fails its own check."""
    if not verdict.holds:
        failed = verdict.failures()[0]
        raise VerificationFailed(
            f"The release was not written, because it failed its own check: {failed.name}: {failed.detail}. "
            "This is a bug in covey; please report it."
        )


def cut_short(manifest: Manifest) -> list[str]:
    """What the searches that were cut short may have cost, in words."""
    entry = next((e for e in methods() if (e.name, e.release) == (manifest.method, manifest.kind)), None)
    declared = {} if entry is None else {p.name: p.cut_short for p in entry.parameters()}
    return [declared.get(note) or f"The search was cut short by {note}." for note in manifest.notes]
