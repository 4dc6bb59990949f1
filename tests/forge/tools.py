"""A forger's workshop: honest releases of every kind, and what it takes to change one and seal it again.

Sealing is written here anew, without covey, so that a fault in covey's own sealing would show.
"""

import csv as csv_module
import hashlib
import json
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import covey
from covey.release.documents import documents
from covey.release.manifest import read_manifest
from covey.release.store import read_tables
from covey.release.tables import write_table
from covey.release.trace import read_trace, write_trace
from forge import originals


@dataclass(frozen=True)
class Recipe:
    """How an honest release is made."""

    guarantee: str
    method: str
    data: Any
    taxonomy: Any = None


def _baskets(secrets):
    marked = originals.SECRETS if secrets else []
    return covey.Baskets.of(originals.transactions(secrets=secrets), sensitive=marked)


def _table():
    return covey.Table.of(originals.people(), sensitive=["illness"], other=["visits"])


def _ratings():
    rows = originals.survey()
    return covey.Ratings.of(rows, issues=originals.ISSUES, scale="0:4", sensitive=["illness"])


def _records():
    columns = {name: originals.people(90)[name] for name in ("age", "city", "visits")}
    return covey.Records.of(columns, originals.transactions(secrets=False), other=["visits"])


def _patients():
    told = originals.people(90)
    # An illness that more than 1 in p have allows no degree; what is missing is no secret.
    told["illness"] = [one if i % 2 and one != "none" else None for i, one in enumerate(told["illness"])]
    secrets = ["illness", *originals.SECRETS]
    return covey.Records.of(told, originals.transactions(), sensitive=secrets, other=["visits"])


def _taxonomy():
    return covey.Taxonomy.from_paths(originals.taxonomy_paths())


#: One of every kind and way of recoding.
RECIPES = {
    "grouped": lambda: Recipe("degree(p=4)", "cahd(merge=false)", _baskets(True)),
    "suppressed": lambda: Recipe("k-anonymity(k=3)", "pattern-ka", _baskets(False)),
    "global": lambda: Recipe("km-anonymity(k=12, m=2)", "mhghs", _baskets(False), _taxonomy()),
    "local": lambda: Recipe("k-anonymity(k=3)", "lg", _baskets(False), _taxonomy()),
    "private": lambda: Recipe("coherence(h=0.6, k=4, p=2)", "mm", _baskets(True)),
    "table": lambda: Recipe("l-diversity(l=2, k=3, kind=distinct)", "mondrian", _table()),
    "ratings": lambda: Recipe("k-eps-l(k=3, epsilon=1, l=0.3)", "suppress", _ratings()),
    "chunks": lambda: Recipe("km-anonymity(k=5, m=2)", "disassociation(cluster=20)", _baskets(False)),
    "patients": lambda: Recipe("degree(p=4)", "cahd(merge=false)", _patients()),
    "records": lambda: Recipe("k-km-anonymity(k=4, m=2)", "rt-merge", _records(), _taxonomy()),
}
KINDS = list(RECIPES)
#: What explains a release; the manifest does not list it, since it follows from the manifest.
DOCUMENTS = ("README.md", "datapackage.json")


