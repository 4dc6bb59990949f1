"""Peak memory of every command at 3 million Quest rows, above its base, beside the arrays of the data.

The base is what the same command takes on a thousand rows: interpreter, libraries and kernels. `COVEY_BENCH_ROWS`, such
as 1000000, makes a quicker run.
"""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from commands import Used, command
from covey.io import write
from covey.synth import quest
from ratios import finish, report, with_random_sensitive

ROWS = int(os.environ.get("COVEY_BENCH_ROWS", "3000000").split(",")[-1])
#: What a command may take above its base, in sizes of the data's arrays.
MOST = 6
MARKED = "anonymize {data} --sensitive {secret} --guarantee degree(p=10)"
COMMANDS = {
    "inspect": "inspect {data}",
    "items": "items {data}",
    "check": "check {data} --guarantee k-anonymity(k=5)",
    "taxonomy suggest": "taxonomy suggest {data} --by together -o {folder}/tree.csv",
    "anonymize, cahd": f"{MARKED} --method cahd -o {{folder}}/groups",
    "anonymize, anatomy": f"{MARKED} --method anatomy -o {{folder}}/anatomy",
    "anonymize, matched": f"{MARKED} --method matched -o {{folder}}/matched",
    "anonymize, pattern-ka": "anonymize {data} --guarantee k-anonymity(k=20) --method pattern-ka -o {folder}/sets",
    "anonymize, mhghs": "anonymize {data} --guarantee km-anonymity(k=5,m=2) --method mhghs "
    "--taxonomy {folder}/tree.csv -o {folder}/km",
    "anonymize, disassociation": "anonymize {data} --guarantee km-anonymity(k=5,m=2) --method disassociation "
    "-o {folder}/chunks",
    "verify": "verify {folder}/groups --original {data}",
    "query": "query {folder}/groups --sensitive {one}",
    "evaluate": "evaluate {folder}/groups --original {data}",
    "attack": "attack {folder}/groups --original {data}",
    "report": "report {folder}/groups --original {data} -o {folder}/report.html",
    "sample": "sample {folder}/groups -o {folder}/drawn --draws 1",
}


def prepare(rows: int, data: Path, secret: Path) -> tuple[int, list[str]]:
    """Write so many rows and a list of sensitive items; return the bytes of their arrays, and the list."""
    made = quest(transactions=rows, items=10_000, patterns=10_000, seed=1)
    write(made, data)
    secrets = list(with_random_sensitive(made, 20, 0, p=50).sensitive_items())
    secret.write_text("\n".join(secrets), encoding="utf-8")
    return made.indptr.nbytes + made.indices.nbytes, secrets


def measure(rows: int, folder: Path) -> tuple[int, dict[str, Used]]:
    """Bytes of the arrays of so many rows, and each command's peak and time with them."""
    folder.mkdir()
    places = {"folder": folder, "data": folder / "rows.dat", "secret": folder / "secret.txt"}
    # Elsewhere, because the peak of a process begins with what its parent holds.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as elsewhere:
        size, secrets = elsewhere.submit(prepare, rows, places["data"], places["secret"]).result()
    found = {}
    for name, words in COMMANDS.items():
        found[name] = command([part.format(one=secrets[0], **places) for part in words.split()])
        print(f"      {name}: {found[name].cpu:.1f} s of CPU, {found[name].wall:.0f} s", flush=True)
    return size, found


def main() -> None:
    """Measure small and large."""
    with tempfile.TemporaryDirectory() as scratch:
        measure(1_000, Path(scratch) / "compiling")
        _, base = measure(1_000, Path(scratch) / "base")
        size, found = measure(ROWS, Path(scratch) / "large")
    for name, used in found.items():
        above, told = (used.peak - base[name].peak) / size, f"{used.peak >> 20} MiB, {used.cpu:.0f} s"
        report(f"{name}: peak memory above its base / arrays", above, most=MOST, note=told)
    finish()


if __name__ == "__main__":
    main()
