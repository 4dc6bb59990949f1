"""Kernels of metrics and attacks."""
