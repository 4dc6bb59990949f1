"""Kinds of data: one object each, from which readers, command line, forms, inspection and report derive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from covey.errors import ParameterError
from covey.lazy import Lazy, load
from covey.parameters import did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOption:
    """One option that says how data of a kind is to be read."""

    name: str
    #: One sentence for people.
    says: str
    #: On the command line; ``--name`` when left out.
    flag: str = ""
    #: Whether it may be given several times, and is then a list.
    many: bool = False
    #: ``(texts) -> text``: makes one text of it where it is given several times, so that all of them count.
    joins: Lazy | None = None
    #: Whether giving it says that the data is of this kind.
    telling: bool = False
    #: What it may be, if not anything.
    one_of: tuple[str, ...] = ()
    #: Whether it is given or not, and has no value.
    switch: bool = False
    #: Whether it names files; a page, whose users must not name files of the server, takes none such.
    file: bool = False
    #: Whether only the local user may give it, and a page takes none.
    local: bool = False


def one_list(given: Sequence[str]) -> str:
    """The comma-separated list of all that several such lists hold."""
    return ",".join(given)


FORMAT = ReadingOption(name="format", says="The file format, if covey does not recognize it.")
SEPARATOR = ReadingOption(name="separator", says="What separates items or cells, if covey does not recognize it.")
ENCODING = ReadingOption(name="encoding", says="Encoding of text files, if not UTF-8.")
NAMES_COLUMN = ReadingOption(
    name="name",
    says="Baskets and records: column with the names of items, if the item column holds codes.",
)
#: What becomes of rows that lack a value, and texts that usually mean that one is missing.
MISSING_CHOICES = ("error", "drop", "keep")
MISSING_MARKERS = ("NaN", "NULL", "n/a", "-")
#: How rows are prepared before anything is made of them, for data of every kind.
ROW_OPTIONS = (
    ReadingOption(
        name="missing",
        says="Rows that lack a value: error, drop, or keep (as a value of its own, the default for tables; a missing "
        "person as a different one in each row).",
        one_of=MISSING_CHOICES,
    ),
    ReadingOption(
        name="missing_marker",
        flag="--missing-marker",
        says=f"Text that means a missing value, instead of {', '.join(MISSING_MARKERS)}; may be repeated.",
        many=True,
    ),
    ReadingOption(
        name="query",
        says="SQL that filters, joins or computes columns of the file, which is the table `data`: "
        "'SELECT * FROM data WHERE Quantity > 0'.",
        local=True,
    ),
    ReadingOption(
        name="also", says="Further files for the query, each a table called like the file.", many=True, local=True
    ),
    ReadingOption(
        name="no_header",
        flag="--no-header",
        says="The first line is data; the columns are named 'column 1', 'column 2' and so on.",
        switch=True,
    ),
    ReadingOption(name="sheet", says="Sheet of a workbook, or table of a database, if there are several."),
)
SENSITIVE_MISSING = ReadingOption(
    name="sensitive_missing",
    flag="--sensitive-missing",
    says="Sensitive items that the data lacks: error (the default), or warn, for a standing list.",
    one_of=("error", "warn"),
)
#: Who is protected, for kinds of data in which someone may have several rows.
PERSON_OPTIONS = (
    ReadingOption(
        name="person",
        says="Column that names the person; a person may have several rows and is protected as one.",
    ),
    ReadingOption(
        name="unit",
        says="What to count if persons are named: person (the default) or row.",
        one_of=("person", "row"),
    ),
    ReadingOption(
        name="row_is_person",
        flag="--row-is-person",
        says="Every row is a different person, whatever the columns look like.",
        switch=True,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataKind:
    """Everything that is particular to one kind of data."""

    #: What users type.
    name: str
    #: ``(source, sensitive=, progress=, **options) -> data``.
    read: Lazy
    #: What `read` takes besides.
    options: tuple[ReadingOption, ...] = ()
    #: One sentence: what such data is, with examples.
    says: str = ""
    #: What one person's line is called.
    row: str
    rows: str
    #: What can be known of a person.
    things: str
    #: What someone knows of a person, where `things` does not say it exactly enough.
    known: str = ""
    #: What can be marked as sensitive.
    marked: str
    #: One sentence for whoever marks it, with examples.
    marking: str = "What must not be linked to a person."
    #: Whether marking something as sensitive only makes sense with a guarantee that protects it.
    sensitive_needs_protection: bool = False
    #: Whether its things can be generalized along a taxonomy.
    uses_taxonomy: bool = False
    #: The names of the file formats that it can be read from.
    formats: Lazy = ()
    #: ``(head of a file) -> a number``: the higher, the more it looks like this kind; see `covey.io.preview`.
    likeness: Lazy | None = None
    #: ``(head of a file) -> Preview``: what the file was understood to be, and its first rows.
    preview: Lazy | None = None
    #: ``(path, **options) -> something with .format and .describe()``.
    recognise: Lazy | None = None
    #: ``(data) -> figures`` of its shape, for `inspect`.
    profile: Lazy
    #: ``(data) -> Baskets`` of what can be known of each person, for the risk of being found.
    facts: Lazy
    #: ``(figures) -> Description`` of its shape in words.
    description: Lazy
    #: ``(data) -> (labels, counts)``: a sequence of what can be marked as sensitive, and an integer array of how often
    #: each occurs.
    labels: Lazy
    #: ``(data) -> its columns``, where columns are given roles.
    columns: Lazy | None = None
    #: Whether roles of columns say all that is sensitive, so that no single things are marked.
    by_roles: bool = False
    #: The figures that tell how large data is, and what each counts, in words.
    sizes: Mapping[str, str]
    #: ``(data, progress) -> figures`` about exposure that only this kind has.
    more_risk: Lazy | None = None

    def option_names(self) -> tuple[str, ...]:
        """The names of the reading options."""
        return tuple(option.name for option in self.options)


#: One line per kind of data.
DATA_KINDS: dict[str, Lazy] = {
    "baskets": "covey.data.baskets:BASKETS",
    "ratings": "covey.data.ratings:RATINGS",
    "table": "covey.data.table:TABLE",
    "records": "covey.data.records:RECORDS",
}


#: What data is taken for when nothing says what it is.
USUAL_KIND = "baskets"


def data_kind(name: str) -> DataKind:
    """The kind of data of this name; an unknown one is an error that lists the known ones.

    Examples
    --------
    >>> data_kind("ratings").rows
    'respondents'
    """
    if name not in DATA_KINDS:
        raise ParameterError(
            f"There is no kind of data '{name}'.{did_you_mean(name, DATA_KINDS)} Known: {', '.join(DATA_KINDS)}."
        )
    kind: DataKind = load(DATA_KINDS[name])
    return kind


def data_kinds() -> list[DataKind]:
    """All kinds of data."""
    return [data_kind(name) for name in DATA_KINDS]
