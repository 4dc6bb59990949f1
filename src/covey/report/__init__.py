"""The report of one release: a single HTML file for whoever has to decide whether it may leave."""
