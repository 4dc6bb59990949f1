"""Information loss of released tables: NCP per column and GCP over all (PatternKa 2020, section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.data import Table
from covey.data.spans import published_loss
from covey.errors import InputError
from covey.release.table.model import TableRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLoss:
    """How much a released table has lost.

    Attributes
    ----------
    gcp : float
        Global certainty penalty, 0 (nothing lost) to 1 (every quasi-identifier published as ``*``).
    ncp : mapping
        Mean normalized certainty penalty of each quasi-identifier.
    """

    gcp: float
    ncp: Mapping[str, float]

    @property
    def value(self) -> float:
        """The GCP, as the one number to compare releases by."""
        return self.gcp

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {"gcp": self.gcp, "ncp": dict(self.ncp)}


def gcp_table(release: TableRelease, original: Table) -> TableLoss:
    """Loss of the published values, measured on the texts that are published.

    Parameters
    ----------
    release : TableRelease
        What was published.
    original : Table
        What it was made from: its ranges and hierarchies are what values are measured by.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> from covey.methods.mondrian import Mondrian
    >>> people = Table.of({"age": [20, 25, 50, 60], "sex": ["f", "f", "m", "m"]})
    >>> gcp_table(Mondrian(seed=0).anonymize(people, guarantee("k-anonymity(2)")), people).ncp
    {'age': 0.1875, 'sex': 0.0}
    """
    ncp = {}
    for column in release.of_role("quasi"):
        known = original.column(column.name)
        losses = []
        for label in column.labels:
            loss = published_loss(known, label)
            if loss is None:
                raise InputError(
                    f"{label!r} covers no value of the original",
                    column=column.name,
                    remedy="Give the original that the release was made from, with the same hierarchies.",
                )
            losses.append(loss)
        weights = np.bincount(column.codes, minlength=len(losses))
        ncp[column.name] = float(np.dot(weights, losses) / max(release.n, 1))
    return TableLoss(gcp=float(np.mean(list(ncp.values()))) if ncp else 0.0, ncp=ncp)
