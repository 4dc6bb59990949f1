"""datapackage.json: the files of a release for programs that read Frictionless Data Packages (version 2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from covey.release.about import About
from covey.release.manifest import Manifest
from covey.release.tables import FLOAT, INT, TEXT, TEXTS, Schema
from covey.release.words import promise_in

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"

# A list in Parquet is "any": what a data package calls an array or a list is a text in one cell.
_TYPES = {INT: "integer", FLOAT: "number", TEXT: "string", TEXTS: "any"}
_MEDIA = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}

#: How a list of labels is written in a cell of CSV.
JOINED = (
    "joined by |; in a label, %, | and control characters are written as % and two hexadecimal digits, as in web "
    "addresses"
)


def datapackage(manifest: Manifest, schemas: Mapping[str, Schema]) -> bytes:
    """The text of `datapackage.json`; everything in it follows from the manifest and the tables' columns.

    Parameters
    ----------
    manifest : Manifest
        Of the release.
    schemas : mapping
        Its tables, each with its columns.
    """
    about = About(**manifest.about)
    promise = promise_in(manifest)
    body: dict[str, Any] = {
        "$schema": PROFILE,
        "name": f"covey-{manifest.kind}-release",
        "id": f"sha256:{manifest.fingerprint}",
        "description": f"{promise.short} ({manifest.guarantee}, kept by {manifest.method}.) See README.md.",
        "resources": [_resource(name, schema, manifest) for name, schema in schemas.items()],
    }
    told = {"title": about.title, "licenses": about.licenses(), "contributors": about.contributors()}
    body |= {name: value for name, value in told.items() if value}
    return (json.dumps(body, indent=2, ensure_ascii=False) + "\n").encode()


def _resource(name: str, schema: Schema, manifest: Manifest) -> dict[str, Any]:
    files = files_of(name, manifest)
    form = files[0].rpartition(".")[2]
    single = {"path": files[0], "hash": f"sha256:{manifest.files[files[0]]}"}
    return {
        "name": name,
        "type": "table",
        **(single if len(files) == 1 else {"path": files}),
        "format": form,
        "mediatype": _MEDIA[form],
        **({"encoding": "utf-8"} if form == "csv" else {}),
        "description": schema.row,
        "schema": _table_schema(schema, csv=form == "csv"),
    }


def _table_schema(schema: Schema, *, csv: bool) -> dict[str, Any]:
    columns = schema.columns or {}
    body: dict[str, Any] = {"fields": [_field(column, schema, csv=csv) for column in columns]}
    if csv and TEXTS in columns.values():
        body["missingValues"] = []  # an empty cell is an empty list
    if schema.key:
        body["primaryKey"] = list(schema.key)
    if schema.refers:
        body["foreignKeys"] = [
            {"fields": [column], "reference": {"resource": table, "fields": [column]}}
            for column, table in schema.refers.items()
        ]
    return body


def _field(column: str, schema: Schema, *, csv: bool) -> dict[str, Any]:
    assert schema.columns is not None
    type, says = schema.columns[column], schema.says.get(column, "")
    body = {"name": column, "type": _TYPES[type]}
    if csv and type == TEXTS:
        body |= {"type": "list", "delimiter": "|"}
        says = f"{says} Labels are {JOINED}.".lstrip()
    return {**body, **({"description": says} if says else {})}


def files_of(table: str, manifest: Manifest) -> list[str]:
    """The files of a table, in order.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> files_of("sets", SimpleNamespace(files={"sets/part-00000.parquet": "", "recoding.csv": ""}))
    ['sets/part-00000.parquet']
    """
    return sorted(name for name in manifest.files if name.startswith((f"{table}.", f"{table}/")))
