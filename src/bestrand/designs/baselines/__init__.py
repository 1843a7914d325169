"""Designs to compare with."""
