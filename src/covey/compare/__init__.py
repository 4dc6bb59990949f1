"""Methods side by side: grids of data × methods × parameters × seeds, as one table and as plots."""
