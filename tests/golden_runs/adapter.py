"""How the golden runs reach covey; whatever differs between two commits is adapted here and nowhere else.

A run is a line such as ``verify release:cahd-baskets original``. Here its words become those of a command:
``data:NAME`` the data, prepared if it has reading options, ``release:NAME`` a release that is made when it is first
needed, ``original`` what that release was made from, ``out:NAME`` a file or folder to write, and
``claiming:NAME:GUARANTEE`` a copy of a release that states another guarantee.
"""

import hashlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import ANY

import httpx

from golden_runs.data import write_data
from golden_runs.tables import describe

PERSONS = "--person person --transaction visit --item item"
TABLE = "--quasi age,zip,sex,job --hierarchy job=job.csv"
RECORDS = "attributes.csv --kind records --person person --baskets entries.csv --quasi age,zip,sex"

#: Data by name: a file, and how it is read.
DATA = {
    "plain": "baskets.csv",
    "baskets": "baskets.csv --sensitive secret.txt",
    "baskets-taxonomy": "baskets.csv --taxonomy taxonomy.csv",
    "common": "common.csv",
    "common-taxonomy": "common.csv --taxonomy taxonomy.csv",
    "numbers": "baskets.dat",
    "fimi": "baskets.dat --sensitive 36,37,38",
    "persons": f"visits1.csv {PERSONS}",
    "persons-taxonomy": f"visits1.csv {PERSONS} --taxonomy taxonomy.csv",
    "visits": f"visits1.csv {PERSONS} --sensitive secret.txt",
    "next-visits": f"visits2.csv {PERSONS} --sensitive secret.txt",
    "people": f"people.csv {TABLE} --other illness",
    "people-raw": "people.csv",
    "patients": f"people.csv {TABLE} --sensitive illness",
    "cases": f"cases.csv {TABLE} --sensitive illness --person name",
    "survey": "survey.csv --sensitive income",
    "survey-wide": "survey-wide.csv --kind ratings --sensitive income",
    "records": RECORDS,
    "records-taxonomy": f"{RECORDS} --taxonomy taxonomy.csv",
    "records-sensitive": f"{RECORDS} --sensitive secret.txt",
    "missing": "nowhere.csv",
    "open-quote": "open-quote.csv",
    "binary": "binary.csv",
}
#: The same with other originals: two rows have exchanged a value.
DATA |= {
    "exchanged-plain": "exchanged-baskets.csv",
    "exchanged-baskets": "exchanged-baskets.csv --sensitive secret.txt",
    "exchanged-records": f"{RECORDS.replace('entries', 'exchanged-entries')} --sensitive secret.txt",
    "exchanged-patients": f"exchanged-people.csv {TABLE} --sensitive illness",
    "exchanged-wide": "exchanged-survey-wide.csv --kind ratings --sensitive income",
}

#: Seconds after which the page counts as hanging.
PATIENCE = 120

#: Attacks that learn a model: their figures may move a little when the learner changes.
LEARNED = ("learned", "strong", "grey", "hub")

#: Attacks, and keys of JSON output, that are not compared: they go away, are wording, or are compared elsewhere.
GONE = ("first", "shortest")
NOT_COMPARED = {"assisted", "bandwidth", "fingerprint", "checks", "path", "approximate", "low", "high", "audit"}
NOT_COMPARED |= {"options", "derived", "offence", "error", "counts"}


@dataclass
class Workspace:
    """A folder with the data and the releases that were made of it so far; `lines` says how each is made."""

    folder: Path
    lines: Mapping[str, str]
    made: dict[str, dict[str, object]] = field(default_factory=dict)
    prepared: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.data = self.folder / "data"
        self.data.mkdir()
        write_data(self.data)

    def release(self, name: str) -> Path:
        """The release of this name."""
        out = self.folder / name
        if name not in self.made:
            self.made[name] = {}  # while it is made, its own line names it
            self.made[name] = perform(
                f"{self.lines[name]} --seed 1 --trace '{self.trace(name)}' -o release:{name}", self
            )
        return out

    def trace(self, name: str) -> Path:
        """The file with the trace of a release."""
        return self.folder / f"{name}.npz"

    def original(self, name: str) -> str:
        """The name of the data that a release was made from."""
        return next(word.removeprefix("data:") for word in self.lines[name].split() if word.startswith("data:"))


