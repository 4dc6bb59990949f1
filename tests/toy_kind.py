"""A fourth kind of data and of release, in one module: answers to one question, published as counts.

`register` holds the lines that add them; nothing else in covey knows of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa

from covey.data import Baskets
from covey.data.kinds import DATA_KINDS, ENCODING, DataKind, ReadingOption
from covey.data.summary import Summary
from covey.errors import TamperedRelease
from covey.io.source import READERS
from covey.measure.evaluation import figures
from covey.measure.inspection import labels, profile
from covey.measure.risk import facts
from covey.methods.base import Method
from covey.parameters import parameter
from covey.progress import silent
from covey.registry import METHODS, MethodEntry
from covey.release.base import Release, Words
from covey.release.kinds import RELEASE_KINDS
from covey.release.tables import INT, TEXT, Schema
from covey.report.inspection import DESCRIPTIONS, Description
from covey.report.measures import NAMES
from covey.report.page import Part
from covey.verdict import Check, Verdict
from covey.verify.checkers import CHECKS, FIDELITY


@dataclass(frozen=True)
class Answers:
    kind: ClassVar[str] = "answers"
    values: tuple[str, ...]

    @property
    def n(self):
        return len(self.values)

    def summary(self):
        return Summary(rows=self.n, filled=self.n, unit="answers")


def read(source, *, sensitive=None, upper=None, encoding="utf-8", progress=silent):
    lines = [] if isinstance(source, Answers) else Path(source).read_text(encoding).split()
    return source if isinstance(source, Answers) else Answers(tuple(line.upper() if upper else line for line in lines))


ANSWERS = DataKind(
    name="answers",
    options=(ReadingOption(name="upper", says="Read everything as capitals."), ENCODING),
    row="answer",
    rows="answers",
    things="answers",
    marked="answer",
    sizes={"answers": "answers"},
)


labels.register(Answers, lambda data: np.unique(np.array(data.values), return_counts=True))
profile.register(Answers, lambda data: {"answers": data.n, "different": len(set(data.values)), "sensitive": []})
facts.register(Answers, lambda data: Baskets.of([[value] for value in data.values]))


def described(body):
    return Description(
        shape=(Part(lines=(f"{body['answers']} answers, {body['different']} different",)),),
        tiles=[(str(body["answers"]), "answers")],
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Tally(Release):
    kind: ClassVar[str] = "tally"
    data_kinds: ClassVar[tuple[str, ...]] = ("answers",)
    words: ClassVar[Words] = Words(
        row="answer",
        group="answer",
        counts={"answers": "answers that are published", "dropped": "answers left out"},
    )
    tally: dict[str, int]
    dropped: int

    @classmethod
    def schemas(cls, manifest):
        return {"tally": Schema({"answer": TEXT, "count": INT})}

    @classmethod
    def from_tables(cls, found, manifest):
        table = found.table("tally")
        tally = dict(zip(table["answer"].to_pylist(), table["count"].to_pylist(), strict=True))
        if any(count is None or count < 1 for count in tally.values()):
            raise TamperedRelease("A count is below 1.")
        return cls(tally=tally, dropped=manifest.counts["dropped"], made=manifest.made)

    def tables(self):
        rows = sorted(self.tally.items())
        columns = [pa.array([row[0] for row in rows], TEXT), pa.array([row[1] for row in rows], INT)]
        return {"tally": iter([pa.RecordBatch.from_arrays(columns, names=["answer", "count"])])}

    def counts(self):
        return {"answers": sum(self.tally.values()), "dropped": self.dropped}


figures.register(Tally, lambda release, original, extent: {"kept": sum(release.tally.values()) / max(original.n, 1)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(Method):
    name: ClassVar[str] = "count"
    spare: int = parameter(0, at_least=0, says="How many more than k an answer needs.")

    def release(self, data, promise, progress):
        counted = Counter(data.values)
        kept = {value: count for value, count in counted.items() if count >= promise.k + self.spare}
        return Tally(tally=kept, dropped=data.n - sum(kept.values()), made=self.statement(promise))


def check(promise, release):
    rare = [value for value, count in release.tally.items() if count < promise.k]
    held = Check(name=f"every answer is given {promise.k} times", passed=not rare, detail=f"{len(rare)} rare ones")
    return Verdict(guarantee=promise.text, checks=(held,))


def compare(release, original, taxonomy):
    counted = Counter(original.values)
    wrong = [value for value, count in release.tally.items() if counted[value] != count]
    return [Check(name="counts are true", passed=not wrong, detail=f"{len(wrong)} wrong ones")]


COUNT = MethodEntry(
    name="count",
    target=Count,
    data="answers",
    guarantees=("k-anonymity",),
    release="tally",
    summary="Counts answers and leaves out rare ones.",
    paper="none",
)


def register(monkeypatch):
    """The lines that make covey know the kinds."""
    monkeypatch.setitem(DATA_KINDS, "answers", ANSWERS)
    monkeypatch.setitem(READERS, "answers", read)
    monkeypatch.setitem(DESCRIPTIONS, "answers", described)
    monkeypatch.setitem(RELEASE_KINDS, "tally", Tally)
    monkeypatch.setitem(NAMES, "tally", {"kept": "Answers that are published"})
    monkeypatch.setitem(CHECKS, ("k-anonymity", "tally"), check)
    monkeypatch.setitem(FIDELITY, "tally", compare)
    METHODS.append(COUNT)
