"""Results as pages."""
