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

#: Where the names of sensitive items go when they cannot be written as a comma-separated list.
SENSITIVE = "sensitive.txt"

#: More names than this are easier to keep in a file.
FEW = 12


def commands(dataset: Dataset, job: Job, *, uses_taxonomy: bool) -> Commands:
    """The equivalent of a job; files are named as they were given, to be run where they are."""
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
    words = ["covey", "anonymize", "prepared.covey", "-o", "release"]
    words += ["--guarantee", job.guarantee, "--method", job.method]
    if uses_taxonomy and dataset.taxonomy:
        words += ["--taxonomy", dataset.taxonomy]
    for name, value in job.options.items():
        words += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    if job.seed is not None:
        words += ["--seed", str(job.seed)]
    if job.audit is not None:
        words += ["--audit", f"{job.audit:g}"]
    for name, text in job.about.items():
        words += ["--about", f"{name}={text}"]
    return f"{_prepared(dataset, job, SENSITIVE if apart else ','.join(sensitive))} && {shlex.join(words)}"


def _prepared(dataset: Dataset, job: Job, sensitive: str) -> str:
    """The command that makes a dataset of the file, with the options it was read with."""
    words = ["covey", "prepare", dataset.name, "-o", "prepared.covey", "--kind", job.kind]
    words += ["--sensitive", sensitive] if sensitive else []
    declared = {option.name: option for option in data_kind(job.kind).options}
    for name, value in dataset.options.items():
        words.append(declared[name].flag or f"--{name}")
        if not declared[name].switch:
            words.append(",".join(value) if isinstance(value, list) else str(value))
    for name, file in dataset.files.items():
        words += [declared[name].flag or f"--{name}", file]
    for column, file in dataset.hierarchies.items():
        words += ["--hierarchy", f"{column}={file}"]
    return shlex.join(words)


def _python(dataset: Dataset, job: Job, sensitive: Sequence[str], uses_taxonomy: bool) -> str:
    named: dict[str, Any] = {"kind": job.kind, **dataset.options, **dataset.files}
    given: dict[str, Any] = {"sensitive": sensitive or None, "hierarchies": dataset.hierarchies or None}
    given |= {"seed": job.seed, "audit": job.audit}
    named |= {name: value for name, value in given.items() if value is not None}
    named |= job.about
    named |= job.options
    if uses_taxonomy and dataset.taxonomy:
        named["taxonomy"] = dataset.taxonomy
    lines = [
        "import covey",
        "",
        _call("published = covey.publish", [dataset.name, "release", job.guarantee, job.method], named),
        "print(published.verdict.holds, published.manifest.fingerprint)",
        "",
    ]
    return "\n".join(lines)


def _call(head: str, positional: Sequence[str], named: Mapping[str, Any]) -> str:
    """A call, on one line if it is short."""
    parts = [repr(text) for text in positional]
    parts += [f"{name}={pprint.pformat(value, width=90, compact=True)}" for name, value in named.items()]
    line = f"{head}({', '.join(parts)})"
    if len(line) <= 100 and "\n" not in line:
        return line
    inside = "".join(f"    {part},\n".replace("\n ", "\n     ") for part in parts)
    return f"{head}(\n{inside})"
