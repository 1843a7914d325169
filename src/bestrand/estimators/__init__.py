"""Estimators: how the full score is inferred from a subset, one a file."""
