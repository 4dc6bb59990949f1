"""AA, Apriori anonymization: generalization alone, repairing rare sets by size (Terrovitis et al. 2008, section 4).

Data flow: rows of leaves → for i = 1..m the rare sets of each label of the cut, raised along the ancestors that make
them frequent at least loss → recoding → publication. The cost is that of mining the rare sets, which `work` limits.
Oracle: `tests/oracles/recoding.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.data import Baskets, Taxonomy
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.apriori_cuts import TRIALS, best_apriori_cut
from covey.methods.base import Recoded, RecodesSets
from covey.methods.tree_view import TreeView, recoded, set_size
from covey.methods.work import SAYS_WORK, WORK, WorkLimit
from covey.parameters import parameter
from covey.progress import Progress

#: It has to look at all rare sets or gives up, so it may take twice what others may, and half of it at once.
PARTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class AA(RecodesSets):
    """Global generalization without suppression.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> data = Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"]])
    >>> AA(taxonomy=tree, seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)")).recoding
    {'ale': 'beer', 'stout': 'beer', 'tea': 'tea'}
    """

    name = "aa"

    taxonomy: Taxonomy | None = parameter(
        None, says="How items may be generalized; without one, only to a single label for all of them."
    )
    trials: int = parameter(
        TRIALS,
        at_least=1,
        expert=True,
        says="How many combinations of ancestors are tried to repair one rare set before all its items get one label.",
        cut_short="Some rare sets were generalized to one label before all ways to repair them were tried; more trials "
        "may generalize less.",
    )
    work: int = parameter(
        2 * WORK,
        at_least=1,
        label="Work for the search",
        says=f"{SAYS_WORK} If they are not enough, there is no release: all rare sets must be found.",
    )

    def recode(self, data: Baskets, promise: KmAnonymity, progress: Progress) -> Recoded:
        """Items as the labels of a cut.

        Raises
        ------
        ParameterError
            The rare sets of a size are too many to find within the work; it names the m that can be had.
        """
        view = TreeView.of(data, self.taxonomy)
        progress("generalizing", 0.0)
        limit = WorkLimit(self.work, progress, parts=PARTS)
        found = best_apriori_cut(view, promise.k, set_size(view, promise), limit, trials=self.trials)
        # A label for everything is too rare only where hardly any transaction holds an item that is not marked.
        label_of = found.cut_of if view.support[0] >= promise.k else np.full(view.tree.size, -1, np.int32)
        return recoded(view, label_of, ("trials",) if found.cut_short else ())
