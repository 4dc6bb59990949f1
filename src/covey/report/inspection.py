"""What data of each kind is like, in words: the same for `covey inspect` in a terminal and for its page."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from covey.counting import counted, percent, sizes
from covey.data import Scale
from covey.data.kinds import data_kind
from covey.data.scale import MOST_NATURAL
from covey.measure.inspection import QUANTILES
from covey.report import charts, page
from covey.report.page import Part
from covey.tabular import Figures

#: Sensitive items and values that are listed, the most frequent first.
LISTED = 10
INTERNAL = "Internal use only: this page describes the original data."


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What data is like: key figures for a page, its shape, and what is sensitive, frequent, and in a taxonomy."""

    tiles: list[tuple[str, str]]
    shape: tuple[Part, ...]
    details: tuple[Part, ...] = ()


def of_baskets(body: Figures) -> Description:
    """Return baskets in words, from the figures of `covey.measure.inspection.inspect_data`.

    Examples
    --------
    >>> from covey import Baskets
    >>> from covey.measure.inspection import inspect_data
    >>> described = of_baskets(inspect_data(Baskets.of([["a", "b"], ["a"], []], sensitive=["b"])))
    >>> described.shape[0].lines[:2]
    ('3 baskets, 2 items, 3 entries (50 % of the matrix)', '1 of the baskets are empty')
    """
    size = sizes(baskets=body["transactions"], items=body["items"], entries=body["entries"])
    lines = [f"{size} ({percent(body['density'])} of the matrix)", *_persons(body)]
    if body["empty_transactions"]:
        lines.append(f"{body['empty_transactions']:,} of the baskets are empty")
    largest = min((item["largest_p"] for item in body["sensitive"] if item["largest_p"]), default=0)
    shape = Part(lines=tuple(lines), **_spreads(body, "item"), warnings=_missing(body))
    details = [
        *_sensitive_items(body, largest),
        *_associations(body, largest),
        _frequent(body, "item"),
        *_taxonomy(body),
    ]
    return Description(tiles=_tiles(body, "transactions", "items"), shape=(shape,), details=tuple(details))


def _sensitive_items(body: Figures, largest: int) -> list[Part]:
    ordered = sorted(body["sensitive"], key=lambda item: -item["support"])
    if not ordered:
        return []
    counts = ("support", *(["persons"] if "persons" in body else []), "largest_p")
    heads = {"support": "baskets", "persons": "persons", "largest_p": "largest p"}
    return [
        Part(
            title="Sensitive items",
            lines=(f"degree(p) is feasible up to p = {largest:,}.",) if largest else (),
            heads=("item", *(heads[name] for name in counts)),
            rows=[
                (item["item"], *(f"{item[name]:,}" if item[name] else "" for name in counts))
                for item in ordered[:LISTED]
            ],
            numbers=range(1, len(counts) + 1),
            note=f"The {LISTED} most frequent of {len(ordered):,}." if len(ordered) > LISTED else "",
        )
    ]


def _associations(body: Figures, most: int) -> list[Part]:
    """Return what p must destroy, as far as p is feasible, and which ordinary items give sensitive ones away."""
    found, whose = body.get("associations", {}), "persons" if "persons" in body else "baskets"
    if not found.get("pairs"):
        return []
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
        numbers=range(3),
    )
    companions = [
        (one["item"], one["sensitive"], f"{one['support']:,}", f"{one['together']:,} ({percent(one['confidence'])})")
        for one in found["companions"]
    ]
    telling = Part(
        title="Companions of sensitive items",
        heads=("ordinary item", "sensitive item", f"{whose} with it", "have the sensitive one"),
        rows=companions,
        numbers=(2, 3),
        note="The share says how likely someone with the ordinary item has the sensitive one. Where it is high, mark "
        "the item as sensitive too (`covey inspect --mark FILE` writes the list for --sensitive), or leave it out.",
    )
    return [price, telling]


