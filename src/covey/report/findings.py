"""Everything a report states, gathered from a release and, where it is at hand, the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.counting import percent
from covey.data import Baskets, Records, Table
from covey.data.csr import take_rows
from covey.data.equal_rows import equal_rows
from covey.errors import ReleaseError
from covey.measure.attacks import ATTACKS, run_attacks
from covey.measure.evaluation import evaluate
from covey.measure.risk import reidentification
from covey.measure.study import Study
from covey.measure.table import row_exposure
from covey.measure.uniqueness import before_and_after
from covey.parameters import parse_call
from covey.pipeline import cut_short
from covey.progress import Progress, silent
from covey.release.base import Release, Words
from covey.release.chunks import ChunksRelease
from covey.release.grouped import GroupedRelease
from covey.release.kinds import release_kind
from covey.release.manifest import Manifest
from covey.release.ratings import RatingsRelease
from covey.release.records import RecordsRelease
from covey.release.sets import SetsRelease, public_part
from covey.release.table import TableRelease
from covey.tabular import Figures
from covey.verdict import Verdict

#: Known items for which the risk is measured, ranges of sizes of groups at most, and questions that are asked.
KNOWN, RANGES, ASKED = (1, 2, 3, 4), 8, 6
#: Figures that every release has, though they may be empty.
NOTHING: Mapping[str, Any] = {
    **{"utility": {}, "uniqueness": {}, "found_before": None, "found_after": None},
    **dict.fromkeys(("attacks", "sizes", "columns", "risk_before", "risk_after", "questions"), ()),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What was found out about one release."""

    name: str
    manifest: Manifest
    verdict: Verdict
    #: Whether the original was at hand.
    with_original: bool = False
    #: What was left out of the original before, and what has to be seen beside the verdict.
    cleaned: str = ""
    warned: list[str] = field(default_factory=list)
    #: Columns that are published as they were, and how many different values they have for each row.
    unprotected: list[tuple[str, float]] = field(default_factory=list)
    #: What is sensitive: items, columns or issues.
    sensitive: list[str] = field(default_factory=list)
    #: How many baskets have ordinary items that no other has, in words.
    unique: str = ""
    #: Mean and largest share of holders of a sensitive item in its group; labels for examples of queries.
    shares: tuple[float, float] | None = None
    examples: Mapping[str, str] = field(default_factory=dict)
    #: What was measured, as plain data for JSON; see `NOTHING`.
    figures: Figures = field(default_factory=lambda: NOTHING)

    def measured(self) -> dict[str, Any]:
        """Return what was measured, as plain data for JSON."""
        return {"kind": self.manifest.kind, **self.figures}

    @property
    def words(self) -> Words | None:
        """The words for the kind of release; None when its manifest states one that this version does not know."""
        with suppress(ReleaseError):
            return release_kind(self.manifest.kind).words
        return None


def examine_release(
    directory: str | Path,
    manifest: Manifest,
    verdict: Verdict,
    release: Any = None,
    original: Any = None,
    *,
    taxonomy: Any = None,
    seed: int = 0,
    cleaned: str = "",
    warned: Sequence[str] = (),
    progress: Progress = silent,
) -> Findings:
    """Gather what a report states; without a `release` it cannot be read, or must not be trusted."""
    known: dict[str, Any] = {
        "name": Path(directory).resolve().name,
        "manifest": manifest,
        "verdict": verdict,
        "with_original": original is not None,
    }
    if release is None:
        return Findings(**known)
    progress("drawing", 0.0)
    figures = {**NOTHING, **findings(release, original, seed)}
    if isinstance(release, RatingsRelease):
        figures["uniqueness"] = before_and_after(release, original)
    study = None
    if isinstance(release, GroupedRelease):
        known |= {"shares": holder_shares(release), "examples": _examples(release)}
        if release.attributes is None:
            sizes = equal_rows(*release.transactions.csr, release.transactions.d, seed=0)[1]
            share = percent(int((sizes == 1).sum()) / max(release.n, 1))
            known["unique"] = f"Of the published baskets {share} are unique: all their ordinary items find them."
        if original is not None:
            study = Study(release, original, seed)
            figures["questions"] = ask(release, study)
    if original is not None:
        progress("measuring", 0.4)
        figures["utility"] = evaluate(release, original, seed, taxonomy=taxonomy, study=study)
        progress("attacking", 0.7)
        attacked = run_attacks(release, original, seed, study=study) if release.kind in ATTACKS else []
        figures["attacks"] = [result.to_dict() for result in attacked]
    return Findings(
        **known,
        cleaned=cleaned,
        warned=[*warned, *cut_short(manifest)],
        unprotected=release.unprotected(),
        sensitive=_sensitive_of(release),
        figures=figures,
    )


def _sensitive_of(release: Release) -> list[str]:
    stated: dict[str, Any] = {**release.facts(), **release.reading_options()}
    named = [*getattr(release, "sensitive_items", ()), *getattr(release, "secret_columns", ())]
    return list(dict.fromkeys(map(str, [*named, *stated.get("sensitive", ())])))


