"""What a worker tells the server while it works: lines of JSON."""

from __future__ import annotations

import json
import math
import time
from typing import Any, TextIO

#: Seconds between two reports of progress within a stage.
PAUSE = 0.1


class Reporter:
    """Sends lines to the server; called like a `covey.progress.Progress`."""

    def __init__(self, channel: TextIO) -> None:
        self._channel = channel
        self._stage, self._last = "", 0.0

    def __call__(self, stage: str, done: float, /) -> None:
        """Report that `stage` has come as far as `done`; not more often than anybody could look."""
        now = time.monotonic()
        if stage == self._stage and now - self._last < PAUSE:
            return
        self._stage, self._last = stage, now
        self.send({"progress": [stage, min(max(float(done), 0.0), 1.0)]})

    def event(self, body: dict[str, Any]) -> None:
        """Report something that is already certain, before the task is done."""
        self.send({"event": body})

    def send(self, body: dict[str, Any]) -> None:
        """Send one line."""
        self._channel.write(json.dumps(plain(body), ensure_ascii=True, allow_nan=False) + "\n")
        self._channel.flush()


def plain(value: Any) -> Any:
    """The value as JSON can hold it: numpy's numbers as Python's, no NaN, infinity as text."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    if hasattr(value, "item") and hasattr(value, "dtype"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    return str(value)
