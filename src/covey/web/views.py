"""What was found out, arranged for the templates: the risk of an original, and what came of a release."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from markupsafe import Markup

from covey.counting import counted, percent
from covey.data.kinds import data_kind
from covey.guarantees.words import Promise
from covey.measure.attacks.result import LIMIT, bar_of, ratios_of, right_of, title_of
from covey.registry import methods, promise_about
from covey.release.kinds import promise_of, release_kind
from covey.report import charts
from covey.report.measure_rows import measure_rows
from covey.report.risk_change import risk_change
from covey.report.uniqueness import telling
from covey.web.data import Dataset
from covey.web.releases import Release

#: The share of detail that a release may lose and still look like plain success.
LITTLE = 0.5
#: Bars that a chart of sizes needs to be worth its place.
FEWEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawing and the same figures as a table."""

    title: str
    svg: Markup
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@lru_cache(maxsize=128)
def _svg(how: str, title: str, asked: str) -> Markup:
    body = json.loads(asked)
    draw: Callable[..., Any] = getattr(charts, how)
    return Markup(charts.svg(draw(*body["positional"], **body["named"]), title))


def _drawn(how: str, title: str, *positional: Any, **named: Any) -> Markup:
    """Return a chart of `covey.report.charts` as SVG; the last ones are kept, as drawing takes a while."""
    return _svg(how, title, json.dumps({"positional": positional, "named": named}))


def number(value: float) -> str:
    """Return a number as people read it: thousands apart, and no more digits than mean something.

    Examples
    --------
    >>> [number(v) for v in (12345, 12.34, 0.12345, 3.0)]
    ['12,345', '12.3', '0.123', '3']
    """
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def shape_tiles(data: Dataset) -> list[tuple[str, str]]:
    """Return the size of a dataset: figures, and what they count."""
    known, shape = data_kind(data.kind), data.shape
    tiles = [(number(shape[key]), words) for key, words in known.sizes.items() if key in shape]
    if known.has_columns and shape:
        tiles.append((number(len(data.columns)), "columns"))
    if "length" in shape:
        tiles.append((number(round(shape["length"]["mean"], 1)), f"{known.things} per {known.row}, on average"))
    return tiles


