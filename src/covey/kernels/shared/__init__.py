"""Kernels that everything may use."""
