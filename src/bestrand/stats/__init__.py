"""Pure array formulas; they trust their callers."""
