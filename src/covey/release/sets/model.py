"""A generalized release of sets: each transaction with fewer or coarser labels than it had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from covey.counting import sizes
from covey.data import Baskets
from covey.release.base import Release
from covey.release.persons import BY_PERSON


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SetsRelease(Release):
    """Published sets, one per transaction, perhaps empty.

    Attributes
    ----------
    transactions : Baskets
        The published labels of each transaction, rows in random order; where persons were named, of each person.
    recoding : mapping or None
        For a global recoding: what each original item is published as; suppressed items are not listed. None
        for others.
    private : Baskets or None
        For coherence: the private items of each transaction, published as they are; row i belongs to row i of
        `transactions`.
    recoded : {"global", "local", "suppressed"}
        Whether each item is published alike everywhere, transactions were generalized one by one, or items were
        only left out.
    rest : str
        For a global recoding: what the items are published as that `recoding` does not list; "" for suppressed.
    made : Statement
        How it was made.
    """

    kind: ClassVar[str] = "sets"

    transactions: Baskets
    recoded: Literal["global", "local", "suppressed"]
    recoding: Mapping[str, str] | None = None
    rest: str = ""
    private: Baskets | None = None

    def __repr__(self) -> str:
        return (
            f"SetsRelease({self.guarantee} by {self.method}: "
            f"{sizes(**{self.transactions.unit: self.transactions.n}, labels=self.transactions.d)})"
        )

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        lengths = self.transactions.lengths()
        private = {} if self.private is None else {"private_entries": self.private.entries}
        return {
            self.transactions.unit: self.transactions.n,
            "items": self.transactions.d,
            "entries": self.transactions.entries,
            "empty": int((lengths == 0).sum()),
            **private,
        }

    def facts(self) -> dict[str, Any]:
        """How items were recoded, which says how the tables are to be read."""
        unit = {} if self.transactions.person is None else BY_PERSON
        return {"recoding": self.recoded, "rest": self.rest, **unit}

    def counted_items(self) -> set[str]:
        """The labels that are published in rows."""
        return set(self.transactions.items)

    def original(self, data: Baskets) -> Baskets:
        """What of the original the published sets are of."""
        from covey.release.sets.original import public_part

        return public_part(self, data)

    def draw(self, seed: Any = None) -> Baskets:
        """Plain baskets as the original may have been: each broader label becomes one of the items it stands for.

        Which items these are, a global recoding says; other labels stay as they are, and the label for all that a
        recoding does not list is left out.

        Parameters
        ----------
        seed : int or None
            Draws the same baskets again; None draws from the system's entropy.

        Examples
        --------
        >>> import covey
        >>> data = covey.Baskets.of([["ale", "tea"], ["ale", "tea"], ["ale", "rum"]])
        >>> covey.anonymize(data, "km-anonymity(k=2, m=2)", "mm").draw(seed=1).supports().tolist()
        [3, 2]
        """
        from covey.release.sets.drawing import drawn

        return drawn(self, seed)

    def to_frame(self, *, library: Literal["pandas", "polars", "arrow"] = "pandas") -> Any:
        """The published table (items) as a frame, exactly as it stands in the files."""
        return self.frame_of("sets", library=library)