@singledispatch
def findings(release: Release, original: object, seed: int) -> dict[str, Any]:
    """Return the figures that a release of this kind adds; with the original, also those that it takes to find out."""
    return {}


@findings.register
def _of_grouped(release: GroupedRelease, original: Baskets | None, seed: int) -> dict[str, Any]:
    columns: list[tuple[str, str, int]] = []
    if release.attributes is not None:
        columns = [(column.name, "exact", len(column.labels)) for column in release.attributes.columns]
        for name in release.secret_columns:
            columns.append((name, "counted", sum(item.startswith(f"{name}=") for item in release.sensitive_items)))
    return {"sizes": size_ranges(release.members()), "columns": columns}


@findings.register
def _of_sets(release: SetsRelease, original: Baskets | None, seed: int) -> dict[str, Any]:
    published = release.transactions
    found: dict[str, Any] = {}
    if parse_call(release.guarantee)[0] == "k-anonymity":
        found["sizes"] = size_ranges(equal_rows(*published.csr, published.d, seed=0)[1])
    # Nobody is supposed to know private items, which are no part of the published sets either.
    return found if original is None else found | _risks(public_part(release, original), published, seed)


@findings.register
def _of_chunks(release: ChunksRelease, original: Baskets | None, seed: int) -> dict[str, Any]:
    return {"sizes": size_ranges(release.records)}


@findings.register
def _of_table(release: TableRelease, original: Table | None, seed: int) -> dict[str, Any]:
    sizes = np.bincount(release.classes()) if release.class_persons is None else release.class_persons
    found: dict[str, Any] = {
        "sizes": size_ranges(sizes),
        "columns": [(column.name, column.role, len(column.labels)) for column in release.columns],
    }
    if original is not None:
        persons = {} if release.persons is None else {"persons": release.persons}
        for name, table in (("found_before", original), ("found_after", release)):
            found[name] = {**asdict(row_exposure(table)), **persons}
    return found


@findings.register
def _of_records(release: RecordsRelease, original: Records | None, seed: int) -> dict[str, Any]:
    if original is None:
        return _of_table(release.attributes, None, seed)
    risks = _risks(original.baskets, release.baskets, seed)
    return _of_table(release.attributes, original.attributes, seed) | risks


def _risks(before: Baskets, after: Baskets, seed: int) -> dict[str, Any]:
    """Return the chance of finding a row by number of known items."""
    pairs = (("risk_before", before), ("risk_after", after))
    return {name: [reidentification(one, known, seed=seed).to_dict() for known in KNOWN] for name, one in pairs}


def size_ranges(sizes: Ints) -> list[tuple[str, int]]:
    """Return how many groups fall into ranges of sizes: single sizes where they are few, doubling ranges else.

    Examples
    --------
    >>> size_ranges(np.array([4, 4, 5, 4]))
    [('4', 3), ('5', 1)]
    """
    distinct, counts = np.unique(sizes, return_counts=True)
    if len(distinct) <= RANGES:
        return [(f"{size:,}", int(count)) for size, count in zip(distinct, counts, strict=True)]
    # Where groups are made of p, nearly all are of that size: it stands alone, then ranges double.
    low = int(distinct[0])
    lows = [low, *((low + 1) << step for step in range(RANGES - 1))]
    place = np.searchsorted(lows, distinct, side="right") - 1
    found = np.bincount(place, counts, RANGES).astype(np.int64).tolist()
    names = [f"{low:,}", *(f"{one:,}–{2 * one - 1:,}" for one in lows[1:-1]), f"{lows[-1]:,} or more"]
    return [(name, count) for name, count in zip(names, found, strict=True)][: int(place[-1]) + 1]


def holder_shares(release: GroupedRelease) -> tuple[float, float] | None:
    """Return the mean and the largest share of a group that holds a sensitive item of it, over sensitive entries."""
    if not len(release.count):
        return None
    share = release.count / release.members()[release.count_group]
    return float((share * release.count).sum() / release.count.sum()), float(share.max())


def _examples(release: GroupedRelease) -> dict[str, str]:
    totals, supports = release.sensitive_totals(), release.transactions.supports()
    if not len(totals) or len(supports) < 2:
        return {}
    present, absent = (release.transactions.items[at] for at in np.argsort(-supports, kind="stable")[:2])
    return {"sensitive": release.sensitive_items[int(totals.argmax())], "present": present, "absent": absent}


def ask(release: GroupedRelease, study: Study) -> list[dict[str, Any]]:
    """Return how often frequent sensitive items go with their most frequent companion: estimate and truth."""
    public, secret = study.public, study.secret
    holder = secret.row_of_entries()
    questions = []
    for s in np.argsort(-release.sensitive_totals(), kind="stable")[:ASKED]:
        _, held = take_rows(*public.csr, holder[secret.indices == s])
        together = np.bincount(held, minlength=public.d)
        if together.any():
            pair = {"sensitive": release.sensitive_items[s], "present": public.items[int(together.argmax())]}
            answer = release.estimate(pair["sensitive"], present=[pair["present"]])
            found = {"estimate": answer.estimate, "standard_error": answer.standard_error}
            questions.append({**pair, **found, "truth": int(together.max())})
    return questions
