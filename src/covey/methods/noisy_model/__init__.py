"""noisy-model: noisy sums of who holds what, and a model fitted to them, for label-dp (docs/guarantees/label-dp.md).

Data flow: cells of similar transactions, from the ordinary items alone → for each sensitive item a noisy total, and
noisy sums by frequent item, cell and length (`measured_sums`, the only part that sees who holds what) → a logistic
model fitted to these sums (`fit`) → everything but the noise is published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ints, Mask
from covey.counting import counted
from covey.data import Baskets, Records
from covey.data.baskets import unmarked
from covey.errors import InputError, ParameterError
from covey.guarantees.label_dp import LabelDP
from covey.methods.base import Method
from covey.methods.noisy_model.fit import fit_weights
from covey.methods.noisy_model.noise import AddNoise, noise_source
from covey.methods.noisy_model.public import cells_of
from covey.parameters import parameter
from covey.progress import Progress
from covey.release.attributes import attributes_of
from covey.release.model import ModelRelease, Secret
from covey.release.model_sums import GRID, Public, Rows, level_of, public_part, scales_of, usual_rows_each
from covey.release.trace import Trace, remember


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyModel(Method):
    """Noisy sums of the sensitive items over cells, frequent items and lengths, and a model fitted to them.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> NoisyModel().anonymize(baskets, guarantee("label-dp(epsilon=1)"))
    ModelRelease(label-dp(epsilon=1) by noisy-model: 4 transactions, 1 sensitive item)
    """

    name = "noisy-model"

    items: int = parameter(
        300,
        at_least=0,
        says="Frequent ordinary items with noisy sums of their own, where a sensitive item has enough holders.",
    )
    rows_each: int | None = parameter(
        None,
        at_least=1,
        says="Where persons are named: how many transactions of each count in the sums, drawn at random. With more of "
        "them, more of the data is used, with more noise. If left out, the median of what persons have.",
    )
    empty: str = parameter(
        "keep",
        one_of=("keep", "error"),
        says="Transactions with sensitive items only, which give that away: publish them empty and state how "
        "many there are (keep), or refuse (error).",
    )
    insecure_seed: int | None = parameter(
        None,
        at_least=0,
        expert=True,
        says="For tests only: makes the noise reproducible, so that whoever reads this number can remove it.",
    )

    def __post_init__(self) -> None:
        Method.__post_init__(self)
        if self.seed is not None:
            raise ParameterError(
                "label-dp takes no seed: whoever knew it could remove the noise. Leave --seed (seed=) out; for tests "
                "there is --set insecure_seed=…, which the release then states."
            )

    def release(self, original: Baskets | Records, promise: LabelDP, progress: Progress) -> ModelRelease:
        """Measure the sums with noise, fit the models, and publish both.

        Of records the values of attributes are items: exact, or sensitive where the column is.
        """
        data = original.as_baskets()
        occurring, made = data.supports() > 0, self.statement(promise)
        public = data.only(~data.sensitive & occurring)
        self._require_filled(public)
        rng = np.random.default_rng(None if self.insecure_seed is None else [self.insecure_seed, 1])
        order = rng.permutation(data.n)
        rows_each, measured = self._measured(data, rng)
        secret = capped(data.only(data.sensitive), promise.cap, rng).take(order)
        measured = None if measured is None else measured[order]
        transactions = unmarked(*public.take(order).csr, public.items)
        progress("learning", 0.0)
        cells = cells_of(transactions)
        shown = public_part(transactions, cells.cell, cells.joined, measured, self.items)
        release = ModelRelease(
            transactions=transactions,
            cell=cells.cell,
            measured=measured,
            rows_each=rows_each,
            frequent=self.items,
            scored=cells.items,
            scores=cells.scores,
            joined=cells.joined,
            sensitive_items=secret.items,
            secrets=self._secrets(secret, shown, measured, rows_each, promise.epsilon, progress),
            made=made,
            **attributes_of(original, order, made),
        )
        remember(release, Trace(rows=order))
        return release

    def _secrets(
        self, secret: Baskets, shown: Public, measured: Mask | None, rows_each: int, epsilon: float, progress: Progress
    ) -> tuple[Secret, ...]:
        """Return the noisy sums and the model of each sensitive item."""
        add_noise = noise_source(self.insecure_seed)
        by_item, row = np.argsort(secret.indices, kind="stable"), secret.row_of_entries()
        holders = np.split(row[by_item], np.cumsum(secret.supports())[:-1])
        base = shown.rows if measured is None else shown.rows.some(np.flatnonzero(measured))
        made = []
        for number, rows in enumerate(holders):
            progress("measuring", number / secret.d)
            held = shown.rows.some(rows if measured is None else rows[measured[rows]])
            level, sums = measured_sums(held, shown, epsilon, rows_each, add_noise)
            layout, fitted = shown.layout(level), shown.at(level, base)
            variance = layout.variance(scales_of(level, epsilon, rows_each))
            prior = shown.prior(fitted, layout, float(sums[0]) / GRID)
            made.append(Secret(level, sums, *fit_weights(fitted, layout, sums / GRID, variance, prior)))
        return tuple(made)

    def _measured(self, data: Baskets, rng: np.random.Generator) -> tuple[int, Mask | None]:
        """Return how many transactions of a person are measured, and which ones; None where nobody is named."""
        if data.person is None:
            if self.rows_each not in (None, 1):
                raise ParameterError("rows_each is about persons with several transactions, and no persons are named.")
            return 1, None
        rows_each = usual_rows_each(data.person) if self.rows_each is None else self.rows_each
        return rows_each, turn_within(data.person, rng) < rows_each

    def _require_filled(self, public: Baskets) -> None:
        empty = int((public.lengths() == 0).sum())
        if empty and self.empty == "error":
            raise InputError(
                f"{counted(empty, 'transaction')} would be published empty, and so give away that only sensitive items "
                "were in them",
                remedy="Leave them out of the data, or publish them with empty=keep.",
            )


def measured_sums(
    holders: Rows, shown: Public, epsilon: float, rows_each: int, add_noise: AddNoise
) -> tuple[int, Ints]:
    """Return the level and the noisy sums over the transactions that hold a sensitive item.

    One transaction changes the total by 1, the sums of items by 2 in all, of cells by 1 and of lengths by 1 at most.
    Discrete Laplace noise of the scale change / (share · epsilon), rounded up, costs at most share · epsilon for each
    part. The shares add up to 1, and which are used depends on the noisy total alone.
    """
    total = add_noise(np.array([GRID * holders.n], np.int64), scales_of(0, epsilon, rows_each)[0])
    level = level_of(int(total[0]), epsilon, rows_each)
    exact, scales = shown.at(level, holders).exact_sums(), scales_of(level, epsilon, rows_each)
    parts = np.split(exact[1:], np.cumsum(shown.layout(level))[:-1])
    noisy = [add_noise(part, scale) if scale else part for part, scale in zip(parts, scales[1:], strict=True)]
    return level, np.concatenate([total, *noisy])


def capped(secret: Baskets, cap: int | None, rng: np.random.Generator) -> Baskets:
    """Return the sensitive items of transactions with at most `cap` distinct ones of each person, drawn at random.

    Every pair of a person and an item has a random priority, whether or not the person has the item. So one item more
    displaces at most one other, and nobody's items depend on other people's.
    """
    if cap is None:
        return secret
    person = np.arange(secret.n) if secret.person is None else secret.person.astype(np.int64)
    pairs, of_entry = np.unique(person[secret.row_of_entries()] * secret.d + secret.indices, return_inverse=True)
    kept = turn_within(pairs // max(secret.d, 1), rng) < cap
    left = kept[of_entry]
    indptr = np.concatenate([[0], np.cumsum(left)])[secret.indptr]
    return unmarked(indptr, secret.indices[left], secret.items)


def turn_within(home: Ints, rng: np.random.Generator) -> Ints:
    """Return the place of each element among those of the same home, from 0, in random order."""
    order = np.lexsort((rng.random(len(home)), home))
    first = np.searchsorted(home[order], home[order])
    turn = np.empty(len(home), np.int64)
    turn[order] = np.arange(len(home)) - first
    return turn
