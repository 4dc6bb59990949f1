"""Which column is which: given by name, recognised by usual names, or called as persons are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from covey.errors import InputError
from covey.parameters import did_you_mean

# In the order of preference: the narrower unit wins, so a file of orders by user is read by order.
TRANSACTION_NAMES = (
    "transaction", "transaction_id", "tid", "trans", "basket", "basket_id", "order", "order_id", "invoice",
    "invoice_no", "session", "session_id", "visit", "user", "user_id", "customer", "customer_id",
    "household_id", "id"
)  # fmt: skip
ITEM_NAMES = (
    "item", "items", "item_id", "product", "products", "product_id", "product_type", "sku", "stock_code",
    "article", "description", "page", "url", "segment", "category", "label"
)  # fmt: skip
#: A table that has one of these has a row per item.
QUANTITY_NAMES = (
    "quantity", "qty", "quantity_sold", "quantity_ordered", "order_quantity", "units", "units_sold", "pieces", "menge",
    "anzahl", "cantidad", "quantite", "quantité"
)  # fmt: skip
#: What persons are called in columns, the most likely first; compared without case and separators.
PERSONS = (
    "person", "who", "customer", "cust", "client", "user", "member", "household", "hshd", "hh", "patient", "shopper",
    "buyer", "consumer", "subscriber", "visitor", "fullvisitor", "respondent", "participant", "subject", "student",
    "employee", "passenger", "borrower", "donor", "voter", "citizen", "resident", "tenant", "applicant", "claimant",
    "insured", "policyholder", "accountholder", "panelist", "panellist", "attendee", "learner", "pupil", "worker",
    "driver", "guest", "player", "individual", "loyalty", "card", "cardholder", "loyaltycard", "account", "acct",
    "login", "username", "nickname", "fullname", "email", "emailaddress", "mail", "phone", "telephone", "tel", "mobile",
    "msisdn", "imsi", "imei", "device", "cookie", "socialsecurity", "passport", "mrn", "kunde", "kunden", "nutzer",
    "mitglied", "haushalt", "cliente", "usuario", "paciente", "utilisateur", "klant", "uid", "cid", "pid", "ssn",
    "msno", "name"
)  # fmt: skip
#: Those of them that by themselves may as well be a kind of something: a card (Visa), a subject (history).
_KINDS = (
    "member", "subject", "guest", "player", "individual", "loyalty", "card", "account", "acct", "mail", "phone",
    "telephone", "tel", "mobile", "device", "cookie", "passport", "resident", "tenant", "insured", "worker", "driver",
    "name"
)  # fmt: skip
_ENDINGS = (
    "", "id", "ids", "no", "nr", "num", "number", "key", "code", "hash", "ref", "name", "uuid", "guid", "s"
)  # fmt: skip
#: One such word or two, as in ``member_card_no``, and perhaps an ending.
_NAMED = re.compile(f"(?:{'|'.join(PERSONS)}){{1,2}}(?:{'|'.join(_ENDINGS)})")
#: What has numbers too and is nobody.
_THINGS = re.compile(
    r"transaction|trans|basket|order|invoice|session|visit|event|line|row|index|store|shop|branch|outlet|cashier|till|"
    r"register|terminal|pos|product|prod|item|article|sku|stock|categor|dep|aisle|brand|manuf|supplier|vendor|seller|"
    r"zip|post|country|state|region|city|area|date|time|week|day|month|year|hour|price|amount|qty|quant|total|value|"
    r"coupon|campaign|promo|currency|status|type|class|segment|group|page|url|census|block|unit|code"
)
_NUMBERED = re.compile(r"(^|[_\- ])(id|no|nr|num|number|key|hash|uuid|guid)$|[a-z](Id|ID|No|Nr|Key)$", re.ASCII)
#: A column with an id in its name means someone if it has at least one value for so many rows.
_ROWS_OF_ONE = 200
_FLAGS = 3


def normalise(name: str) -> str:
    """Return a column name without case and separators."""
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


def usual(columns: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the position of the column with the most preferred of the usual names, or None."""
    known = [normalise(column) for column in columns]
    return next((known.index(normalise(name)) for name in names if normalise(name) in known), None)


