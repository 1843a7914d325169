"""Nouns as altair charts. All text in them is data, never markup or an expression."""
