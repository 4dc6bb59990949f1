"""The taxonomy of a dataset's items: attached, proposed, looked at and edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from covey.data import Taxonomy
from covey.data.tree_editing import edited
from covey.errors import InputError
from covey.io.trees import read_taxonomy, write_taxonomy
from covey.report.taxonomy_view import node_supports
from covey.web.data import PREPARED, Dataset, Datasets
from covey.web.jobs import Job
from covey.web.problems import NotFound

#: Children of a node that are shown at once, and groups that are offered.
CHILDREN, GROUPS = 200, 2_000


def attach(datasets: Datasets, data: Dataset, name: str, path: Path) -> None:
    """Use a file that has arrived as the taxonomy, if it has any of the items."""
    try:
        tree = read_taxonomy(path)
        if lacking(tree, data) == len(data.supports):
            first = next(iter(data.supports))
            remedy = f"Its column child must hold items as the data writes them, such as {first!r}."
            raise InputError("has none of the items of the data", file=name, remedy=remedy)
        kept = datasets.keep(data.id, name, path)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, InputError) and error.args:
            error.args = (str(error.args[0]).replace(str(path), name), *error.args[1:])
        raise
    datasets.change(data.id, lambda choices: replace(choices, taxonomy=str(kept)))


def taxonomy_of(data: Dataset) -> tuple[Path, Taxonomy]:
    """Return where the taxonomy of a dataset is, and what it is."""
    if data.choices.taxonomy is None:
        raise NotFound("This data has no taxonomy. Add one, or let covey propose one.")
    path = Path(data.choices.taxonomy)
    return path, read_taxonomy(path)


def lacking(tree: Taxonomy, data: Dataset) -> int:
    """Return how many items of the data are not in a taxonomy."""
    return sum(item not in tree for item in data.supports)


def propose(datasets: Datasets, data: Dataset, by: str) -> Job:
    """Return the job that proposes a taxonomy of the items; its file is ``taxonomy.csv`` in its directory."""

    grounds = ["--by", by] if by else []

    def suggest(path: Path) -> list[str]:
        written = ["-o", str(path / "taxonomy.csv"), *grounds, "--no-cost"]
        return ["taxonomy", "suggest", str(path / PREPARED), *written]

    return datasets.run(data, "tree", suggest, key=by, marked=False)


def edit(datasets: Datasets, data: Dataset, what: str, label: str, target: str) -> None:
    """Rename, move or merge a node."""
    path, tree = taxonomy_of(data)
    half = path.with_name(f".{path.name}.csv")
    write_taxonomy(edited(tree, what, label, target), half, force=True)
    attach(datasets, data, path.name, half)


def node_of(data: Dataset, label: str) -> Mapping[str, Any]:
    """Return a node of the taxonomy with its path from the root and its children, the most frequent first."""
    _, tree = taxonomy_of(data)
    node = tree.node(label) if label else 0
    supports = node_supports(tree, data.supports)
    children = sorted(tree.children(node).tolist(), key=lambda child: (-int(supports[child]), child))
    above, at = [], int(tree.parent[node])
    while at >= 0:
        above.append(tree.labels[at])
        at = int(tree.parent[at])

    def shown(one: int) -> dict[str, Any]:
        inner = bool(tree.last[one] > one)
        counts = {"items": int(tree.leaves[one]) if inner else 0, "support": int(supports[one])}
        return {"label": tree.labels[one], **counts}

    return {
        **shown(node),
        "above": above[::-1],
        "children": [shown(child) for child in children[:CHILDREN]],
        "more": max(len(children) - CHILDREN, 0),
        "groups": [tree.labels[one] for one in range(tree.size) if tree.last[one] > one][:GROUPS],
        "levels": tree.shape()["nodes_by_depth"],
    }
