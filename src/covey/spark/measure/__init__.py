"""How exposed people are in data on Spark, and what a release of it is still good for."""
