"""Results as JSON: contracts and schemas."""