def find(columns: Sequence[str], wanted: str, file: str | None) -> int:
    """Return the position of the column called `wanted`, compared loosely if no name is equal to it."""
    for shape in (str, normalise):
        places = [i for i, column in enumerate(columns) if shape(column) == shape(wanted)]
        if len(places) == 1:
            return places[0]
        if len(places) > 1:
            problem = f"{len(places)} columns are called '{columns[places[0]]}'"
            raise InputError(problem, file=file, remedy="Give each column its own name.")
    near = did_you_mean(wanted, columns)
    raise InputError(f"there is no column '{wanted}'.{near}", file=file, remedy=f"{listed(columns)}.")


def listed(columns: Sequence[str]) -> str:
    """Return the columns in words, shortened when there are many."""
    more = f" and {len(columns) - 12} more" if len(columns) > 12 else ""
    return f"The columns are {', '.join(map(repr, columns[:12]))}{more}"


def long_columns(
    columns: Sequence[str], transaction: str | None, item: str | None, file: str | None
) -> tuple[int, int] | None:
    """Return the positions of the transaction and the item column of a long table, or None when they are unclear.

    Columns asked for by name must exist. Of two columns without usual names the first is the transaction.
    """
    tid = find(columns, transaction, file) if transaction is not None else usual(columns, TRANSACTION_NAMES)
    iid = find(columns, item, file) if item is not None else usual(columns, ITEM_NAMES)
    if len(columns) == 2:
        if tid is None:
            tid = 1 - iid if iid is not None else 0
        iid = 1 - tid if iid is None else iid
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
    """Return whether both the transaction and the item column are given or have usual names."""
    return (transaction is not None or usual(columns, TRANSACTION_NAMES) is not None) and (
        item is not None or usual(columns, ITEM_NAMES) is not None
    )


def unclear(columns: Sequence[str], file: str | None, otherwise: str = "") -> InputError:
    """Return the error for a table whose columns tell nothing; `otherwise` is another way out."""
    return InputError(
        "cannot tell which column is the transaction and which the item",
        file=file,
        remedy=f"Say so with --transaction NAME --item NAME{otherwise}. A table with one row per person is read with "
        f"--kind table (and --quasi), a survey with --kind ratings. {listed(columns)}.",
    )


def looks_named(column: str) -> bool:
    """Return whether a column is called as persons are.

    Examples
    --------
    >>> [looks_named(name) for name in ("CustomerID", "Client.E-Mail", "who", "card_type", "household_size")]
    [True, True, True, False, False]
    """
    return _NAMED.fullmatch(word_of(column)) is not None


def word_of(column: str) -> str:
    """Return the name of a column without case, separators and signs, such as the point in ``Customer.ID``."""
    return re.sub(r"[\W_]+", "", column.casefold())


def is_thing(column: str) -> bool:
    """Return whether a column is called like something that is nobody: a product, a shop, a date."""
    return bool(_THINGS.search(normalise(column)))


def looks_numbered(column: str) -> bool:
    """Return whether a column is called like the number of something that may be someone."""
    return bool(_NUMBERED.search(column)) and not is_thing(column)


def suspects(columns: Sequence[str], rows_are: Iterable[str | None]) -> list[str]:
    """Return the columns that may name persons, likeliest first; none when what makes a row is called like a person.

    `rows_are` are the columns that play a part already.

    Examples
    --------
    >>> suspects(["InvoiceNo", "StockCode", "CustomerID", "Country"], ["InvoiceNo", "StockCode"])
    ['CustomerID']
    """
    taken = [name for name in rows_are if name is not None]
    if any(looks_named(name) for name in taken[:1]):
        return []
    # Where rows hold items, a name without more is as likely an item's.
    free = [name for name in columns if name not in taken and not (taken and word_of(name) in ("name", "names"))]
    order = {person: place for place, person in enumerate(PERSONS)}
    named = sorted(
        (name for name in free if looks_named(name)),
        key=lambda name: min(order[p] for p in PERSONS if word_of(name).startswith(p)),
    )
    return [*named, *(name for name in free if name not in named and looks_numbered(name))][:3]


def means_persons(column: str, persons: int, rows: int) -> bool:
    """Return whether so many different values in so many rows are few enough to come back, and enough for persons."""
    if not 1 < persons < rows:
        return False
    word = word_of(column)
    bare = word.removesuffix("s")
    kind = bare in _KINDS or (bare not in PERSONS and bare.endswith(_KINDS) and not bare.endswith("name"))
    if looks_named(column) and not kind:
        return persons > _FLAGS or word not in PERSONS
    return persons > 10 and rows <= _ROWS_OF_ONE * persons and persons <= 0.9 * rows
