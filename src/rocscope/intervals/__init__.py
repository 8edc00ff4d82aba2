"""How sure: intervals."""
