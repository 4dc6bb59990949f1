"""What was found out about a release, arranged for the templates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from covey.data.kinds import data_kind
from covey.guarantees.words import Promise
from covey.measure.attacks.result import LIMIT, bar_of, exceeds, title_of, unpromised
from covey.measure.kept import unusable
from covey.registry import methods, promise_about
from covey.release.kinds import promise_of, release_kind
from covey.report import charts
from covey.report.measures import against, best_attack_text
from covey.report.page import Part
from covey.report.sections import attack_part, exact_ratings, risk_parts, sizes_part, use_parts
from covey.report.uniqueness import telling
from covey.tabular import Figures
from covey.web.releases import Release

#: The share of detail that a release may lose and still look like plain success.
LITTLE = 0.5


def promised(release: Release) -> Promise:
    """Return what a release promises, in the words for its kind."""
    order, by_person = release.order, release.by_person
    kind = next((one.release for one in methods(data=release.kind) if one.name == order.method), None)
    if kind is None:
        return promise_about(order.guarantee, release.kind, by_person=by_person)
    return promise_of(order.guarantee, kind, by_person=by_person, data=release.kind)


def units_of(release: Release) -> dict[str, str]:
    """Return what a published row is, and what is counted: persons, where they are named."""
    row, counts = data_kind(release.kind).row, release.verdict.get("counts", {})
    by_person = release.by_person
    # A release states how many rows it has beside its persons, unless each person is one.
    rows_are_persons = by_person and not {"transactions", "rows"} & set(counts)
    return {"row": "person" if rows_are_persons else row, "member": "person" if by_person else row}


def result_view(release: Release) -> dict[str, Any]:
    """Return what there is to decide about a release: tone, promise, cost, and what attacks achieve."""
    found, limit = release.found, release.order.audit or LIMIT
    cost = release.verdict.get("cost") or {}
    attacks = _measured(release)
    notes = [] if found is None else _notes(found, attacks)
    above = any(exceeds(one, limit) or one["beats_bar"] for one in attacks)
    little = (cost.get("lost") or 0) >= LITTLE
    if little:
        tone, title = "warn", "Verified, but little is left"
    elif found is None:
        tone, title = "warn" if release.note else "", "Verified"
    elif above or notes:
        tone, title = "warn", "Verified: weigh this before you hand it over"
    else:
        tone, title = "good", "Verified: ready to hand over"
    best = (
        f"Best attack: {best_attack_text(attacks)}" if attacks else "covey has no attack on releases of this kind yet."
    )
    return {
        "promise": promised(release),
        "cost": cost,
        "little": little,
        "tone": tone,
        "title": title,
        "best": "" if found is None else best,
        "notes": notes,
        "attacks": attack_part(attacks, limit) if attacks else None,
    }


def _measured(release: Release) -> list[Figures]:
    """Return the attacks that were tried."""
    return [] if release.found is None else [one for one in release.found["attacks"] if one["targets"]]


def _notes(found: Figures, attacks: Sequence[Figures]) -> list[str]:
    """Return what has to be weighed before a release is handed over."""
    unique = telling(found["uniqueness"])
    notes = [
        unique.text if unique is not None and unique.warns else "",
        unusable(found["utility"]),
        unpromised(attacks),
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


def attack_details(release: Release) -> list[Part]:
    """Return what each attacker knew and did, and the risk before and after."""
    if release.found is None:
        return []
    limit = release.order.audit or LIMIT
    explained = []
    for one in _measured(release):
        than = against(one, brief=True) if bar_of(one["claim"], one.get("baseline")) is not None else "nothing promised"
        calm = not (exceeds(one, limit) or one["beats_bar"])
        words = (one["explanation"], *([f"{than}."] if calm else []))
        explained.append(Part(title=title_of(one["attack"]), lines=words, warnings=() if calm else (f"{than}.",)))
    found = [*explained, *risk_parts(release.found, promised(release)), exact_ratings(release.found["uniqueness"])]
    return [part for part in found if part is not None]


def use_view(release: Release) -> list[Part]:
    """Return what a release is still good for."""
    if release.found is None:
        return []
    sizes = sizes_part(release.found["sizes"], release_kind(release.found["kind"]).words)
    return [*use_parts(release.found), *([] if sizes is None else [sizes])]


def explored_part(found: Figures) -> Part | None:
    """Return what the tried releases keep against what they risk."""
    measure = found["measure"]
    if measure is None:
        return None
    options = {"share": measure["share"], "parameter": found["parameter"], "y_label": measure["label"]}
    title = "What is kept against what is risked"
    return Part(title=title, chart=partial(charts.trade, found["points"], **options))
