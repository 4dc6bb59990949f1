"""Kernels of the methods; nothing that verifies may import them."""
