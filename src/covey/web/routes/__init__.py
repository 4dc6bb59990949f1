"""The routes of the pages, by step."""
