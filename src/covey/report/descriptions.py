"""What data of each kind is like, in words: the same for `covey inspect` in a terminal and for its page."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from covey.counting import counted, percent, sizes
from covey.data import Scale
from covey.data.kinds import DataKind, data_kind
from covey.data.scale import MOST_NATURAL
from covey.measure.profile import QUANTILES
from covey.report import page
from covey.tabular import Figures

#: Sensitive items that are listed, the most frequent first.
LISTED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Sentences and a table about one thing; a terminal prints it as it is, a page shows `html`."""

    #: A heading; "" where none is needed in a terminal.
    title: str = ""
    #: Sentences above the table.
    lines: tuple[str, ...] = ()
    #: The table; no rows, no table.
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    #: The columns that are set flush right.
    numbers: tuple[int, ...] = ()
    #: Sentences below it that must not be overlooked.
    warnings: tuple[str, ...] = ()
    #: A remark in small print.
    note: str = ""

    def __rich__(self) -> Group:
        """For ``rich``; labels from the data are never taken for markup."""
        shown: list[Any] = [Text(f"\n{self.title}")] if self.title else []
        shown += [Text(f"  {line}") for line in self.lines]
        if self.rows:
            table = Table(box=None, pad_edge=False, padding=(0, 2))
            for i, head in enumerate(self.heads):
                table.add_column(head, justify="right" if i in self.numbers else "left")
            for row in self.rows:
                table.add_row(*map(Text, row))
            shown.append(Padding(table, (0, 0, 0, 2), expand=False))
        shown += [Text(f"  {warning}", style="red") for warning in self.warnings]
        return Group(*shown, *([Text(f"  {self.note}", style="dim")] if self.note else []))

    def html(self) -> str:
        """A section of a page."""
        return page.section(
            self.title or "Shape",
            *map(page.paragraph, self.lines),
            page.table(self.heads, self.rows, numbers=self.numbers) if self.rows else "",
            *map(page.banner, self.warnings),
            page.paragraph(self.note, style="dim small") if self.note else "",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What data is like."""

    #: Key figures and what they count, for a page.
    tiles: list[tuple[str, str]]
    #: How large it is and what it is made of.
    shape: tuple[Part, ...]
    #: What is sensitive, what is frequent, and how a taxonomy fits.
    details: tuple[Part, ...] = ()


def of_baskets(body: Figures) -> Description:
    """Baskets, from the figures of `covey.measure.inspection.inspect_data`.

    Examples
    --------
    >>> from covey import Baskets
    >>> from covey.measure.inspection import inspect_data
    >>> described = of_baskets(inspect_data(Baskets.of([["a", "b"], ["a"], []], sensitive=["b"])))
    >>> described.shape[0].lines[:2]
    ('3 baskets, 2 items, 3 entries (50 % of the matrix)', '1 of the baskets are empty')
    """
    empty = body["empty_transactions"]
    size = sizes(baskets=body["transactions"], items=body["items"], entries=body["entries"])
    lines = [f"{size} ({percent(body['density'])} of the matrix)", *_persons(body)]
    if empty:
        lines.append(f"{empty:,} of the baskets are empty")
    ordered = sorted(body["sensitive"], key=lambda item: -item["support"])
    largest = [item["largest_p"] for item in ordered if item["largest_p"]]
    sensitive = Part(
        title="Sensitive items",
        lines=(f"degree(p) is feasible up to p = {min(largest):,}.",) if largest else (),
        heads=("item", "baskets", *(["persons"] if "persons" in body else []), "largest p"),
        rows=[
            (
                item["item"],
                f"{item['support']:,}",
                *([f"{item['persons']:,}"] if "persons" in body else []),
                f"{item['largest_p']:,}" if item["largest_p"] else "",
            )
            for item in ordered[:LISTED]
        ],
        numbers=(1, 2, 3) if "persons" in body else (1, 2),
        note=f"The {LISTED} most frequent of {len(ordered):,}." if len(ordered) > LISTED else "",
    )
    return Description(
        tiles=_tiles(body, "transactions", "items"),
        shape=(Part(lines=tuple(lines), **_spreads(body, "item"), warnings=_missing(body)),),
        details=(
            *((sensitive,) if ordered else ()),
            *(
                _associations(
                    body["associations"], min(largest, default=0), "persons" if "persons" in body else "baskets"
                )
                if body.get("associations", {}).get("pairs")
                else ()
            ),
            _frequent(body, "item"),
            *((_taxonomy(body["taxonomy"]),) if "taxonomy" in body else ()),
        ),
    )


def _associations(found: Figures, most: int, whose: str) -> tuple[Part, Part]:
    """What p must destroy, as far as p is feasible, and which ordinary items give sensitive ones away."""
    price = Part(
        title="The price of p",
        lines=(
            f"Of the {counted(found['pairs'], 'most frequent pair')} of a sensitive and an ordinary item, a release at "
            f"p can keep those in which at most 1 in p {whose} with the ordinary item have the sensitive one.",
        ),
        heads=("p", "pairs that can be kept", "ordinary items that give too much away"),
        rows=[
            (str(one["p"]), f"{one['admissible']:,}", f"{one['telling_items']:,}")
            for one in found["price"]
            if one["p"] <= most
        ],
        numbers=(0, 1, 2),
    )
    telling = Part(
        title="Companions of sensitive items",
        heads=("ordinary item", "sensitive item", f"{whose} with it", "have the sensitive one"),
        rows=[
            (
                one["item"],
                one["sensitive"],
                f"{one['support']:,}",
                f"{one['together']:,} ({percent(one['confidence'])})",
            )
            for one in found["companions"]
        ],
        numbers=(2, 3),
        note="The share says how likely someone with the ordinary item has the sensitive one. Where it is high, mark "
        "the item as sensitive too (`covey inspect --mark FILE` writes the list for --sensitive), or leave it out.",
    )
    return price, telling


def of_ratings(body: Figures) -> Description:
    """Ratings, from the figures of `covey.measure.inspection.inspect_data`."""
    size = sizes(**{name: body[name] for name in ("respondents", "issues", "ratings")})
    line = f"{size} on {_scale(body)} ({percent(body['density'])} of the matrix)"
    sensitive = _supports("Sensitive issues", ("issue", "respondents"), body["sensitive"])
    return Description(
        tiles=_tiles(body, "respondents", "issues"),
        shape=(Part(lines=(line,), **_spreads(body, "issue")),),
        details=(
            *((_coarser(body),) if body["coarser"] else ()),
            *((sensitive,) if body["sensitive"] else ()),
            _frequent(body, "issue"),
        ),
    )


def _scale(body: Figures) -> str:
    """The scale of ratings; of one with more ratings than people count, what occurs."""
    scale = Scale.parse(body["scale"])
    if scale.levels <= MOST_NATURAL:
        return scale.text
    occur = f"{counted(body['values'], 'value')} occur"
    return f"a continuous scale from {scale.low:g} to {scale.high:g}, of which {occur}"


def _coarser(body: Figures) -> Part:
    """Who is unique by exact ratings, as they are and on coarser scales."""
    as_is, *rounded = body["coarser"]
    rows = [
        (
            "as it is" if one["round"] is None else f"{one['round']:g}",
            _scale(body) if one["round"] is None else one["scale"],
            percent(one["unique"]),
            *(percent(risk["share"]) for risk in one["singled_out"]),
        )
        for one in body["coarser"]
    ]
    told = [f"by {counted(risk['known'], 'rating')}" for risk in as_is["singled_out"]]
    how = f"`--set round={rounded[0]['round']:g}` publishes ratings on a coarser scale. " if rounded else ""
    return Part(
        title="Who is unique by exact ratings",
        heads=("rounded to", "scale", "by all ratings", *told),
        rows=rows,
        numbers=tuple(range(2, 3 + len(told))),
        note=f"{how}For k-eps-l, epsilon={body['near']:g} is a small distance on this scale.",
    )


def of_table(body: Figures) -> Description:
    """A table, from the figures of `covey.measure.inspection.inspect_data`."""
    alone = "of the rows are unique by all quasi-identifiers"
    if "persons" in body:
        alone = "of the rows are one person's alone by all quasi-identifiers"
    return Description(
        tiles=[
            (f"{body['rows']:,}", "rows"),
            (f"{len(body['columns']):,}", "columns"),
            (percent(body["unique"]), alone),
        ],
        shape=(
            _columns(body, f"{counted(body['rows'], 'row')}; {percent(body['unique'])} {alone}", *_persons(body)),
            *_guesses(body),
        ),
    )


def _columns(body: Figures, *lines: str) -> Part:
    """The columns of a table or of attributes, with their roles."""
    return Part(
        lines=lines,
        heads=("column", "role", "different values"),
        rows=[(column["name"], column["role"], f"{column['values']:,}") for column in body["columns"]],
        numbers=(2,),
        warnings=_missing(body),
    )


def _missing(body: Figures) -> tuple[str, ...]:
    """What is told of values that usually mean that nothing is known, and were read as any other."""
    found = body.get("seemingly_missing", ())
    if not found:
        return ()
    told = ", ".join(
        f"'{one['value']}' {'is an item' if 'column' not in one else 'stands in ' + repr(one['column'])} "
        f"({one['rows']:,}×)"
        for one in found[:LISTED]
    )
    more = f", and {len(found) - LISTED:,} more such" if len(found) > LISTED else ""
    return (
        f"Perhaps missing: {told}{more}. If so, leave such rows out with --missing drop, or count the value as missing "
        "with --missing keep.",
    )


def _guesses(body: Figures) -> tuple[Part, ...]:
    """What columns seem to be, and how to say so; nothing where roles were named."""
    found = body.get("guesses", ())
    if not found:
        return ()
    apart = {
        role: ",".join(one["column"] for one in found if one["role"] == role)
        for role in ("identifier", "sensitive", "other")
    }
    said = " ".join(f"--{role} {shlex.quote(names)}" for role, names in apart.items() if names)
    return (
        Part(
            title="What the columns seem to be",
            lines=("Guesses, from names and values. Check them.",),
            heads=("column", "guess", "why", "examples"),
            rows=[(one["column"], one["role"], one["why"], ", ".join(one["examples"])) for one in found],
            note=f"To use them: {said}" if said else "",
        ),
    )


def of_records(body: Figures) -> Description:
    """Records, from the figures of `covey.measure.inspection.inspect_data`."""
    alone = "of the persons are unique by all quasi-identifying attributes"
    size = sizes(**{name: body[name] for name in ("persons", "items", "entries")})
    lines = [size, f"{percent(body['unique'])} {alone}"]
    if body["without_items"]:
        lines.append(f"{body['without_items']:,} of the persons have no items")
    sensitive = _supports("Sensitive columns and items", ("column or item", "persons"), body["sensitive"])
    return Description(
        tiles=[
            (f"{body['persons']:,}", "persons"),
            (f"{len(body['columns']):,}", "columns"),
            (f"{body['items']:,}", "items"),
            (percent(body["unique"]), alone),
        ],
        shape=(_columns(body, *lines), *_guesses(body), Part(title="Items", **_spreads(body, "item"))),
        details=(
            *((sensitive,) if body["sensitive"] else ()),
            _frequent(body, "item"),
            *((_taxonomy(body["taxonomy"]),) if "taxonomy" in body else ()),
        ),
    )


def _persons(body: Figures) -> list[str]:
    """Whose rows they are, where that is known."""
    if "persons" not in body:
        return []
    each, what = body["rows_per_person"], _kind(body).rows
    return [f"of {body['persons']:,} persons with {each['mean']:,.1f} {what} each, at most {each['max']:,}"]


def _kind(body: Figures) -> DataKind:
    return data_kind(body["kind"])


def _tiles(body: Figures, rows: str, columns: str) -> list[tuple[str, str]]:
    kind = _kind(body)
    return [
        (f"{body[rows]:,}", kind.rows),
        (f"{body[columns]:,}", columns),
        (f"{body['length']['mean']:.1f}", f"{kind.things} per {kind.rows[:-1]}, on average"),
        (percent(body["density"]), "of the matrix is filled"),
    ]


def _spreads(body: Figures, column: str) -> dict[str, Any]:
    """The table of how many things rows and columns have."""
    kind = _kind(body)
    titles = ((f"{column}s per {kind.rows[:-1]}", "length"), (f"{kind.rows} per {column}", "support"))
    return {
        "heads": ("", "mean", *QUANTILES),
        "rows": [
            (title, f"{body[key]['mean']:,.1f}", *(f"{body[key][q]:,}" for q in QUANTILES)) for title, key in titles
        ],
        "numbers": tuple(range(1, len(QUANTILES) + 2)),
    }  # fmt: skip


def _supports(title: str, heads: Sequence[str], items: Sequence[Figures]) -> Part:
    rows = [(item["item"], f"{item['support']:,}") for item in items]
    return Part(title=title, heads=heads, rows=rows, numbers=(1,))


def _frequent(body: Figures, column: str) -> Part:
    return _supports(f"Most frequent {column}s", (column, _kind(body).rows), body["most_frequent"])


def _taxonomy(tree: Figures) -> Part:
    levels = " → ".join(f"{count:,}" for count in tree["nodes_by_depth"])
    fanout = f"{tree['fanout']['mean']:.1f} children on average, at most {tree['fanout']['max']:,}"
    lacking = []
    for key, what in (("items_missing", "not in it"), ("items_not_leaves", "in it, but not as leaves")):
        if items := tree[key]:
            shown = ", ".join(items[:5]) + (" …" if len(items) > 5 else "")
            lacking.append(f"{counted(len(items), 'item')} {what}: {shown}")
    return Part(
        title="Taxonomy",
        lines=(
            f"below {tree['root']!r}: {sizes(nodes=tree['nodes'], leaves=tree['leaves'])}",
            f"nodes by depth {levels}; {fanout}",
        ),
        warnings=tuple(lacking),
    )


#: Kind of data → ``(figures) -> Description`` of its shape in words.
DESCRIPTIONS: dict[str, Callable[[Figures], Description]] = {
    "baskets": of_baskets,
    "ratings": of_ratings,
    "table": of_table,
    "records": of_records,
}
