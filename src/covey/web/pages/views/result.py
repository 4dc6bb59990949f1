"""What was measured of a release, arranged for the result page: headlines, tables, charts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covey.data.kinds import data_kind
from covey.report.charts import percent
from covey.report.measure_rows import measure_rows
from covey.report.words import Promise
from covey.web.pages.charts import Chart, Series, attack_chart, bars, number
from covey.web.pages.words import GROUPS, LEAVES, ROWS, TILES, UNCHANGED
from covey.web.records.jobs import Job
from covey.web.records.results import Comparison, Results
from covey.web.server.figures import ATTACKS

#: Bars that a chart of sizes needs to be worth its place.
FEWEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The measured part of the result page; see the template `measured.html`."""

    tiles: list[tuple[str, str]]
    utility: list[dict[str, str]]
    questions: list[dict[str, Any]]
    sizes: Chart | None
    loss: Chart | None
    attack_chart: Chart | None
    attacks: list[dict[str, Any]]
    beaten: str
    unchanged: str
    risk_chart: Chart | None
    guess_chart: Chart | None
    no_attack: str
    pictures: list[str]
    row_word: str


def write_figure(value: float | None, unit: str) -> str:
    """A figure with its unit, as people read it.

    Examples
    --------
    >>> [write_figure(0.123, "share"), write_figure(1234, "count"), write_figure(None, "count")]
    ['12 %', '1,234', 'not measured']
    """
    if value is None:
        return "not measured"
    if unit == "share":
        return percent(value)
    return f"{value:.1f} s" if unit == "seconds" else number(value)


def measured(job: Job, results: Results, promise: Promise) -> Measured:
    """Arrange what was measured.

    Parameters
    ----------
    job : Job
        A finished one.
    results : Results
        What was measured of it.
    promise : Promise
        Its guarantee in plain words.
    """
    chart = risk_before_and_after(results, promise)
    beaten = sum(_beats(attack) for attack in results.attacks)
    none = ""
    if not results.attacks and chart is None:
        none = (
            "covey has no attack on releases of this kind yet. The promise was checked on the published files; "
            "what it does not cover is listed above."
        )
    return Measured(
        tiles=headline_tiles(results),
        utility=[{"label": label, "value": value} for label, value in measure_rows(results.utility)],
        questions=results.questions,
        sizes=sizes_chart(job, results),
        loss=loss_chart(results),
        attack_chart=attack_chart([{**a, "attack": _attack(a)} for a in results.attacks]),
        attacks=[
            {"title": _attack(a), "beats": _beats(a), "words": a["explanation"]} for a in results.attacks
        ],
        beaten=_beaten(beaten, len(results.attacks)),
        unchanged=UNCHANGED[job.kind] if is_unchanged(results) else "",
        risk_chart=chart,
        guess_chart=guess_chart(results),
        no_attack=none,
        pictures=results.pictures,
        row_word=f"a {data_kind(job.kind).row}",
    )


def handed_out(job: Job) -> str:
    """What the published files hold of the original."""
    return LEAVES.get(job.guarantee.split("(")[0], LEAVES[job.kind])


def is_unchanged(results: Results) -> bool:
    """Whether everything is published as it was, because the original kept the promise already."""
    utility = results.utility
    if results.release == "ratings":
        return bool(utility["records_kept"] == 1 and utility["ratings_kept"] == 1)
    if results.release == "table":
        return bool(utility["gcp"] == 0)
    if results.release != "sets":
        return False  # groups always publish sensitive items as counts
    if "gcp" in utility:
        loss = utility["gcp"]
        return bool(loss["published"] == loss["original"])
    return bool(utility.get("ncp") == 0)


def headline_tiles(results: Results) -> list[tuple[str, str]]:
    """The few figures that say most, in plain words where there are some."""
    by_key = {figure.key: figure for figure in results.figures if figure.value is not None}
    wanted = TILES.get(results.release, {})
    shown = [(by_key[key], words) for key, words in wanted.items() if key in by_key]
    shown = shown or [(figure, figure.label) for figure in list(by_key.values())[:4]]
    return [(write_figure(figure.value, figure.unit), words) for figure, words in shown]


def _beaten(beaten: int, attacks: int) -> str:
    """What to make of attacks that are right more often than promised; nothing when there are none."""
    if not beaten:
        return ""
    who = "One attack is" if beaten == 1 else f"{beaten} of {attacks} attacks are"
    return (
        f"{who} right more often than promised, and more often than somebody who knows the population is without the "
        "release, by using what the promise does not cover: how groups are formed, which items go together, or more "
        "knowledge of a person than it allows for. Weigh this before the release leaves."
    )


def _beats(result: Mapping[str, Any]) -> bool:
    """Whether the release helps an attacker beyond its promise; earlier results knew no floor."""
    return bool(result.get("beats_bar", result["beats_claim"]))


def _attack(result: Mapping[str, Any]) -> str:
    return ATTACKS.get(str(result["attack"]), str(result["attack"]))


