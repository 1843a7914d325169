"""Designs: how items are chosen. One a file; each sees arrays only, never a target's score."""
