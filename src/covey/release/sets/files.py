"""The tables of a release of sets: the sets, what items became (global recoding), private items (coherence)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from covey.data.taxonomy import ROOT
from covey.errors import TamperedRelease
from covey.release.item_columns import assemble_baskets, item_batches
from covey.release.manifest import Manifest
from covey.release.persons import counts_persons, misstated
from covey.release.sets.model import SetsRelease
from covey.release.tables import TEXT, TEXTS, Schema, Tables

ITEMS = Schema(
    {"items": TEXTS},
    row="Each row is one set, in random order. A set may be empty.",
    says={"items": "The published labels: items as they were, or broader ones that stand for several."},
)
PRIVATE = Schema(
    {"items": TEXTS},
    row="Row i belongs to row i of `sets`.",
    says={"items": "The private items, exactly as they were."},
)
RECODING = Schema(
    {"item": TEXT, "published": TEXT},
    always_csv=True,
    row="Each row is one item of the original, or one that the taxonomy knows. Items not listed were left out.",
    says={"item": "The item.", "published": "The label that it is published as."},
    key=("item",),
)
RECODED = ("global", "local", "suppressed")


def tables(manifest: Manifest) -> Mapping[str, Schema]:
    """The exact tables of a release; private items are published with coherence, and with nothing else."""
    exact = {"sets": ITEMS}
    if _has_private(manifest):
        exact["private"] = PRIVATE
    if manifest.facts["recoding"] == "global":
        exact["recoding"] = RECODING
    return exact


def problem(manifest: Manifest) -> str:
    """How items were recoded must be stated, and nothing else but whether a set is a person's."""
    told = _misstated(manifest.facts)
    if told or not _has_private(manifest) or manifest.facts["recoding"] == "global":
        return told
    # Only a global recoding can be repeated on the original, private items and all.
    return "publishes private items beside sets that were not recoded globally"


def _misstated(facts: Mapping[str, Any]) -> str:
    if (
        not {"recoding", "rest"} <= set(facts)
        or misstated(facts, ("recoding", "rest"))
        or facts["recoding"] not in RECODED
        or not isinstance(facts["rest"], str)
    ):
        return f"must state as facts the recoding ({', '.join(RECODED)}) and the rest"
    if facts["rest"] and facts["recoding"] != "global":
        return "states a rest without a global recoding"
    # Where an item is called like that, the flat taxonomy adds stars to the name of its root.
    return f"calls the rest {facts['rest'][:60]!r} instead of {ROOT!r}" if facts["rest"].strip(ROOT) else ""


def _has_private(manifest: Manifest) -> bool:
    return manifest.guarantee.startswith("coherence(")


def to_tables(release: SetsRelease) -> Mapping[str, Iterator[pa.RecordBatch]]:
    """The tables as covey writes them."""
    made = {"sets": item_batches(release.transactions)}
    if release.private is not None:
        made["private"] = item_batches(release.private)
    if release.recoding is not None:
        items = sorted(release.recoding)
        made["recoding"] = iter([RECODING.batch(items, [release.recoding[item] for item in items])])
    return made


def from_tables(found: Tables, manifest: Manifest) -> SetsRelease:
    """The release that such tables are of."""
    baskets, _ = assemble_baskets(found.batches("sets"))
    private = recoding = None
    if "private" in found.schemas:
        private, _ = assemble_baskets(found.batches("private"))
    if "recoding" in found.schemas:
        listed = found.table("recoding")
        pairs = list(zip(*(listed.column(name).to_pylist() for name in ("item", "published")), strict=True))
        recoding = dict(pairs)
        if len(recoding) < len(pairs) or not all(item and label for item, label in pairs):
            raise TamperedRelease("The recoding lists an item twice, or lacks one.")
        _require_exact(recoding, manifest, baskets.items)
    if counts_persons(manifest.facts):
        baskets = replace(baskets, person=np.arange(baskets.n, dtype=np.int32))
    return SetsRelease(
        transactions=baskets,
        recoded=manifest.facts["recoding"],
        recoding=recoding,
        rest=manifest.facts["rest"],
        private=private,
        made=manifest.made,
    )


def _require_exact(recoding: Mapping[str, str], manifest: Manifest, published: tuple[str, ...]) -> None:
    """Raise unless the recoding leads to what is published, and to nothing else, each label to itself."""
    rest = manifest.facts["rest"]
    labels = {*recoding.values(), *([rest] if rest else [])}
    odd = labels ^ set(published)
    if odd:
        raise TamperedRelease(f"The recoding and the sets do not agree on the label {min(odd)!r}.")
    for item, label in recoding.items():
        if item in labels and label != item:
            raise TamperedRelease(f"The label {item!r} is recoded to another, {label!r}.")