def of_ratings(body: Figures) -> Description:
    """Return ratings in words."""
    size = sizes(**{name: body[name] for name in ("respondents", "issues", "ratings")})
    line = f"{size} on {_scale(body)} ({percent(body['density'])} of the matrix)"
    return Description(
        tiles=_tiles(body, "respondents", "issues"),
        shape=(Part(lines=(line,), **_spreads(body, "issue")),),
        details=(*_coarser(body), *_curve(body), *_sensitive(body, "issues", "respondents"), _frequent(body, "issue")),
    )


def _scale(body: Figures) -> str:
    """Return the scale of ratings; of one with more ratings than people count, what occurs."""
    scale = Scale.parse(body["scale"])
    if scale.levels <= MOST_NATURAL:
        return scale.text
    occur = counted(body["values"], "value")
    return f"a continuous scale from {scale.low:g} to {scale.high:g}, of which {occur} occur"


def _coarser(body: Figures) -> list[Part]:
    """Return who is unique by exact ratings, as they are and on coarser scales."""
    if not body["coarser"]:
        return []
    as_is, *rounded = body["coarser"]
    names = ["as it is", *(f"{one['round']:g}" for one in rounded)]
    scales = [_scale(body), *(one["scale"] for one in rounded)]
    rows = [
        (name, scale, percent(one["unique"]), *(percent(risk["share"]) for risk in one["singled_out"]))
        for name, scale, one in zip(names, scales, body["coarser"], strict=True)
    ]
    known = [f"by {counted(risk['known'], 'rating')}" for risk in as_is["singled_out"]]
    how = f"`--set round={rounded[0]['round']:g}` publishes ratings on a coarser scale. " if rounded else ""
    unique = {name: one["unique"] for name, one in zip(names, body["coarser"], strict=True)}
    return [
        Part(
            title="Who is unique by exact ratings",
            chart=partial(charts.shares, unique, x_label="records unique by all ordinary ratings (%)"),
            caption="By the step to which ratings are rounded.",
            heads=("rounded to", "scale", "by all ratings", *known),
            rows=rows,
            numbers=range(2, 3 + len(known)),
            note=f"{how}For k-eps-l, epsilon={body['near']:g} is a small distance on this scale.",
        )
    ]


def _curve(body: Figures) -> list[Part]:
    """Return how many people have similar ratings, by the difference that still counts as similar."""
    fewest = {f"{one['epsilon']:g}": one["k"] for one in body.get("curve", ())}
    if not fewest:
        return []
    heads = ("difference that still counts as similar", "fewest people, the person included")
    return [
        Part(
            title="How many people have similar ratings",
            chart=partial(
                charts.bars,
                list(fewest),
                {"k": list(fewest.values())},
                share=False,
                x_label=heads[0],
                y_label="fewest people",
            ),
            caption="The fewest people with similar ratings that anyone has; 1 means that someone is unique.",
            heads=heads,
            rows=[(name, f"{k:,}") for name, k in fewest.items()],
            numbers=(0, 1),
        )
    ]


def _exposure(body: Figures) -> list[Part]:
    """Return how exposed the rows of a table are to someone who knows every quasi-identifying column."""
    if "exposure" not in body:
        return []
    found, by_person = body["exposure"], "persons" in body
    whom = "person" if by_person else data_kind(body["kind"]).row
    rows = [
        (
            f"rows that {'are like those of no other person' if by_person else 'have no other like them'}",
            found["unique"],
        ),
        (f"mean chance of finding a {whom}", found["mean"]),
        (f"chance for the {whom} easiest to find", found["worst"]),
    ]
    title = "For someone who knows every quasi-identifying column"
    return [Part(title=title, heads=("", ""), rows=[(words, percent(share)) for words, share in rows], numbers=(1,))]


def of_table(body: Figures) -> Description:
    """Return a table in words."""
    alone = "of the rows are one person's alone by all" if "persons" in body else "of the rows are unique by all"
    size = f"{counted(body['rows'], 'row')}; {percent(body['unique'])} {alone} quasi-identifiers"
    tiles = [(f"{body['rows']:,}", "rows"), (f"{len(body['columns']):,}", "columns")]
    tiles.append((percent(body["unique"]), f"{alone} quasi-identifiers"))
    return Description(tiles=tiles, shape=(_columns(body, size, *_persons(body)), *_guesses(body)))


