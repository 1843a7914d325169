"""Reporting: nouns to terminal and JSON, with no arithmetic beyond rounding."""
