"""Does a release keep its promise, and is it faithful to its original? Shares nothing with the methods."""
