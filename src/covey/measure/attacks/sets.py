"""Attacks on released sets and records: by more items than is promised, by all that is published, and by inference.

The attacker knows what the person's items are published as, which the release says itself where items are published
alike everywhere. Of someone in released records, all attributes are known besides.
"""

from __future__ import annotations

import math

import numpy as np

from covey.counting import counted
from covey.data import Baskets, Records
from covey.measure.attacks.lookups import Rows, attacked
from covey.measure.attacks.result import AttackResult, compared, percent, promised
from covey.parameters import parse_call
from covey.release.base import Release
from covey.release.kinds import promise_of
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease


def _row(release: SetsRelease) -> str:
    return "basket" if release.transactions.person is None else "person"


def linkage(release: SetsRelease, original: Baskets, *, seed: int = 0) -> AttackResult:
    """Look for random baskets of which one label more is known than the promise covers, and then two more.

    Where the promise covers any number of labels, four are known, and then five.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a"], ["a"], ["b"], ["b"]])
    >>> linkage(covey.anonymize(baskets, "k-anonymity(k=2)", seed=0), baskets).targets
    0
    """
    return found_beyond(release, Rows.of(release.transactions), seed, row=_row(release))


def found_beyond(release: Release, rows: Rows, seed: int, *, row: str, besides: str = "") -> AttackResult:
    """Look for random rows by more labels than the promise covers, `besides` being what else is known of them."""
    covered = promise_of(release.guarantee, release.kind).known
    rng = np.random.default_rng(seed)
    most = 3 if covered == math.inf else int(covered)
    beyond = [most + 1, most + 2]
    steps = [rows.finds(known, rng) for known in beyond]
    first, then = steps
    claim = promised(release, "k") or 1.0
    up_to = "" if covered == math.inf else f" for up to {counted(most, 'label')}; of more, nothing"
    return AttackResult.of(
        "linkage",
        first.risk,
        claim=claim if covered == math.inf else None,
        chance=1 / max(len(rows.indptr) - 1, 1),
        targets=first.targets,
        explanation=(
            f"Knows {besides}{beyond[0]} labels of a {row}, and picks one of the {row}s with them at random. "
            f"Right for {{right}} of {attacked(first, row)} with as many or more; with {beyond[1]} labels, for "
            f"{percent(then.risk)} of {attacked(then, row)}. {percent(claim)} is claimed{up_to}."
        ),
        details={"by_known": [step.to_dict() for step in steps]},
    )


def whole(release: SetsRelease, original: Baskets, *, seed: int = 0) -> AttackResult:
    """Look for every basket, knowing all of it; nothing is drawn, so `seed` is not used.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a"], ["a"], ["b"], ["b"]])
    >>> whole(covey.anonymize(baskets, "k-anonymity(k=2)", seed=0), baskets).success_rate
    0.5
    """
    return found_whole(release, Rows.of(release.transactions), row=_row(release), knows="all labels")


def found_whole(release: Release, rows: Rows, *, row: str, knows: str) -> AttackResult:
    """Look for every row by all that is published of it; only k-anonymity is about someone who knows as much."""
    same = rows.alike()
    rate, n = float((1 / same).mean()) if len(same) else 0.0, len(same)
    claim = promised(release, "k") if parse_call(release.guarantee)[0] == "k-anonymity" else None
    return AttackResult.of(
        "whole",
        rate,
        claim=claim,
        chance=1 / max(n, 1),
        targets=n,
        explanation=(
            f"Knows {knows} of a {row}, and picks one of the {row}s that are published with the same at random. Right "
            f"for {{right}} of {n:,} {row}s; {percent(float((same == 1).mean()) if n else 0.0)} are published like no "
            f"other. {compared(rate, claim, None)}"
        ),
        details={"unique": float((same == 1).mean()) if n else 0.0},
    )


def inference(release: SetsRelease, original: Baskets, *, seed: int = 0) -> AttackResult:
    """Guess one label of a random basket from all its others; what others' baskets tell without it is the baseline.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "b"], ["a", "b"], ["a", "b"]])
    >>> result = inference(covey.anonymize(baskets, "k-anonymity(k=3)", seed=0), baskets)
    >>> result.success_rate, result.baseline
    (1.0, 1.0)
    """
    row = _row(release)
    does = f"Knows all labels of a random {row} but one, and guesses the one that most {row}s with the others have."
    return Rows.of(release.transactions).inference(does, seed)


def linkage_of_records(release: RecordsRelease, original: Records, *, seed: int = 0) -> AttackResult:
    """Look for random persons of whom one label more is known than the promise covers, and then two more.

    Examples
    --------
    >>> import covey
    >>> data = Records.of({"age": [20, 21, 22, 23]}, [["a", "b"]] * 4)
    >>> linkage_of_records(covey.anonymize(data, "k-km-anonymity(k=2, m=1)", seed=0), data).success_rate
    0.5
    """
    return found_beyond(release, _rows_of_records(release, False), seed, row="person", besides="all attributes and ")


def whole_of_records(release: RecordsRelease, original: Records, *, seed: int = 0) -> AttackResult:
    """Look for everybody, knowing all that is published of them; nothing is drawn, so `seed` is not used.

    Examples
    --------
    >>> import covey
    >>> data = Records.of({"age": [20, 21, 22, 23]}, [["a", "b"]] * 4)
    >>> whole_of_records(covey.anonymize(data, "k-km-anonymity(k=2, m=1)", seed=0), data).success_rate
    0.5
    """
    rows = _rows_of_records(release, True)
    return found_whole(release, rows, row="person", knows="all attributes and all labels of items")


def _rows_of_records(release: RecordsRelease, with_class: bool) -> Rows:
    """Return the labels of each person, each another one in every class; `with_class` adds the class itself.

    Knowing a label so means knowing the class, too.
    """
    kind, sets = release.attributes.classes(), release.baskets
    # Label 0 of a class is the class.
    keys = np.repeat(kind, sets.lengths()) * (sets.d + 1) + sets.indices + 1
    indptr = sets.indptr
    if with_class:
        keys = np.insert(keys, indptr[:-1], kind * (sets.d + 1))
        indptr = indptr + np.arange(sets.n + 1)
    distinct, indices = np.unique(keys, return_inverse=True)
    return Rows(indptr=indptr, indices=indices.reshape(-1).astype(np.int32), labels=len(distinct))
