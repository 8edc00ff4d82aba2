"""Slices: each group of cases with its own evaluation, beside the whole."""
