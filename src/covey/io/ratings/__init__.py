"""Reading and writing ratings."""
