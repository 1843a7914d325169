"""Planning: theory applied to scores that are there already."""
