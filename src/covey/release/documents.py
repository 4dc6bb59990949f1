"""README.md and datapackage.json, made from a release's manifest and schemas and from nothing else.

Both texts state the fingerprint, so the manifest cannot list their digests; it vouches for them all the same, because
every byte of them follows from it and from the tables. The verifier makes them anew and compares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import Template

from covey.release.about import About
from covey.release.base import Words, counts_persons
from covey.release.kinds import promise_in, release_kind
from covey.release.manifest import NAME as MANIFEST
from covey.release.manifest import PACKAGE, README, Manifest
from covey.release.tables import FLOAT, INT, TEXT, TEXTS, Schema

#: Table → columns → what each means, for tables whose schema does not name its columns.
Named = Mapping[str, Mapping[str, str]]


def documents(manifest: Manifest, named: Named) -> dict[str, bytes]:
    """The texts that a release with this manifest holds beside its tables.; `named` are its `named_columns`."""
    schemas = dict(release_kind(manifest.kind).schemas(manifest))
    for table, columns in named.items():
        schemas[table] = replace(schemas[table], columns=dict.fromkeys(columns, TEXT), says=columns)
    return {README: readme(manifest, schemas), PACKAGE: datapackage(manifest, schemas)}


_WORDS = {INT: "integer", FLOAT: "number", TEXT: "text", TEXTS: "list of text"}


def readme(manifest: Manifest, schemas: Mapping[str, Schema]) -> bytes:
    """The text of `README.md`."""
    kind = release_kind(manifest.kind).words
    parts = [*_head(manifest, kind), *_files(manifest, schemas), *_facts(manifest, kind), *_promise(manifest)]
    parts += [*_use(manifest, kind, schemas), *_seal(manifest), *_terms(manifest)]
    return ("\n\n".join(parts) + "\n").encode()


def _head(manifest: Manifest, kind: Words) -> Iterator[str]:
    yield f"# {plain(manifest.about.get('title', f'Data released under {manifest.guarantee}'))}"
    yield f"This directory is a *{manifest.kind}* release, made by covey {manifest.covey}. What is in it:"
    yield "\n".join(
        f"- {what}: {manifest.counts[name]:,}"
        for name, what in kind.counted(manifest.facts).items()
        if name in manifest.counts
    )


def _files(manifest: Manifest, schemas: Mapping[str, Schema]) -> Iterator[str]:
    yield "## Files"
    for table, schema in schemas.items():
        files = files_of(table, manifest)
        name = files[0] if len(files) == 1 else f"{table}/*.parquet"
        yield f"### {name}"
        if schema.row:
            yield schema.row
        yield "\n".join(_column(column, schema, csv=name.endswith(".csv")) for column in schema.columns or {})
    if any(TEXTS in (schema.columns or {}).values() for schema in schemas.values()) and _is_csv(manifest, schemas):
        yield f"A list in one cell of CSV is its labels {JOINED}."
    yield (
        f"`{MANIFEST}` states what is promised and the SHA-256 of each table. `datapackage.json` describes the tables "
        "for programs (Frictionless Data Package)."
    )


def _column(column: str, schema: Schema, *, csv: bool) -> str:
    assert schema.columns is not None
    type, says = schema.columns[column], schema.says.get(column, "")
    told = f"{_WORDS[type]} in one cell" if csv and type == TEXTS else _WORDS[type]
    return f"- {code(column)} ({told}){f': {says}' if says else ''}"


def _facts(manifest: Manifest, kind: Words) -> Iterator[str]:
    if not manifest.facts:
        return
    yield "## How to read the tables"
    lines = []
    for name, value in sorted(manifest.facts.items()):
        values = [str(one) for one in (value if isinstance(value, list) else [value]) if one != ""]
        if values:
            lines.append(f"- {kind.facts.get(name, name)}: {', '.join(map(code, values))}")
    yield "\n".join(lines)


def _promise(manifest: Manifest) -> Iterator[str]:
    words = promise_in(manifest)
    yield "## What is promised"
    yield f"**{words.short}**"
    yield " ".join((*words.meaning, f"This is `{manifest.guarantee}`, kept by the method `{manifest.method}`."))
    yield "## What is not promised"
    yield "\n".join(f"- {limit}" for limit in words.limits)


def _use(manifest: Manifest, kind: Words, schemas: Mapping[str, Schema]) -> Iterator[str]:
    if not kind.use:
        return
    yield "## How to compute with it"
    places = {name: _source(files_of(name, manifest), schema) for name, schema in schemas.items()}
    labels = "string_split(items, '|')" if _is_csv(manifest, schemas) else "items"
    use = kind.use_by_person if kind.use_by_person and counts_persons(manifest.facts) else kind.use
    yield Template(use).safe_substitute(places, labels=labels)


def _is_csv(manifest: Manifest, schemas: Mapping[str, Schema]) -> bool:
    return any(name.endswith(".csv") and not schemas[name[:-4]].always_csv for name in manifest.files)


def _source(files: list[str], schema: Schema) -> str:
    """What an SQL query reads a table from, in DuckDB."""
    path = files[0] if len(files) == 1 else f"{files[0].rpartition('/')[0]}/*.parquet"
    texts = [f"'{name}': 'VARCHAR'" for name, type in (schema.columns or {}).items() if type in (TEXT, TEXTS)]
    if path.endswith(".csv") and texts:
        return f"read_csv('{path}', types={{{', '.join(texts)}}})"
    return f"'{path}'"


def _seal(manifest: Manifest) -> Iterator[str]:
    yield "## Is it what was published?"
    yield f"Fingerprint: `{manifest.fingerprint}`"
    yield (
        f"This is the SHA-256 of `{MANIFEST}`. Whoever changes the files can change it, too: the publisher must give "
        "you theirs by another way. With it, check every file, this one included, and the promise itself with covey "
        "(Python; install it with `pip install .` in a copy of its source):\n\n    covey verify . --fingerprint "
        "FINGERPRINT-YOU-WERE-GIVEN"
    )


def _terms(manifest: Manifest) -> Iterator[str]:
    about = manifest.about
    if "license" in about:
        yield f"## License\n\n{code(about['license'])}"
    if "contact" in about:
        yield f"## Contact\n\n{code(about['contact'])}"


def code(text: str) -> str:
    """Text from the data as a piece of code in Markdown, on one line, whatever is in it.

    Examples
    --------
    >>> code("age"), code("a`b"), code("two\\nlines")
    ('`age`', '`` a`b ``', '`"two\\\\nlines"`')
    """
    shown = text if text.isprintable() and text.strip() == text != "" else json.dumps(text)
    if "`" not in shown:
        return f"`{shown}`"
    longest = max(map(len, re.findall("`+", shown)))
    fence = "`" * (longest + 1)
    return f"{fence} {shown} {fence}"


def plain(text: str) -> str:
    """Text of a publisher's own in Markdown, without any marks taking effect.

    Examples
    --------
    >>> plain("Sales *2024* <b>")
    'Sales \\\\*2024\\\\* \\\\<b\\\\>'
    """
    return "".join(f"\\{c}" if c in r"\`*_{}[]<>#|!&~" else c for c in text)


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
    """The text of `datapackage.json`, for programs that read Frictionless Data Packages (version 2)."""
    about = About(**manifest.about)
    promise = promise_in(manifest)
    body: dict[str, object] = {
        "$schema": PROFILE,
        "name": f"covey-{manifest.kind}-release",
        "id": f"sha256:{manifest.fingerprint}",
        "description": f"{promise.short} ({manifest.guarantee}, kept by {manifest.method}.) See README.md.",
        "resources": [_resource(name, schema, manifest) for name, schema in schemas.items()],
    }
    told = {"title": about.title, "licenses": about.licenses(), "contributors": about.contributors()}
    body |= {name: value for name, value in told.items() if value}
    return (json.dumps(body, indent=2, ensure_ascii=False) + "\n").encode()


def _resource(name: str, schema: Schema, manifest: Manifest) -> dict[str, object]:
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


def _table_schema(schema: Schema, *, csv: bool) -> dict[str, object]:
    columns = schema.columns or {}
    body: dict[str, object] = {"fields": [_field(column, schema, csv=csv) for column in columns]}
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


def _field(column: str, schema: Schema, *, csv: bool) -> dict[str, object]:
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
