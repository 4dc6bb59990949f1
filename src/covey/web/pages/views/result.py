"""What was measured of a release, arranged for the result page: headlines, tables, charts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from covey.counting import percent
from covey.data.kinds import data_kind
from covey.guarantees.words import Promise
from covey.measure.attacks.result import NO_GAINS, bar_of, gaining, gains, title_of, unpromised
from covey.registry import methods, promise_about
from covey.release.kinds import promise_of, release_kind
from covey.report.measure_rows import measure_rows
from covey.report.risk_change import risk_change
from covey.report.uniqueness import Telling, telling
from covey.web.pages.charts import Chart, Series, attack_chart, bars, number
from covey.web.pages.kinds import HOLDS, ReleaseWords, release_words
from covey.web.pages.rendering import promise_query
from covey.web.pages.words import GROUPS, UNLINKED
from covey.web.records.jobs import Job
from covey.web.records.results import Comparison, Results

#: Bars that a chart of sizes needs to be worth its place.
FEWEST = 3


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


def measured(job: Job, results: Results, promise: Promise) -> dict[str, Any]:
    """What was measured of a finished job, arranged for the template `measured.html`."""
    chart = risk_before_and_after(results, promise)
    words, units = release_words(results.release), units_of(job)
    none = ""
    if not results.attacks and chart is None:
        none = (
            "covey has no attack on releases of this kind yet. The promise was checked on the published files; "
            "what it does not cover is listed above."
        )
    told = telling(results.uniqueness)
    return {
        "tiles": headline_tiles(job, results),
        "utility": [{"label": label, "value": value} for label, value in measure_rows(results.utility)],
        "questions": results.questions,
        "sizes": sizes_chart(job, results),
        "loss": loss_chart(results),
        "attack_chart": attack_chart([{**a, "attack": _attack(a)} for a in results.attacks]),
        "attacks": [{"title": _attack(a), "tag": attack_tag(a), "words": a["explanation"]} for a in results.attacks],
        "beaten": _beaten(results.attacks),
        "none_gains": NO_GAINS,
        "unpromised": unpromised(results.attacks),
        "unchanged": words.unchanged.format(**units) if words.is_unchanged(results.utility) else "",
        "guessing": words.guessing,
        "telling": told,
        "telling_chart": None if told is None else telling_chart(told),
        "risk_chart": chart,
        "guess_chart": guess_chart(results),
        "no_attack": none,
        "approximate": results.utility.get("approximate", ""),
        "weaker": [{**one, "query": promise_query(one["guarantee"], method=job.method)} for one in results.weaker],
    }


def counts_persons(job: Job) -> bool:
    """Whether the release of a job counts persons."""
    return "persons" in (job.counts or {})


def units_of(job: Job) -> dict[str, str]:
    """What a published row is, and what is counted: persons, where they are named."""
    row, counts = data_kind(job.kind).row, job.counts or {}
    by_person = counts_persons(job)
    # A release states how many rows it has beside its persons, unless each person is one.
    rows_are_persons = by_person and not {"transactions", "rows"} & set(counts)
    return {"row": "person" if rows_are_persons else row, "member": "person" if by_person else row}


def _release_of(job: Job) -> str | None:
    """The kind of release that a job makes, as far as its method is known."""
    return next((one.release for one in methods(data=job.kind) if one.name == job.method), None)


def _words_of(job: Job) -> ReleaseWords:
    kind = _release_of(job)
    return ReleaseWords() if kind is None else release_words(kind)


def promised(job: Job) -> Promise:
    """What a job promises, in the words for the kind of release that its method makes."""
    kind, by_person = _release_of(job), counts_persons(job)
    if kind is None:
        return promise_about(job.guarantee, job.kind, by_person=by_person)
    return promise_of(job.guarantee, kind, by_person=by_person, data=job.kind)


def handed_out(job: Job) -> str:
    """What the published files hold of the original."""
    units, exactly = units_of(job), HOLDS.get(job.guarantee.split("(")[0])
    return _words_of(job).holds_of(job.kind, **units) if exactly is None else exactly.format(**units)


def loss_words(job: Job) -> str:
    """What becomes of the share that is lost, as its cost tells it."""
    return _words_of(job).lost


def headline_tiles(job: Job, results: Results) -> list[tuple[str, str]]:
    """The few figures that say most, in plain words where there are some."""
    by_key = {figure.key: figure for figure in results.figures if figure.value is not None}
    wanted = release_words(results.release).tiles
    units = units_of(job)
    shown = [(by_key[key], words.format(**units)) for key, words in wanted.items() if key in by_key]
    shown = shown or [(figure, figure.label) for figure in list(by_key.values())[:4]]
    return [(write_figure(figure.value, figure.unit), words) for figure, words in shown]


def _beaten(attacks: Sequence[Mapping[str, Any]]) -> str:
    """What to make of attacks that gain from the release; nothing when there are none."""
    gained = gains(attacks)
    if not gained:
        return ""
    return (
        f"{gained} They use what the promise does not cover: how groups are formed, which items go together, or more "
        "knowledge than it allows for. Weigh this before the release leaves."
    )


def attack_tag(result: Mapping[str, Any]) -> tuple[str, str]:
    """How an attack fares against what it is compared with: a tone, and words."""
    if bar_of(result["claim"], result.get("baseline")) is None:
        return "warn", "nothing is promised of this"
    promised = "what is possible without the release" if result["claim"] is None else "the promise"
    if gaining(result):
        return "warn", f"above {promised}"
    if result["beats_claim"]:
        return "warn", "above the promise, but not measurably more than without the release"
    allowed = result.get("baseline") if result["claim"] is None else result["claim"]
    if result["success_rate"] > allowed:
        return "good", f"not measurably above {promised}"
    return "good", f"within {promised}"


def _attack(result: Mapping[str, Any]) -> str:
    return title_of(str(result["attack"]))


def risk_before_and_after(results: Results, promise: Promise) -> Chart | None:
    """What someone who knows a few things concludes from the original, and from the release."""
    change = risk_change(results)
    if change is None:
        return None
    return bars(
        change.title,
        change.labels,
        [
            Series(name="original, without names", values=change.before, tone="warn"),
            Series(name="this release", values=change.after, tone="good"),
        ],
        line=promise.line(change.labels),
        axis=change.axis,
        caption=change.caption,
    )


def telling_chart(told: Telling) -> Chart:
    """Of ratings: how often exact ratings fit one record only, in the original and in the release."""
    series = [Series(name="this release", values=told.after, tone=told.tone)]
    if told.before:
        series.insert(0, Series(name="original, without names", values=told.before))
    return bars(
        "Records that exact ratings single out",
        told.labels,
        series,
        axis="ordinary ratings that are known exactly",
        caption="How often that many ordinary ratings of a record, drawn at random, fit no other record.",
    )


def sizes_chart(job: Job, results: Results) -> Chart | None:
    """How large the groups are."""
    if len(results.sizes) < FEWEST:
        return None
    rows = data_kind(job.kind).rows
    what, members = release_kind(results.release).words.groups, "persons" if counts_persons(job) else rows
    if members != rows and results.release != "table":  # whose classes are of rows all the same
        what = what.replace(rows, members)
    return bars(
        f"How large the {what} are",
        [label for label, _ in results.sizes],
        [Series(name=what, values=[float(count) for _, count in results.sizes])],
        unit="number",
        axis=f"{members} in it",
        caption=f"How many {what} there are of each size.",
    )


def loss_chart(results: Results) -> Chart | None:
    """Of tables: how much detail each column loses."""
    lost = results.utility.get("ncp")
    if not isinstance(lost, Mapping) or not lost:
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
    """Of tables: how often a row's sensitive values are guessed right by all quasi-identifiers."""
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
        caption="Someone knows all quasi-identifiers of a row and guesses the value that most rows like it have. "
        "Where all of them have it, it is certain.",
    )


def compared_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """The figures of two releases side by side, as text."""
    return [
        asdict(row) | {"first": write_figure(row.first, row.unit), "second": write_figure(row.second, row.unit)}
        for row in comparison.figures
    ]


def groups_words(what: str, job: Job) -> dict[str, str]:
    """Title, explanation and the name of one group, by what the groups of a release are."""
    title, words, one = GROUPS.get(what, ("", "", ""))
    units = units_of(job)
    if what == "groups" and units["row"] != units["member"]:
        words = UNLINKED.format(**units)
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
