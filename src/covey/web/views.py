"""What was found out, arranged for the templates: the risk of an original, and what came of a release."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from covey.counting import percent
from covey.data.kinds import data_kind
from covey.guarantees.words import Promise
from covey.measure.attacks.result import LIMIT, bar_of, exceeds, right_of, title_of
from covey.measure.kept import unusable
from covey.registry import methods, promise_about
from covey.release.kinds import promise_of, release_kind
from covey.report import charts
from covey.report.inspection import risk_part
from covey.report.measures import against, best_attack_text, guess_parts, measure_rows, risk_change
from covey.report.uniqueness import telling
from covey.tabular import Figures
from covey.web.data import Dataset
from covey.web.releases import Release

#: The share of detail that a release may lose and still look like plain success.
LITTLE = 0.5
#: Bars that a chart of sizes needs to be worth its place.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing and the same figures as a table."""

    title: str
    svg: Markup
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


def _chart(
    how: str, title: str, *drawn: Any, head: Sequence[str] = (), rows: Any = (), caption: str = "", **named: Any
) -> Chart:
    """Return a chart of `covey.report.charts`; the last ones are kept, as drawing takes a while."""
    return Chart(title, _svg(how, title, json.dumps([drawn, named])), head, list(rows), caption)


@lru_cache(maxsize=128)
def _svg(how: str, title: str, asked: str) -> Markup:
    drawn, named = json.loads(asked)
    draw: Callable[..., Any] = getattr(charts, how)
    return Markup(charts.svg(draw(*drawn, **named), title))


def _of_shares(title: str, shares: Mapping[str, float], across: str, caption: str = "") -> Chart:
    rows = [(name, percent(value)) for name, value in shares.items()]
    return _chart("shares", title, shares, head=["what", across], rows=rows, caption=caption, x_label=across)


def _of_counts(title: str, counts: Mapping[str, float], head: Sequence[str], caption: str = "", **named: Any) -> Chart:
    texts = [f"{count:,.0f}" for count in counts.values()]
    rows = zip(counts, texts, strict=True)
    drawn = (list(counts), list(counts.values()))
    return _chart("bars", title, *drawn, head=head, rows=rows, caption=caption, x_label=head[0], texts=texts, **named)


def number(value: float) -> str:
    """Return a number as people read it: thousands apart, and no more digits than mean something."""
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


def risk_view(data: Dataset, found: Figures) -> dict[str, Any]:
    """Return the risk of an original, as `covey inspect` states it, in a sentence, charts and tables."""
    whom = "person" if data.by_person else data_kind(data.kind).row
    lines: Sequence[str] = ()
    shown, exposed = list[Chart](), found.get("exposure")
    if (part := risk_part(found)) is not None:
        points, across = [point for point in found["risk"] if point["eligible"]], part.heads[0].removeprefix("known ")
        lines = part.lines
        shown.append(_chart("risk", part.title, points, across, head=part.heads, rows=part.rows, caption=part.note))
    if len(coarser := found.get("coarser", ())) > 1:
        rows = {"as it is" if one["round"] is None else f"{one['round']:g}": float(one["unique"]) for one in coarser}
        across = "records unique by all ordinary ratings (%)"
        caption = "By the step to which ratings are rounded. Whether to round is asked with the method."
        shown.append(_of_shares("Who is unique on a coarser scale", rows, across, caption))
    if curve := found.get("curve"):
        head = ["difference that still counts as similar", "fewest people, the person included"]
        fewest = {f"{one['epsilon']:g}": float(one["k"]) for one in curve}
        caption = "The fewest people with similar ratings that anyone has; 1 means that someone is unique."
        shown.append(_of_counts("How many people have similar ratings", fewest, head, caption, y_label="fewest people"))
    tiles = {
        "unique": f"of rows {'are like those of no other person' if data.by_person else 'have no other like them'}",
        "mean": f"mean chance of finding a {whom}",
        "worst": f"chance for the {whom} easiest to find",
    }
    return {
        "lines": lines,
        "charts": shown,
        "exposure": [(percent(exposed[key]), words) for key, words in tiles.items()] if exposed else [],
        "companions": found.get("associations", {}).get("companions", ()),
    }


