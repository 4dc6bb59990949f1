"""A generalized release of sets: each transaction with fewer or coarser labels than it had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from covey.data import Baskets


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GeneralizedRelease:
    """Published sets, one per transaction, perhaps empty.

    Attributes
    ----------
    transactions : Baskets
        The published labels of each transaction, rows in random order.
    recoding : mapping or None
        For a global recoding: what each original item is published as, "" when it is suppressed. None when
        transactions were recoded one by one.
    private : Baskets or None
        For coherence: the private items of each transaction, published as they are; row i belongs to row i of
        `transactions`.
    guarantee, method : str
        What is promised and which method made the release.
    options : mapping
        The method's options (never a seed).
    """

    kind: ClassVar[str] = "generalized"

    transactions: Baskets
    guarantee: str
    method: str
    recoding: Mapping[str, str] | None = None
    private: Baskets | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"GeneralizedRelease({self.guarantee} by {self.method}: {self.transactions.n} transactions, "
            f"{self.transactions.d} labels)"
        )

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        lengths = self.transactions.lengths()
        private = {} if self.private is None else {"private_entries": self.private.entries}
        return {
            "transactions": self.transactions.n,
            "items": self.transactions.d,
            "entries": self.transactions.entries,
            "empty": int((lengths == 0).sum()),
            **private,
        }

    def to_frame(self, *, library: Literal["pandas", "polars", "arrow"] = "pandas") -> Any:
        """The published table (items) as a frame, exactly as it stands in the files."""
        from covey.release.item_columns import as_frame, item_batches

        return as_frame(item_batches(self.transactions), library)
