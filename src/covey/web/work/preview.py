"""What a file is and how it begins, before it is read as a whole."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from covey.errors import CoveyError, InputError
from covey.web.work.originals import renamed

#: Rows and cells of a row that a preview shows.
ROWS, CELLS = 12, 40

#: Bytes of text looked at for a preview.
HEAD = 1 << 16


def preview(source: Mapping[str, Any]) -> dict[str, Any]:
    """What a file is and how it begins; a problem is told in words beside as much as could be seen.

    A `kind` that is None is guessed.
    """
    found: dict[str, Any] = {
        "kind": source["kind"],
        "recognised": "",
        "columns": [],
        "rows": [],
        "problem": None,
    }
    options = dict(source["options"])
    try:
        with renamed(source):
            found["columns"], found["rows"], delimiter = first_cells(source["path"], options)
            if found["kind"] is None:
                found["kind"] = guess_kind(source["path"], options, found["columns"], found["rows"])
            found |= _described(source, found["kind"], options, found, delimiter)
    except CoveyError as error:
        found["problem"] = str(error)
    found["kind"] = found["kind"] or "baskets"
    return found


def _described(
    source: Mapping[str, Any], kind: str, options: dict[str, Any], seen: Mapping[str, Any], delimiter: str
) -> dict[str, Any]:
    """One sentence, and the cells as a file of this kind has them."""
    path, columns, rows = source["path"], seen["columns"], seen["rows"]
    if kind == "baskets":
        from covey.io.baskets.recognition import recognise

        known = recognise(path, **options)
        if known.format == "fimi":
            mark = options.get("separator") or " "
            lines = [delimiter.join(row) for row in [columns, *rows]]
            items = [[part for part in line.split(None if mark == " " else mark) if part] for line in lines]
            return {"recognised": known.describe(), "columns": [], "rows": items[:ROWS]}
        if not known.header:
            return {
                "recognised": known.describe(),
                "columns": list(known.columns),
                "rows": [columns, *rows][:ROWS],
            }
        return {"recognised": known.describe(), "columns": list(known.columns)}
    if kind == "ratings":
        return _described_ratings(path, source, options, columns, rows)
    between = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}.get(delimiter, repr(delimiter))
    how = "Parquet" if delimiter == "" else f"CSV, cells separated by {between}"
    return {"recognised": f"{how}: rows of persons, {len(columns)} columns."}


def _described_ratings(
    path: str, source: Mapping[str, Any], options: dict[str, Any], columns: list[str], rows: list[list[str]]
) -> dict[str, Any]:
    from covey.io.delimited import DOUBLE_COLON
    from covey.io.ratings.layout import long_places, recognise, wide_user

    names = {role: options.get(role) for role in ("user", "item", "rating")}
    wide, header = False, True
    if is_parquet(path) or options.get("format") == "parquet":
        places = long_places(columns, names, source.get("name"))
        wide = places is None
        if places is None:
            user = wide_user(columns, names, source.get("name"))
        kind = "Parquet"
    else:
        layout = recognise(
            Path(path),
            path,
            names,
            options.get("format"),
            options.get("separator"),
            options.get("encoding") or "utf-8",
        )
        wide, user, kind, header = layout.format == "csv-wide", layout.user, "CSV", layout.header
        places = None if wide else (layout.user, layout.item, layout.rating)
        if layout.delimiter == DOUBLE_COLON:  # which `first_cells` has not parted
            rows = [" ".join(row).split(DOUBLE_COLON) for row in [columns, *rows]][:ROWS]
            columns = list(layout.columns)
        elif not header:
            rows, columns = [columns, *rows][:ROWS], list(layout.columns)
    if wide:
        who = f" ('{columns[user]}')" if user >= 0 else ""
        return {
            "recognised": f"{kind}: one row per respondent{who}, one column per issue.",
            "columns": columns,
        }
    assert places is not None
    who, what, how = (columns[place] for place in places)
    text = f"{kind}: one row per respondent ('{who}'), issue ('{what}') and rating ('{how}')."
    return {"recognised": text, "columns": columns, "rows": rows}


def is_parquet(path: str) -> bool:
    """Whether a file begins as Parquet does."""
    with Path(path).open("rb") as file:
        return file.read(4) == b"PAR1"


def first_cells(path: str, options: Mapping[str, Any]) -> tuple[list[str], list[list[str]], str]:
    """The first row, those after it, and the delimiter ("" for Parquet); all cells as text."""
    from covey.io.files import locate

    locate(path)
    if is_parquet(path):
        from covey.io.baskets.parquet import _open

        with _open(Path(path), path) as file:
            names = list(file.schema_arrow.names)
            batch = next(file.iter_batches(batch_size=ROWS), None)
        records = batch.to_pylist() if batch is not None else []
        rows = [[_cell(record[name]) for name in names[:CELLS]] for record in records]
        return names, rows, ""
    from covey.io.baskets.layout import sniff
    from covey.io.files import compression, window

    compression(Path(path), path)
    encoding = options.get("encoding") or "utf-8"
    with window(Path(path), path, encoding=encoding, chunk=HEAD) as view:
        view.fill(1)
        raw = view.text(view.last_line() or view.held)
    mark = options.get("separator") or sniff(raw) or " "
    mark = mark if len(mark) == 1 else ":" if mark == "::" else ","
    text = raw.decode(encoding if view._decoder is None else "utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()][: ROWS + 1]
    cells = [row for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark) if row]
    if not cells:
        raise InputError("holds no text", file=path, remedy="Check that it was written completely.")
    return cells[0], [row[:CELLS] for row in cells[1:]], mark


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value[:CELLS])) + (" …" if len(value) > CELLS else "")
    return "" if value is None else str(value)


def guess_kind(
    path: str, options: Mapping[str, Any], columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    """What a file probably holds; the user can say otherwise.

    Columns for user, item and rating make ratings; what `covey.read` recognises makes baskets, unless it is wide and
    holds other cells than flags; anything else with a header makes a table.
    """
    from covey.io.baskets.columns import usual
    from covey.io.baskets.recognition import kind_of, recognise
    from covey.io.ratings.layout import RATING_NAMES, long_places

    if "".join(columns).count("::") >= 2:
        return "ratings"
    if kind_of(Path(path)) == ".dat":
        return "baskets"
    if usual(columns, RATING_NAMES) is not None and long_places(columns, {}, None) is not None:
        return "ratings"
    try:
        known = recognise(path, **{name: value for name, value in options.items() if name in _SHARED})
    except CoveyError:
        return "ratings" if _all_small_numbers(columns, rows) else "table"
    if known.layout == "wide":
        body = [cell for row in rows for cell in row[1:]]
        flags = sum(cell.strip().lower() in ("", "0", "1", "true", "false") for cell in body)
        if flags < len(body):
            return "ratings" if _all_small_numbers(columns, rows) else "table"
    if known.layout == "long" and len(columns) > 5 and known.format != "parquet":
        # Many columns of which two happen to have usual names describe people more often than single items.
        return "baskets" if _repeats(rows, list(columns).index(known.transaction or columns[0])) else "table"
    return "baskets"


_SHARED = ("format", "separator", "encoding")


def _all_small_numbers(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a header is followed by cells that are ratings from 0 to 10, or nothing."""
    if len(columns) < 3 or not rows or any(_number(name) is not None for name in columns[1:]):
        return False
    cells = [_number(cell) if cell.strip() else 0.0 for row in rows for cell in row[1:]]
    return bool(cells) and all(value is not None and 0 <= value <= 10 for value in cells)


def _repeats(rows: Sequence[Sequence[str]], place: int) -> bool:
    seen = [row[place] for row in rows if place < len(row)]
    return len(set(seen)) < len(seen)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
