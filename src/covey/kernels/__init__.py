"""Kernels of the verifiers; they share nothing with methods but the plain helpers of `covey.data`."""
