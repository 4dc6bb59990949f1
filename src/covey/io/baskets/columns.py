"""Which column holds the transaction and which the item: given by name, or recognised by usual names."""

from __future__ import annotations

from collections.abc import Sequence

from covey.errors import InputError
from covey.parameters import did_you_mean

# In the order of preference: the narrower unit wins, so a file of orders by user is read by order.
TRANSACTION_NAMES = (
    "transaction", "transaction_id", "tid", "trans", "basket", "basket_id", "order", "order_id", "invoice",
    "invoice_no", "session", "session_id", "visit", "user", "user_id", "customer", "customer_id",
    "household_id", "id",
)  # fmt: skip
ITEM_NAMES = (
    "item", "items", "item_id", "product", "products", "product_id", "product_type", "sku", "stock_code",
    "article", "description", "page", "url", "segment", "category", "label",
)  # fmt: skip
#: A table that has one of these has a row per item.
QUANTITY_NAMES = (
    "quantity", "qty", "quantity_sold", "quantity_ordered", "order_quantity", "units", "units_sold", "pieces", "menge",
    "anzahl", "cantidad", "quantite", "quantité",
)  # fmt: skip


def normalise(name: str) -> str:
    """A column name without case and separators.

    Examples
    --------
    >>> normalise("Invoice No"), normalise("invoice_no")
    ('invoiceno', 'invoiceno')
    """
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


def usual(columns: Sequence[str], names: Sequence[str]) -> int | None:
    """The position of the column with the most preferred of the usual names, or None.

    Examples
    --------
    >>> usual(["user_id", "OrderID", "aisle"], TRANSACTION_NAMES)
    1
    """
    known = [normalise(column) for column in columns]
    for name in names:
        if normalise(name) in known:
            return known.index(normalise(name))
    return None


def find(columns: Sequence[str], wanted: str, file: str | None) -> int:
    """The position of the column called `wanted`, compared loosely if no name is equal to it.

    Examples
    --------
    >>> find(["Order ID", "Product"], "product", None)
    1
    """
    for shape in (str, normalise):
        places = [i for i, column in enumerate(columns) if shape(column) == shape(wanted)]
        if len(places) == 1:
            return places[0]
        if len(places) > 1:
            raise InputError(
                f"{len(places)} columns are called '{columns[places[0]]}'",
                file=file,
                remedy="Give each column its own name.",
            )
    near = did_you_mean(wanted, columns)
    raise InputError(f"there is no column '{wanted}'.{near}", file=file, remedy=f"{listed(columns)}.")


def listed(columns: Sequence[str]) -> str:
    """The columns in words, shortened when there are many.

    Examples
    --------
    >>> listed(["a", "b"])
    "The columns are 'a', 'b'"
    """
    shown = ", ".join(repr(column) for column in columns[:12])
    more = f" and {len(columns) - 12} more" if len(columns) > 12 else ""
    return f"The columns are {shown}{more}"


def long_columns(
    columns: Sequence[str], transaction: str | None, item: str | None, file: str | None
) -> tuple[int, int] | None:
    """The positions of the transaction and the item column of a long table, or None when they are unclear.

    Columns asked for by name must exist. Of two columns without usual names the first is the transaction.
    """
    tid = find(columns, transaction, file) if transaction is not None else usual(columns, TRANSACTION_NAMES)
    iid = find(columns, item, file) if item is not None else usual(columns, ITEM_NAMES)
    if len(columns) == 2:
        if tid is None:
            tid = 1 - iid if iid is not None else 0
        if iid is None:
            iid = 1 - tid
    if tid is None or iid is None:
        return None
    if tid == iid:
        raise InputError(
            f"the column '{columns[tid]}' cannot be both transaction and item",
            file=file,
            remedy="Name two different columns with --transaction and --item.",
        )
    return find(columns, columns[tid], file), find(columns, columns[iid], file)


def both_named(columns: Sequence[str], transaction: str | None, item: str | None) -> bool:
    """Whether both the transaction and the item column are given or have usual names."""
    return (transaction is not None or usual(columns, TRANSACTION_NAMES) is not None) and (
        item is not None or usual(columns, ITEM_NAMES) is not None
    )


def unclear(columns: Sequence[str], file: str | None, otherwise: str = "") -> InputError:
    """The error for a table whose columns tell nothing; `otherwise` is another way out."""
    return InputError(
        "cannot tell which column is the transaction and which the item",
        file=file,
        remedy=f"Say so with --transaction NAME --item NAME{otherwise}. A table with one row per person is read with "
        f"--kind table (and --quasi), a survey with --kind ratings. {listed(columns)}.",
    )
