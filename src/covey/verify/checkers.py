"""Who may check what: one table of guarantees and kinds of release. A pair that is not in it cannot be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from covey.errors import ParameterError
from covey.guarantees.base import Guarantee
from covey.progress import Progress, silent
from covey.release.base import Release
from covey.verdict import Check, Verdict

#: A function, or where it is: a check imports only what it needs.
Checker = Callable[..., Any] | str

#: (guarantee, kind of release) → ``check(promise, release) -> Verdict``.
CHECKS: dict[tuple[str, str], Checker] = {
    ("degree", "grouped"): "covey.verify.degree:check",
    ("label-dp", "model"): "covey.verify.label_dp:check",
    ("k-anonymity", "sets"): "covey.verify.k_anonymity:check",
    ("k-anonymity", "table"): "covey.verify.table_classes:check",
    ("km-anonymity", "sets"): "covey.verify.km_anonymity:check",
    ("km-anonymity", "chunks"): "covey.verify.chunks_anonymity:check",
    ("coherence", "sets"): "covey.verify.coherence:check",
    ("l-diversity", "table"): "covey.verify.l_diversity:check",
    ("k-eps-l", "ratings"): "covey.verify.k_eps_l:check",
    ("k-km-anonymity", "records"): "covey.verify.k_km_anonymity:check",
}

#: (guarantee, kind of data) → ``check(promise, data, progress=) -> Verdict``, for data that is not published yet.
DATA_CHECKS: dict[tuple[str, str], Checker] = {
    ("degree", "baskets"): "covey.verify.degree:check_baskets",
    ("degree", "records"): "covey.verify.degree:check_baskets",
    ("k-anonymity", "baskets"): "covey.verify.k_anonymity:check_baskets",
    ("k-anonymity", "table"): "covey.verify.table_classes:check_table",
    ("km-anonymity", "baskets"): "covey.verify.km_anonymity:check_baskets",
    ("coherence", "baskets"): "covey.verify.coherence:check_baskets",
    ("l-diversity", "table"): "covey.verify.l_diversity:check_table",
    ("k-eps-l", "ratings"): "covey.verify.k_eps_l:check_ratings",
    ("k-km-anonymity", "records"): "covey.verify.k_km_anonymity:check_records",
}

#: (guarantee, kind of data) → ``violators(promise, data)``: a heading, then a line for each who breaks the guarantee.
VIOLATORS: dict[tuple[str, str], Checker] = {
    ("k-anonymity", "baskets"): "covey.verify.k_anonymity:violators",
    ("k-anonymity", "table"): "covey.verify.table_classes:violators",
    ("km-anonymity", "baskets"): "covey.verify.km_anonymity:violators",
}

#: Kind of release → ``compare(release, original, taxonomy) -> checks``.
FIDELITY: dict[str, Checker] = {
    "grouped": "covey.verify.grouped_fidelity:compare",
    "model": "covey.verify.label_dp:compare",
    "sets": "covey.verify.sets_fidelity:compare",
    "table": "covey.verify.table_fidelity:compare",
    "ratings": "covey.verify.ratings_fidelity:compare",
    "records": "covey.verify.records_fidelity:compare",
    "chunks": "covey.verify.chunks_fidelity:compare",
}


def check_release(promise: Guarantee, release: Release) -> Verdict:
    """Check from what is published alone whether a release keeps a promise.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"]], sensitive=["s"])
    >>> release = covey.anonymize(baskets, "degree(p=2)")
    >>> check_release(covey.guarantee("k-anonymity(k=2)"), release).failures()[0].name
    'this kind of release can keep k-anonymity'
    """
    if (promise.name, release.kind) not in CHECKS:
        return cannot_keep(promise, release.kind)
    verdict: Verdict = _imported(CHECKS[promise.name, release.kind])(promise, release)
    return verdict


def cannot_keep(promise: Guarantee, kind: str) -> Verdict:
    """The verdict on a release of a kind that cannot keep a promise at all."""
    able = sorted(kind for name, kind in CHECKS if name == promise.name)
    check = Check.failed(
        f"this kind of release can keep {promise.name}",
        f"a {kind} release cannot; it takes one of the kind {' or '.join(able)}",
    )
    return Verdict(guarantee=promise.text, checks=(check,))


def kinds_checked(guarantee: str) -> list[str]:
    """Return the kinds of data that can be checked for keeping a guarantee as they are."""
    kinds = [kind for name, kind in DATA_CHECKS if name == guarantee]
    if not kinds:
        raise ParameterError(
            f"{guarantee} is about how a release is made, so no data keeps it as it is. Make a release with "
            "covey anonymize; covey verify checks that."
        )
    return kinds


def check_data(promise: Guarantee, data: Any, *, progress: Progress = silent) -> Verdict:
    """Check whether data that is not published yet keeps a guarantee as it stands."""
    if (promise.name, data.kind) not in DATA_CHECKS:
        able = " or ".join(kinds_checked(promise.name))
        raise ParameterError(f"{promise.name} does not apply to {data.kind}. It is about {able}.")
    verdict: Verdict = _imported(DATA_CHECKS[promise.name, data.kind])(promise, data, progress=progress)
    return verdict


def violators(promise: Guarantee, data: Any) -> Iterator[tuple[object, ...]]:
    """A heading, then a line for each row or person of `data` that breaks a guarantee."""
    lines: Iterator[tuple[object, ...]] = _imported(VIOLATORS[promise.name, data.kind])(promise, data)
    return lines


def compare(release: Release, original: Any, taxonomy: Any = None) -> list[Check]:
    """Check that a release is made of this original, all of it and nothing else."""
    checks: list[Check] = _imported(FIDELITY[release.kind])(release, original, taxonomy)
    return checks


def _imported(checker: Checker) -> Callable[..., Any]:
    """Import what a text such as ``covey.verify.degree:check`` names."""
    if not isinstance(checker, str):
        return checker
    module, _, name = checker.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