@dataclass
class Forged:
    """A release that is being tampered with.

    Attributes
    ----------
    path : Path
        The directory.
    original : object
        What it was honestly made from.
    taxonomy : Taxonomy or None
        What it was generalized along.
    sealing : bool
        Whether changes are sealed at once.
    """

    path: Path
    original: Any
    taxonomy: Any = None
    kind: str = ""
    trace: Any = None
    files: dict[str, str] = field(default_factory=dict)

    @property
    def manifest(self):
        return json.loads((self.path / "manifest.json").read_text())

    @property
    def csv(self):
        return not any(self.path.glob("*.parquet"))

    @property
    def main(self):
        """The name of the largest table."""
        first = {
            "grouped": "transactions",
            "patients": "transactions",
            "table": "table",
            "ratings": "ratings",
            "records": "table",
            "chunks": "chunks",
        }.get(self.kind)
        return first or "sets"

    def file(self, table):
        """The file of a table."""
        return next(path for path in sorted(self.path.iterdir()) if path.stem == table)

    def seal(self, *, explain=True, **changes):
        """Write the manifest anew, with the digests of all files that are there, and with `changes`.

        Unless told otherwise, what explains the release is made anew too: a forger has covey for that.
        """
        body = {**self.manifest, **changes}
        if "files" not in changes:
            beside = {"manifest.json", *DOCUMENTS}
            names = [path for path in self.path.rglob("*") if path.is_file()]
            found = {path.relative_to(self.path).as_posix(): sha256(path.read_bytes()) for path in names}
            body["files"] = {name: digest for name, digest in found.items() if name not in beside}
        self.write_manifest(body)
        if explain and all((self.path / name).is_file() for name in DOCUMENTS):
            self.explain()
        return self

    def explain(self):
        """Write what explains the release anew, as far as it can still be read at all."""
        with suppress(Exception):
            manifest = read_manifest(self.path)
            for name, text in documents(manifest, read_tables(self.path, manifest)[0].named_columns()).items():
                (self.path / name).write_bytes(text)

    def write_manifest(self, body):
        body = {key: value for key, value in body.items() if key != "digest"}
        body["digest"] = sha256(canonical(body))
        (self.path / "manifest.json").write_bytes(canonical(body))

    def state(self, entry, **values):
        """Change values inside one entry of the manifest; None takes a value away."""
        inside = {**self.manifest[entry], **values}
        return self.seal(**{entry: {name: value for name, value in inside.items() if value is not None}})

    def rows(self, table):
        """A table, whatever its format, with plain texts."""
        path = self.file(table)
        if path.suffix == ".parquet":
            return pq.read_table(path)
        with path.open(newline="", encoding="utf-8") as stream:
            header, *rows = csv_module.reader(stream)
        return pa.table({name: [row[i] for row in rows] for i, name in enumerate(header)})

    def replace(self, table, rows, **options):
        """Write another Parquet table in place of one, as covey would write it unless `options` say otherwise."""
        write_parquet(self.file(table), rows, **options)
        return self.seal()

    def change(self, table, name, values):
        """Write a table with what `values` makes of the list of one column, of its type where that is possible."""
        rows = self.rows(table)
        made = values(rows[name].to_pylist())
        try:
            found = pa.array(made, rows.schema.field(name).type)
        except pa.ArrowException:
            found = pa.array(made)
        if found.to_pylist() != made:  # Arrow cuts 1.9 to 1 for a column of whole numbers
            found = pa.array(made)
        return self.replace(table, column(rows, name, found))

    def text(self, name, change):
        """Change the bytes of a file."""
        path = self.path / name
        path.write_bytes(change(path.read_bytes()))
        return self.seal(explain=name not in DOCUMENTS)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def canonical(body):
    return (json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def write_parquet(path, rows, **options):
    """Write Parquet as covey would write these rows, if it can and `options` do not say otherwise."""
    if not options:
        with suppress(IndexError, UnicodeDecodeError), path.open("wb") as sink:
            write_table(rows.to_batches() or [pa.RecordBatch.from_pylist([], rows.schema)], sink, csv=False)
            return
    pq.write_table(rows, path, **{"compression": "zstd", "store_schema": False, **options})


def column(rows, name, values):
    """The table with other values in one column, of the type that they have."""
    return rows.set_column(rows.column_names.index(name), name, values)


def publish(kind, folder, *, csv=False):
    """Make an honest release."""
    recipe = RECIPES[kind]()
    given = {"taxonomy": recipe.taxonomy, "csv": csv, "seed": 11, "trace": folder.with_name(f"{folder.name}.npz")}
    covey.publish(recipe.data, folder, recipe.guarantee, recipe.method, **given)
    trace = read_trace(given["trace"], covey.read_release(folder))
    return Forged(folder, recipe.data, recipe.taxonomy, kind, trace)


def copied(release, folder):
    """The release in another place, to be tampered with."""
    shutil.copytree(release.path, folder)
    return Forged(folder, release.original, release.taxonomy, release.kind, release.trace)


def traced(release):
    """The file with the true trace, as a forger could write it for the forged release; nothing where that is no use."""
    try:
        found = covey.read_release(release.path)
    except (covey.CoveyError, OSError):
        return ()
    target = release.path.with_name(f"{release.path.name}.npz")
    write_trace(target, release.trace, found, force=True)
    return (target,)


def verdicts(release, taxonomy=True):
    """What covey says of a release from its files alone, and with the original and the true trace."""
    tree, trace = release.taxonomy if taxonomy else None, () if release.trace is None else traced(release)
    return [covey.verify(release.path), covey.verify(release.path, release.original, taxonomy=tree, trace=trace)]


def refused(release, why=""):
    """Require that a release is refused with and without its original, for this reason."""
    for verdict in verdicts(release):
        told = "; ".join(f"{check.name}: {check.detail}" for check in verdict.failures())
        assert not verdict.holds, "it was accepted"
        assert why in told, told


def found_by_the_original(release, *names):
    """Require that nothing is wrong with the files alone, and that these checks fail with the original."""
    alone, compared = verdicts(release)
    assert alone.holds, alone.failures()
    assert [check.name for check in compared.failures()] == list(names)


def accepted(release):
    """Require that a release is accepted with and without its original."""
    for verdict in verdicts(release):
        assert verdict.holds, verdict.failures()
