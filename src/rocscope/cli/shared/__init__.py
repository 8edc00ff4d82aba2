"""What several commands share: drawings, matrices, tables of measures, reading predictions, closing lines.

Nothing here prints: each part gives blocks, lines or objects of the packages above.
"""
