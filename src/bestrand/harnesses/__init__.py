"""Harnesses: what they log is read as runs, and what was chosen is written as they take it."""
