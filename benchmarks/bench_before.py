"""covey beside version 0.1 of itself: the same work on the same files, in one run.

The sources of 0.1 come from this repository's history; without that, as in a shallow clone, this part is skipped. Both
use the same libraries. Times are CPU seconds with compiled kernels, except for first runs, where 0.1 begins with an
empty cache and covey as it has been installed. What 0.1 does not finish within the limit counts as the limit.
"""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import covey
from bench_first import installed
from commands import ROOT, Used, command, python
from covey.io import write
from covey.io.baskets.journey import complete_journey
from covey.synth import quest
from ratios import data_dir, finish, report, with_random_sensitive

#: The last commit of version 0.1.
COMMIT = "7a0755ff"
#: Seconds that may pass.
LIMIT = 300

DEGREE = "anonymize sales.csv --sensitive sales.sensitive.txt -g 'degree(p=10)' -o {out} --force"
#: Commands on small data.
FIRST = {
    "degree": DEGREE,
    "km-anonymity": "anonymize sales.csv --taxonomy sales.taxonomy.csv -g 'km-anonymity(k=5, m=2)' -o {out}-km",
    "k-anonymity": "anonymize sales.csv -g 'k-anonymity(k=5)' -o {out}-k",
    "l-diversity of a table": "anonymize people.csv --kind table --quasi age,zip,job --sensitive illness "
    "-g 'l-diversity(l=3, k=10)' -o {out}-table",
}
AGAIN = {
    "--help": "--help",
    "methods": "methods",
    "query": "query {out} --sensitive 'pregnancy test' --present 'folic acid'",
    "verify": "verify {out}",
    "anonymize": DEGREE,
}
#: What measuring a release of groups takes.
GROUPS = "anonymize {data} --sensitive {data}.txt -g 'degree(p=10)' --method cahd -o {out} --seed 0"
MEASURING = {
    "inspect": "inspect {data} --sensitive {data}.txt",
    "verify": "verify {out} --original {data} --sensitive {data}.txt",
    "evaluate": "evaluate {out} --original {data}",
    "report": "report {out} --original {data} -o {out}.html",
}

READ = "import covey; from covey.data import derive_taxonomy; data = covey.read('{0}.dat')"
TREE = READ + "; tree = derive_taxonomy(data)"
KA = "covey.anonymize(data, 'k-anonymity(k={1})', 'pattern-ka', seed=0)"
KM = "covey.anonymize(data, 'km-anonymity(k=5, m={1})', 'mhghs', taxonomy=tree, seed=0)"
#: Python: its data, what comes before the clock starts, what is timed with which number, and how many times as long
#: 0.1 has to take at least.
WORK: dict[str, tuple[str, str, str, int, float | None]] = {
    "read a FIMI file of 1 million rows": ("quest", "import covey", "covey.read('{0}.dat')", 0, 1),
    "read a CSV file of 1 million rows": ("quest", "import covey", "covey.read('{0}.csv')", 0, 1),
    "derive a taxonomy of 1 million rows": ("quest", READ, "derive_taxonomy(data)", 0, 10),
    "mhghs, m = 2, 1 million rows": ("quest", TREE, KM, 2, 2),
    # Each along the tree that it derives itself, so that they do not do the same.
    "mhghs, m = 4, complete journey along a derived tree": ("journey", TREE, KM, 4, None),
    "pattern-ka, K = 20, retail": ("retail", READ, KA, 20, 1),
    "pattern-ka, K = 50, complete journey": ("journey", READ, KA, 50, 1),
}


