"""Results that survive an interruption: one small JSON file per job, replaced whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from covey.release.aside import make_folders
from covey.release.writing import write_whole, writing

FORMAT = "covey-results/1"
FOLDER = "cells"


class Store:
    """The results of finished jobs under ``DIR/cells``.

    A file that is damaged or of another format counts as absent: its job runs again.
    """

    def __init__(self, directory: Path) -> None:
        self.folder = directory / FOLDER
        with writing(directory):
            make_folders(self.folder)

    @staticmethod
    def is_in(directory: Path) -> bool:
        """Whether a comparison has written to a directory before."""
        return (directory / FOLDER).is_dir()

    def get(self, key: str) -> dict[str, dict[str, Any]]:
        """What is known of a job: metric → {"value", "standard_error", "problem"}."""
        try:
            body = json.loads((self.folder / f"{key}.json").read_bytes())
            figures = body["figures"]
            if body["format"] != FORMAT or body["job"] != key or not isinstance(figures, dict):
                return {}
            return {name: dict(figure) for name, figure in figures.items()}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def put(self, key: str, figures: dict[str, dict[str, Any]]) -> None:
        """Add figures to what is known of a job; a crash leaves the old file or the new one."""
        body = {"format": FORMAT, "job": key, "figures": {**self.get(key), **figures}}
        text = json.dumps(body, indent=1, sort_keys=True)
        write_whole(self.folder / f"{key}.json", text.encode(), force=True)
