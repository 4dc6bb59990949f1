"""The hot loops: numba functions with arrays in, arrays out, no I/O, no randomness, no classes.

numba is loaded when the first of them is called that is worth it (`covey.kernels.shared.jit`).
"""
