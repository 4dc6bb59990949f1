"""A taxonomy for people: its tree with supports, how it fits data, and what generalizing along it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.counting import counted
from covey.data import Baskets, Taxonomy
from covey.guarantees import guarantee
from covey.measure.loss import ncp
from covey.progress import Progress, silent
from covey.registry import method

#: What the cost of a taxonomy is told for.
PROMISE = "km-anonymity(k=5, m=2)"
#: Baskets that it is tried on at most; drawn at random where there are more.
TRIED = 200_000


def tree_lines(
    tree: Taxonomy, supports: Mapping[str, int] | None = None, *, depth: int | None = None, most: int = 8
) -> Iterator[str]:
    """Yield the tree as lines of text: nodes with their leaves and occurrences, the commonest children first.

    Examples
    --------
    >>> tree = Taxonomy.from_nested({"drinks": {"beer": ["ale", "stout"], "tea": {}}})
    >>> list(tree_lines(tree))
    ['drinks  (3 items)', '├ beer  (2 items)', '│ ├ ale', '│ └ stout', '└ tea']
    """
    own = [0, *((supports or {}).get(label, 0) for label in tree.labels)]
    whole = np.cumsum(own)
    below = whole[tree.last + 1] - whole[np.arange(tree.size)]
    todo = [(0, "", "", 0)]
    while todo:
        node, lead, indent, level = todo.pop()
        if node < 0:
            yield f"{lead}… and {-node:,} more"
            continue
        about = [counted(int(tree.leaves[node]), "item")] if tree.last[node] > node else []
        about += [] if supports is None else [f"{int(below[node]):,}"]
        yield f"{lead}{tree.labels[node]}" + (f"  ({', '.join(about)})" if about else "")
        children = sorted(tree.children(node).tolist(), key=lambda child: (-int(below[child]), child))
        if depth is not None and level >= depth:
            continue
        rows = children if len(children) <= most + 1 else [*children[:most], most - len(children)]
        for place, child in reversed(list(enumerate(rows))):
            last = place == len(rows) - 1
            todo.append((child, f"{indent}{'└' if last else '├'} ", f"{indent}{'  ' if last else '│ '}", level + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxonomyCost:
    """Share of the items' detail lost (NCP), and labels published, along a taxonomy and without one."""

    guarantee: str
    ncp: float
    without: float
    kept: int
    kept_without: int
    #: Baskets that it was tried on, and how many there are.
    tried: int
    of: int

    def __str__(self) -> str:
        drawn = f" (tried on {self.tried:,} of {self.of:,} baskets, drawn at random)" if self.tried < self.of else ""
        return (
            f"At {self.guarantee} it would lose {100 * self.ncp:.1f} % of the items' detail and publish "
            f"{counted(self.kept, 'label')}; without a taxonomy {100 * self.without:.1f} % is lost and "
            f"{counted(self.kept_without, 'item')} left{drawn}."
        )


def cost_of(tree: Taxonomy, baskets: Baskets, *, progress: Progress = silent) -> TaxonomyCost:
    """Find out what mhghs loses along a taxonomy, and without; on some of the baskets where they are very many."""
    every, promise = baskets.only(~baskets.sensitive).by_person(), guarantee(PROMISE)
    public = every
    if every.n > TRIED:
        drawn = every.take(np.sort(np.random.default_rng(0).choice(every.n, TRIED, replace=False)))
        public = drawn.only(drawn.supports() > 0)
    found: list[tuple[float, int]] = []
    for one in (tree, None):
        options: dict[str, Any] = {} if one is None else {"taxonomy": one}
        release = method("mhghs", seed=0, **options).anonymize(public, promise, progress=progress)
        found.append((ncp(release, public, one), int((release.transactions.supports() > 0).sum())))
    (loss, kept), (without, left) = found
    return TaxonomyCost(
        guarantee=PROMISE, ncp=loss, without=without, kept=kept, kept_without=left, tried=public.n, of=every.n
    )