class Sides:
    """Both versions of covey, with a folder of files that both are given."""

    def __init__(self, folder: Path, before: Path, now: Path) -> None:
        kernels = folder / "kernels-before"
        self.folder, self.sources = folder, {"before": (before, {"NUMBA_CACHE_DIR": str(kernels)}), "now": (now, {})}

    def commands(self, line: str, **places: str) -> tuple[Used, Used]:
        """What a command uses in 0.1, and what it uses now."""
        found = []
        for name, (sources, environment) in self.sources.items():
            words = shlex.split(line.format(out=f"{places.get('data', 'release')}-{name}", **places))
            if name == "now" and words[:2] == ["anonymize", "sales.csv"]:
                words.append("--row-is-person")  # 0.1 knew nothing else
            told = {"folder": self.folder, "environment": environment, "within": LIMIT}
            found.append(command(words, sources=sources, **told))
        return found[0], found[1]

    def python(self, code: str) -> Iterator[Used]:
        """What Python code uses in 0.1, and then what it uses now."""
        for sources, environment in self.sources.values():
            yield python("-c", code, sources=sources, folder=self.folder, environment=environment, within=LIMIT)

    def times(self, setup: str, work: str) -> list[float]:
        """CPU seconds of Python code after a setup, in 0.1 and now."""
        took = self.folder / "took"
        timed = f"start = process_time(); {work}; open('took', 'w').write(str(process_time() - start))"
        code = f"from time import process_time\n{setup}\n{timed}"
        return [float(took.read_text()) if used.finished else LIMIT for used in self.python(code)]


def show(name: str, before: float, now: float, *, least: float | None = 1, unit: str = "s") -> None:
    """One figure: how many times as much 0.1 takes."""
    report(f"{name}: 0.1 / now", before / now, least=least, note=f"{before:.3g} {unit}, now {now:.3g} {unit}")


def sources_before(folder: Path) -> Path:
    """The sources of version 0.1 in this folder."""
    packed = subprocess.run(["git", "archive", COMMIT, "src"], cwd=ROOT, capture_output=True)
    if packed.returncode:
        print(f"skipped: the history has no commit {COMMIT}; fetch all of it (git fetch --unshallow)")
        sys.exit(0)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def deriving(both: Sides) -> list[float]:
    """MiB that deriving a taxonomy takes beyond what reading the data takes, in 0.1 and now; 1 at least."""
    read, derived = ([used.peak for used in both.python(code.format("quest"))] for code in (READ, TREE))
    return [max((more - less) / 2**20, 1) for less, more in zip(read, derived, strict=True)]


def write_files(folder: Path) -> None:
    """Small and large files, some with lists of sensitive items beside them."""
    for line in ("generate shop -o sales.csv --seed 2", "generate people -o people.csv --seed 2"):
        command(shlex.split(line), folder=folder)
    large = quest(transactions=1_000_000, items=10_000, patterns=10_000, seed=1)
    write(large, folder / "quest.dat")
    write(large, folder / "quest.csv")
    small = quest(transactions=2_000, items=500, patterns=500, seed=1)
    write(small, folder / "small.dat")
    write(small, folder / "small.csv")
    retail = with_random_sensitive(covey.read(data_dir() / "retail.dat.gz"), 10, 0, p=10)
    journey = complete_journey()
    numbered = journey.renamed({item: str(number) for number, item in enumerate(journey.items)})
    for name, data in {"retail.dat": retail, "journey.dat": numbered}.items():
        write(data, folder / name)
        (folder / f"{name}.txt").write_text("\n".join(data.sensitive_items()), encoding="utf-8")


def compare(folder: Path) -> None:
    """Every figure."""
    before, fresh = sources_before(folder / "0.1"), installed(folder)
    write_files(folder)
    for name, line in FIRST.items():
        first = Sides(folder, before, fresh)
        first.sources["before"][1]["NUMBA_CACHE_DIR"] = str(folder / f"empty-{name}")
        then, now = first.commands(line)
        show(f"first run of anonymize, {name}", then.cpu, now.cpu, least=4)
    both = Sides(folder, before, ROOT / "src")
    both.commands(DEGREE)
    for name, line in AGAIN.items():
        runs = [both.commands(line) for _ in range(4)]
        show(f"{name} on small data", *(min(run[side].cpu for run in runs) for side in (0, 1)))
    for data in ("retail.dat", "journey.dat"):
        both.commands(GROUPS, data=data)  # the first run may compile
        for name, line in MEASURING.items():
            both.commands(line, data=data)
            then, now = both.commands(line, data=data)
            show(f"{name}, {Path(data).stem}", then.cpu, now.cpu)
    for name, (data, setup, work, number, least) in WORK.items():
        both.times(setup.format("small"), work.format("small", number))  # which may compile
        show(name, *both.times(setup.format(data), work.format(data, number)), least=least)
    show("memory of deriving a taxonomy of 1 million rows", *deriving(both), least=10, unit="MiB")


def main() -> None:
    """Compare them."""
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder))
    finish()


if __name__ == "__main__":
    main()
