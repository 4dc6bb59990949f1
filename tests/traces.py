"""Traces for releases that were changed in memory, as a dishonest publisher could give them."""

from covey.release.trace import Trace, remember, trace_of


def with_trace_of(changed, release):
    """The changed release, traced like the one that it was made of."""
    remember(changed, trace_of(release))
    return changed


def traced(release, rows):
    """The release, with these original rows."""
    remember(release, Trace(rows=rows))
    return release
