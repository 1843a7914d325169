"""The search over random subsets: the compiled kernel, and its plain twin as the oracle."""
