"""The hot loops: numba functions with arrays in, arrays out, no I/O, no randomness, no classes.

Each is compiled when it is first called, and cached on disk (`covey.kernels.shared.jit`).
"""
