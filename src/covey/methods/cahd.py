"""CAHD: groups around sensitive transactions, from neighbours in a band matrix (Ghinita et al. 2008, section IV).

Data flow: split off the sensitive items → band order of the rest (O(entries)) → both parts in band order →
groups on linked lists (O(alpha · p) rows per sensitive transaction) → publication.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.arrays import Ints
from covey.data import Baskets
from covey.errors import ParameterError
from covey.guarantees.degree import Degree
from covey.kernels.methods.cahd import form_groups, place_rest
from covey.kernels.shared.csr import take_rows
from covey.methods.base import Groups, GroupsBaskets, Rows
from covey.methods.ordering import DEGREES, ORDERS, band_of_rows, order_rows
from covey.parameters import parameter
from covey.progress import Progress

SCORES = ("overlap", "jaccard", "coverage")


@dataclass(frozen=True, slots=True, kw_only=True)
class CAHD(GroupsBaskets):
    """Correlation-aware anonymization of high-dimensional data.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat", "rice"]], sensitive=["test"])
    >>> CAHD(seed=0).anonymize(baskets, guarantee("degree(p=2)"))
    GroupedRelease(degree(p=2) by cahd: 4 transactions, 2 groups, 1 sensitive item)
    """

    name = "cahd"

    alpha: int = parameter(
        3,
        at_least=1,
        says="Candidates considered on each side of a sensitive transaction, in multiples of p.",
        cut_short="Some sensitive transactions found too few others near them and share one last, large group; a "
        "larger alpha may group them better.",
    )
    order: str = parameter(
        "rcm",
        one_of=ORDERS,
        expert=True,
        says="How transactions are laid out before they are grouped: in the band order of reverse Cuthill-McKee (rcm, "
        "as in the paper), by their Gray code over the items, most frequent first (gray), as they came, or at random.",
    )
    score: str = parameter(
        "overlap",
        one_of=SCORES,
        expert=True,
        says="What makes a candidate similar: the number of common items (overlap, as in the paper), their share among "
        "the items of both (jaccard), or what it adds to what the group says about the sensitive transaction "
        "(coverage: smaller errors on rare items, but it gives much more away to the attack pivot).",
    )
    degrees: str = parameter(
        "proxy",
        one_of=DEGREES,
        expert=True,
        says="Vertex degrees in the ordering: the sum of the supports of a transaction's items (proxy), or the number "
        "of transactions that share an item with it (exact; costs the sum of the squared supports).",
    )

    def groups(self, data: Baskets, promise: Degree, progress: Progress) -> Groups:
        """Groups with the privacy degree of `promise`."""
        progress("ordering", 0.0)
        public, secret = data.split()
        order = order_rows(public, self.order, self.seed, self.degrees)
        progress("grouping", 0.0)
        qid, sens = public.csr, secret.csr
        return self.group_rows(qid, public.d, sens, secret.d, promise.p, order)

    def require_able_in_parts(self) -> None:
        """Refuse orders that are those of all rows."""
        if self.order != "rcm":
            raise ParameterError(
                f"The engine spark lays rows out by order=rcm only. Got {self.order!r} instead; use the engine local."
            )

    def group_part(self, public: Rows, d: int, secret: Rows, m: int, p: int) -> Groups:
        """Groups of the rows of a part, in its own band order."""
        return self.group_rows(public, d, secret, m, p, band_of_rows(*public, d, self.degrees))

    def group_rows(self, public: Rows, d: int, secret: Rows, m: int, p: int, order: Ints) -> Groups:
        """Groups of rows that are given as arrays.

        Parameters
        ----------
        public, secret : pairs of arrays (indptr, indices)
            The quasi-identifier items, among `d`, and the sensitive items, among `m`, of the same rows.
        p : int
            The privacy degree; no sensitive item may be in more than 1 / p of the rows.
        order : int64 array
            The rows in band order.
        """
        qid, sens = take_rows(*public, order), take_rows(*secret, order)
        group, groups, stranded = form_groups(*qid, d, *sens, m, p, self.alpha, SCORES.index(self.score))
        groups = place_rest(group, groups, *qid, d, p, self.alpha, self.score == "jaccard")
        return Groups.of(order, group, groups, ("alpha",) if stranded else ())
