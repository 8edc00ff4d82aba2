"""Text views of the results document, one module per kind of result."""
