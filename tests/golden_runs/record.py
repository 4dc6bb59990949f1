"""Record what the golden runs give: `PYTHONPATH=src:tests python -m golden_runs.record [FILE]`.

With another path to covey's sources it records another commit. Look at the changes before you keep them.
"""

import json
import sys
import tempfile
from pathlib import Path

from golden_runs.adapter import Workspace
from golden_runs.runs import RELEASES, RUNS


def rounded(figure: str) -> float:
    """A figure with as many digits as are compared."""
    return float(f"{float(figure):.12g}")


def written(record: dict[str, object]) -> str:
    """One run as text: a line for each part, so that changes can be read."""
    parts = json.loads(json.dumps(record), parse_float=rounded).items()
    return "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(part)}" for key, part in parts) + "\n }"


def main(target: Path) -> None:
    """Run everything and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        work = Workspace(Path(folder), RELEASES)
        records = [f" {json.dumps(name)}: {written(run(work))}" for name, run in RUNS.items()]
    target.write_text("{\n" + ",\n".join(records) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "expected.json")
