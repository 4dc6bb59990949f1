"""AA, Apriori anonymization: generalization alone, repairing rare sets by size (Terrovitis et al. 2008).

Data flow: rows of leaves → for i = 1..m the rare sets of each label of the cut, raised along the ancestors that make
them frequent at least loss → recoding → publication.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from covey.data import Baskets, Taxonomy
from covey.guarantees.base import Guarantee
from covey.methods.apriori_cuts import best_apriori_cut
from covey.methods.recoding import publish_recoding
from covey.methods.tree_view import TreeView, set_size
from covey.parameters import integer
from covey.progress import Progress, silent
from covey.release.sets.model import SetsRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class AA:
    """Global generalization without suppression.

    Parameters
    ----------
    taxonomy : Taxonomy or None
        How items may be generalized; None is the flat one, under which AA can only publish items or their root.
    seed : int or None
        For the publication's shuffle. None: the system's entropy.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> data = Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"]])
    >>> AA(taxonomy=tree, seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'beer', 'stout': 'beer', 'tea': 'tea'}
    """

    name: ClassVar[str] = "aa"

    taxonomy: Taxonomy | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.seed is not None:
            integer(self.name, "seed", self.seed, minimum=0)

    def options(self) -> dict[str, Any]:
        """What the manifest may state of how the release was made; never the seed."""
        return {}

    def anonymize(self, data: Baskets, guarantee: Guarantee, *, progress: Progress = silent) -> SetsRelease:
        """Return a recoded release of `data` that keeps ``km-anonymity``.

        Fewer than k non-empty transactions cannot be made alike by generalization; all their items are suppressed.

        Raises
        ------
        ParameterError
            The rare sets of a size are too many to find; it names the m that can be had.
        """
        guarantee.require_feasible(data)
        k: int = guarantee.k  # type: ignore[attr-defined]
        view = TreeView.of(data, self.taxonomy)
        label_of = best_apriori_cut(view, k, set_size(view, guarantee), progress).cut_of
        if view.support[0] < k:
            label_of = np.full(view.tree.size, -1, np.int32)
        progress("publishing", 0.0)
        return publish_recoding(
            view, label_of, guarantee=guarantee.text, method=self.name, options=self.options(), seed=self.seed
        )