def promised(release: Release) -> Promise:
    """Return what a release promises, in the words for its kind."""
    asked, by_person = release.asked, release.by_person
    kind = next((one.release for one in methods(data=release.kind) if one.name == asked.method), None)
    if kind is None:
        return promise_about(asked.guarantee, release.kind, by_person=by_person)
    return promise_of(asked.guarantee, kind, by_person=by_person, data=release.kind)


def units_of(release: Release) -> dict[str, str]:
    """Return what a published row is, and what is counted: persons, where they are named."""
    row, counts = data_kind(release.kind).row, release.verdict.get("counts", {})
    by_person = release.by_person
    # A release states how many rows it has beside its persons, unless each person is one.
    rows_are_persons = by_person and not {"transactions", "rows"} & set(counts)
    return {"row": "person" if rows_are_persons else row, "member": "person" if by_person else row}


def result_view(release: Release) -> dict[str, Any]:
    """Return what there is to decide about a release: tone, promise, cost, and what attacks achieve."""
    found, limit = release.found, release.asked.audit or LIMIT
    cost = release.verdict.get("cost") or {}
    attacks = [one for one in found["attacks"] if one["targets"]] if found is not None else []
    notes = [] if found is None else _notes(found, attacks)
    above = [one for one in attacks if exceeds(one, limit) or one["beats_bar"]]
    little = (cost.get("lost") or 0) >= LITTLE
    if little:
        tone, title = "warn", "Verified, but little is left"
    elif found is None:
        tone, title = "warn" if release.note else "", "Verified"
    elif above or notes:
        tone, title = "warn", "Verified: weigh this before you hand it over"
    else:
        tone, title = "good", "Verified: ready to hand over"
    best = f"Best attack: {best_attack_text(attacks)}" if attacks else NO_ATTACK
    return {
        "promise": promised(release),
        "cost": cost,
        "little": little,
        "limit": f"{limit:g}",
        "tone": tone,
        "title": title,
        "best": "" if found is None else best,
        "notes": notes,
        "attack_chart": attack_chart(attacks, limit) if attacks else None,
        "attacks": [
            {
                "title": title_of(one["attack"]),
                "tag": ("warn" if one in above else "good", against(one, brief=True)) if _bar(one) else UNPROMISED,
                "words": one["explanation"],
            }
            for one in attacks
        ],
    }


NO_ATTACK = "covey has no attack on releases of this kind yet."
UNPROMISED = ("warn", "nothing is promised of this")


def _bar(attack: Figures) -> bool:
    """Return whether there is anything that an attack can be compared with."""
    return bar_of(attack["claim"], attack.get("baseline")) is not None


def _notes(found: Figures, attacks: Sequence[Figures]) -> list[str]:
    """Return what has to be weighed before a release is handed over."""
    told = telling(found["uniqueness"])
    notes = [told.text if told is not None and told.warns else "", unusable(found["utility"])]
    notes += [
        f"Nothing is promised of “{title_of(one['attack'])}”, right in {right_of(one)}."
        for one in attacks
        if not _bar(one)
    ]
    if _is_unchanged(found["utility"]):
        notes.append(
            "Nothing was changed: the data already kept this promise, and is published as it was, only without names "
            "and in a new order. What the risk step showed still holds for this release."
        )
    return [note for note in notes if note]


def _is_unchanged(utility: Figures) -> bool:
    """Return whether everything is published as it was, because the original kept the promise."""
    kind, loss = utility.get("kind"), utility.get("gcp")
    if kind == "sets":
        return bool(utility.get("ncp") == 0 if loss is None else loss["published"] == loss["original"])
    if kind == "ratings":
        return utility["records_kept"] == utility["ratings_kept"] == 1 and not utility.get("rounded_from")
    return kind in ("table", "records") and loss == 0 and not utility.get("items_ncp")


