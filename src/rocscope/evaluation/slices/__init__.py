"""Slices: a separate evaluation of each group of cases, beside that of all cases."""
