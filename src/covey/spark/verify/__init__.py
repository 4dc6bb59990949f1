"""Check on Spark whether a release keeps its guarantee, with code that no method uses."""
