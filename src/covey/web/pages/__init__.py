"""The HTML pages: routes, forms, views, words, templates and what browsers load."""
