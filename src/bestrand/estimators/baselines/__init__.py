"""Estimators to compare with."""
