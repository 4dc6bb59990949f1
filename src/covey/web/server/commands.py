"""How to do what the page did without it: a command line and a Python script."""

from __future__ import annotations

import pprint
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from covey.data.kinds import data_kind
from covey.web.records.datasets import Dataset
from covey.web.records.jobs import Job
from covey.web.records.results import Commands

#: Where the names of sensitive items go when they cannot be written as a comma list.
SENSITIVE = "sensitive.txt"

#: More names than this are easier to keep in a file.
FEW = 12


def commands(dataset: Dataset, job: Job, *, uses_taxonomy: bool) -> Commands:
    """The equivalent of a job; files are named as they were given, to be run where they are.

    Parameters
    ----------
    dataset : Dataset
        As it was read for the job.
    job : Job
        What was made of it.
    uses_taxonomy : bool
        Whether the method takes the taxonomy.
    """
    sensitive = list(job.sensitive)
    apart = bool(sensitive) and (
        len(sensitive) > FEW or any("," in label or label != label.strip() for label in sensitive)
    )
    apart = apart and not data_kind(job.kind).by_roles
    return Commands(
        command=_command(dataset, job, sensitive, apart, uses_taxonomy),
        python=_python(dataset, job, sensitive, uses_taxonomy),
        files=[SENSITIVE] if apart else [],
    )


def _command(dataset: Dataset, job: Job, sensitive: Sequence[str], apart: bool, uses_taxonomy: bool) -> str:
    words = [
        "covey",
        "anonymize",
        dataset.name,
        "-o",
        "release",
        "--guarantee",
        job.guarantee,
        "--method",
        job.method,
    ]
    if sensitive:
        words += ["--sensitive", SENSITIVE if apart else ",".join(sensitive)]
    if uses_taxonomy and dataset.taxonomy:
        words += ["--taxonomy", dataset.taxonomy]
    for name, value in job.options.items():
        words += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    if job.seed is not None:
        words += ["--seed", str(job.seed)]
    if job.audit is not None:
        words += ["--audit", f"{job.audit:g}"]
    words += ["--kind", job.kind]
    for name, value in dataset.options.items():
        words += [f"--{name}", ",".join(value) if isinstance(value, list) else str(value)]
    for column, file in dataset.hierarchies.items():
        words += ["--hierarchy", f"{column}={file}"]
    return shlex.join(words)


def _python(dataset: Dataset, job: Job, sensitive: Sequence[str], uses_taxonomy: bool) -> str:
    reader = {"baskets": "read", "ratings": "read_ratings", "table": "read_table"}[job.kind]
    reading: dict[str, Any] = dict(dataset.options)
    if sensitive:
        reading["sensitive"] = list(sensitive)
    if dataset.hierarchies:
        reading["hierarchies"] = dict(dataset.hierarchies)
    making: dict[str, Any] = {"seed": job.seed} if job.seed is not None else {}
    if job.audit is not None:
        making["audit"] = job.audit
    making |= job.options
    if uses_taxonomy and dataset.taxonomy:
        making["taxonomy"] = dataset.taxonomy
    lines = [
        "import covey",
        "",
        _call(f"data = covey.{reader}", [dataset.name], reading),
        _call(
            "published = covey.publish",
            ["data", "release", job.guarantee, job.method],
            making,
            bare=("data",),
        ),
        "print(published.verdict.holds, published.manifest.fingerprint)",
        "",
    ]
    return "\n".join(lines)


def _call(head: str, positional: Sequence[str], named: Mapping[str, Any], bare: Sequence[str] = ()) -> str:
    """A call, on one line if it is short."""
    parts = [text if text in bare else repr(text) for text in positional]
    parts += [f"{name}={pprint.pformat(value, width=90, compact=True)}" for name, value in named.items()]
    line = f"{head}({', '.join(parts)})"
    if len(line) <= 100 and "\n" not in line:
        return line
    inside = "".join(f"    {part},\n".replace("\n ", "\n     ") for part in parts)
    return f"{head}(\n{inside})"
