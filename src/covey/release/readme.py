"""README.md: what a release is, for the people who receive it. Every word follows from the manifest and the schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from string import Template

from covey.release.datapackage import JOINED, files_of
from covey.release.kinds import ReleaseKind, release_kind
from covey.release.manifest import NAME as MANIFEST
from covey.release.manifest import Manifest
from covey.release.tables import FLOAT, INT, TEXT, TEXTS, Schema
from covey.release.words import promise_in

_TYPES = {INT: "integer", FLOAT: "number", TEXT: "text", TEXTS: "list of text"}


def readme(manifest: Manifest, schemas: Mapping[str, Schema]) -> bytes:
    """The text of `README.md`.

    Parameters
    ----------
    manifest : Manifest
        Of the release.
    schemas : mapping
        Its tables, each with its columns.
    """
    kind = release_kind(manifest.kind)
    parts = [*_head(manifest, kind), *_files(manifest, schemas), *_facts(manifest, kind), *_promise(manifest)]
    parts += [*_use(manifest, kind, schemas), *_seal(manifest), *_terms(manifest)]
    return ("\n\n".join(parts) + "\n").encode()


def _head(manifest: Manifest, kind: ReleaseKind) -> Iterator[str]:
    yield f"# {plain(manifest.about.get('title', 'Anonymized data'))}"
    yield f"This directory is a *{kind.name}* release, made by covey {manifest.covey}. What is in it:"
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
    told = f"{_TYPES[type]} in one cell" if csv and type == TEXTS else _TYPES[type]
    return f"- {code(column)} ({told}){f': {says}' if says else ''}"


def _facts(manifest: Manifest, kind: ReleaseKind) -> Iterator[str]:
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


def _use(manifest: Manifest, kind: ReleaseKind, schemas: Mapping[str, Schema]) -> Iterator[str]:
    if not kind.use:
        return
    yield "## How to compute with it"
    places = {name: _source(files_of(name, manifest), schema) for name, schema in schemas.items()}
    labels = "string_split(items, '|')" if _is_csv(manifest, schemas) else "items"
    yield Template(kind.use).safe_substitute(places, labels=labels)


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
        f"This is the SHA-256 of `{MANIFEST}`. Compare it with the one that the publisher gave you by another route, "
        "then check every file, this one included, and the promise itself with covey (Python; install it with `pip "
        f"install .` in a copy of its source):\n\n    covey verify . --fingerprint {manifest.fingerprint[:16]}"
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
