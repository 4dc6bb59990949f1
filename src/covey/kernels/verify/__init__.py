"""Kernels of the verifier; no method may import them."""
