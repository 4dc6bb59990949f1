"""Where little is left of the data: what the next weaker promises would keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covey.api.making import anonymize
from covey.errors import CoveyError
from covey.guarantees import guarantee as parse_guarantee
from covey.report.cost import Cost, cost_of_release
from covey.report.trade import asked_strengths
from covey.web.work.reporting import Reporter

#: The share of detail that a release may lose before weaker promises are tried, too, and how many.
MOST_LOST, TRIED = 0.5, 2


def weaker_promises(
    data: Any,
    guarantee: str,
    method: str,
    given: Mapping[str, Any],
    cost: Cost | None,
    seed: int | None,
    report: Reporter,
) -> list[dict[str, Any]]:
    """What the same method would keep with weaker promises, the strongest first; none where enough is left."""
    if cost is None or cost.lost is None or cost.lost < MOST_LOST:
        return []
    promise = parse_guarantee(guarantee)
    parameter, values = asked_strengths(promise, None)
    tried = [value for value in values if value < getattr(promise, parameter)][-TRIED:]
    found = []
    for place, value in enumerate(reversed(tried)):
        report("comparing", place / len(tried))
        weaker = promise.having(**{parameter: value}).text
        try:
            release = anonymize(data, weaker, method, seed=seed, **given)
        except (CoveyError, MemoryError):  # one that cannot be kept is no way out
            continue
        left = cost_of_release(release, data, given.get("taxonomy"))
        if left is not None:
            found.append({"guarantee": weaker, "kept": left.kept, "lost": left.lost})
    return found
