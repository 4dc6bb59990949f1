"""Where a plan runs."""
