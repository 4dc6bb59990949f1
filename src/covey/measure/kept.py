"""What a release keeps of its original, by one measure that everyone understands or a few."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from covey.counting import counted, percent
from covey.data import Taxonomy
from covey.errors import AuditFailed
from covey.measure.evaluation import evaluate
from covey.release.base import Release
from covey.tabular import Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One measure of what is left of the original."""

    #: A key, and its words.
    measure: str
    label: str
    value: float
    #: Standard error of the value; 0 where nothing is sampled.
    error: float = 0.0
    #: Whether it is a share of what there was, the more the better; else an error, the less the better.
    share: bool = True

    @property
    def gain(self) -> float:
        """The value with its sign turned so that more is better."""
        return self.value if self.share else -self.value

    def __str__(self) -> str:
        return percent(self.value, fine=True) if self.share else f"{self.value:.3g}"


def kept_of(utility: Figures) -> tuple[Kept, ...]:
    """Return what is left of the original, from the figures of `covey.evaluate`, the most telling first.

    Examples
    --------
    >>> [str(one) for one in kept_of({"kind": "ratings", "records_kept": 0.5, "ratings_kept": 0.25})]
    ['25.0 %', '50.0 %']
    """
    return tuple(Kept(measure=name, label=label, value=value) for name, label, value in _shares(utility)) or _error(
        utility
    )


def _error(utility: Figures) -> tuple[Kept, ...]:
    """Return the error of estimates, where a release lets one estimate."""
    found = utility.get("kl", {}).get("support")
    if found is None:
        return ()
    label = "distortion of estimates (KL divergence in nats)"
    return (Kept(measure="kl", label=label, value=found["mean"], error=found["standard_error"], share=False),)


def _shares(utility: Figures) -> Iterator[tuple[str, str, float]]:
    """Yield the key, words and value of each share that is kept."""
    match utility.get("kind"):
        case "sets" | "chunks":
            if "ncp" in utility:
                yield "ncp", "detail kept along the taxonomy", 1 - utility["ncp"]
            if "gcp" in utility:
                yield "gcp", "items published as they were", 1 - utility["gcp"]["gcp"]
            if found := utility.get("itemsets"):
                label = f"of the {found['top']:,} most frequent combinations, those still found"
                yield "itemsets", label, 1 - found["top_deviation"]
            if "counted" in utility:
                yield "counted", "occurrences of items that are counted", utility["counted"]
        case "table":
            yield "gcp", "detail of the quasi-identifiers kept", 1 - utility["gcp"]
        case "ratings":
            yield "ratings", "ratings published", utility["ratings_kept"]
            yield "records", "records published", utility["records_kept"]
        case "records":  # attributes are as important as items
            yield "loss", "detail of attributes and items kept", 1 - (utility["gcp"] + utility["items_ncp"]) / 2
            yield "gcp", "detail of the attributes kept", 1 - utility["gcp"]
            yield "items", "meaning of the items kept", 1 - utility["items_ncp"]


def usable_share(utility: Figures) -> Kept | None:
    """Return what is kept as a share: for groups, frequent combinations with a sensitive item; else as `kept_of`.

    Examples
    --------
    >>> usable_share({"kind": "ratings", "records_kept": 0.5, "ratings_kept": 0.25}).value
    0.25
    """
    found = utility.get("patterns")
    if found is None:
        return next(iter(kept_of(utility)), None)
    if not found["patterns"]:
        return None
    frequent = counted(found["patterns"], "most frequent combination")
    label = f"of the {frequent} with a sensitive item, those whose count is right within {percent(found['tolerance'])}"
    return Kept(measure="patterns", label=label, value=found["kept"] / found["patterns"])


#: Guarantees that a decision made from the exact data would break: to publish or not, or by which method.
EXACT = ("label-dp",)
#: What would keep more of the links to sensitive items.
MORE_LINKS = (
    "What would help: a smaller p, fewer sensitive items, or more rows; `covey explore` shows what other strengths and "
    "methods keep, and `covey inspect` which links each p can keep."
)


def unusable(utility: Figures) -> str:
    """Return a warning if a release in groups keeps no association with a sensitive item; else nothing.

    Examples
    --------
    >>> unusable({"kind": "grouped", "patterns": {"patterns": 100, "kept": 0, "tolerance": 0.25}})[:68]
    'It keeps no usable association with a sensitive item: of the 100 mos'
    """
    share = usable_share(utility) if "patterns" in utility else None
    if share is None or share.value > 0:
        return ""
    return f"It keeps no usable association with a sensitive item: {share.label}, there is none. {MORE_LINKS}"


def require_kept(
    release: Release, original: object, least: float, *, seed: int = 0, taxonomy: Taxonomy | None = None
) -> None:
    """Raise `AuditFailed` unless a release keeps at least a share of what `usable_share` measures."""
    utility = evaluate(release, original, seed, taxonomy=taxonomy)
    share = usable_share(utility)
    if share is not None and share.value < least:
        more = MORE_LINKS if "patterns" in utility else "What would help: a weaker guarantee, or another method."
        raise AuditFailed(
            f"The release keeps too little: {share.label}: {percent(share.value, fine=True)}; at least "
            f"{percent(least, fine=True)} is wanted. {more}",
            results=(),
        )
