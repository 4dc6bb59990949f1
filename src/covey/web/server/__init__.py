"""What runs in the server's process: who may ask, datasets, jobs, and the worker processes that do the work."""