def reading(name: str, verb: str, work: Workspace) -> list[str]:
    """The words that name data: a dataset, prepared when it is first needed, or a file; attacks need no taxonomy."""
    words, tree, _ = DATA[name].partition(" --taxonomy taxonomy.csv")
    if set(re.findall(r"--[a-z]+", words)) - {"--kind", "--sensitive"}:
        out = work.folder / f"{name}.covey"
        if name not in work.prepared:
            assert run_covey("prepare", *words.split(), "-o", str(out)) == (0, ANY)
            work.prepared.add(name)
        words = str(out)
    return [*words.split(), *(tree.split() if verb != "attack" else [])]


def translate(line: str, work: Workspace, out: Path) -> list[str]:
    """The words of a command."""
    command: list[str] = []
    release = ""
    verb, *words = shlex.split(line)
    for before, word in zip([verb, *words], words, strict=False):
        kind, _, name = word.partition(":")
        if kind == "release":
            command.append(str(work.release(name)))
            if before == "--with":
                earlier = reading(work.original(name), verb, work)[0]
                command += ["--with-original", earlier, "--trace", str(work.trace(name))]
            if before == "--like":
                command += ["--like-trace", str(work.trace(name))]
            release = release or name
        elif kind == "claiming":
            source, _, guarantee = name.partition(":")
            command.append(str(claim(Path(shutil.copytree(work.release(source), out / source)), guarantee)))
        elif kind == "data":
            command += reading(name, verb, work)
        elif kind == "original":
            command += ["--original", *reading(name or work.original(release), verb, work)]
            command += ["--trace", str(work.trace(release))] if release else []
        else:
            command.append(str(out / name) if kind == "out" else word)
    return [verb, *command]


