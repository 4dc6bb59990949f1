"""What can be chosen for a dataset, with what is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.data.kinds import data_kind
from covey.web.records.choices import GuaranteeChoice, MethodChoice
from covey.web.records.datasets import FAILED, Dataset
from covey.web.records.roles import unconfirmed
from covey.web.server.datasets import Datasets
from covey.web.server.exposure import Exposure
from covey.web.server.feasibility import infeasible, warning
from covey.web.server.offers import explain, guarantee_choices, method_choices


class Choices:
    """Guarantees and methods for a dataset.

    Parameters
    ----------
    datasets, exposure
        As the service has them.
    """

    def __init__(self, datasets: Datasets, exposure: Exposure) -> None:
        self._datasets, self._exposure = datasets, exposure

    def guarantees(self, id: str) -> list[GuaranteeChoice]:
        """What can be promised for a dataset, the most fitting first, with parameters and their feasible range.

        The range is known once the risk is.
        """
        dataset = self._datasets.get(id)
        return guarantee_choices(
            dataset.kind,
            self._exposure.limits(id) if dataset.state != FAILED else {},
            sensitive=bool(dataset.sensitive),
            taxonomy=dataset.taxonomy is not None,
        )

    def methods(self, id: str, guarantee: str) -> list[MethodChoice]:
        """The methods that keep a guarantee (a name, or text with parameters) for a dataset, the recommended first."""
        dataset = self._datasets.get(id)
        return method_choices(dataset.kind, guarantee, taxonomy=dataset.taxonomy is not None)

    def explain(self, id: str, guarantee: str) -> dict[str, Any]:
        """A guarantee with its parameters in plain words: ``text``, ``short``, ``meaning``, ``limits``.

        Beside them ``problem`` says what the data does not allow, as far as that is known, and ``best`` is the
        largest value of the parameter that it does; both are None when the guarantee is feasible. ``warnings`` say
        what to think of although it is.
        """
        dataset = self._datasets.get(id)
        words = explain(guarantee, dataset.kind)
        limits = self._exposure.limits(id)
        problem, best = infeasible(guarantee, limits)
        if dataset.state == FAILED:
            problem, best = dataset.problem, None
        return {**words, "problem": problem, "best": best, "warnings": _warnings(dataset, guarantee, limits)}


def _warnings(dataset: Dataset, guarantee: str, limits: Mapping[str, Any]) -> list[str]:
    found = [warning(guarantee, limits)]
    if data_kind(dataset.kind).by_roles and not dataset.sensitive:
        found.append(
            "No column is marked as sensitive. Values such as an illness or an income are then treated like an "
            "age: made coarser, and not protected from being guessed."
        )
    for name in unconfirmed(dataset):
        found.append(
            f"Nearly every row has a value of its own in the column {name!r}, so that it may name people. Say in "
            "step 2 whether it is to be left out."
        )
    return [text for text in found if text is not None]
