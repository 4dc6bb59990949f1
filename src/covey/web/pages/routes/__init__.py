"""The routes of the pages, by step; they call the service and nothing below it."""
