"""Columns that look like persons although nobody has named them.

Rows of one person protect nobody in each other's company. So when persons are not named and a column seems to name
them, because of what it is called and because its values come back in several rows, that is said aloud.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from covey.data import Baskets
from covey.errors import UnnamedPersons
from covey.io.baskets.columns import normalise
from covey.io.persons import PersonColumn, WhoIsWho

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
    "msno", "name",
)  # fmt: skip
#: Those of them that by themselves may as well be a kind of something: a card (Visa), a subject (history).
_KINDS = (
    "member", "subject", "guest", "player", "individual", "loyalty", "card", "account", "acct", "mail", "phone",
    "telephone", "tel", "mobile", "device", "cookie", "passport", "resident", "tenant", "insured", "worker", "driver",
    "name",
)  # fmt: skip
_ENDINGS = (
    "", "id", "ids", "no", "nr", "num", "number", "key", "code", "hash", "ref", "name", "uuid", "guid", "s",
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
#: A column may still mean persons if it changes within a row no more often than this, as by a slip.
_SLIPS = 0.01


def looks_named(column: str) -> bool:
    """Whether a column is called as persons are.

    Examples
    --------
    >>> [looks_named(name) for name in ("CustomerID", "Client.E-Mail", "who", "card_type", "household_size")]
    [True, True, True, False, False]
    """
    return _NAMED.fullmatch(_plain(column)) is not None


def _plain(column: str) -> str:
    """The name of a column without case, separators and signs, such as the point in ``Customer.ID``."""
    return re.sub(r"[\W_]+", "", column.casefold())


def _is_kind(column: str) -> bool:
    """Whether a column that is called as persons are may as well say what kind something is."""
    name = _plain(column).removesuffix("s")
    return name in _KINDS or (name not in PERSONS and name.endswith(_KINDS) and not name.endswith("name"))


def is_thing(column: str) -> bool:
    """Whether a column is called like something that is nobody: a product, a shop, a date.

    Examples
    --------
    >>> is_thing("product_name"), is_thing("last_name")
    (True, False)
    """
    return bool(_THINGS.search(normalise(column)))


def looks_numbered(column: str) -> bool:
    """Whether a column is called like the number of something that may be someone.

    Examples
    --------
    >>> [looks_numbered(name) for name in ("reader_key", "store_id", "age")]
    [True, False, False]
    """
    return bool(_NUMBERED.search(column)) and not is_thing(column)


def suspects(columns: Sequence[str], rows_are: Iterable[str | None]) -> list[str]:
    """The columns to look at, likeliest first; none when what makes a row is called like a person itself.

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
    free = [name for name in columns if name not in taken and not (taken and _plain(name) in ("name", "names"))]
    order = {person: place for place, person in enumerate(PERSONS)}
    named = sorted(
        (name for name in free if looks_named(name)),
        key=lambda name: min(order[p] for p in PERSONS if _plain(name).startswith(p)),
    )
    return [*named, *(name for name in free if name not in named and looks_numbered(name))][:3]


def warn_of(found: Sequence[PersonColumn], rows: str) -> None:
    """Warn of the first column whose values come back in several rows, unless another one is new in each."""
    able = [column for column in found if column.odd_lines <= _SLIPS * len(column.named())]
    if any(looks_named(c.column) and _plain(c.column) != "name" and c.persons == len(c.named()) for c in able):
        return
    for column in able:
        if means_persons(column.column, column.persons, len(column.named())):
            repeated = np.bincount(column.named()[column.named() >= 0])
            warnings.warn(
                UnnamedPersons(column.column, column.persons, len(column.named()), int(repeated.max()), rows),
                stacklevel=2,
            )
            return


def means_persons(column: str, persons: int, rows: int) -> bool:
    """Whether so many different values in so many rows are few enough to come back, and enough to be persons."""
    if not 1 < persons < rows:
        return False
    if looks_named(column) and not _is_kind(column):
        return persons > _FLAGS or _plain(column) not in PERSONS
    return persons > 10 and rows <= _ROWS_OF_ONE * persons and persons <= 0.9 * rows


def person_columns(columns: Sequence[str], rows_are: Iterable[str | None], said: WhoIsWho) -> list[str]:
    """The columns to read: the one that names persons, or those that may do so although nobody has said so."""
    return [said.person] if said.person is not None else [] if said.silent else suspects(columns, rows_are)


def with_persons(baskets: Baskets, found: Sequence[PersonColumn], said: WhoIsWho) -> Baskets:
    """The baskets with the persons that were named; a warning when they were not, and a column looks like them."""
    if said.person is not None:
        return found[0].given_to(baskets, said)
    warn_of(found, "transactions")
    return baskets