def _pairs(
    title: str, labels: list[str], before: list[float], after: list[float], promise: Promise, **more: Any
) -> Chart:
    line = None if promise.ceiling is None else (promise.ceiling, f"promised {percent(promise.ceiling)}")
    series = [
        Series(name="original, without names", values=before, tone="warn"),
        Series(name="this release", values=after, tone="good"),
    ]
    return bars(title, labels, series, line=line, **more)


def risk_before_and_after(results: Results, promise: Promise) -> Chart | None:
    """What somebody who knows a few things concludes from the original, and from the release."""
    linked = [seen for seen in results.utility.get("exposure", ()) if seen["samples"]]
    if linked:
        return _pairs(
            "How likely a sensitive item looks that a person really holds, before and after",
            [str(one["known"]) for one in linked],
            [one["link_before"] for one in linked],
            [one["link_after"] for one in linked],
            promise,
            axis="ordinary items somebody knows of a person",
            caption="Somebody knows a few ordinary items of a person and looks up everybody with these items. "
            f"Mean over {linked[-1]['samples']:,} holders of a sensitive item, drawn at random.",
        )
    if results.found_before and results.found_after:
        before, after = results.found_before, results.found_after
        return _pairs(
            "Chance of finding a person's row, before and after",
            ["mean over all rows", "easiest to find"],
            [before["mean"], before["worst"]],
            [after["mean"], after["worst"]],
            promise,
            axis="by all columns that may be known",
            caption="A row that looks like n - 1 others is found with a chance of 1 in n.",
        )
    then = {risk["known"]: risk for risk in results.risk_after}
    seen = [risk for risk in results.risk_before if risk["eligible"] and risk["known"] in then]
    if not seen:
        return None
    return _pairs(
        "Chance of finding a person's row, before and after",
        [str(one["known"]) for one in seen],
        [one["risk"] for one in seen],
        [then[one["known"]]["risk"] for one in seen],
        promise,
        axis="items somebody knows of a person",
        caption="Mean of 1 / (rows that have the known items), over rows and items drawn at random.",
    )


def sizes_chart(job: Job, results: Results) -> Chart | None:
    """How large the groups are."""
    if len(results.sizes) < FEWEST:
        return None
    what = "groups" if results.release == "grouped" else f"classes of {ROWS[job.kind]} that look alike"
    return bars(
        f"How large the {what} are",
        [label for label, _ in results.sizes],
        [Series(name=what, values=[float(count) for _, count in results.sizes])],
        unit="number",
        axis=f"{ROWS[job.kind]} in it",
        caption=f"How many {what} there are of each size.",
    )


def loss_chart(results: Results) -> Chart | None:
    """Of tables: how much detail each column loses."""
    lost = results.utility.get("ncp")
    if results.release != "table" or not isinstance(lost, Mapping) or not lost:
        return None
    return bars(
        "Detail lost, by column",
        [str(name) for name in lost],
        [Series(name="lost", values=[float(value) for value in lost.values()])],
        axis="column",
        lying=True,
        caption="0 % is published exactly, 100 % not at all.",
    )


def guess_chart(results: Results) -> Chart | None:
    """Of tables: how often a person's sensitive values are guessed right by all quasi-identifiers."""
    found = results.utility.get("certainty")
    if not found:
        return None

    def series(name: str, key: str, tone: str, certain: str | None = None) -> Series:
        notes = {} if certain is None else {"certain": [percent(one[certain]) for one in found]}
        return Series(name=name, values=[float(one[key]) for one in found], tone=tone, notes=notes)

    return bars(
        "How often a guess at a sensitive value is right",
        [str(one["column"]) for one in found],
        [
            series("who knows neither", "blind", "ink"),
            series("from the original", "before", "warn", "certain_before"),
            series("from this release", "after", "good", "certain_after"),
        ],
        axis="sensitive column",
        caption="Somebody knows all quasi-identifiers of a person and guesses the value that most rows like that "
        "person's have. Where all of them have it, it is certain.",
    )


def compared_rows(comparison: Comparison) -> list[dict[str, str | None]]:
    """The figures of two releases side by side, as text."""
    return [
        {
            "label": row.label,
            "first": write_figure(row.first, row.unit),
            "second": write_figure(row.second, row.unit),
            "better": row.better,
        }
        for row in comparison.figures
    ]


def groups_words(what: str) -> dict[str, str]:
    """Title, explanation and the name of one group, by what the groups of a release are."""
    title, words, one = GROUPS[what]
    return {"groups_title": title, "groups_words": words, "groups_word": one}


def command_lines(command: str) -> str:
    """A command with each option on a line of its own, as a shell reads it.

    Examples
    --------
    >>> print(command_lines("covey anonymize 'my data.csv' -o release --seed 1"))
    covey anonymize 'my data.csv' \\
        -o release \\
        --seed 1
    """
    lines: list[list[str]] = [[]]
    for word in shlex.split(command):
        if word.startswith("-"):
            lines.append([])
        lines[-1].append(word)
    return " \\\n    ".join(shlex.join(line) for line in lines)
