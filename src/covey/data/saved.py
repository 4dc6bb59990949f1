"""Datasets on disk: a directory ``NAME.covey`` with ``dataset.json``, Parquet tables, and traces.

Only the owner can read the directory. ``dataset.json`` states what the tables hold, how they were read and their
digests, and ends with a digest of itself, so that damage and edits by hand are found when it is loaded. What is in
``traces/`` is added later and is in no digest.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from covey import errors
from covey.data.baskets import Baskets
from covey.data.hierarchy import Hierarchy
from covey.data.ratings import Ratings
from covey.data.records import Records
from covey.data.scale import Scale
from covey.data.table import Column, Table
from covey.errors import CoveyWarning, InputError
from covey.staging import is_dataset, staged, writing

#: The version of the layout that is written and read here.
VERSION = 1
_NAME = "dataset.json"
_AGAIN = "Make it again with covey prepare."

Dataset = Baskets | Ratings | Table | Records
Tables = dict[str, pa.Table]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a dataset comes from: for its owner, and for reading the next file with the same choices."""

    #: Name, size and SHA-256 of each file that was read.
    files: tuple[Mapping[str, Any], ...] = ()
    #: The reading options that were given, by the names that `covey.read` has for them.
    choices: Mapping[str, Any] = field(default_factory=dict)
    #: What was warned of while reading, which is told again when the dataset is loaded.
    warned: tuple[CoveyWarning, ...] = ()


def save(data: Dataset, path: str | os.PathLike[str], *, origin: Origin | None = None, force: bool = False) -> Path:
    """Write data to a directory that only its owner can read; complete or not at all.

    With `force`, a dataset that is there already is moved aside to ``PATH.1``, with its traces.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(Baskets.of([["wine", "test"], []], sensitive=["test"]), f"{folder}/shop.covey")
    ...     load(path)
    Baskets(2 transactions, 2 items, 2 entries, 1 sensitive)
    """
    from covey import __version__

    target, told = Path(path), origin or Origin()
    facts, tables = _packed(data)
    with staged(target, force=force, what="dataset", private=True) as stage, writing(target):
        for name, table in tables.items():
            pq.write_table(table, stage / name, compression="zstd")
        (stage / "traces").mkdir()
        body = {
            "format": f"covey-dataset/{VERSION}",
            "covey": __version__,
            "kind": data.kind,
            "files": [dict(file) for file in told.files],
            "choices": dict(told.choices),
            "warned": [_told(one) for one in told.warned],
            "content": facts,
            "tables": {name: _digest(stage / name) for name in tables},
        }
        (stage / _NAME).write_bytes(_written(body | {"digest": hashlib.sha256(_written(body)).hexdigest()}))
    return target


def load(path: str | os.PathLike[str]) -> Any:
    """Return the data of a saved dataset; its `directory` is where it was loaded from.

    Raises
    ------
    InputError
        There is no dataset, it was damaged or edited, or a newer covey wrote it.
    """
    directory = Path(path)
    body = read_description(directory)
    tables: Tables = {}
    for name, digest in body["tables"].items():
        try:
            if _digest(directory / name) != digest:
                raise _damaged(directory, f"{name} is not the file that was written")
            tables[name] = pq.read_table(directory / name)
        except (OSError, pa.ArrowException) as error:
            raise _damaged(directory, f"{name} cannot be read ({str(error).splitlines()[0]})") from None
    try:
        data = _unpacked(body["kind"], body["content"], tables)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, InputError, pa.ArrowException) as error:
        raise _damaged(directory, f"its tables do not fit together ({error})") from None
    return replace(data, directory=directory)


