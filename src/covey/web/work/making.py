"""Making a release in a worker: publish, pack, measure, report; the same functions as the command line's."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from covey.api.making import anonymize, publish
from covey.errors import CoveyError
from covey.guarantees import guarantee as parse_guarantee
from covey.io import read_taxonomy
from covey.io.archive import pack
from covey.registry import find
from covey.release import read_release
from covey.release.trace import find_trace
from covey.report.cost import Cost, cost_of_release
from covey.report.findings import examine_release
from covey.report.release_page import release_page
from covey.report.trade import asked_strengths
from covey.staging import write_whole
from covey.web.records.files import ARCHIVE, RELEASE, REPORT, RESULTS
from covey.web.work.originals import read, renamed
from covey.web.work.reporting import Reporter, plain

#: The trace of a release while it is measured.
TRACE = "trace.npz"
#: Findings that are kept as they are.
FOUND = ["utility", "attacks", "uniqueness", "sizes", "columns", "risk_before", "risk_after"]
FOUND += ["found_before", "found_after"]

#: The share of detail that a release may lose before weaker promises are tried, too, and how many.
MOST_LOST, TRIED = 0.5, 2


def make_release(
    source: Mapping[str, Any],
    folder: str,
    guarantee: str,
    method: str,
    options: Mapping[str, Any],
    seed: int | None,
    audit: float | None,
    about: Mapping[str, str],
    report: Reporter,
) -> dict[str, Any]:
    """Make, verify, pack and measure a release; one that an attack gains more from than `audit` is refused.

    The event ``verified`` is sent as soon as the release is in place: whatever goes wrong while measuring, it stays.
    """
    here = Path(folder)
    data = read(source, report)
    given = dict(options)
    tree = None
    if source.get("taxonomy"):
        with renamed({"path": source["taxonomy"], "name": Path(source["taxonomy"]).name}):
            tree = read_taxonomy(source["taxonomy"])
        if find(method, data=data.kind).takes_taxonomy:
            given["taxonomy"] = tree
    asked = {**given, **about, "seed": seed, "audit": audit, "trace": here / TRACE}
    published = publish(data, here / RELEASE, guarantee, method, progress=report, **asked)
    pack({RELEASE: here / RELEASE}, here / ARCHIVE)
    verified = published.to_dict()
    report.event({"verified": {key: value for key, value in verified.items() if key != "path"}})
    try:
        weaker = weaker_promises(data, guarantee, method, given, published.cost, seed, report)
        measure(here, published, data, tree, weaker, report)
    except MemoryError:
        return {"note": "Utility and attacks were not measured: that needs more memory than the server allows."}
    except CoveyError as error:
        return {"note": f"Utility and attacks were not measured: {error}"}
    finally:
        (here / TRACE).unlink(missing_ok=True)
    return {"note": None}


def weaker_promises(
    data: Any,
    guarantee: str,
    method: str,
    given: Mapping[str, Any],
    cost: Cost | None,
    seed: int | None,
    report: Reporter,
) -> list[dict[str, Any]]:
    """What the same method would keep with weaker promises, the strongest first; none where enough is left."""
    if cost is None or cost.lost is None or cost.lost < MOST_LOST:
        return []
    promise = parse_guarantee(guarantee)
    parameter, values = asked_strengths(promise, None)
    tried = [value for value in values if value < getattr(promise, parameter)][-TRIED:]
    found = []
    for place, value in enumerate(reversed(tried)):
        report("comparing", place / len(tried))
        weaker = promise.having(**{parameter: value}).text
        try:
            release = anonymize(data, weaker, method, seed=seed, **given)
        except (CoveyError, MemoryError):  # one that cannot be kept is no way out
            continue
        left = cost_of_release(release, data, given.get("taxonomy"))
        if left is not None:
            found.append({"guarantee": weaker, "kept": left.kept, "lost": left.lost})
    return found


def measure(here: Path, published: Any, data: Any, tree: Any, weaker: list[Any], report: Reporter) -> None:
    """Utility, attacks and the report, from one examination."""
    path, release = published.path, read_release(published.path)
    find_trace(release, None, (here / TRACE,) if (here / TRACE).exists() else ())
    found = examine_release(path, published.manifest, published.verdict, release, data, taxonomy=tree, progress=report)
    report("reporting", 0.0)
    write_whole(here / REPORT, release_page(found, date=date.today().isoformat()).encode(), force=True)
    body = {
        "release": found.manifest.kind,
        **{name: getattr(found, name) for name in FOUND},
        "questions": [dataclasses.asdict(question) for question in found.questions],
        "weaker": weaker,
    }
    write_whole(here / RESULTS, json.dumps(plain(body), ensure_ascii=False, allow_nan=False).encode(), force=True)
