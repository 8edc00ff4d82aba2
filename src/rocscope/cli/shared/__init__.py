"""Code that several commands share: drawings, matrices, tables of measures, reading predictions, closing lines.

Nothing in this package prints: its functions return blocks, lines or library objects.
"""
