"""The hot loops: numba functions with arrays in, arrays out, no I/O, no randomness, no classes.

Importing a kernel module imports numba, so nothing imports one before it is needed.
"""
