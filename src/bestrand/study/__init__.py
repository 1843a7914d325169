"""The study: how large each strategy's error is on known full scores, hidden in turn."""
