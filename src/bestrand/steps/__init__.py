"""The steps of the main job: draw a pool, select, estimate, verify."""
