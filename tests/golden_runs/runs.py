"""The golden runs: lines of commands (see `golden_runs.adapter`), and a few that do more than one thing.

Most lines are in `commands.txt`.
"""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from golden_runs.adapter import Workspace, described, page_job, perform

#: How each release is made: every method on every kind of data that it takes, by person and not.
RELEASES: dict[str, str] = {}
for _method in ("matched", "cahd", "perm-mondrian", "nearest", "anatomy"):
    for _name, _data in (("baskets", "baskets"), ("persons", "visits"), ("records", "records-sensitive")):
        RELEASES[f"{_method}-{_name}"] = f"anonymize data:{_data} -g 'degree(p=4)' -m {_method}"
for _method, _more in (("pattern-ka", ""), ("top-down", ""), ("lg", "-taxonomy")):
    RELEASES[f"{_method}-sets"] = f"anonymize data:common{_more} -g 'k-anonymity(k=5)' -m {_method}"
    RELEASES[f"{_method}-sets-persons"] = f"anonymize data:persons{_more} -g 'k-anonymity(k=3)' -m {_method}"
for _method in ("mhghs", "hghs", "aa", "lg"):
    RELEASES[f"{_method}-km"] = f"anonymize data:baskets-taxonomy -g 'km-anonymity(k=3, m=2)' -m {_method}"
    RELEASES[f"{_method}-km-persons"] = f"anonymize data:persons-taxonomy -g 'km-anonymity(k=2, m=2)' -m {_method}"
for _method in ("disassociation", "mm"):
    RELEASES[f"{_method}-km"] = f"anonymize data:plain -g 'km-anonymity(k=3, m=2)' -m {_method}"
    RELEASES[f"{_method}-km-persons"] = f"anonymize data:persons -g 'km-anonymity(k=5, m=2)' -m {_method}"
for _method in ("pattern-ka", "hilbert", "mondrian"):
    RELEASES[f"{_method}-table"] = f"anonymize data:people -g 'k-anonymity(k=5)' -m {_method}"
    RELEASES[f"{_method}-diverse"] = f"anonymize data:patients -g 'l-diversity(l=3, k=4)' -m {_method}"
    RELEASES[f"{_method}-diverse-persons"] = f"anonymize data:cases -g 'l-diversity(l=2, k=4)' -m {_method}"
for _method in ("rt-merge", "rt-global"):
    RELEASES[f"{_method}-records"] = f"anonymize data:records-taxonomy -g 'k-km-anonymity(k=4, m=2)' -m {_method}"
RELEASES |= {
    "mm-coherence": "anonymize data:baskets -g 'coherence(h=0.5, k=4, p=2)' -m mm",
    "mm-coherence-persons": "anonymize data:visits -g 'coherence(h=0.6, k=3, p=1)' -m mm",
    "suppress-ratings": "anonymize data:survey -g 'k-eps-l(k=4, epsilon=1, l=1)' -m suppress",
    "suppress-wide": "anonymize data:survey-wide -g 'k-eps-l(k=3, epsilon=0)' -m suppress",
    "suppress-rounded": "anonymize data:survey -g 'k-eps-l(k=5, epsilon=1, l=1)' -m suppress"
    " --set round=2 --set leave_out=6",
    "cahd-fimi": "anonymize data:fimi -g 'degree(p=3)' -m cahd",
    "cahd-unmerged": "anonymize data:baskets -g 'degree(p=5)' -m cahd --set alpha=5 --set merge=false",
    "cahd-gray": "anonymize data:baskets -g 'degree(p=5)' -m cahd --set order=gray",
    "matched-csv": "anonymize data:baskets -g 'degree(p=6)' -m matched --csv",
    "mondrian-csv": "anonymize data:patients -g 'l-diversity(l=3)' -m mondrian --set relaxed=true --csv",
    "next-month": "anonymize data:next-visits -g 'degree(p=4)' -m matched --like release:matched-persons",
}

#: Releases of every kind that are measured and attacked; more of them are verified.
MEASURED = ["cahd-baskets", "matched-persons", "perm-mondrian-records", "pattern-ka-sets-persons", "mhghs-km"]
MEASURED += ["mm-coherence", "disassociation-km", "mondrian-diverse", "hilbert-diverse-persons", "rt-merge-records"]
MEASURED += ["suppress-ratings"]
VERIFIED = [*MEASURED, "matched-baskets", "nearest-records", "lg-km-persons", "suppress-rounded", "cahd-fimi"]

LINES = [f"verify release:{name} original" for name in VERIFIED]
LINES += [f"verify release:{name}" for name in ("matched-csv", "suppress-rounded", "top-down-sets")]
LINES += [f"evaluate release:{name} original --queries 100 --seed 0" for name in MEASURED]
LINES += [f"attack release:{name} original --seed 5" for name in MEASURED]
LINES += (Path(__file__).parent / "commands.txt").read_text(encoding="utf-8").splitlines()


def make(work: Workspace, name: str) -> dict[str, object]:
    """Make a release, unless another run needed it before."""
    work.release(name)
    return work.made[name]


def verify_damaged(work: Workspace, damage: Callable[[Path], object]) -> dict[str, object]:
    """Verify a copy of a release that was damaged, and try to use it."""
    copy = Path(shutil.copytree(work.release("matched-csv"), work.folder / f"damaged {damage.__name__}"))
    damage(copy)
    used = perform(f"query '{copy}' --present milk --sensitive pills", work)
    return perform(f"verify '{copy}' original:baskets", work) | {"exit of query": used["exit"]}


def lost_row(release: Path) -> None:
    table = release / "transactions.csv"
    table.write_text("".join(table.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")


def lost_file(release: Path) -> None:
    (release / "groups.csv").unlink()


def further_file(release: Path) -> None:
    (release / "notes.txt").write_text("who is who\n", encoding="utf-8")


DAMAGES = (lost_row, lost_file, further_file)


def page(work: Workspace) -> dict[str, object]:
    """The page makes the release that the command makes, and shows its figures."""
    out, question = work.folder / "from the page", {"sensitive": "pills", "present": "milk", "absent": "bread"}
    job = page_job(work, "degree(p=4)", "cahd", question, out)
    asked = " ".join(f"--{key} {item}" for key, item in question.items())
    answer = perform(f"query release:cahd-baskets {asked}", work)["figures"]
    kept = perform("evaluate release:cahd-baskets original --queries 100 --seed 0", work)["figures"]

    def shown(numbers, figures, *keys) -> dict[str, bool]:
        return {key: any(abs(number - figures[key]) <= 0.01 * number for number in numbers) for key in keys}

    seen = perform(f"verify '{out / 'release'}' original:baskets", work) | described(out)
    return seen | {
        "report": job["report"],
        "result shows": shown(job["result"], kept, "kl.uniform.mean", "kl.support.mean"),
        "answer shows": shown(job["answer"], answer, "estimate", "lower", "upper", "matching"),
    }


#: All runs by name.
RUNS: dict[str, Callable[[Workspace], dict[str, object]]] = {
    **{f"make {name}": partial(make, name=name) for name in RELEASES},
    **{line: partial(perform, line) for line in LINES if line and not line.startswith("#")},
    **{f"verify with {one.__name__}": partial(verify_damaged, damage=one) for one in DAMAGES},
    "page": page,
}
