"""The report of one release: a single HTML file for the person who has to decide whether it may leave."""