def of_records(body: Figures) -> Description:
    """Return records in words."""
    alone = "of the persons are unique by all quasi-identifying attributes"
    lines = [
        sizes(**{name: body[name] for name in ("persons", "items", "entries")}),
        f"{percent(body['unique'])} {alone}",
    ]
    if body["without_items"]:
        lines.append(f"{body['without_items']:,} of the persons have no items")
    counts = {"persons": body["persons"], "columns": len(body["columns"]), "items": body["items"]}
    return Description(
        tiles=[*((f"{count:,}", name) for name, count in counts.items()), (percent(body["unique"]), alone)],
        shape=(_columns(body, *lines), *_guesses(body), Part(title="Items", **_spreads(body, "item"))),
        details=(*_sensitive(body, "columns and items", "persons"), _frequent(body, "item"), *_taxonomy(body)),
    )


def _columns(body: Figures, *lines: str) -> Part:
    """Return the columns of a table or of attributes, with their roles."""
    rows = [(column["name"], column["role"], f"{column['values']:,}") for column in body["columns"]]
    heads = ("column", "role", "different values")
    return Part(lines=lines, heads=heads, rows=rows, numbers=(2,), warnings=_missing(body))


def _missing(body: Figures) -> tuple[str, ...]:
    """Return a warning of values that usually mean that nothing is known, and were read as any other."""
    found = body.get("seemingly_missing", ())
    if not found:
        return ()
    listed = ", ".join(
        f"'{one['value']}' {'is an item' if 'column' not in one else 'stands in ' + repr(one['column'])} "
        f"({one['rows']:,}×)"
        for one in found[:LISTED]
    )
    more = f", and {len(found) - LISTED:,} more such" if len(found) > LISTED else ""
    return (
        f"Perhaps missing: {listed}{more}. If so, leave such rows out with --missing drop, or count the value as "
        "missing with --missing keep.",
    )


def _guesses(body: Figures) -> list[Part]:
    """Return what columns seem to be, and how to use that; nothing where roles were named."""
    found = body.get("guesses", ())
    named = {
        role: [one["column"] for one in found if one["role"] == role] for role in ("identifier", "sensitive", "other")
    }
    options = " ".join(f"--{role} {shlex.quote(','.join(names))}" for role, names in named.items() if names)
    part = Part(
        title="What the columns seem to be",
        lines=("Guesses, from names and values. Check them.",),
        heads=("column", "guess", "why", "examples"),
        rows=[(one["column"], one["role"], one["why"], ", ".join(one["examples"])) for one in found],
        note=f"To use them: {options}" if options else "",
    )
    return [part] if found else []


def _persons(body: Figures) -> list[str]:
    """Return whose rows they are, where that is known."""
    if "persons" not in body:
        return []
    each, what = body["rows_per_person"], data_kind(body["kind"]).rows
    return [f"of {body['persons']:,} persons with {each['mean']:,.1f} {what} each, at most {each['max']:,}"]


def _tiles(body: Figures, rows: str, columns: str) -> list[tuple[str, str]]:
    kind = data_kind(body["kind"])
    return [
        (f"{body[rows]:,}", kind.rows),
        (f"{body[columns]:,}", columns),
        (f"{body['length']['mean']:.1f}", f"{kind.things} per {kind.rows[:-1]}, on average"),
        (percent(body["density"]), "of the matrix is filled"),
    ]


def _spreads(body: Figures, column: str) -> dict[str, Any]:
    """Return the table of how many things rows and columns have."""
    kind = data_kind(body["kind"])
    titles = {"length": f"{column}s per {kind.rows[:-1]}", "support": f"{kind.rows} per {column}"}
    rows = [
        (title, f"{body[key]['mean']:,.1f}", *(f"{body[key][q]:,}" for q in QUANTILES)) for key, title in titles.items()
    ]
    return {"heads": ("", "mean", *QUANTILES), "rows": rows, "numbers": range(1, len(QUANTILES) + 2)}


