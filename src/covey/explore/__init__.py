"""Datasets × guarantees × methods × seeds: what each release would keep and risk, and which method to take."""
