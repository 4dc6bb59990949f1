"""Reading and writing baskets."""
