"""Rows of any file as one Arrow table, cleaned before a kind of data is made of them."""