def read_description(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what ``dataset.json`` states: kind, files, choices, what was dropped; tables are not read."""
    directory = Path(path)
    if not is_dataset(directory):
        what = "is not a saved dataset" if directory.exists() else "does not exist"
        raise InputError(what, file=str(path), remedy="covey prepare FILE -o NAME.covey makes one.")
    try:
        body = json.loads((directory / _NAME).read_bytes())
        version = int(str(body["format"]).removeprefix("covey-dataset/"))
        if version > VERSION:
            raise InputError(
                f"was written by a newer covey ({body.get('covey')}, format {version}); this one reads {VERSION}",
                file=str(path),
                remedy="Update covey, or prepare the data again.",
            )
        stated = body.pop("digest")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _damaged(directory, f"{_NAME} cannot be understood") from None
    if hashlib.sha256(_written(body)).hexdigest() != stated:
        raise _damaged(directory, f"{_NAME} was changed after it was written")
    found: dict[str, Any] = body
    return found


def traces(directory: str | os.PathLike[str]) -> Path:
    """Return the folder for traces in a dataset directory; see `Baskets.directory`."""
    return Path(directory) / "traces"


def spend(directory: str | os.PathLike[str], fingerprint: str, epsilon: float) -> float:
    """Add a release with differential privacy to the ledger of a dataset, and return the sum of its epsilons.

    Only releases from this directory are seen: copies of it, and data that were prepared from a later file about the
    same people, have ledgers of their own.
    """
    ledger = traces(directory) / "epsilon.jsonl"
    with ledger.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"fingerprint": fingerprint, "epsilon": epsilon}) + "\n")
    return float(sum(json.loads(line)["epsilon"] for line in ledger.read_text(encoding="utf-8").splitlines()))


def warned(path: str | os.PathLike[str]) -> list[CoveyWarning]:
    """Return what was warned of while the data was read, such as rows that were left out."""
    return [_warning(one) for one in read_description(path)["warned"]]


def _told(warning: CoveyWarning) -> dict[str, Any]:
    values = asdict(warning) if is_dataclass(warning) else {"text": str(warning)}
    return {"type": type(warning).__name__, **values}


def _warning(told: Mapping[str, Any]) -> CoveyWarning:
    """A warning as it was; one of a kind that is gone has its figures as text."""
    values = dict(told)
    kind: type[Any] = getattr(errors, values.pop("type"), CoveyWarning)
    try:
        made: Any = kind(values["text"]) if kind is CoveyWarning else kind(**values)
    except (KeyError, TypeError):
        made = CoveyWarning(", ".join(f"{name}: {value}" for name, value in values.items()))
    return made if isinstance(made, CoveyWarning) else CoveyWarning(str(told))


def _damaged(directory: Path, problem: str) -> InputError:
    return InputError(f"the dataset is damaged: {problem}", file=str(directory), remedy=_AGAIN)


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _written(body: Mapping[str, Any]) -> bytes:
    return (json.dumps(body, indent=1, ensure_ascii=True) + "\n").encode()


def _packed(data: Dataset) -> tuple[dict[str, Any], Tables]:
    """What is stated about data, and its tables, by the names of their files."""
    if isinstance(data, Baskets):
        return _packed_baskets(data)
    if isinstance(data, Ratings):
        return _packed_ratings(data)
    if isinstance(data, Table):
        return _packed_table(data)
    facts, tables = _packed_table(data.attributes)
    items, more = _packed_baskets(data.baskets)
    return {**items, **facts}, {**tables, **more}


def _unpacked(kind: str, facts: Mapping[str, Any], tables: Tables) -> Any:
    if kind == "baskets":
        return _unpacked_baskets(tables)
    if kind == "ratings":
        return _unpacked_ratings(facts, tables)
    if kind == "table":
        return _unpacked_table(facts, tables)
    return Records(_unpacked_table(facts, tables), _unpacked_baskets(tables))


def _packed_baskets(baskets: Baskets) -> tuple[dict[str, Any], Tables]:
    rows = {"items": pa.LargeListArray.from_arrays(baskets.indptr, pa.array(baskets.indices))}
    tables = {
        "transactions.parquet": pa.table(_with_person(rows, baskets)),
        "items.parquet": pa.table({"item": pa.array(baskets.items, pa.string()), "sensitive": baskets.sensitive}),
    }
    if baskets.names is not None:
        tables["persons.parquet"] = pa.table({"digest": baskets.names})
    pairs = [(text, item) for text, items in baskets.aliases.items() for item in items]
    if pairs:
        tables["aliases.parquet"] = pa.table({"text": [text for text, _ in pairs], "item": [item for _, item in pairs]})
    return {}, tables


def _unpacked_baskets(tables: Tables) -> Baskets:
    rows, items = tables["transactions.parquet"], tables["items.parquet"]
    indptr, indices = _lists(rows, "items")
    aliases: dict[str, tuple[str, ...]] = {}
    if "aliases.parquet" in tables:
        for row in tables["aliases.parquet"].to_pylist():
            aliases[row["text"]] = (*aliases.get(row["text"], ()), row["item"])
    return Baskets(
        indptr=indptr,
        indices=indices,
        items=tuple(items["item"].to_pylist()),
        sensitive=_values(items, "sensitive"),
        person=_values(rows, "person") if "person" in rows.column_names else None,
        names=_values(tables["persons.parquet"], "digest") if "persons.parquet" in tables else None,
        aliases=aliases,
    )


def _packed_ratings(ratings: Ratings) -> tuple[dict[str, Any], Tables]:
    scale = ratings.scale
    facts = {"low": scale.low, "high": scale.high, "step": scale.step, "continuous": scale.continuous}
    rows = {
        "user": pa.array(ratings.users, pa.string()),
        "issues": pa.LargeListArray.from_arrays(ratings.indptr, pa.array(ratings.indices)),
        "codes": pa.LargeListArray.from_arrays(ratings.indptr, pa.array(ratings.codes)),
    }
    issues = {"issue": pa.array(ratings.issues, pa.string()), "sensitive": ratings.sensitive}
    return {"scale": facts}, {"respondents.parquet": pa.table(rows), "issues.parquet": pa.table(issues)}


def _unpacked_ratings(facts: Mapping[str, Any], tables: Tables) -> Ratings:
    rows, issues = tables["respondents.parquet"], tables["issues.parquet"]
    indptr, indices = _lists(rows, "issues")
    return Ratings(
        indptr=indptr,
        indices=indices,
        codes=_lists(rows, "codes")[1],
        issues=tuple(issues["issue"].to_pylist()),
        sensitive=_values(issues, "sensitive"),
        scale=Scale(**facts["scale"]),
        users=tuple(rows["user"].to_pylist()),
    )


def _packed_table(table: Table) -> tuple[dict[str, Any], Tables]:
    """The codes of each column, and one table of all values and of the nodes of hierarchies above them."""
    columns = [{"name": one.name, "role": one.role, "values": len(one.values)} for one in table.columns]
    rows = {str(number): one.codes for number, one in enumerate(table.columns)}
    nodes = pa.concat_tables([_nodes(number, one) for number, one in enumerate(table.columns)])
    tables = {"rows.parquet": pa.table(_with_person(rows, table)), "values.parquet": nodes}
    if table.names is not None:
        tables["persons.parquet"] = pa.table({"digest": table.names})
    return {"columns": columns, "left_out": list(table.left_out)}, tables


_NODES = pa.schema(
    [("column", pa.int32()), ("label", pa.string()), ("number", pa.float64()), ("parent", pa.int32()),
     ("first", pa.int32()), ("last", pa.int32())]
)  # fmt: skip


def _nodes(number: int, column: Column) -> pa.Table:
    tree = column.hierarchy
    labels = column.values if tree is None else tree.labels
    of_tree = [None] * 3 if tree is None else [tree.parent, tree.first, tree.last]
    found = [np.full(len(labels), number, np.int32), labels, column.numbers, *of_tree]
    arrays = [
        pa.nulls(len(labels), one.type) if values is None else pa.array(values, one.type)
        for values, one in zip(found, _NODES, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=_NODES)


def _unpacked_table(facts: Mapping[str, Any], tables: Tables) -> Table:
    rows, nodes = tables["rows.parquet"], tables["values.parquet"]
    of_column = _values(nodes, "column")
    columns = []
    for number, told in enumerate(facts["columns"]):
        own = nodes.filter(pa.array(of_column == number))
        labels, leaves = tuple(own["label"].to_pylist()), told["values"]
        numeric = own.num_rows > 0 and own["parent"].null_count == own.num_rows
        tree = [_values(own, name) for name in ("parent", "first", "last")] if not numeric else []
        columns.append(
            Column(
                name=told["name"],
                role=told["role"],
                codes=_values(rows, str(number)),
                values=labels[:leaves],
                numbers=_values(own, "number") if numeric else None,
                hierarchy=Hierarchy(labels, leaves, *tree) if tree else None,
            )
        )
    return Table(
        tuple(columns),
        _values(rows, "person") if "person" in rows.column_names else None,
        _values(tables["persons.parquet"], "digest") if "persons.parquet" in tables else None,
        tuple(facts["left_out"]),
    )


def _with_person(rows: Mapping[str, Any], data: Baskets | Table) -> dict[str, Any]:
    return dict(rows) if data.person is None else {**rows, "person": data.person}


def _values(table: pa.Table, name: str) -> Any:
    """A column as an array of its own."""
    return np.array(table[name].to_numpy())


def _lists(table: pa.Table, name: str) -> tuple[Any, Any]:
    """A column of lists as offsets and values."""
    lists = table[name].combine_chunks()
    return np.array(lists.offsets, np.int64), np.array(lists.flatten())
