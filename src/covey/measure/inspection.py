"""What is in data of any kind, and how exposed the people in it are: the figures of `covey inspect`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from covey.data import Taxonomy
from covey.data.kinds import data_kind
from covey.errors import ParameterError
from covey.measure.facts import facts
from covey.measure.limits import limits
from covey.measure.profile import more_risk, profile
from covey.measure.reidentification import reidentification
from covey.progress import Progress, silent


def inspect_data(
    data: Any,
    *,
    known: int = 4,
    samples: int = 20_000,
    seed: int = 0,
    taxonomy: Taxonomy | None = None,
    guarantees: Sequence[str] = (),
    progress: Progress = silent,
) -> dict[str, Any]:
    """Shape, and the risk that someone who knows 1 up to `known` things of a person finds that person.

    Parameters
    ----------
    data : Baskets, Ratings or Table
        The original. Only what is not sensitive can be known.
    known, samples, seed
        As for `covey.measure.reidentification`.
    taxonomy : Taxonomy or None
        How items may be generalized: its shape is added, and what it lacks.
    guarantees : sequence of str
        Names of guarantees; how far each can go in this data is added as ``guarantees``, see `covey.measure.limits`.

    Returns
    -------
    dict
        Plain data for JSON; ``kind`` says what else is in it.

    Examples
    --------
    >>> from covey import Baskets
    >>> inspect_data(Baskets.of([["a", "b"], ["a"]]), known=1)["risk"][0]["risk"]
    0.625
    """
    kind = data_kind(data.kind)
    if taxonomy is not None and not kind.uses_taxonomy:
        raise ParameterError(f"A taxonomy says how items are generalized; this was read as {kind.name}.")
    people = facts(data)
    risks = []
    for r in range(1, known + 1):
        progress("measuring", (r - 1) / known)
        risks.append(reidentification(people, r, samples=samples, seed=seed).to_dict())
    tree = {} if taxonomy is None else {"taxonomy": tree_shape(data.items, taxonomy)}
    allowed = {"guarantees": limits(data, guarantees)} if guarantees else {}
    more = more_risk(data, progress)
    better = better_by_item(data)
    more |= {"better": better} if better else {}
    return {"kind": kind.name, **profile(data), "risk": risks, **more, **tree, **allowed}


#: Holders of a sensitive item, times epsilon, from which on noise serves its estimates better than groups of 10: about
#: where the errors met on the data sets that were tried.
ENOUGH = 200


def better_by_item(data: Any, epsilon: float = 1.0) -> list[dict[str, Any]]:
    """Return for each sensitive item whether groups (degree) or noise (label-dp) will serve estimates better.

    From exact numbers of holders: for the publisher alone.

    Examples
    --------
    >>> from covey import Baskets
    >>> better_by_item(Baskets.of([["a", "s"], ["a"]], sensitive=["s"]))
    [{'item': 's', 'holders': 1, 'better': 'degree'}]
    """
    found = [(one.label, one.holders) for one in data.summary().secrets if data.kind == "baskets"]
    return [
        {"item": item, "holders": holders, "better": "label-dp" if holders * epsilon >= ENOUGH else "degree"}
        for item, holders in found
    ]


def tree_shape(items: tuple[str, ...], tree: Taxonomy) -> dict[str, Any]:
    """The shape of a taxonomy, and the items that it does not have as leaves."""
    leaf = tree.is_leaf()
    return {
        **tree.shape(),
        "items_missing": [item for item in items if item not in tree],
        "items_not_leaves": [item for item in items if item in tree and not leaf[tree.node(item)]],
    }
