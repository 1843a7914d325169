"""The study: which strategy errs by how much, on full scores whose targets are hidden in turn."""