def attack_chart(attacks: Sequence[Figures], limit: float) -> Chart:
    """Return how often each attack was right, beside what is promised and what is known without the release."""
    title = "How often each attack guessed right"
    names = {str(one["attack"]): title_of(one["attack"]) for one in attacks}
    shown = [{key: value for key, value in one.items() if key != "details"} for one in attacks]
    rows = [
        [
            *(title_of(one["attack"]), percent(one["success_rate"])),
            *("" if bar is None else percent(bar) for bar in (one["claim"], one.get("baseline"))),
            *(f"{percent(one['low'])} to {percent(one['high'])}", f"{one['targets']:,}"),
        ]
        for one in attacks
    ]
    head = ["attack", "right", "promised", "without the release", "95 % interval", "guesses"]
    return _chart("attacks", title, shown, names, limit=limit, head=head, rows=rows)


def attack_details(release: Release) -> dict[str, Any]:
    """Return the further figures about what attackers learn."""
    found, shown = release.found, list[Chart]()
    if found is None:
        return {"charts": [], "parts": [], "approximate": ""}
    if (change := risk_change(found)) is not None:
        shown.append(
            _chart(
                "before_and_after",
                change.title,
                *(change.labels, change.before, change.after),
                x_label=change.axis,
                line=promised(release).line(change.labels),
                head=[change.axis, "original, without names", "this release"],
                rows=zip(change.labels, map(percent, change.before), map(percent, change.after), strict=True),
                caption=change.caption,
            )
        )
    if (told := telling(found["uniqueness"])) is not None:
        across = "published records that exact ratings single out (%)"
        caption = "By how many ordinary ratings are known exactly. The promise covers someone who knows them roughly."
        singled = dict(zip(told.labels, told.after, strict=True))
        shown.append(_of_shares("Records that exact ratings single out", singled, across, caption))
    utility = found["utility"]
    parts = guess_parts(utility.get("certainty", ()))
    return {"charts": shown, "parts": parts, "approximate": utility.get("approximate", "")}


def use_view(release: Release) -> dict[str, Any]:
    """Return what a release is still good for."""
    found, shown = release.found, list[Chart]()
    if found is None:
        return {"rows": [], "questions": [], "charts": []}
    lost, sizes = found["utility"].get("ncp"), found["sizes"]
    if isinstance(lost, Mapping) and lost:
        caption = "0 % is published exactly, 100 % not at all."
        shown.append(_of_shares("Detail lost, by column", lost, "detail lost (%)", caption))
    if len(sizes) >= FEWEST:
        rows = data_kind(release.kind).rows
        what, members = release_kind(found["kind"]).words.groups, "persons" if release.by_person else rows
        if members != rows and found["kind"] != "table":  # whose classes are of rows all the same
            what = what.replace(rows, members)
        head = [f"{members} in it", what]
        shown.append(_of_counts(f"How large the {what} are", dict(sizes), head, y_label=what))
    return {"rows": measure_rows(found["utility"]), "questions": found["questions"], "charts": shown}


def comparison(first: Release, second: Release) -> list[tuple[str, str, str]]:
    """Return what was measured of two releases side by side."""
    one, other = _figures(first), _figures(second)
    return [(label, one.get(label, ""), other.get(label, "")) for label in dict.fromkeys([*one, *other])]


def _figures(release: Release) -> dict[str, str]:
    found = release.found
    if found is None:
        return {}
    attacks = {f"{title_of(one['attack'])}: right": right_of(one) for one in found["attacks"] if one["targets"]}
    cost = release.verdict.get("cost") or {}
    lost = {} if cost.get("lost") is None else {"detail lost": percent(cost["lost"])}
    return {**lost, **dict(measure_rows(found["utility"])), **attacks}


def explored_chart(found: Figures) -> Chart | None:
    """Return what the tried releases keep against what they risk."""
    measure = found["measure"]
    if measure is None:
        return None
    asked = {"share": measure["share"], "parameter": found["parameter"], "y_label": measure["label"]}
    return _chart("trade", "What is kept against what is risked", found["points"], **asked)
