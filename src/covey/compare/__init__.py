"""Methods side by side: grids of data × methods × parameters × seeds, as one table and as plots."""

from covey.compare.config import Comparison, read_comparison
from covey.compare.run import Outcome, run_comparison

__all__ = ["Comparison", "Outcome", "read_comparison", "run_comparison"]
