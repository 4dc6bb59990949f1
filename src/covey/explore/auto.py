"""`--method auto`: make all candidates, and keep the one whose best attack is right least often."""

from __future__ import annotations

from dataclasses import dataclass, field
from secrets import randbits
from typing import ClassVar

from covey.data import Taxonomy
from covey.data.saved import Dataset
from covey.errors import ParameterError
from covey.explore.choice import point_of, shared_measure
from covey.explore.trials import candidates, try_out
from covey.guarantees.base import Guarantee
from covey.measure.kept import EXACT
from covey.progress import Progress, silent
from covey.release.base import Release
from covey.tabular import Figures

#: Candidates whose best measure is within so much of the best of all are compared by their attacks.
NEAR = 0.1
#: Entries that all candidates together may go through; no further candidate is made above it.
WORK = 50_000_000


@dataclass(slots=True)
class Auto:
    """A method that is chosen by making and measuring all candidates.

    The release states the method that was taken. With the same seed it is the release that this method makes.
    """

    name: ClassVar[str] = "auto"
    keeps_company: ClassVar[bool] = False

    seed: int | None = None
    taxonomy: Taxonomy | None = None
    #: What was compared, after `anonymize`.
    compared: list[Figures] = field(default_factory=list)

    def anonymize(self, data: Dataset, guarantee: Guarantee, *, progress: Progress = silent) -> Release:
        """Return the candidate to take."""
        if guarantee.name in EXACT:
            raise ParameterError(
                f"--method auto measures releases on the original: with {guarantee.name}, the choice would tell "
                "something about the sensitive items. Name the method, or leave it out."
            )
        guarantee.require_feasible(data.summary())
        seed = randbits(62) if self.seed is None else self.seed
        able = candidates(guarantee.text, data)
        size = data.entries if hasattr(data, "entries") else data.n * len(data.columns)
        affordable = able[: max(1, WORK // max(size, 1))]
        trials = {}
        for at, name in enumerate(affordable):
            progress("comparing", at / len(affordable))
            trials[name] = try_out(data, guarantee.text, name, seed, self.taxonomy)
        measure = shared_measure(trials.values())
        points = [point_of([one], measure, guarantee=guarantee.text, method=name) for name, one in trials.items()]
        made = [point for point in points if not point["problem"]]
        if not made:
            raise ParameterError(f"No method can make such a release. {points[0]['problem']}")
        if measure is None:
            near = made[:1]
        else:
            best = max(made, key=lambda point: point["kept"] if measure.share else -point["kept"])["kept"]
            near = [one for one in made if _is_near(one["kept"], best, share=measure.share)]
        chosen = min(near, key=lambda point: point["risk"] or 0.0)
        label = "" if measure is None else measure.label
        self.compared = [{**point, "recommended": point is chosen, "label": label} for point in points]
        left = able[len(affordable) :]
        self.compared += [{"method": one, "problem": "not made, because the data is large"} for one in left]
        progress("comparing", 1.0)
        release = trials[chosen["method"]].release
        assert release is not None
        return release


def _is_near(kept: float, best: float, *, share: bool) -> bool:
    """Return whether a candidate keeps nearly as much as the best one."""
    return kept >= best * (1 - NEAR) if share else kept <= best * (1 + NEAR)