def _sensitive(body: Figures, what: str, whose: str) -> list[Part]:
    return [_supports(f"Sensitive {what}", what, whose, body["sensitive"])] if body["sensitive"] else []


def _frequent(body: Figures, column: str) -> Part:
    return _supports(f"Most frequent {column}s", column, data_kind(body["kind"]).rows, body["most_frequent"])


def _supports(title: str, what: str, whose: str, items: Sequence[Figures]) -> Part:
    rows = [(item["item"], f"{item['support']:,}") for item in items]
    return Part(title=title, heads=(what, whose), rows=rows, numbers=(1,))


def _taxonomy(body: Figures) -> list[Part]:
    if "taxonomy" not in body:
        return []
    tree = body["taxonomy"]
    levels = " → ".join(f"{count:,}" for count in tree["nodes_by_depth"])
    fanout = f"{tree['fanout']['mean']:.1f} children on average, at most {tree['fanout']['max']:,}"
    lacking = []
    for key, what in (("items_missing", "not in it"), ("items_not_leaves", "in it, but not as leaves")):
        if items := tree[key]:
            shown = ", ".join(items[:5]) + (" …" if len(items) > 5 else "")
            lacking.append(f"{counted(len(items), 'item')} {what}: {shown}")
    size = f"below {tree['root']!r}: {sizes(nodes=tree['nodes'], leaves=tree['leaves'])}"
    return [Part(title="Taxonomy", lines=(size, f"nodes by depth {levels}; {fanout}"), warnings=tuple(lacking))]


#: Kind of data → its shape in words.
DESCRIPTIONS: dict[str, Callable[[Figures], Description]] = {
    "baskets": of_baskets,
    "ratings": of_ratings,
    "table": of_table,
    "records": of_records,
}


def risk_page(name: str, body: Figures, *, date: str = "") -> str:
    """Return the figures of `covey inspect --json` as a page: what is in the data, and how exposed the people are."""
    described = DESCRIPTIONS[body["kind"]](body)
    about = "What is in the data, and what it gives away" + (f" · {date}" if date else "")
    risk = page.parts_section("If it were published as it is", [*_found(body), *_exposure(body)])
    parts = [page.section(part.title or "Shape", part.html()) for part in (*described.shape, *described.details)]
    top = [page.banner(INTERNAL), page.tiles(described.tiles), risk]
    return page.document(name, "covey inspect", name, about, [*top, *parts])


def risk_parts(body: Figures) -> list[Part]:
    """Return how exposed the people in the data are, from the figures of `covey inspect`."""
    return [*_found(body), *_exposure(body), *(_coarser(body) + _curve(body) if "coarser" in body else [])]


def _found(body: Figures) -> list[Part]:
    """Return what someone who knows a few things achieves, by how many; nothing if nobody has as many."""
    kind, shown = data_kind(body["kind"]), [risk for risk in body["risk"] if risk["eligible"]]
    if not shown:
        return []
    row, rows = ("person", "persons") if "persons" in body else (kind.row, kind.rows)
    unit, last = kind.known or kind.things, shown[-1]
    known = f"one of the {unit}" if last["known"] == 1 else f"{last['known']} {unit}"
    unknown = "" if kind.by_roles else " Sensitive ones are taken to be unknown."
    return [
        Part(
            title=f"How easily a {row} is found",
            lines=(
                f"Someone who knows {known} of a {row} finds that {row} with a chance of {percent(last['risk'])}; in "
                f"{percent(last['unique'])} of the cases only one {row} fits.",
                f"With it comes everything else that the data states about that {row}.",
            ),
            chart=partial(charts.risk, body["risk"], unit),
            caption=f"A {row} with at least this many {unit} is drawn at random, then that many of these {unit}; the "
            f"bar is the mean of 1 / ({rows} that have them all). Whiskers: 95 % interval.{unknown}",
            heads=(f"known {unit}", f"finds the {row}", "only one fits", f"{rows} that long"),
            rows=[(str(r["known"]), percent(r["risk"]), percent(r["unique"]), f"{r['eligible']:,}") for r in shown],
            numbers=(1, 2, 3),
        )
    ]