def risk_view(data: Dataset, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the risk of an original, as `covey inspect` states it, in a sentence, charts and tables."""
    kind = data_kind(data.kind)
    whom, who = ("person", "persons") if data.by_person else (kind.row, kind.rows)
    unit = kind.known or kind.things
    points = [point for point in found["risk"] if point["eligible"]]
    view: dict[str, Any] = {"headline": "", "explanation": "", "charts": [], "exposure": [], "companions": []}
    if points:
        last = points[-1]
        known = f"{last['known']} {unit}" if last["known"] > 1 else f"one of the {unit}"
        view["headline"] = (
            f"Someone who knows {known} of a {whom} singles that {whom} out for certain in "
            f"{percent(last['unique'])} of cases."
        )
        view["explanation"] = (
            f"On average the right one is found with a chance of {percent(last['risk'])}, and with it everything else "
            f"that the data says about that {whom}."
        )
        view["charts"].append(
            Chart(
                title=f"How easily a {whom} is found",
                svg=_drawn("risk", f"Chance of finding a {whom}", points, unit),
                head=[f"known {unit}", "chance of finding it", "singled out for certain"],
                rows=[[str(one["known"]), percent(one["risk"]), percent(one["unique"])] for one in points],
                caption=f"A {whom} with at least that many is drawn at random, and then that many of its {unit}. The "
                f"bar is the mean of 1 / (number of {who} that fit)."
                + ("" if kind.by_roles else " Sensitive ones are taken to be unknown."),
            )
        )
    if exposure := found.get("exposure"):
        alone = "are like those of no other person" if data.by_person else "have no other like them"
        view["exposure"] = [
            (percent(exposure["unique"]), f"of rows {alone}"),
            (percent(exposure["mean"]), f"mean chance of finding a {whom}"),
            (percent(exposure["worst"]), f"chance for the {whom} easiest to find"),
        ]
    coarser = found.get("coarser", ())
    if len(coarser) > 1:
        rows = {"as it is" if one["round"] is None else f"{one['round']:g}": float(one["unique"]) for one in coarser}
        view["charts"].append(
            _of_shares(
                "Who is unique on a coarser scale",
                rows,
                "records unique by all ordinary ratings (%)",
                "By the step to which ratings are rounded. Whether to round is asked with the method.",
            )
        )
    if curve := found.get("curve"):
        title, across = "How many people have similar ratings", "difference that still counts as similar"
        steps, fewest = [f"{one['epsilon']:g}" for one in curve], [float(one["k"]) for one in curve]
        texts = [f"{one:,.0f}" for one in fewest]
        view["charts"].append(
            Chart(
                title=title,
                svg=_drawn("bars", title, steps, fewest, x_label=across, y_label="fewest people", texts=texts),
                head=[across, "fewest people, the person included"],
                rows=list(zip(steps, texts, strict=True)),
                caption="The fewest people with similar ratings that anyone has; 1 means that someone is unique.",
            )
        )
    view["companions"] = [
        {**one, "confidence": percent(one["confidence"])} for one in found.get("associations", {}).get("companions", ())
    ]
    return view


def _of_shares(title: str, rows: Mapping[str, float], across: str, caption: str = "") -> Chart:
    return Chart(
        title=title,
        svg=_drawn("shares", title, rows, x_label=across),
        head=["what", across],
        rows=[[name, percent(value)] for name, value in rows.items()],
        caption=caption,
    )


def promised(release: Release) -> Promise:
    """Return what a release promises, in the words for its kind."""
    asked = release.asked
    by_person = counts_persons(release)
    kind = next((one.release for one in methods(data=release.kind) if one.name == asked.method), None)
    if kind is None:
        return promise_about(asked.guarantee, release.kind, by_person=by_person)
    return promise_of(asked.guarantee, kind, by_person=by_person, data=release.kind)


def counts_persons(release: Release) -> bool:
    """Return whether a release counts persons."""
    return "persons" in release.verdict.get("counts", {})


def units_of(release: Release) -> dict[str, str]:
    """Return what a published row is, and what is counted: persons, where they are named."""
    row, counts = data_kind(release.kind).row, release.verdict.get("counts", {})
    by_person = counts_persons(release)
    # A release states how many rows it has beside its persons, unless each person is one.
    rows_are_persons = by_person and not {"transactions", "rows"} & set(counts)
    return {"row": "person" if rows_are_persons else row, "member": "person" if by_person else row}


def is_above(attack: Mapping[str, Any], limit: float = LIMIT) -> bool:
    """Return whether an attack gains more than so many times what is promised, or known without the release."""
    return bool(attack.get("beats_bar")) or any(one is not None and one > limit for one in ratios_of(attack))


def attack_tag(attack: Mapping[str, Any], limit: float = LIMIT) -> tuple[str, str]:
    """Return how an attack fares: a tone, and words."""
    claim, baseline = ratios_of(attack)
    if claim is None and baseline is None:
        return "warn", "nothing is promised of this"
    compared = [
        f"{one:.2f} times {words}"
        for one, words in ((claim, "what is promised"), (baseline, "what is known without the release"))
        if one is not None
    ]
    return "warn" if is_above(attack, limit) else "good", ", ".join(compared)


def result_view(release: Release) -> dict[str, Any]:
    """Return what there is to decide about a release: tone, promise, cost, and what attacks achieve."""
    found, asked = release.found, release.asked
    promise, cost = promised(release), release.verdict.get("cost") or {}
    limit = asked.audit or LIMIT
    little = (cost.get("lost") or 0) >= LITTLE
    view: dict[str, Any] = {"promise": promise, "cost": cost, "little": little, "tone": "", "best": "", "notes": []}
    view |= {"attack_chart": None, "attacks": [], "limit": f"{limit:g}"}
    if little:
        view |= {"tone": "warn", "title": "Verified, but little is left"}
    if found is None:
        view.setdefault("title", "Verified")
        return view | {"tone": view["tone"] or ("warn" if release.note else "")}
    attacks = [one for one in found["attacks"] if one["targets"]]
    above = [one for one in attacks if is_above(one, limit)]
    unpromised = [one for one in attacks if bar_of(*_bars(one)) is None]
    told = telling(found["uniqueness"])
    association = _associations(found["utility"])
    notes = [] if told is None or told.tone != "warn" else [told.text]
    notes += [association] if association else []
    notes += [f"Nothing is promised of “{title_of(one['attack'])}”, right in {right_of(one)}." for one in unpromised]
    if _is_unchanged(found["utility"]):
        notes.append(
            "Nothing was changed: the data already kept this promise, and is published as it was, only without names "
            "and in a new order. What the risk step showed still holds for this release."
        )
    if above or notes or little:
        view["tone"] = "warn"
        view.setdefault("title", "Verified: weigh this before you hand it over")
    else:
        view |= {"tone": "good", "title": "Verified: ready to hand over"}
    if attacks:
        best = max(attacks, key=lambda one: float(one["success_rate"]))
        view["best"] = (
            f"The best of {counted(len(attacks), 'attack')}, “{title_of(best['attack'])}”, is right in "
            f"{right_of(best)} of its guesses: {attack_tag(best, limit)[1]}."
        )
        if above and best not in above:
            worst = max(above, key=lambda one: max(filter(None, ratios_of(one)), default=0.0))
            view["best"] += f" “{title_of(worst['attack'])}” gains most: {attack_tag(worst, limit)[1]}."
        view["attack_chart"] = attack_chart(attacks, limit)
    else:
        view["best"] = "covey has no attack on releases of this kind yet."
    view["attacks"] = [
        {"title": title_of(one["attack"]), "tag": attack_tag(one, limit), "words": one["explanation"]}
        for one in attacks
    ]
    return view | {"notes": notes}


def _bars(attack: Mapping[str, Any]) -> tuple[float | None, float | None]:
    return attack["claim"], attack.get("baseline")


def _associations(utility: Mapping[str, Any]) -> str:
    """Return that no association with a sensitive item is left to be used, if that is so, and what would help."""
    kept = utility.get("patterns")
    if not kept or not kept["patterns"] or kept["kept"]:
        return ""
    return (
        "It keeps no usable association with a sensitive item: of the "
        f"{counted(kept['patterns'], 'most frequent combination')} none has a count that is right. A smaller p, fewer "
        "sensitive items, or more data would help."
    )


def _is_unchanged(utility: Mapping[str, Any]) -> bool:
    """Return whether everything is published as it was, because the original kept the promise."""
    kind, loss = utility.get("kind"), utility.get("gcp")
    if kind in ("sets", "generalized"):
        return bool(utility.get("ncp") == 0 if loss is None else loss["published"] == loss["original"])
    if kind == "ratings":
        return utility["records_kept"] == utility["ratings_kept"] == 1 and not utility.get("rounded_from")
    return kind in ("table", "records") and loss == 0 and not utility.get("items_ncp")


def attack_chart(attacks: Sequence[Mapping[str, Any]], limit: float) -> Chart:
    """Return how often each attack was right, beside what is promised and what is known without the release."""
    title = "How often each attack guessed right"
    names = {str(one["attack"]): title_of(one["attack"]) for one in attacks}
    shown = [{key: value for key, value in one.items() if key != "details"} for one in attacks]
    return Chart(
        title=title,
        svg=_drawn("attacks", title, shown, names, limit=limit),
        head=["attack", "right", "promised", "without the release", "95 % interval", "guesses"],
        rows=[
            [
                title_of(one["attack"]),
                percent(one["success_rate"]),
                *("" if bar is None else percent(bar) for bar in _bars(one)),
                f"{percent(one['low'])} to {percent(one['high'])}",
                f"{one['targets']:,}",
            ]
            for one in attacks
        ],
    )


def attack_details(release: Release) -> dict[str, Any]:
    """Return the further figures about what attackers learn."""
    found = release.found
    if found is None:
        return {"charts": [], "guesses": [], "approximate": ""}
    shown: list[Chart] = []
    change = risk_change(SimpleNamespace(**found))
    if change is not None:
        line = promised(release).line(change.labels)
        rows = [
            [label, percent(before), percent(after)]
            for label, before, after in zip(change.labels, change.before, change.after, strict=True)
        ]
        drawn = _drawn(
            "before_and_after",
            change.title,
            change.labels,
            change.before,
            change.after,
            x_label=change.axis,
            line=line,
        )
        head = [change.axis, "original, without names", "this release"]
        shown.append(Chart(title=change.title, svg=drawn, head=head, rows=rows, caption=change.caption))
    told = telling(found["uniqueness"])
    if told is not None:
        shown.append(
            _of_shares(
                "Records that exact ratings single out",
                dict(zip(told.labels, told.after, strict=True)),
                "published records that exact ratings single out (%)",
                "By how many ordinary ratings are known exactly. The promise covers someone who knows them roughly.",
            )
        )
    return {
        "charts": shown,
        "guesses": found["utility"].get("certainty", ()),
        "approximate": found["utility"].get("approximate", ""),
    }


def use_view(release: Release) -> dict[str, Any]:
    """Return what a release is still good for."""
    found = release.found
    if found is None:
        return {"rows": [], "questions": [], "charts": []}
    shown = []
    lost = found["utility"].get("ncp")
    if isinstance(lost, Mapping) and lost:
        shown.append(
            _of_shares("Detail lost, by column", lost, "detail lost (%)", "0 % is published exactly, 100 % not at all.")
        )
    sizes = found["sizes"]
    if len(sizes) >= FEWEST:
        rows = data_kind(release.kind).rows
        what, members = release_kind(found["kind"]).words.groups, "persons" if counts_persons(release) else rows
        if members != rows and found["kind"] != "table":  # whose classes are of rows all the same
            what = what.replace(rows, members)
        title, labels, counts = f"How large the {what} are", [one for one, _ in sizes], [one for _, one in sizes]
        texts = [f"{one:,}" for one in counts]
        shown.append(
            Chart(
                title=title,
                svg=_drawn("bars", title, labels, counts, x_label=f"{members} in it", y_label=what, texts=texts),
                head=[f"{members} in it", what],
                rows=list(zip(labels, texts, strict=True)),
            )
        )
    return {"rows": measure_rows(found["utility"]), "questions": found["questions"], "charts": shown}


def comparison(first: Release, second: Release) -> list[tuple[str, str, str]]:
    """Return what was measured of two releases side by side."""
    sides = [_figures(first), _figures(second)]
    return [(label, *(side.get(label, "") for side in sides)) for label in dict.fromkeys([*sides[0], *sides[1]])]  # type: ignore[misc]


def _figures(release: Release) -> dict[str, str]:
    found = release.found
    if found is None:
        return {}
    attacks = {f"{title_of(one['attack'])}: right": right_of(one) for one in found["attacks"] if one["targets"]}
    cost = release.verdict.get("cost") or {}
    lost = {} if cost.get("lost") is None else {"detail lost": percent(cost["lost"])}
    return {**lost, **dict(measure_rows(found["utility"])), **attacks}


def explored(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the releases that `covey explore` tried, as rows of a table."""
    share = found["measure"] is not None and found["measure"]["share"]
    return [
        {
            **point,
            "kept": "" if point["kept"] is None else percent(point["kept"]) if share else f"{point['kept']:.3g}",
            "attack": "" if point["attack"] is None else title_of(point["attack"]),
            "right": "" if point["risk"] is None else percent(point["risk"]),
            "claim": "" if point["against_claim"] is None else f"{point['against_claim']:.2f}",
            "baseline": "" if point["against_baseline"] is None else f"{point['against_baseline']:.2f}",
        }
        for point in found["points"]
    ]


def explored_chart(found: Mapping[str, Any]) -> Chart | None:
    """Return what the tried releases keep against what they risk."""
    measure = found["measure"]
    if measure is None:
        return None
    title, asked = "What is kept against what is risked", {"share": measure["share"], "parameter": found["parameter"]}
    svg = _drawn("trade", title, found["points"], y_label=measure["label"], **asked)
    return Chart(title=title, svg=svg, head=(), rows=())