def claim(release: Path, guarantee: str) -> Path:
    """State another guarantee, and make all else follow from that: nothing but the guarantee can be wrong."""
    from covey.release.documents import documents
    from covey.release.manifest import read_manifest
    from covey.release.store import read_tables

    def sealed(body: dict[str, object]) -> bytes:
        return (json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()

    path = release / "manifest.json"
    body = json.loads(path.read_text(encoding="utf-8")) | {"guarantee": guarantee}
    del body["digest"]
    path.write_bytes(sealed(body | {"digest": hashlib.sha256(sealed(body)).hexdigest()}))
    manifest = read_manifest(release)
    for name, text in documents(manifest, read_tables(release, manifest)[0].named_columns()).items():
        (release / name).write_bytes(text)
    return release


def run_covey(*arguments: str) -> tuple[int, str]:
    """Run the command line in this process; return its exit code and what it printed."""
    from covey.cli.app import run

    before = sys.argv
    sys.argv = ["covey", *arguments]
    printed = io.StringIO()
    try:
        with warnings.catch_warnings(), redirect_stdout(printed), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            return run(), printed.getvalue()
    finally:
        sys.argv = before


def figures_in(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """All numbers and truth values in JSON output, by their place; a list of numbers is one figure."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in NOT_COMPARED:
                yield from figures_in(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, int | float) or (value and isinstance(value, list) and isinstance(value[0], int | float)):
        yield place, value
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from figures_in(inner, f"{place}.{at}")


def attack_figures(attacks: list[dict[str, object]]) -> dict[str, dict[str, object]]:
    """Figures of attacks by name; apart, as they are compared with a tolerance, those that depend on a learner."""
    figures: dict[str, object] = {}
    learned: dict[str, object] = {}
    for attack in attacks:
        name = attack["attack"]
        if name in GONE:
            continue
        figures |= {f"{name}.{key}": attack[key] for key in ("claim", "chance", "targets")}
        without = attack.get("baseline", attack.get("floor"))  # what is known without the release
        if without is not None:
            learned[f"{name}.baseline"] = without
        if name in LEARNED:
            learned[f"{name}.success_rate"] = attack["success_rate"]
        else:
            figures[f"{name}.success_rate"] = attack["success_rate"]
            figures |= {f"{name}.{key}": value for key, value in figures_in(attack["details"])}
            # Lift is relative to claim or baseline; times that, it does not depend on how the baseline was learned.
            figures[f"{name}.lift x bar"] = attack["lift"] * max(attack["claim"] or 0, without or 0)
    return {"figures": figures, "learned": learned}


def perform(line: str, work: Workspace) -> dict[str, object]:
    """Run a line; return what is compared of it: exit code, figures, and what was written."""
    out = Path(tempfile.mkdtemp(dir=work.folder))
    with chdir(work.data):
        words = translate(line, work, out)
        code, printed = run_covey(*words, "--json")
    said = json.loads(printed) if printed else {}
    seen: dict[str, object] = {"exit": code}
    seen |= attack_figures(said["attacks"]) if "attacks" in said else {"figures": dict(figures_in(said))}
    if "out:" in line:
        seen |= described(out)
    elif "-o" in words:
        seen |= described(Path(words[words.index("-o") + 1]))
    return seen


def described(folder: Path) -> dict[str, object]:
    """The files in a folder and, of a release, what stays of its manifest in later formats."""
    seen: dict[str, object] = {"files": describe(folder)}
    for manifest in folder.rglob("manifest.json"):
        stated = json.loads(manifest.read_text(encoding="utf-8"))
        seen["manifest"] = {key: stated[key] for key in ("kind", "guarantee", "method", "counts")}
    return seen


@contextmanager
def page(folder: Path) -> Iterator[httpx.Client]:
    """Serve the page from a process of its own."""
    import covey

    command = [sys.executable, "-m", "covey", "serve", "--no-browser", "--port", "0", "--no-token", "--json"]
    sources = {**os.environ, "PYTHONPATH": str(Path(covey.__file__).parents[1])}
    with subprocess.Popen([*command, "--data", folder], stdout=subprocess.PIPE, text=True, env=sources) as process:
        try:
            printed = ""
            while not printed.endswith("}\n"):
                line = process.stdout.readline()
                assert line, "the server did not start"
                printed += line
            address = json.loads(printed)["url"].rstrip("/")
            with httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False) as client:
                yield client
        finally:
            process.terminate()


def until(client: httpx.Client, address: str, ready: Callable[[httpx.Response], bool]) -> httpx.Response:
    """Ask again and again until the answer is the one that is waited for."""
    end = time.monotonic() + PATIENCE
    while True:
        answer = client.get(address)
        assert answer.status_code < 400, f"{address}: {answer.text}"
        if ready(answer):
            return answer
        assert time.monotonic() < end, f"{address} is not ready"


def numbers_in(page: str) -> list[float]:
    """All numbers that a page shows."""
    text = re.sub(r"<[^>]*>", " ", page)
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def page_job(work: Workspace, guarantee: str, method: str, question: Mapping[str, str], out: Path) -> dict[str, object]:
    """Upload baskets, mark what is sensitive, run a job, ask a question, and unpack the release to `out`.

    The result is all numbers on the result page and in the answer, and whether there is a report.
    """
    with page(out.with_name(f"{out.name}.served")) as client:
        file = ("baskets.csv", (work.data / "baskets.csv").read_bytes())
        dataset = client.post("/upload", files={"file": file}).headers["location"]
        until(client, dataset, lambda answer: 'class="tiles"' in answer.text)
        marked = {"list": (work.data / "secret.txt").read_text(encoding="utf-8")}
        client.post(f"{dataset}/sensitive/list", data=marked)
        until(client, f"{dataset}/risk", lambda answer: "hx-get" not in answer.text)
        started = client.post(f"{dataset}/start", data={"guarantee": guarantee, "method": method, "seed": "1"})
        job = started.headers["location"].removesuffix("/run")
        until(client, f"{job}/run", lambda answer: answer.status_code != 200)
        until(client, job, lambda answer: "still being measured" not in answer.text)
        with zipfile.ZipFile(io.BytesIO(client.get(f"{job}/release.zip").content)) as packed:
            packed.extractall(out)
        asked = client.get(job, params={"tab": "inside", **question}).text
        return {
            "result": [*numbers_in(client.get(job).text), *numbers_in(client.get(f"{job}?tab=use").text)],
            "answer": numbers_in(asked.partition('id="answer"')[2].partition("</section>")[0]),
            "report": client.get(f"{job}/report.html").status_code,
        }
