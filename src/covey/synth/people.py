"""A generated table of patients: age, postcode, sex and occupation, which many people know, and an illness."""

from __future__ import annotations

import numpy as np

from covey.data import Table
from covey.data.table import Column
from covey.parameters import integer

JOBS = ("nurse", "teacher", "clerk", "driver", "builder", "farmer", "cook", "engineer", "pupil", "pensioner")
#: Illness → how frequent it is, at which age it is most frequent, and how sharply.
ILLNESSES = {
    "flu": (3.0, 40, 60),
    "asthma": (1.5, 15, 25),
    "depression": (1.5, 45, 20),
    "diabetes": (2.0, 65, 18),
    "cancer": (1.2, 70, 16),
    "HIV": (0.4, 38, 14),
}


def people(*, rows: int = 2_000, seed: int | None = None) -> Table:
    """Draw people; which illness someone has depends on their age.

    Examples
    --------
    >>> people(rows=100, seed=1)
    Table(100 rows, quasi: age, zip, sex, job; sensitive: illness)
    """
    integer("people", "rows", rows, minimum=1)
    rng = np.random.default_rng(seed)
    age = np.clip(rng.gamma(4.0, 11.0, rows), 4, 98).astype(np.int32)
    job = rng.integers(0, len(JOBS) - 2, rows)
    job = np.where(age < 19, JOBS.index("pupil"), np.where(age > 66, JOBS.index("pensioner"), job))
    area, street = np.minimum(rng.geometric(0.12, rows), 40), rng.integers(0, 10, rows)
    postcodes, zips = np.unique(10_000 + 100 * area + 10 * street, return_inverse=True)
    weights = np.array([w * np.exp(-(((age - peak) / spread) ** 2)) + 0.05 for w, peak, spread in ILLNESSES.values()])
    reached = np.cumsum(weights / weights.sum(axis=0), axis=0)
    illness = (rng.random(rows) > reached[:-1]).sum(axis=0)
    return Table(
        columns=(
            Column.of_numbers("age", age.astype(np.float64)),
            Column.of_codes("zip", zips.reshape(-1).astype(np.int32), [str(code) for code in postcodes.tolist()]),
            Column.of_codes("sex", rng.integers(0, 2, rows).astype(np.int32), ("f", "m")),
            Column.of_codes("job", job.astype(np.int32), JOBS),
            Column.of_codes("illness", illness.astype(np.int32), tuple(ILLNESSES), "sensitive"),
        )
    )
