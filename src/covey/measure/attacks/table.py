"""Attacks on released tables by someone who knows all quasi-identifiers of a person, as k-anonymity assumes.

One wants the row, or the person where persons are counted: every one of the class may be it. The other wants the
sensitive value: the class's most frequent one is guessed (Machanavajjhala et al. 2007, the homogeneity attack). Its
baseline is what a naive Bayes model of the population guesses without the release, cross-fitted in three parts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from covey.arrays import Floats, Ids
from covey.counting import counted
from covey.data import Table
from covey.data.table import Column
from covey.errors import other_original
from covey.guarantees import guarantee
from covey.measure.attacks.result import AttackResult, compared, percent, promised
from covey.release.table import TableRelease, commonest

#: Rows are divided so often, if they are not more than this; one division of many rows varies by little.
DIVISIONS, FEW_ROWS = 5, 20_000
#: Numbers are told apart by so many ranges of equal frequency in the model of the population.
RANGES = 10
FOLDS = 3


def on_table(release: TableRelease, original: Table, seed: int) -> Iterator[AttackResult]:
    """Look for each row or person, and guess the sensitive values of each row by those of its class.

    Examples
    --------
    >>> import covey
    >>> people = covey.Table.of({"age": [20, 21, 40, 41], "ill": ["flu", "flu", "gout", "flu"]}, sensitive=["ill"])
    >>> release = covey.anonymize(people, "k-anonymity(k=2)", "mondrian")
    >>> [(one.success_rate, one.chance) for one in on_table(release, people, 0)]
    [(0.5, 0.25), (0.75, 0.75)]
    """
    classes = release.classes()
    sizes = np.bincount(classes) if release.class_persons is None else release.class_persons
    n, row = (release.n, "row") if release.persons is None else (release.persons, "person")
    worst = 1 / max(int(sizes.min(initial=n)), 1)
    bound = promised(release, "k") or worst
    yield AttackResult.of(
        "linkage",
        len(sizes) / max(n, 1),
        claim=bound,
        chance=1 / max(n, 1),
        targets=n,
        explanation=(
            f"Knows all quasi-identifiers of a {row}, and picks one of the {row}s that are published with them at "
            f"random. Right for {{right}} of {n:,} {row}s, at worst "
            f"{percent(worst)}; {percent(bound)} is claimed."
        ),
        details={"worst": worst},
    )

    right = blind = 0.0
    baselines = np.zeros(DIVISIONS if original.n <= FEW_ROWS else 1)
    columns, features = original.of_role("sensitive"), [_coarse(column) for column in original.of_role("quasi")]
    for column in columns:
        published = release.column(column.name).codes
        if len(published) != original.n:
            raise other_original(f"the original has {original.n:,} rows, the release {len(published):,}")
        right += float(commonest(classes, published).sum())
        blind += float(np.bincount(column.codes).max(initial=0))
        baselines += [_guessed_unseen(features, column.codes, [seed, one]) for one in range(len(baselines))]
    guesses = release.n * len(columns)
    rate, chance, without = (float(value) / max(guesses, 1) for value in (right, blind, baselines.mean()))
    error = None if len(baselines) == 1 else float(baselines.std(ddof=1) / np.sqrt(len(baselines))) / max(guesses, 1)
    # Only l-diversity by frequency claims something of guesses. To name the most frequent value needs no release.
    claim = guarantee(release.guarantee).certainty
    if chance > without:
        without, error = chance, None
    yield AttackResult.of(
        "inference",
        rate,
        claim=claim,
        chance=chance,
        baseline=without,
        baseline_error=error,
        targets=guesses,
        explanation=(
            "Knows all quasi-identifiers of a row, and guesses the most frequent sensitive value among the rows "
            f"that are published with them. Right in {{right}} of {counted(guesses, 'guess')}. "
            + compared(rate, claim, without, error)
        ),
    )


def _coarse(column: Column) -> Ids:
    """Return the codes of a column, numbers put into a few ranges."""
    if not column.numeric:
        return column.codes
    edges = np.quantile(column.codes, np.linspace(0, 1, RANGES + 1)[1:-1])
    return np.searchsorted(edges, column.codes).astype(np.int32)


def _guessed_unseen(features: list[Ids], value: Ids, seed: list[int]) -> float:
    """Return how many rows a naive Bayes model of the others guesses rightly."""
    n, values = len(value), int(value.max(initial=0)) + 1
    part = np.random.default_rng(seed).permutation(n) % FOLDS
    right = 0.0
    for fold in range(FOLDS):
        known, asked = part != fold, part == fold
        prior = np.bincount(value[known], minlength=values) + 1.0
        score: Floats = np.tile(np.log(prior), (int(asked.sum()), 1))
        for codes in features:
            width = int(codes.max(initial=0)) + 1
            pairs = np.bincount(value[known] * width + codes[known], minlength=values * width)
            table = np.log((pairs.reshape(values, width) + 1.0) / (prior[:, None] + width))
            score += table.T[codes[asked]]
        right += float((score.argmax(axis=1) == value[asked]).sum())
    return right
